#script (python)
# Arithmetic and order on integers of 64 bits, reals and names; what has no value is an empty list.
import math
from clingo import Function, Number, String, SymbolType

def _read(s):
    if s.type == SymbolType.Number:
        return s.number
    if s.type == SymbolType.Function and s.name == "_int":
        return int(s.arguments[0].string)
    if s.type == SymbolType.Function and s.name == "_real":
        return float(s.arguments[0].string)
    return s.string if s.type == SymbolType.String else s.name

def _write(x):
    if isinstance(x, str):
        return [String(x)]
    if isinstance(x, float):
        if not math.isfinite(x):
            return []
        if abs(x) > 2**53 or x != int(x):
            mantissa, _, exponent = repr(x).partition("e")
            return [Function("_real", [String(mantissa + ("e" + str(int(exponent)) if exponent else ""))])]
        x = int(x)
    return [Number(x) if abs(x) < 2**31 else Function("_int", [String(str(x))])]

def _number(*xs):
    return all(not isinstance(x, str) for x in xs)

def _compute(f, *symbols):
    xs = [_read(s) for s in symbols]
    if not _number(*xs):
        return []
    try:
        if all(isinstance(x, int) for x in xs):
            exact = f(*xs)
            if isinstance(exact, int) and -2**63 <= exact < 2**63:
                return _write(exact)
        result = f(*[float(x) for x in xs])
        return [] if isinstance(result, complex) else _write(result)
    except (ArithmeticError, ValueError):
        return []

def _divide(x, y):
    return x // y if isinstance(x, int) and y != 0 and x % y == 0 else x / y

def _floor(x, y):
    return x // y if isinstance(x, int) else float(math.floor(x / y))

def _order(a, b):
    x, y = _read(a), _read(b)
    if _number(x) != _number(y):
        return -1 if _number(x) else 1
    return (x > y) - (x < y)

def plus(a, b): return _compute(lambda x, y: x + y, a, b)
def minus(a, b): return _compute(lambda x, y: x - y, a, b)
def times(a, b): return _compute(lambda x, y: x * y, a, b)
def divided(a, b): return _compute(_divide, a, b)
def floored(a, b): return _compute(_floor, a, b)
def rest(a, b): return _compute(lambda x, y: x - y * _floor(x, y), a, b)
def power(a, b): return _compute(lambda x, y: x ** y, a, b)
def negative(a): return _compute(lambda x: -x, a)
def magnitude(a): return _compute(abs, a)
def root(a): return _compute(lambda x: math.sqrt(x), a)
def least(a, b): return [] if not _number(_read(a), _read(b)) else [b if _order(b, a) < 0 else a]
def greatest(a, b): return [] if not _number(_read(a), _read(b)) else [b if _order(b, a) > 0 else a]
def less(a, b): return [Number(1 if _order(a, b) < 0 else 0)]
def at_most(a, b): return [Number(1 if _order(a, b) <= 0 else 0)]
#end.
