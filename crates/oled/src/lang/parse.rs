//! The parser: text to clauses, by hand so that every error has its place, its caret and a hint.
//!
//! ```text
//! file     := clause*
//! clause   := atom [ ":-" literal ("," literal)* ] "."
//! literal  := ["not"] ( atom | sum cmp sum )          cmp := = | == | != | \= | < | <= | =< | > | >=
//! term     := sum ["=" sum]                            a fluent with a value: speed(V)=low
//! sum      := product (("+" | "-") product)*
//! product  := unary (("*" | "/" | "//" | "mod") unary)*
//! unary    := "-" unary | power
//! power    := primary ["^" unary]
//! primary  := number | variable | name ["(" term ("," term)* ")"] | "(" term ")"
//!           | ("+" | "-" | "#") type | "not" atom       in mode declarations
//! ```

mod token;

use std::sync::Arc;

use token::Token;

use super::expires::{EXPIRES, expand};
use super::holds_for::{self, HOLDS_FOR, LIST};
use super::how_many;
use super::related;
use super::{
    Atom, Clause, Comparison, Diagnostic, Formula, Literal, Mark, Problems, Source, Span, Symbol, Term, Theory, Value,
};

/// Deeper nesting is refused, so that no input can exhaust the stack.
const MAX_DEPTH: usize = 64;

/// More operators in one literal are refused: `1 + 1 + 1 + …` is a tree that is as deep as it is long, and whatever walks
/// over terms goes down to its end. Nobody writes so many by hand, and so deep a tree needs a small part of any stack.
const MAX_OPERATORS: usize = 500;

/// More conditions in one rule are refused, for the same reason: each is a step within the one before.
const MAX_CONDITIONS: usize = 1000;

/// Reads clauses, or says everything that is wrong with the text: after an error reading goes on behind the next full stop.
pub fn parse_theory(name: &str, text: &str) -> Result<Theory, Problems> {
    let (theory, problems) = parse_source(&Source::new(name, text));
    Problems::check(problems).map(|()| theory)
}

