"""Learners: frames in, rules out, at any time."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar, TypeVar

from . import _oled
from ._data import Data, FrameLike, Labels, Progress, can_be_read_again, labels_of, progress_of, source
from ._errors import warn
from ._files import replace
from ._table import Table
from ._task import Task, task_of
from ._theory import Theory, text_of

L = TypeVar("L", bound="Learner")


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Learner:
    """What learners share. Use ``Replay`` or ``Oled``."""

    _name: ClassVar[str] = ""

    def __init__(
        self,
        task: Task | str | os.PathLike[str],
        *,
        preset: str | None = None,
        threads: int = 2,
        start_from: Theory | str | None = None,
        **settings: Any,
    ) -> None:
        self.task = task_of(task)
        self.preset = preset
        self.threads = threads
        self.start_from = start_from
        self.settings = settings
        for name, value in settings.items():
            _oled._check_setting(self._name, name, _setting(value))
        self._native = self._fresh()
        self._learned: Theory | None = None
        #: What there is to remark on the data that was learned from, and on the rules.
        self.remarks_: list[str] = []
        #: What was learned, in a line.
        self.summary_ = ""

    def _fresh(self) -> _oled.Learner:
        settings = [(name, _setting(value)) for name, value in self.settings.items()]
        native = _oled.Learner(self.task._native, self._name, self.preset, settings, self.threads)
        if self.start_from is not None:
            native.start_from(*text_of(self.start_from))
        return native

    def fit(
        self: L, data: Data, labels: Labels | None = None, *, lenient: bool = False, progress: Progress = None
    ) -> L:
        """Forgets what was learned, and learns from data: a table, files, or frames. Returns the learner.

        ``labels``: a table or a file of labelled intervals, apart from the data. ``lenient``: leaves out what is wrong with the data and
        warns of it, instead of raising. ``progress``: ``True`` for a line on standard error, or what is called now and then with the
        number of frames and a line.
        """
        self._native = self._fresh()
        of, told = source(data), progress_of(progress)
        again = can_be_read_again(of, data)
        warn(self._native.learn(of, labels_of(labels), lenient, again, told))
        self._take(self._native.learned(of if again else None, labels_of(labels), lenient, told))
        return self

    def learn_one(self, frame: FrameLike) -> None:
        """Learns from one frame. The time points of a segment come in order, and segments one after the other."""
        self._learned = None
        self._native.learn_one(frame)

    def learn_many(
        self, data: Data, labels: Labels | None = None, *, lenient: bool = False, progress: Progress = None
    ) -> None:
        """Learns from data that goes on where the last ended: a table, files, or any iterator of frames, which may never end."""
        self._learned = None
        warn(self._native.learn(source(data), labels_of(labels), lenient, False, progress_of(progress)))

    def _take(self, learned: tuple[str, str, str, list[str]]) -> Theory:
        text, evidence, self.summary_, self.remarks_ = learned
        self._learned = Theory(text, name="learned", evidence=json.loads(evidence))
        return self._learned

    @property
    def theory_(self) -> Theory:
        """The rules that were learned so far."""
        return self._learned if self._learned is not None else self._take(self._native.learned())

    @property
    def n_seen_(self) -> int:
        """The time points, or pairs of them, that were learned from."""
        return self._native.seen

    def get_rules(self) -> Table:
        """The rules that were learned so far, a row each: see ``Theory.get_rules``."""
        return self.theory_.get_rules()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor, by name."""
        own = {"task": self.task, "preset": self.preset, "threads": self.threads, "start_from": self.start_from}
        return {**own, **self.settings}

    def set_params(self: L, **params: Any) -> L:
        """Sets parameters of the constructor. What was learned is forgotten."""
        self.__init__(**{**self.get_params(), **params})  # type: ignore[misc]
        return self

    def to_bytes(self) -> bytes:
        """All that is known, as the bytes of a checkpoint."""
        return self._native.save()

    @classmethod
    def from_bytes(cls: type[L], state: bytes, *, name: str = "checkpoint", threads: int = 2) -> L:
        """A learner that goes on where one was saved."""
        native = _oled.Learner.load(name, state, threads)
        learner, preset, settings = native.wanted
        of: type[Learner] = {"replay": Replay, "oled": Oled}.get(learner, cls)
        if not issubclass(of, cls):
            raise TypeError(f"`{name}` is of the learner {of.__name__}, not of {cls.__name__}")
        made = of.__new__(of)
        made.task, made.preset, made.threads = Task(native.task), preset, threads
        made.settings, made.start_from = dict(settings), None
        made._native, made._learned, made.remarks_, made.summary_ = native, None, [], ""
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all that is known, so that ``oled.load`` goes on from there; the file is replaced as a whole."""
        replace(path, self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.to_bytes(), self.threads))

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"<oled.{type(self).__name__} of {self.task.name}{settings}: {self.n_seen_} seen>"

    def _repr_html_(self) -> str:
        return self.theory_._repr_html_()


def _restored(state: bytes, threads: int) -> Learner:
    return Learner.from_bytes(state, threads=threads)


class Replay(Learner):
    """The default learner: it remembers the stream in short form, and finds the smallest theory that recognises it best.

    >>> import oled
    >>> model = oled.Replay("lobby-listed").fit(oled.simulate("lobby", segments=3, length=120))
    >>> model.get_rules().columns[:4]
    ['rule', 'head', 'body', 'gain']
    >>> len(model.theory_) > 3
    True

    Settings are parameters: ``Replay(task, window=7, miss=2.0)``; ``oled.settings("replay")`` lists them.
    """

    _name = "replay"


class Oled(Learner):
    """The learner of the paper: one pass, decisions by the Hoeffding bound. It needs tasks that list their thresholds.

    >>> import oled
    >>> model = oled.Oled("lobby-listed", preset="default", depth=1)
    >>> model.get_params()["depth"]
    1
    """

    _name = "oled"


def settings(learner: str = "replay") -> Table:
    """The settings of a learner, with their meanings and ranges.

    >>> import oled
    >>> "window" in oled.settings("replay")["setting"]
    True
    """
    known = {name: (presets, rows) for name, _, presets, rows in _oled._learners()}
    if learner not in known:
        raise KeyError(f"learners are {', '.join(known)}")
    rows = known[learner][1]
    columns = zip(("setting", "meaning", "range"), zip(*rows) if rows else ((), (), ()))
    return Table.of([(name, "text", list(values)) for name, values in columns])
