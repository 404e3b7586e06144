"""Recognition, evaluation and explanation."""

import pickle
from datetime import datetime, timezone

import pytest

import oled

MODES = """
input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)). input(holdsAt(seen(+door), +time)).
example(holdsAt(open(+door), +time)).
"""
RULES = """
initiatedAt(open(D), T) :- happensAt(opens(D), T).
terminatedAt(open(D), T) :- happensAt(shuts(D), T).
"""


@pytest.fixture
def door():
    return oled.Task.parse(MODES)


def frames(label=False):
    for time in range(1, 10):
        frame = oled.Frame("hall", time).holds("seen", "front")
        if time in (2, 7):
            frame.happens("opens" if time == 2 else "shuts", "front")
        if label and 3 <= time <= 8:
            frame.label("open", "front")
        yield frame


def test_intervals_are_rows_and_lines(door):
    found = oled.Recogniser(door, RULES).predict(frames())
    assert found.to_dicts() == [
        {"segment": "hall", "fluent": "open(front)", "name": "open", "arguments": ["front"], "start": 3, "end": 7,
         "closed": "terminated"},
    ]
    assert found.to_csv() == "segment,fluent,start,end,closed\nhall,open(front),3,7,terminated\n"
    assert "open(front): recognised 3 – 7" in found._repr_html_()


def test_a_stream_goes_on_frame_by_frame_and_from_its_bytes(door):
    recogniser = oled.Recogniser(door, RULES)
    whole = recogniser.predict(frames()).to_dicts()
    closed = []
    for frame in frames():
        recogniser = pickle.loads(pickle.dumps(recogniser))
        closed += recogniser.predict_one(frame).to_dicts()
        assert recogniser.holding() == (["open(front)"] if 3 <= frame.time <= 7 else [])
    assert closed + recogniser.finish().to_dicts() == whole
    begun = [oled.Recogniser(door, RULES).begun_by(frame)[1].to_dicts() for frame in frames()]
    assert begun == [[]] * 9, "a recogniser of its own has seen nothing begin"


def test_rules_are_swapped_while_something_holds(door):
    recogniser = oled.Recogniser(door, RULES)
    for frame in list(frames())[:4]:
        recogniser.predict_one(frame)
    assert len(recogniser.swap("% the same rules\n" + RULES)) == 0 and recogniser.holding() == ["open(front)"]
    ended = recogniser.swap("initiatedAt(open(D), T) :- happensAt(shuts(D), T).")
    assert [row["closed"] for row in ended] == ["reloaded"]


def test_evaluation_counts_and_explanation_says_why(door):
    recogniser = oled.Recogniser(door, RULES)
    found = recogniser.evaluate(frames(label=True))
    assert found["open"] == {"tp": 5, "fp": 0, "fn": 1, "precision": 1.0, "recall": 5 / 6, "f1": 10 / 11}
    assert found.f1 == found["open"]["f1"] and found.to_dict()["frames"] == 9
    assert found.intervals.to_dicts()[0]["found"] == 1 and found.segments.to_dicts()[0]["segment"] == "hall"
    assert "annotated" in found._repr_html_()
    why = recogniser.explain(frames(label=True))
    assert [entry["kind"] for entry in why] == ["recognised", "missed"]
    assert "began by rule 1 at 2" in str(why) and "ended by rule 2 at 7" in str(why)
    row = recogniser.predict(frames())[0]
    assert "began by rule 1 at 2" in str(recogniser.explain(frames(), row))
    absent = recogniser.explain(frames(), fluent="open(front)", at=9).to_dict()
    assert absent["not_recognised"][0]["reasons"]


def test_weights_make_intervals_probable(listed, lobby):
    theory = oled.weigh(listed, listed.theories["hand"], lobby)
    sure = oled.Recogniser(listed, theory).predict_proba(lobby)
    assert sure.columns[-2:] == ["confidence", "weakest"] and len(sure) > 0
    assert all(0 <= row["weakest"] <= row["confidence"] <= 1 for row in sure)
    assert len(oled.Recogniser(listed, theory).predict_proba(lobby, threshold=0.99)) <= len(sure)
    with pytest.raises(oled.OledError, match="have no weights"):
        oled.Recogniser(listed, listed.theories["hand"]).predict_proba(lobby)


def test_dates_come_in_and_go_out():
    task = oled.Task.parse(MODES, settings='[stream]\ntime = "iso"\nepoch = "s"\n')
    start = datetime(2026, 3, 1, 10, 0, 0)
    days = [task.frame(start.replace(second=second), "hall").holds("seen", "front") for second in range(9)]
    days[1].happens("opens", "front")
    days[6].happens("shuts", "front")
    row = oled.Recogniser(task, RULES).predict(days)[0]
    first, last = row["start"], row["end"]
    assert (first.replace(tzinfo=None), last.replace(tzinfo=None)) == (start.replace(second=2), start.replace(second=6))
    assert first.tzinfo in (None, timezone.utc) or first.utcoffset() is not None
    assert "began by rule 1" in str(oled.Recogniser(task, RULES).explain(days, row))


def test_crossval_scores_what_was_not_learned_from(lobby, listed):
    found = oled.crossval(oled.Replay(listed), lobby, folds=3, seed=1)
    assert {"fluent", "precision", "recall", "f1"} <= set(found.scores.columns)
    assert 0.5 < max(found.scores["f1"]) <= 1 and "<html" in found.report
    with pytest.raises(oled.OledError, match="ask for fewer folds"):
        oled.crossval(listed, lobby, folds=4)
    with pytest.raises(oled.OledError):
        oled.crossval(listed, lobby, folds=3, groups={f"lobby{n}": "all" for n in (1, 2, 3)})