/// Reads what can be read of a source, and says everything that is wrong with the rest.
pub fn parse_source(source: &Arc<Source>) -> (Theory, Vec<Diagnostic>) {
    let mut parser = Parser {
        source,
        text: &source.text,
        at: 0,
        token: Token::End,
        start: 0,
        end: 0,
        behind: 0,
        depth: 0,
        operators: 0,
        problems: Vec::new(),
        lists: false,
    };
    let (mut theory, mut deadlines) = (Theory::default(), Vec::new());
    let mut problems = Vec::new();
    if source.text.len() >= u32::MAX as usize {
        problems.push(Diagnostic::new(&Span::default(), "the text is larger than 4 GiB"));
        return (theory, problems);
    }
    let mut next = parser.advance();
    loop {
        let clause = match next {
            Ok(()) if parser.token == Token::End => break,
            Ok(()) => parser.clause(),
            Err(e) => Err(e),
        };
        match clause {
            // Deadlines are rules, behind those that are written.
            Ok((clause, _)) if clause.head.name.as_str() == EXPIRES => deadlines.push(clause),
            Ok((clause, weight)) if clause.head.name.as_str() == HOLDS_FOR && related::relates(&clause) => {
                match related::read(&clause) {
                    Ok(_) if weight.is_some() => problems.push(
                        Diagnostic::new(&clause.span, "a rule about intervals has no weight")
                            .hint("weigh the rules of the fluents that it relates"),
                    ),
                    Ok(related) => theory.related.push(related),
                    Err(problem) => problems.push(problem),
                }
            }
            Ok((clause, weight)) if clause.head.name.as_str() == HOLDS_FOR => match holds_for::expand(&clause) {
                Ok(rules) => rules.into_iter().for_each(|rule| theory.push(rule, weight)),
                Err(problem) => problems.push(problem),
            },
            Ok((clause, weight)) => match holds_for::misplaced(&clause) {
                None => theory.push(clause, weight),
                Some(problem) => problems.push(problem),
            },
            Err(problem) => {
                problems.push(problem);
                parser.recover();
            }
        }
        next = parser.advance();
    }
    problems.append(&mut parser.problems);
    for deadline in &deadlines {
        match expand(deadline, &theory.clauses) {
            Ok(rules) => rules.into_iter().for_each(|rule| theory.push(rule, None)),
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(how_many::expand(&mut theory));
    problems.extend(related::hand_on(&mut theory));
    (theory, problems)
}

struct Parser<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    /// Where the next token is looked for.
    at: usize,
    /// The token looked at, and its place.
    token: Token,
    start: usize,
    end: usize,
    /// Where the token before it ended.
    behind: usize,
    depth: usize,
    /// How many operators the literal has so far.
    operators: usize,
    /// Whether a list may stand here.
    lists: bool,
    /// What is wrong, where it is clear what was meant: the clause is read as if that were written.
    problems: Vec<Diagnostic>,
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser<'_> {
    fn nest(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth = 0;
            return Err(Diagnostic::new(&self.here(), format!("terms may be nested at most {MAX_DEPTH} deep")));
        }
        Ok(())
    }

    /// Takes an operator between two terms.
    fn operator(&mut self, op: &str) -> Parsed<Symbol> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            let message = format!("a literal may have at most {MAX_OPERATORS} operators");
            return Err(Diagnostic::new(&self.here(), message)
                .hint("name a part of it by a condition of its own, such as `V = X + Y`, and go on with `V`"));
        }
        self.advance()?;
        Ok(Symbol::new(op))
    }

    /// The number before a rule, if there is one.
    fn weight(&mut self) -> Parsed<Option<Value>> {
        let before = (self.at, self.token, self.start, self.end, self.behind);
        let negative = self.token == Token::Sign("-");
        if negative {
            self.advance()?;
        }
        if let Token::Number(value) = self.token {
            self.advance()?;
            if let Token::Name(_) = self.token {
                let sign = if negative { -1.0 } else { 1.0 };
                return Ok(value.as_f64().and_then(|number| Value::real(sign * number)));
            }
        }
        (self.at, self.token, self.start, self.end, self.behind) = before;
        Ok(None)
    }

    fn clause(&mut self) -> Parsed<(Clause, Option<Value>)> {
        (self.depth, self.lists) = (0, false);
        let weight = self.weight()?;
        let start = self.start;
        let head = self.head()?;
        let mut body = Vec::new();
        if self.token == Token::Sign(":-") {
            self.advance()?;
            loop {
                if body.len() == MAX_CONDITIONS {
                    let message = format!("a rule may have at most {MAX_CONDITIONS} conditions");
                    return Err(Diagnostic::new(&self.here(), message)
                        .hint("give some of them a name by a rule of their own, and use that"));
                }
                body.push(self.literal()?);
                if self.token != Token::Sign(",") {
                    break;
                }
                self.advance()?;
            }
        }
        if self.token != Token::Sign(".") {
            let what = if body.is_empty() { "the head" } else { "this literal" };
            let problem =
                Diagnostic::new(&self.here(), format!("expected `.` or `,` after {what}, found {}", self.describe()));
            return Err(match self.token {
                Token::End => problem.hint("end the last rule with a full stop"),
                Token::Name(_) | Token::Var(_) => problem.hint("is a `,` or a `.` missing before it?"),
                _ => problem,
            });
        }
        let span = self.span(start, self.end);
        Ok((Clause { head, body, span }, weight))
    }

    fn head(&mut self) -> Parsed<Atom> {
        let span = self.here();
        if self.token == Token::Name(Symbol::new("not")) {
            return Err(Diagnostic::new(&span, "a head cannot be negated").hint("what is not derived is false"));
        }
        if self.token == Token::Sign(":-") {
            return Err(Diagnostic::new(&span, "a rule needs a head")
                .hint("integrity constraints are not part of the language"));
        }
        let start = self.start;
        self.operators = 0;
        let term = self.term()?;
        self.atom_of(term, start)
    }

    /// Reads a term as an atom; `start` is where it began.
    fn atom_of(&self, term: Term, start: usize) -> Parsed<Atom> {
        // The token looked at stands behind the atom, after blanks that are not part of it.
        let end = start + self.text[start..self.start].trim_end().len();
        let span = self.span(start, end);
        match term {
            Term::App(name, args)
                if super::term::precedence(name.as_str(), args.len()).is_none() && name.as_str() != "not" =>
            {
                Ok(Atom { name, args, span })
            }
            Term::Value(Value::Sym(name)) => Ok(Atom { name, args: Vec::new(), span }),
            Term::Var(name) => {
                Err(Diagnostic::new(&span, format!("expected an atom, found the variable `{}`", name.as_str()))
                    .hint("predicates and constants start with a lower-case letter"))
            }
            _ => Err(Diagnostic::new(
                &span,
                format!("expected an atom such as `happensAt(walking(X), T)`, found `{}`", span.text()),
            )),
        }
    }

    fn literal(&mut self) -> Parsed<Literal> {
        let start = self.start;
        let negated = self.token == Token::Name(Symbol::new("not"));
        if negated {
            self.advance()?;
            if self.token == Token::Name(Symbol::new("not")) {
                return Err(Diagnostic::new(&self.here(), "a literal is negated once at most"));
            }
        }
        let atom_start = self.start;
        self.operators = 0;
        let left = self.sum()?;
        let comparison = match self.token {
            Token::Sign("=") => Some(Comparison::Equal),
            Token::Sign("!=") => Some(Comparison::NotEqual),
            Token::Sign("<") => Some(Comparison::Less),
            Token::Sign("<=") => Some(Comparison::LessOrEqual),
            Token::Sign(">") => Some(Comparison::Greater),
            Token::Sign(">=") => Some(Comparison::GreaterOrEqual),
            _ => None,
        };
        let formula = match comparison {
            Some(comparison) => {
                self.advance()?;
                Formula::Compare(comparison, left, self.sum()?)
            }
            None if self.token == Token::Name(Symbol::new("is")) => {
                return Err(Diagnostic::new(&self.here(), "`is` is not part of the language").hint("write `D = X - Y`"));
            }
            None => Formula::Atom(self.atom_of(left, atom_start)?),
        };
        let end = start + self.text[start..self.start].trim_end().len();
        Ok(Literal { negated, formula, span: self.span(start, end) })
    }

    fn term(&mut self) -> Parsed<Term> {
        let left = self.sum()?;
        if self.token != Token::Sign("=") {
            return Ok(left);
        }
        let equal = self.operator("=")?;
        let right = self.sum()?;
        Ok(Term::App(equal, vec![left, right]))
    }

    fn sum(&mut self) -> Parsed<Term> {
        self.nest()?;
        let mut left = self.product()?;
        while let Token::Sign(op @ ("+" | "-")) = self.token {
            left = Term::App(self.operator(op)?, vec![left, self.product()?]);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Term> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.token {
                Token::Sign(op @ ("*" | "/" | "//")) => self.operator(op)?,
                // A name after a term is nothing else.
                Token::Name(name) if name.as_str() == "mod" => self.operator("mod")?,
                _ => return Ok(left),
            };
            left = Term::App(operator, vec![left, self.unary()?]);
        }
    }

    fn unary(&mut self) -> Parsed<Term> {
        let mark = match self.token {
            Token::Sign("+") => Mark::Input,
            Token::Sign("-") => Mark::Output,
            Token::Sign("#") => Mark::Constant,
            _ => return self.power(),
        };
        self.nest()?;
        let span = self.here();
        self.advance()?;
        let term = match (mark, self.token) {
            // `+person`, `-person`, `#person`; but -abs(X) is arithmetic.
            (_, Token::Name(kind)) if !self.rest().starts_with('(') => {
                self.advance()?;
                Term::Mark(mark, kind)
            }
            (Mark::Output, Token::Number(Value::Int(i))) => {
                self.advance()?;
                self.power_of(Term::Value(Value::Int(-i)))?
            }
            (Mark::Output, Token::Number(number)) => {
                self.advance()?;
                let negative = Value::real(-number.as_f64().unwrap_or(0.0)).unwrap_or(number);
                self.power_of(Term::Value(negative))?
            }
            (Mark::Output, _) => Term::App(Symbol::new("-"), vec![self.unary()?]),
            (_, Token::Var(name)) => {
                let written = self.span(span.start as usize, self.end);
                let kind = name.as_str().to_lowercase();
                let problem = Diagnostic::new(&written, format!("`{}` is a variable, not a type", name.as_str()));
                self.problems
                    .push(problem.hint(format!("types start with a lower-case letter: `{}{kind}`", span.text())));
                self.advance()?;
                Term::Mark(mark, Symbol::new(&kind))
            }
            _ => {
                return Err(Diagnostic::new(&span, format!("expected a type after `{}`", span.text()))
                    .hint("place markers are `+type`, `-type` and `#type`"));
            }
        };
        self.depth -= 1;
        Ok(term)
    }

    fn power(&mut self) -> Parsed<Term> {
        let base = self.primary()?;
        self.power_of(base)
    }

    fn power_of(&mut self, base: Term) -> Parsed<Term> {
        if self.token != Token::Sign("^") {
            return Ok(base);
        }
        let (power, exponent) = self.exponent()?;
        Ok(match (base, exponent) {
            // -2^2 is -(2^2), although -2 was read as one number.
            (Term::Value(v), exponent) if v.as_f64().is_some_and(|x| x < 0.0) => {
                let positive = match v {
                    Value::Int(i) => Value::Int(-i),
                    Value::Real(r) => Value::Real(-r),
                    Value::Sym(_) => v,
                };
                Term::App(Symbol::new("-"), vec![Term::App(power, vec![Term::Value(positive), exponent])])
            }
            (base, exponent) => Term::App(power, vec![base, exponent]),
        })
    }

    /// What stands behind `^`, with the operator itself. It groups to the right, so that each is within the one before.
    fn exponent(&mut self) -> Parsed<(Symbol, Term)> {
        self.nest()?;
        let power = self.operator("^")?;
        let exponent = self.unary()?;
        self.depth -= 1;
        Ok((power, exponent))
    }

    fn primary(&mut self) -> Parsed<Term> {
        match self.token {
            Token::Number(value) => {
                self.advance()?;
                Ok(Term::Value(value))
            }
            Token::Var(name) => {
                self.advance()?;
                Ok(Term::Var(name))
            }
            Token::Name(name) if name.as_str() == "not" && !self.here().text().starts_with(['\'', '"']) => {
                self.nest()?;
                self.advance()?;
                let negated = Term::App(name, vec![self.primary()?]);
                self.depth -= 1;
                Ok(negated)
            }
            Token::Name(name) => {
                self.advance()?;
                if self.token != Token::Sign("(") {
                    return Ok(Term::Value(Value::Sym(name)));
                }
                self.advance()?;
                let lists = std::mem::replace(&mut self.lists, holds_for::has_lists(name.as_str()));
                let args = self.args(name)?;
                self.lists = lists;
                Ok(Term::App(name, super::ec::with_fluent(name.as_str(), args)))
            }
            Token::Sign("[") if self.lists => self.list(),
            Token::Sign("(") => {
                self.advance()?;
                let term = self.term()?;
                if self.token != Token::Sign(")") {
                    let found = self.describe();
                    return Err(Diagnostic::new(
                        &self.here(),
                        format!("expected `)` after the term in brackets, found {found}"),
                    ));
                }
                self.advance()?;
                match (&term, self.token) {
                    // A bracketed negative number raised to a power: the base is the number itself.
                    (Term::Value(_), Token::Sign("^")) => {
                        let (power, exponent) = self.exponent()?;
                        Ok(Term::App(power, vec![term, exponent]))
                    }
                    _ => Ok(term),
                }
            }
            _ => {
                let problem = Diagnostic::new(&self.here(), format!("expected a term, found {}", self.describe()));
                Err(match self.token {
                    Token::Sign("." | "," | ")") => problem.hint("is there a `,` too many, or an argument missing?"),
                    Token::Sign(":-") => problem.hint("is the full stop missing before this rule?"),
                    Token::Sign("[") => problem.hint("lists stand in conditions such as `union_all([I1, I2], I)` only"),
                    _ => problem,
                })
            }
        }
    }

    /// Intervals in brackets.
    fn list(&mut self) -> Parsed<Term> {
        self.nest()?;
        let mut parts = Vec::new();
        self.advance()?;
        while self.token != Token::Sign("]") {
            if !parts.is_empty() {
                if self.token != Token::Sign(",") {
                    let message = format!("expected `,` or `]` in a list, found {}", self.describe());
                    return Err(Diagnostic::new(&self.here(), message));
                }
                self.advance()?;
            }
            parts.push(self.term()?);
        }
        self.advance()?;
        self.depth -= 1;
        Ok(Term::App(Symbol::new(LIST), parts))
    }

    fn args(&mut self, name: Symbol) -> Parsed<Vec<Term>> {
        let mut args = Vec::new();
        loop {
            args.push(self.term()?);
            if self.token != Token::Sign(",") {
                break;
            }
            self.advance()?;
        }
        if self.token != Token::Sign(")") {
            let found = self.describe();
            return Err(Diagnostic::new(
                &self.here(),
                format!("expected `,` or `)` in the arguments of `{name}`, found {found}"),
            ));
        }
        self.advance()?;
        Ok(args)
    }
}
