"""The same rules and intervals from Python and from the program, byte for byte."""

import json
import os

import pytest
from conftest import CAVIAR, needs_program

import oled

pytestmark = needs_program

#: Learning from all of CAVIAR takes minutes in a build for tests: it is done where it is asked for.
SLOW = os.environ.get("OLED_SLOW") == "1"


def write(path, text):
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


@pytest.mark.parametrize(
    ("task", "learner", "frames"),
    [
        ("lobby", oled.Replay, lambda: oled.simulate("lobby", segments=3, length=150)),
        ("lobby-listed", oled.Replay, lambda: oled.simulate("lobby", segments=3, length=150, seed=5, noise=2.0)),
        ("lobby-listed", oled.Oled, lambda: oled.simulate("lobby", segments=3, length=150)),
        ("homes", oled.Replay, lambda: oled.simulate("homes", days=2)),
    ],
)
def test_rules_and_intervals_are_those_of_the_program(tmp_path, run, task, learner, frames):
    frames = frames()
    stream = write(tmp_path / "stream.jsonl", oled.to_jsonl(frames))
    name = "replay" if learner is oled.Replay else "oled"
    run("learn", task, "--input", stream, "--learner", name, "--output", tmp_path / "rules.lp", "--quiet")
    rules = (tmp_path / "rules.lp").read_text(encoding="utf-8")
    model = learner(task).fit(frames)
    assert model.theory_.text == rules
    assert learner(task).fit(stream).theory_.text == rules
    printed = json.loads(run("learn", task, "--input", stream, "--learner", name, "--json", "--quiet"))
    own = model.theory_.evidence
    assert {key: printed[key] for key in own} == own
    recogniser = oled.Recogniser(task, oled.Theory.load(tmp_path / "rules.lp"))
    recognise = ("recognise", task, "--theory", tmp_path / "rules.lp", "--input", stream, "--quiet")
    assert recogniser.predict(frames).to_csv() == run(*recognise)
    assert recogniser.predict(stream).to_jsonl() == run(*recognise, "--format", "jsonl")
    counted = json.loads(run("evaluate", *recognise[1:], "--json", "--by", "segment"))
    own = recogniser.evaluate(frames).to_dict()
    assert {key: own[key] for key in counted} == counted
    explained = json.loads(run("explain", *recognise[1:], "--json"))
    assert recogniser.explain(stream).to_dict() == explained


def test_weights_are_those_of_the_program(tmp_path, run, listed, lobby):
    stream = write(tmp_path / "stream.jsonl", oled.to_jsonl(lobby))
    run("weigh", "lobby-listed", "--theory", "hand", "--input", stream, "--output", tmp_path / "weighed.lp", "--quiet")
    weighed = oled.weigh(listed, listed.theories["hand"], lobby)
    assert weighed.text == (tmp_path / "weighed.lp").read_text(encoding="utf-8")
    printed = run(
        "recognise", "lobby-listed", "--theory", tmp_path / "weighed.lp", "--input", stream, "--confidence", "--quiet"
    )
    assert oled.Recogniser(listed, weighed).predict_proba(lobby).to_csv() == printed


def test_folds_are_those_of_the_program(tmp_path, run, lobby):
    stream = write(tmp_path / "stream.jsonl", oled.to_jsonl(lobby))
    printed = run(
        "crossval", "lobby-listed", "--input", stream, "--folds", 3, "--orders", 1, "--no-times", "--json", "--quiet"
    )
    found = oled.crossval("lobby-listed", lobby, folds=3)
    assert found.to_dicts() == json.loads(printed)["results"]


def test_tables_are_those_of_the_program(tmp_path, run):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import csv

    run("simulate", "--world", "homes", "--days", 2, "--to", "csv", "--out", tmp_path / "home", "--quiet")
    home = tmp_path / "home"
    files = sorted(path for path in home.glob("*.csv") if path.name != "labels.csv")
    run("init", "--input", *files, "--labels", home / "labels.csv", "--out", tmp_path / "task", "--quiet")
    task = oled.Task.load(tmp_path / "task")
    run(
        "learn", tmp_path / "task", "--input", *files, "--labels", home / "labels.csv", "--output",
        tmp_path / "rules.lp", "--quiet",
    )
    rules = (tmp_path / "rules.lp").read_text(encoding="utf-8")
    tables = {path.stem: csv.read_csv(path) for path in files}
    labels = csv.read_csv(home / "labels.csv")
    assert oled.Replay(task).fit(files, labels=home / "labels.csv").theory_.text == rules
    assert oled.Replay(task).fit(tables, labels=labels).theory_.text == rules
    printed = run("recognise", tmp_path / "task", "--theory", tmp_path / "rules.lp", "--input", *files, "--quiet")
    assert oled.Recogniser(task, rules).predict(tables).to_csv() == printed
    assert isinstance(tables[files[0].stem], pa.Table)


@pytest.mark.skipif(not CAVIAR.is_dir(), reason=f"the data of CAVIAR is not there ({CAVIAR})")
def test_caviar_is_recognised_as_the_program_does(run):
    task = oled.Task.load("caviar")
    printed = run("recognise", "caviar", "--theory", "hand", "--input", CAVIAR, "--quiet")
    assert oled.Recogniser(task, task.theories["hand"]).predict(CAVIAR).to_csv() == printed


@pytest.mark.skipif(not (CAVIAR.is_dir() and SLOW), reason="OLED_SLOW=1 learns from CAVIAR, where it is there")
def test_caviar_is_learned_as_the_program_does(tmp_path, run):
    run("learn", "caviar", "--input", CAVIAR, "--output", tmp_path / "rules.lp", "--quiet")
    # CAVIAR has labels of two more activities.
    with pytest.warns(oled.OledWarning, match="does not declare"):
        learned = oled.Replay("caviar").fit(CAVIAR)
    assert learned.theory_.text == (tmp_path / "rules.lp").read_text(encoding="utf-8")
