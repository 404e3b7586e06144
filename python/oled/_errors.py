"""What goes wrong, with its place and a remedy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Diagnostic:
    """One problem: a sentence, what to do about it, and where it is."""

    message: str
    hint: str | None = None
    source: str | None = None
    line: int | None = None
    column: int | None = None

    @property
    def place(self) -> str | None:
        """``file:line:column``, as far as it is known."""
        parts = [self.source, self.line, self.column]
        known = [str(part) for part in parts if part is not None]
        return ":".join(known) or None


class OledError(ValueError):
    """Something is wrong with a task, a theory, data or settings.

    >>> import oled
    >>> try:
    ...     oled.Theory("initiatedAt(open(D), T) :- happensAt(opens(D), T)")
    ... except oled.OledError as error:
    ...     problem = error.diagnostics[0]
    ...     print(problem.source, problem.line, problem.message is not None)
    theory 1 True
    """

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, message: str, diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics) or (Diagnostic(message),)

    def __reduce__(self) -> tuple[type[OledError], tuple[str, tuple[Diagnostic, ...]]]:
        return (type(self), (str(self), self.diagnostics))


class OledWarning(UserWarning):
    """Something of the data was left out, or is not known to the task."""


Told = tuple[str, "str | None", "str | None", "int | None", "int | None"]


def make(message: str, problems: list[Told]) -> OledError:
    """The exception for what the native part found; it calls this."""
    return OledError(message, [Diagnostic(*problem) for problem in problems])


def warn(lines: Iterable[str]) -> None:
    """Warns of what there is to be told of data, at the place where the package was called."""
    for line in lines:
        warnings.warn(line, OledWarning, stacklevel=4)
