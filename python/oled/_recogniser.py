"""Recognition: intervals from data, frame by frame, with confidence, compared with labels, and explained."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _oled
from ._data import Data, FrameLike, Labels, Progress, labels_of, progress_of, source
from ._errors import warn
from ._files import replace
from ._table import Table
from ._task import Task, task_of
from ._theory import Theory, text_of


class Intervals(Table):
    """What was recognised: segment, fluent, name, arguments, start, end, and why it ended.

    ``start`` and ``end`` are the first and the last time point at which the fluent holds: numbers, or dates where those of the task are.
    """

    def __init__(self, native: _oled.Intervals) -> None:
        super().__init__(native.table())
        self._intervals = native

    def to_csv(self) -> str:
        """What ``oled recognise`` prints."""
        return self._intervals.to_csv()

    def to_jsonl(self) -> str:
        """What ``oled recognise --format jsonl`` prints."""
        return self._intervals.to_jsonl()

    def _repr_html_(self) -> str:
        return self._intervals.drawing()


class Recogniser:
    """A theory at work on a stream.

    >>> import oled
    >>> task = oled.Task.parse('''
    ...     input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)).
    ...     input(holdsAt(seen(+door), +time)). example(holdsAt(open(+door), +time)).''')
    >>> rules = '''initiatedAt(open(D), T) :- happensAt(opens(D), T).
    ...            terminatedAt(open(D), T) :- happensAt(shuts(D), T).'''
    >>> frames = [oled.Frame("hall", time).holds("seen", "front") for time in range(1, 10)]
    >>> _ = frames[1].happens("opens", "front"), frames[6].happens("shuts", "front")
    >>> oled.Recogniser(task, rules).predict(frames)
    segment  fluent       name  arguments  start  end  closed
    hall     open(front)  open  front      3      7    terminated
    """

    def __init__(self, task: Task | str | os.PathLike[str], theory: Theory | str) -> None:
        self.task = task_of(task)
        name, text = text_of(theory)
        self._native = _oled.Recogniser(self.task._native, name, text)

    @property
    def theory(self) -> Theory:
        """The rules at work."""
        _, name, text = self._native.made_of
        return Theory(text, name=name)

    @property
    def fluents(self) -> list[str]:
        """What it recognises."""
        return self._native.fluents

    def predict(
        self, data: Data, *, all: bool = False, lenient: bool = False, progress: Progress = None
    ) -> Intervals:
        """The intervals that follow from data, from its beginning to its end: of the fluents that the task asks for, or of all."""
        found, told = self._native.predict(source(data), all, lenient, progress_of(progress))
        warn(told)
        return Intervals(found)

    def predict_proba(
        self, data: Data, *, threshold: float | None = None, lenient: bool = False, progress: Progress = None
    ) -> Intervals:
        """The same by the weights of the rules, with the columns ``confidence`` and ``weakest``: how probable the interval is on
        average, and where it is least. ``oled.weigh`` learns weights."""
        found, told = self._native.predict_proba(source(data), threshold, lenient, progress_of(progress))
        warn(told)
        return Intervals(found)

    def predict_one(self, frame: FrameLike) -> Intervals:
        """Processes the next frame of a stream that goes on; returns the intervals that are over since."""
        return Intervals(self._native.observe(frame)[0])

    def begun_by(self, frame: FrameLike) -> tuple[Intervals, Intervals]:
        """The same; returns the intervals that are over, and those that began, as far as they are known."""
        closed, begun = self._native.observe(frame)
        return Intervals(closed), Intervals(begun)

    def holding(self) -> list[str]:
        """What holds at the frame that was processed last."""
        return self._native.holding()

    def finish(self) -> Intervals:
        """Ends the stream that was processed frame by frame; returns the intervals that lasted to its end."""
        return Intervals(self._native.finish())

    def swap(self, theory: Theory | str) -> Intervals:
        """Goes on with other rules. What holds goes on where its rules are the same; returns the intervals that end with theirs."""
        return Intervals(self._native.swap(*text_of(theory)))

    def evaluate(
        self,
        data: Data,
        labels: Labels | None = None,
        *,
        share: float = 0.5,
        lenient: bool = False,
        progress: Progress = None,
    ) -> Evaluation:
        """Recognised against labelled. ``share``: of an interval that must be recognised for it to count as found."""
        told = progress_of(progress)
        counted, drawing, lines = self._native.evaluate(source(data), labels_of(labels), share, True, lenient, told)
        warn(lines)
        return Evaluation(json.loads(counted), drawing)

    def explain(
        self,
        data: Data,
        interval: Mapping[str, Any] | None = None,
        *,
        fluent: str | None = None,
        segment: str | None = None,
        at: Any = None,
        labels: Labels | None = None,
        limit: int | None = None,
        lenient: bool = False,
        progress: Progress = None,
    ) -> Explanations:
        """Why intervals were recognised, missed, or are false alarms; and why something does not hold ``at`` a time.

        ``interval``: a row of what ``predict`` gave. ``fluent``: ``"meeting(p1,p2)"``, ``"meeting(p1,_)"`` or ``"meeting"``.
        """
        if interval is not None:
            fluent, segment, at = interval["fluent"], interval["segment"], interval["start"]
        asked = (fluent, segment, at, limit)
        told = progress_of(progress)
        text, found, lines = self._native.explain(source(data), labels_of(labels), asked, lenient, told)
        warn(lines)
        return Explanations(text, json.loads(found))

    def to_bytes(self) -> bytes:
        """What is known of the stream that is processed frame by frame, as the bytes of a checkpoint."""
        return self._native.save()

    @classmethod
    def from_bytes(cls, state: bytes, *, name: str = "checkpoint") -> Recogniser:
        """A recogniser that goes on where one was saved."""
        made = cls.__new__(cls)
        made._native = _oled.Recogniser.load(name, state)
        made.task = Task(made._native.made_of[0])
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it, so that ``oled.load`` goes on from there."""
        replace(path, self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Recogniser.from_bytes, (self.to_bytes(),))

    def __repr__(self) -> str:
        return f"<oled.Recogniser of {self.task.name}: {', '.join(self.fluents)}>"


