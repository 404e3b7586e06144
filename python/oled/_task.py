"""Tasks: what a stream consists of, what follows from it, and what is to be recognised."""

from __future__ import annotations

import os
from datetime import date, datetime
from typing import Any

from . import _oled
from ._oled import Frame
from ._theory import Theory, text_of


class Task:
    """Declarations and background knowledge, with how data is read.

    >>> task = Task.load("lobby")
    >>> task.name
    'lobby'
    >>> sorted(task.theories)
    ['changed', 'hand', 'true']

    ``lobby``, ``homes``, ``caviar``, ``lobby-listed`` and ``caviar-listed`` are built in; a folder has ``task.toml``, ``modes.lp`` and
    ``background.lp``.
    """

    def __init__(self, native: _oled.Task) -> None:
        self._native = native

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, tables: str | os.PathLike[str] | None = None) -> Task:
        """Loads a folder, or a task that is built in. ``tables``: more of ``task.toml``, as the file or the text of ``[[table]]``."""
        task = cls(_oled.Task._load(os.fspath(path)))
        return task if tables is None else task.with_tables(tables)

    @classmethod
    def parse(cls, modes: str, background: str = "", settings: str = "", *, name: str = "task") -> Task:
        """A task from its texts: those of ``modes.lp``, ``background.lp`` and ``task.toml``.

        >>> task = Task.parse('''
        ...     input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)).
        ...     example(holdsAt(open(+door), +time)).''')
        >>> task.labels
        ['holdsAt(open(_), _)']
        """
        return cls(_oled.Task._parse(name, settings, modes, background))

    def with_tables(self, tables: str | os.PathLike[str]) -> Task:
        """The same task, with more of ``task.toml``: what the columns of tables are."""
        name, (settings, modes, background) = self._texts()
        text = os.fspath(tables)
        if "\n" not in text and os.path.isfile(text):
            with open(text, encoding="utf-8") as file:
                text = file.read()
        return Task.parse(modes, background, f"{settings}\n{text}", name=name)

    def _texts(self) -> tuple[str, tuple[str, str, str]]:
        name, settings, modes, background = self._native._texts()
        return name, (settings, modes, background)

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def description(self) -> str:
        """What it is about."""
        return self._native.description

    @property
    def inputs(self) -> list[str]:
        """What may be observed."""
        return self._native.inputs

    @property
    def labels(self) -> list[str]:
        """What is labelled, to be learned and recognised."""
        return self._native.labels

    @property
    def theories(self) -> dict[str, Theory]:
        """The theories that come with it, by name."""
        return {name: Theory(text, name=f"{self.name}/{name}") for name, text in self._native._theories()}

    def frame(self, time: int | str | date | datetime, segment: str = "main") -> Frame:
        """A frame without facts; its time may be a date where those of the task are."""
        if isinstance(time, int):
            return Frame(segment, time)
        text = time if isinstance(time, str) else time.isoformat()
        return Frame(segment, self._native._read_time(text))

    def check(self, theory: Theory | str) -> list[str]:
        """Raises everything that is wrong with a theory; returns what it probably does not mean."""
        return self._native._check(*text_of(theory))

    def __repr__(self) -> str:
        return f"<oled.Task {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_task, (self._native._spec(),))


def _task(spec: Any) -> Task:
    return Task(_oled.Task._of_spec(spec))


def task_of(task: Task | str | os.PathLike[str]) -> Task:
    """A task, or the one that is loaded from there."""
    return task if isinstance(task, Task) else Task.load(task)
