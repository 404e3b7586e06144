"""Learns short, readable rules from labelled event streams, and recognises complex events with them.

>>> import oled
>>> task = oled.Task.load("lobby-listed")
>>> model = oled.Replay(task).fit(oled.simulate("lobby", segments=3, length=120))
>>> rules = model.get_rules()                  # a table: rule, head, body, gain, helps, harms, refits, weight, …
>>> recogniser = oled.Recogniser(task, model.theory_)
>>> intervals = recogniser.predict(oled.simulate("lobby", segments=1, length=120, seed=7))
>>> intervals.columns
['segment', 'fluent', 'name', 'arguments', 'start', 'end', 'closed']
"""

from ._data import ArrowStream
from ._errors import Diagnostic, OledError, OledWarning
from ._experiment import CrossValidation, crossval, evaluate, load, simulate, to_jsonl, weigh
from ._learners import Learner, Oled, Replay, settings
from ._oled import Frame, __version__
from ._recogniser import Evaluation, Explanations, Intervals, Recogniser
from ._table import Table
from ._task import Task
from ._theory import Theory

__all__ = [
    "ArrowStream",
    "CrossValidation",
    "Diagnostic",
    "Evaluation",
    "Explanations",
    "Frame",
    "Intervals",
    "Learner",
    "Oled",
    "OledError",
    "OledWarning",
    "Recogniser",
    "Replay",
    "Table",
    "Task",
    "Theory",
    "__version__",
    "crossval",
    "evaluate",
    "load",
    "settings",
    "simulate",
    "to_jsonl",
    "weigh",
]