class Evaluation:
    """What was counted: by time point, by segment and by interval; ``to_dict()`` is what ``oled evaluate --json`` prints of it."""

    def __init__(self, counted: dict[str, Any], drawing: str = "") -> None:
        self._counted = counted
        self._drawing = drawing

    @property
    def f1(self) -> float:
        """F1 of all fluents together."""
        return float(self._counted["micro"]["f1"])

    def __getitem__(self, fluent: str) -> dict[str, Any]:
        """The counts of a fluent: tp, fp, fn, precision, recall, f1."""
        found: dict[str, Any] = self._counted["fluents"][fluent]
        return found

    @property
    def fluents(self) -> Table:
        """A row for each fluent: time points that are right, false and missed, and what follows from them."""
        return _scores([("fluent", self._counted["fluents"])])

    @property
    def segments(self) -> Table:
        """The same for each segment."""
        rows = self._counted["segments"]
        texts = [(key, "text", [row[key] for row in rows]) for key in ("segment", "fluent")]
        return Table.of([*texts, *_counts(rows)])

    @property
    def intervals(self) -> Table:
        """A row for each fluent: whole intervals that are labelled, recognised and found."""
        counted: dict[str, dict[str, Any]] = self._counted["intervals"]
        rows = list(counted.values())
        ints = [(key, "int", [row[key] for row in rows]) for key in ("annotated", "recognised", "found", "false_alarms")]
        reals = [(key, "real", [row[key] for row in rows]) for key in ("precision", "recall", "f1", "delay", "covered")]
        return Table.of([("fluent", "text", list(counted)), *ints, *reals])

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        return self._counted

    def __repr__(self) -> str:
        return repr(self.fluents)

    def _repr_html_(self) -> str:
        return self.fluents._repr_html_() + self._drawing


def _counts(rows: list[dict[str, Any]]) -> list[tuple[str, str, list[Any]]]:
    ints = [(key, "int", [row[key] for row in rows]) for key in ("tp", "fp", "fn")]
    return [*ints, *((key, "real", [row[key] for row in rows]) for key in ("precision", "recall", "f1"))]


def _scores(named: list[tuple[str, dict[str, dict[str, Any]]]]) -> Table:
    name, counted = named[0]
    return Table.of([(name, "text", list(counted)), *_counts(list(counted.values()))])


class Explanations:
    """Reasons, one after the other; ``str()`` is what ``oled explain`` prints, ``to_dict()`` what ``oled explain --json`` does."""

    def __init__(self, text: str, found: dict[str, Any]) -> None:
        self._text = text
        self._found = found

    def to_dict(self) -> dict[str, Any]:
        """All of it: lists ``recognised``, ``missed`` and ``false_alarms``, and how many ``more`` there are."""
        return self._found

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for kind, entries in self._found.items():
            if kind != "more":
                yield from ({"kind": kind, **entry} for entry in entries)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"
