"""Tables that come out: any data frame takes them, and none is required."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, overload

from ._oled import Table as Native

Row = dict[str, Any]


class Table:
    """Rows with named columns, for people, for plain Python and for data frames.

    >>> table = Table.of([("rule", "text", ["p", "q"]), ("gain", "real", [0.5, None])])
    >>> table.columns
    ['rule', 'gain']
    >>> table.to_dicts()
    [{'rule': 'p', 'gain': 0.5}, {'rule': 'q', 'gain': None}]
    >>> table["gain"]
    [0.5, None]

    ``pandas.DataFrame.from_arrow(table)``, ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and a query of duckdb take it as it is.
    """

    def __init__(self, native: Native) -> None:
        self._native = native
        self._columns: dict[str, list[Any]] | None = None

    @classmethod
    def of(cls, columns: Sequence[tuple[str, str, Sequence[Any]]]) -> Table:
        """A table of columns, each with its name, its kind (``text``, ``int``, ``real``, ``texts``) and its values."""
        return Table(Native._of([(name, kind, list(values)) for name, kind, values in columns]))

    def _values(self) -> dict[str, list[Any]]:
        if self._columns is None:
            self._columns = {name: _plain(kind, values) for name, kind, values in self._native._columns()}
        return self._columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._values())

    def to_dicts(self) -> list[Row]:
        """A dictionary for each row."""
        return list(self)

    def __iter__(self) -> Iterator[Row]:
        values = self._values()
        for number in range(len(self)):
            yield {name: column[number] for name, column in values.items()}

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, key: int) -> Row: ...

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...

    def __getitem__(self, key: int | str) -> Row | list[Any]:
        if isinstance(key, str):
            return self._values()[key]
        return {name: column[key] for name, column in self._values().items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.columns == other.columns and self.to_dicts() == other.to_dicts()

    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return _as_text(self.columns, [[_shown(value) for value in row.values()] for row in self])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        rows = (
            "<tr>" + "".join(f"<td>{html.escape(_shown(value))}</td>" for value in row.values()) + "</tr>"
            for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _plain(kind: str, values: list[Any]) -> list[Any]:
    """Values as Python has them."""
    if not kind.startswith("date "):
        return values
    units, ahead, zoned = (int(part) for part in kind.split()[1:])
    zone = timezone(timedelta(seconds=ahead)) if zoned else None
    start = datetime(1970, 1, 1, tzinfo=timezone.utc)

    def moment(time: int | None) -> datetime | None:
        if time is None:
            return None
        seconds, rest = divmod(time, units)
        utc = start + timedelta(seconds=seconds, microseconds=rest * 1_000_000 // units)
        if zone is not None:
            return utc.astimezone(zone)
        return (utc + timedelta(seconds=ahead)).replace(tzinfo=None)

    return [moment(time) for time in values]


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _as_text(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, *([cell.replace("\n", " ") for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip() for line in lines)
