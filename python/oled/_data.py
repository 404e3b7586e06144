"""What data may be: files, tables of any library, rows, or frames one by one."""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, Protocol, Union

from ._oled import Frame


class ArrowStream(Protocol):
    """A table of any library: pandas, polars, pyarrow, duckdb and others have this method."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


#: A path, or several files that are merged by time.
Path = Union[str, "os.PathLike[str]"]
#: A frame, or a dictionary as a line of JSON is: segment, time, narrative, annotation.
FrameLike = Union[Frame, "Mapping[str, Any]"]
#: What frames are taken from.
Data = Union[Path, ArrowStream, "Mapping[str, ArrowStream]", "Iterable[FrameLike]", "Iterable[ArrowStream]", "Iterable[Path]"]
#: Labels apart from the stream: a table with the columns fluent, its arguments, start, end, and maybe segment.
Labels = Union[Path, ArrowStream]
#: What is called with the number of frames and a line now and then; ``True`` for a line on standard error.
Progress = Union[bool, Callable[[int, str], None], None]

Source = tuple[str, Any]


def _is_table(thing: object) -> bool:
    return hasattr(thing, "__arrow_c_stream__")


def _is_path(thing: object) -> bool:
    return isinstance(thing, (str, os.PathLike))


def _text(value: object) -> str:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if hasattr(value, "item"):
        return str(value.item())
    return str(value)


def _rows(items: Iterable[Mapping[str, Any]]) -> bytes:
    lines = (json.dumps(dict(item), default=_text, ensure_ascii=False) for item in items)
    return "".join(line + "\n" for line in lines).encode()


def source(data: Data) -> Source:
    """What the native part is told of data."""
    if _is_path(data):
        return ("paths", [os.fspath(data)])  # type: ignore[arg-type]
    if _is_table(data):
        return ("tables", [("table", data)])
    if isinstance(data, Mapping):
        if not all(_is_table(table) for table in data.values()):
            raise TypeError("a dictionary of data has tables by name; a single frame goes into a list")
        return ("tables", [(str(name), table) for name, table in data.items()])
    if not isinstance(data, Iterable):
        raise TypeError(f"data is a path, a table, or an iterable of frames, not {type(data).__name__}")
    return _of_items(data)


def _of_items(data: Iterable[Any]) -> Source:
    """What its first item says of an iterable."""
    items = iter(data)
    begun = list(itertools.islice(items, 1))
    # What can be iterated over again is handed over as it is.
    again = items is not data
    rest: Iterable[Any] = data if again else itertools.chain(begun, items)
    first = begun[0] if begun else None
    if _is_path(first):
        return ("paths", [os.fspath(path) for path in rest])
    if _is_table(first):
        return ("tables", [(f"table{number}", table) for number, table in enumerate(rest, 1)])
    if isinstance(first, Mapping) and not {"narrative", "annotation", "from"} & set(first):
        return ("rows", _rows(rest))
    return ("frames", rest)


def can_be_read_again(of: Source, data: Data) -> bool:
    """Whether data is there for a second look."""
    kind, payload = of
    if kind == "tables":
        return all(hasattr(table, "__len__") or hasattr(table, "num_rows") for _, table in payload)
    if kind == "frames":
        return payload is data
    return kind == "rows" or all(os.path.isfile(path) or os.path.isdir(path) for path in payload)


def labels_of(labels: Labels | None) -> Source | None:
    """The same of labels."""
    if labels is None:
        return None
    if _is_path(labels):
        return ("path", os.fspath(labels))  # type: ignore[arg-type]
    if _is_table(labels):
        return ("table", labels)
    raise TypeError(f"labels are a path or a table, not {type(labels).__name__}")


def progress_of(progress: Progress) -> Callable[[int, str], None] | None:
    """What is called with how far a run is."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    began = time.monotonic()

    def tell(frames: int, line: str) -> None:
        seconds = time.monotonic() - began
        sys.stderr.write(f"\r{frames} frames, {seconds:.1f} s  {line[:60]:<60}")
        sys.stderr.flush()

    return tell
