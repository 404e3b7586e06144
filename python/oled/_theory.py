"""Theories: rules, with what speaks for them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from . import _oled
from ._table import Table


class Theory:
    """Rules in the Event Calculus, with their evidence where they were learned.

    >>> theory = Theory("initiatedAt(open(D), T) :- happensAt(opens(D), T).")
    >>> len(theory)
    1
    >>> theory.get_rules()["body"]
    [['happensAt(opens(D), T)']]

    ``str(theory)`` is the text that ``oled learn`` writes, and that ``oled recognise`` reads.
    """

    def __init__(self, text: str, *, name: str = "theory", evidence: dict[str, Any] | None = None) -> None:
        self.text = text
        self.name = name
        #: What ``oled learn --json`` writes, if the rules were learned.
        self.evidence = evidence
        self._parsed = _oled._rules(name, text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Theory:
        """Reads a file of rules."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read(), name=os.fspath(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the rules, with their evidence as comments."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.text)

    @property
    def rules(self) -> list[str]:
        """The rules, one text each."""
        return [rule for rule, *_ in self._parsed]

    def get_rules(self) -> Table:
        """A row for each rule: rule, head, body, what speaks for it, and its weight if it has one.

        ``gain`` is the F1 that would be lost without the rule, ``helps`` and ``harms`` count the segments in which there would be more
        and fewer errors without it, ``refits`` says how often it was found again, of ``refits_of`` times, when a part of the data was
        left out. ``score``, ``tp``, ``fp`` and ``fn`` are of the learner ``Oled``. What a learner does not know is ``None``.
        """
        known = (self.evidence or {}).get("rules", [])
        evidence: list[dict[str, Any]] = known if len(known) == len(self._parsed) else [{}] * len(self._parsed)
        refits = [entry.get("refits") or {} for entry in evidence]
        stream = [entry.get("stream") or {} for entry in evidence]

        def of(key: str) -> list[Any]:
            return [entry.get(key) for entry in evidence]

        return Table.of(
            [
                ("rule", "text", self.rules),
                ("head", "text", [head for _, head, _, _ in self._parsed]),
                ("body", "texts", [body for _, _, body, _ in self._parsed]),
                ("gain", "real", of("gain")),
                ("helps", "int", of("helps")),
                ("harms", "int", of("harms")),
                ("refits", "int", [entry.get("found") for entry in refits]),
                ("weight", "real", [weight for _, _, _, weight in self._parsed]),
                ("refits_of", "int", [entry.get("of") for entry in refits]),
                ("score", "real", of("score")),
                ("tp", "int", [entry.get("tp") for entry in stream]),
                ("fp", "int", [entry.get("fp") for entry in stream]),
                ("fn", "int", [entry.get("fn") for entry in stream]),
            ]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self._parsed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Theory) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<oled.Theory {self.name}: {len(self)} rule{'' if len(self) == 1 else 's'}>"

    def _repr_html_(self) -> str:
        return _oled._theory_html(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_theory, (self.text, self.name, json.dumps(self.evidence)))


def _theory(text: str, name: str, evidence: str) -> Theory:
    return Theory(text, name=name, evidence=json.loads(evidence))


def text_of(theory: Theory | str) -> tuple[str, str]:
    """The name and the text of a theory."""
    if isinstance(theory, Theory):
        return theory.name, theory.text
    return "theory", theory
