"""Cross-validation, weights, simulated worlds, and whatever goes on from a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _oled
from ._data import Data, Labels, Progress, labels_of, progress_of, source
from ._errors import warn
from ._learners import Learner, Replay, _setting
from ._oled import Frame
from ._recogniser import Evaluation, Recogniser
from ._table import Table
from ._task import Task, task_of
from ._theory import Theory, text_of


class CrossValidation:
    """Scores on segments that were not learned from, and the report of them."""

    def __init__(self, scores: list[dict[str, Any]], report: str) -> None:
        self._scores = scores
        #: The report, a page that stands on its own.
        self.report = report

    @property
    def scores(self) -> Table:
        """A row for each fluent."""
        texts = [(key, "text", [score[key] for score in self._scores]) for key in ("fluent", "row")]
        keys = ("precision", "recall", "f1", "f1_spread", "rules", "literals")
        return Table.of([*texts, *((key, "real", [score[key] for score in self._scores]) for key in keys)])

    def to_dicts(self) -> list[dict[str, Any]]:
        """All of it, as ``oled crossval --json`` prints it."""
        return self._scores

    def __getitem__(self, fluent: str) -> dict[str, Any]:
        """The score of a fluent."""
        return next(score for score in self._scores if score["fluent"] == fluent)

    def save_report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.report)

    def __repr__(self) -> str:
        return repr(self.scores)

    def _repr_html_(self) -> str:
        return self.scores._repr_html_()


def crossval(
    learner: Learner | Task | str,
    data: Data,
    labels: Labels | None = None,
    *,
    folds: int = 10,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    orders: int = 1,
    share: float = 0.5,
    threads: int = 1,
    lenient: bool = False,
    progress: Progress = None,
) -> CrossValidation:
    """How a learner does on segments that it has not learned from. It is not changed; a task stands for ``Replay`` of it.

    ``groups``: segments that must stay in one fold, by the names of their groups. ``orders``: of the segments, the one in which they
    come and random ones.

    >>> import oled
    >>> found = oled.crossval("lobby-listed", oled.simulate("lobby", segments=3, length=120), folds=3)
    >>> found.scores["fluent"]
    ['meeting', 'moving', 'fighting', 'leaving_object', 'loitering']
    """
    model = learner if isinstance(learner, Learner) else Replay(learner)
    wanted = (model._name, model.preset, [(name, _setting(value)) for name, value in model.settings.items()])
    plan = (folds, seed, orders, share)
    grouped = [(str(segment), str(group)) for segment, group in (groups or {}).items()]
    told = progress_of(progress)
    scores, report, lines = _oled._crossval(
        model.task._native, wanted, source(data), labels_of(labels), plan, grouped, threads, lenient, told
    )
    warn(lines)
    return CrossValidation(json.loads(scores), report)


def evaluate(
    task: Task | str, theory: Theory | str, data: Data, labels: Labels | None = None, **options: Any
) -> Evaluation:
    """Recognised against labelled: ``Recogniser(task, theory).evaluate(data, labels)``."""
    return Recogniser(task, theory).evaluate(data, labels, **options)


def weigh(
    task: Task | str,
    theory: Theory | str,
    data: Data,
    labels: Labels | None = None,
    *,
    method: str = "margin",
    lenient: bool = False,
) -> Theory:
    """The theory with a weight for each rule, learned from labelled data: by ``margin``, ``adagrad`` or ``experts``.

    >>> import oled
    >>> task = oled.Task.load("lobby-listed")
    >>> theory = oled.weigh(task, task.theories["hand"], oled.simulate("lobby", segments=3, length=120))
    >>> any(weight is not None for weight in theory.get_rules()["weight"])
    True
    """
    name, text = text_of(theory)
    of = task_of(task)._native
    weighed, lines = _oled._weigh(of, name, text, source(data), labels_of(labels), method, lenient)
    warn(lines)
    return Theory(weighed, name=name)


def simulate(
    world: str = "lobby",
    *,
    seed: int = 1,
    noise: float = 1.0,
    people: int = 6,
    length: int = 1000,
    segments: int = 10,
    homes: int = 1,
    days: int = 20,
) -> list[Frame]:
    """Labelled frames of a simulated world, as ``oled simulate`` makes them: people in a ``lobby``, or alone in their ``homes``.

    >>> import oled
    >>> frames = oled.simulate("lobby", segments=1, length=5)
    >>> len(frames), frames[0].segment
    (5, 'lobby1')
    """
    if world == "lobby":
        return _oled._lobby(seed, people, length, segments, noise)
    if world == "homes":
        return _oled._homes(seed, homes, days, noise)
    raise ValueError("a simulated world is the lobby or homes")


def to_jsonl(frames: Iterable[Frame]) -> str:
    """Frames as lines of JSON, as the program reads them."""
    return _oled._jsonl(list(frames))


def load(path: str | os.PathLike[str]) -> Learner | Recogniser:
    """What ``save`` wrote: a learner or a recogniser that goes on from there."""
    with open(path, "rb") as file:
        state = file.read()
    name = os.fspath(path)
    if any(key == "recogniser" for key, _ in _oled._made_of(name, state)):
        return Recogniser.from_bytes(state, name=name)
    return Learner.from_bytes(state, name=name)
