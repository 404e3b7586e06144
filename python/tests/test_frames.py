"""Data frames of any library come in and go out, and none is required."""

from datetime import datetime, timedelta

import pytest

import oled

SETTINGS = """
[[table]]
time = "time"
segment = "room"
facts = ["temp(room, celsius)", "happensAt(alarm(room)) if alarm", "happensAt({event}(room))"]
"""
MODES = """
type(celsius, real). type(room, symbol).
input(temp(+room, +celsius, +time)). input(happensAt(alarm(+room), +time)).
input(happensAt(opened(+room), +time)). input(happensAt(shut(+room), +time)).
example(holdsAt(aired(+room), +time)).
modeh(initiatedAt(aired(+room), +time)). modeh(terminatedAt(aired(+room), +time)).
modeb(happensAt(opened(+room), +time)). modeb(happensAt(shut(+room), +time)). modeb(happensAt(alarm(+room), +time)).
"""
RULES = """
initiatedAt(aired(R), T) :- happensAt(opened(R), T).
terminatedAt(aired(R), T) :- happensAt(shut(R), T).
"""


def columns(times=None):
    count = 40
    rooms = ["hall" if i < 20 else "attic" for i in range(count)]
    events = ["opened" if i % 10 == 2 else "shut" if i % 10 == 7 else None for i in range(count)]
    return {
        "time": times or list(range(count)),
        "room": rooms,
        "celsius": [20 + i / 8 for i in range(count)],
        "alarm": [i % 13 == 0 for i in range(count)],
        "event": events,
        "notes": [f"row {i}" for i in range(count)],
    }


def rows(times=None):
    named = columns(times)
    return [dict(zip(named, row)) for row in zip(*named.values())]


def labels():
    # An event acts from the next time point on.
    spans = [("hall", 3, 7), ("hall", 13, 17), ("attic", 23, 27), ("attic", 33, 37)]
    return {"fluent": ["aired"] * 4, "room": [s[0] for s in spans], "start": [s[1] for s in spans],
            "end": [s[2] for s in spans]}


@pytest.fixture(scope="module")
def task():
    return oled.Task.parse(MODES, settings=SETTINGS)


@pytest.fixture(scope="module")
def expected(task):
    found = oled.Recogniser(task, RULES).predict(rows()).to_csv()
    assert found.count("\n") == 5
    return found


def of_pyarrow(named):
    return pytest.importorskip("pyarrow").table(named)


def of_pandas(named):
    pytest.importorskip("pyarrow")
    return pytest.importorskip("pandas").DataFrame(named)


def of_polars(named):
    return pytest.importorskip("polars").DataFrame(named)


def of_duckdb(named):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    return duckdb.from_arrow(of_pyarrow(named))


LIBRARIES = pytest.mark.parametrize("library", [of_pyarrow, of_pandas, of_polars, of_duckdb])


@LIBRARIES
def test_tables_come_in(task, expected, library):
    table = library(columns())
    assert oled.Recogniser(task, RULES).predict(table).to_csv() == expected
    labelled = oled.Replay(task).fit(table, labels=library(labels()))
    assert labelled.theory_.rules == oled.Replay(task).fit(rows(), labels=of_pyarrow_or_file(labels())).theory_.rules
    assert len(labelled.theory_) > 0
    one_more = oled.Replay(task)
    one_more.learn_many(library(columns()), labels=library(labels()))
    assert one_more.theory_.text == labelled.theory_.text


def of_pyarrow_or_file(named):
    return of_pyarrow(named)


@LIBRARIES
def test_dates_come_in_and_go_out(library):
    start = datetime(2026, 3, 1, 10, 0)
    task = oled.Task.parse(MODES, settings='[stream]\ntime = "iso"\n' + SETTINGS)
    found = oled.Recogniser(task, RULES).predict(library(columns([start + timedelta(seconds=i) for i in range(40)])))
    assert [row["start"].replace(tzinfo=None) for row in found][:2] == [start + timedelta(seconds=s) for s in (3, 13)]
    pa = pytest.importorskip("pyarrow")
    assert pa.types.is_timestamp(pa.table(found).schema.field("start").type)


def test_categories_are_names(task, expected):
    pl = pytest.importorskip("polars")
    frame = of_polars(columns()).with_columns(pl.col("room").cast(pl.Categorical), pl.col("event").cast(pl.Categorical))
    assert oled.Recogniser(task, RULES).predict(frame).to_csv() == expected


def test_tables_go_out(model):
    rules = model.get_rules()
    pa = pytest.importorskip("pyarrow")
    table = pa.table(rules)
    assert table.to_pylist() == rules.to_dicts()
    pl, pd, duckdb = (pytest.importorskip(name) for name in ("polars", "pandas", "duckdb"))
    assert pl.DataFrame(rules).to_dicts() == rules.to_dicts()
    assert list(pa.table(rules).to_pandas()["rule"]) == rules["rule"] and pd is not None
    assert duckdb.from_arrow(table).aggregate("count(*)").fetchall() == [(len(rules),)]


def test_frames_are_rows_of_a_table(model, listed, lobby):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist([frame.to_dict() for frame in lobby])
    assert oled.Replay(listed).fit(table).theory_.text == model.theory_.text
    pl = pytest.importorskip("polars")
    assert oled.Replay(listed).fit(pl.DataFrame([frame.to_dict() for frame in lobby])).theory_.text == model.theory_.text


def test_what_is_wrong_with_a_table_has_its_row(task):
    named = columns()
    named["celsius"] = [str(value) for value in named["celsius"]]
    named["celsius"][4] = "warm"
    with pytest.raises(oled.OledError, match="row 5: `warm` in column `celsius` is not a number") as caught:
        oled.Recogniser(task, RULES).predict(of_pyarrow(named))
    assert caught.value.diagnostics[0].source == "table" and "--" not in caught.value.diagnostics[0].hint
    del named["room"]
    with pytest.raises(oled.OledError, match="has no column `room`"):
        oled.Recogniser(task, RULES).predict(of_pyarrow(named))
    with pytest.raises(oled.OledError, match="does not say what the columns of a table are"):
        oled.Recogniser("lobby", oled.Task.load("lobby").theories["hand"]).predict(of_pyarrow({"a": [1]}))


def test_rows_need_no_library(task, expected):
    assert oled.Recogniser(task, RULES).predict(rows()).to_csv() == expected
    assert oled.Recogniser(task, RULES).predict(iter(rows())).to_csv() == expected


def test_tables_are_shown(model):
    rules = model.get_rules()
    assert repr(rules).startswith("rule") and "<table>" in rules._repr_html_()
    assert "<b>initiatedAt</b>" in model.theory_._repr_html_()
