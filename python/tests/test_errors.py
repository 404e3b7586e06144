"""What goes wrong is told with its place and a remedy, in the words of Python."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import oled


def test_problems_of_rules_have_places():
    task = oled.Task.parse("input(happensAt(opens(+door), +time)). example(holdsAt(open(+door), +time)).")
    with pytest.raises(oled.OledError) as caught:
        oled.Recogniser(task, "initiatedAt(open(D), T) :-\n  happensAt(openz(D), T), p(D, T).")
    first = caught.value.diagnostics[0]
    assert len(caught.value.diagnostics) == 2
    assert (first.line, first.source) == (2, "theory") and first.place.startswith("theory:2:")
    assert "did you mean" in first.hint and "error:" not in str(caught.value).splitlines()[0]


def test_frames_are_checked(listed):
    model = oled.Replay(listed)
    model.learn_one({"segment": "a", "time": 3, "narrative": ["happensAt(active(p1),3)"]})
    with pytest.raises(oled.OledError, match="time 2 comes after time 3 in segment `a`") as caught:
        model.learn_one({"segment": "a", "time": 2})
    assert "--" not in str(caught.value), "Python has no flags"
    for wrong, message in [
        ({"segment": "a"}, "has no `time`"),
        ({"segment": "a", "time": 4, "narrative": ["happensAt(active(P),4)"]}, "is a variable"),
        ({"segment": "a", "time": 4, "narrative": ["happensAt(active(p1),5)"]}, "its frame about time 4"),
        ({"segment": "a", "time": 4, "narrative": ["happensAt(active(p1)"]}, "ends too early"),
        ({"segment": "a", "time": "soon"}, "is not a whole number"),
    ]:
        with pytest.raises(oled.OledError, match=message):
            model.learn_one(wrong)
    assert model.n_seen_ == 1, "what is wrong changes nothing"
    for wrong in (7, ["a"], None):
        with pytest.raises(TypeError, match="a frame is an oled.Frame or a dictionary"):
            model.learn_one(wrong)
    for wrong in (float("nan"), object()):
        with pytest.raises((TypeError, ValueError)):
            oled.Frame("a", 1).happens("p", wrong)


def test_lenient_leaves_out_and_warns(listed):
    frames = [{"segment": "a", "time": time, "narrative": [f"happensAt(active(p1),{time})"]} for time in (1, 2, 2, 3)]
    with pytest.raises(oled.OledError, match="comes twice"):
        oled.Replay(listed).learn_many(frames)
    with pytest.warns(oled.OledWarning) as caught:
        oled.Recogniser(listed, listed.theories["hand"]).predict(frames, lenient=True)
    assert any("skipped 1: 1 duplicate frame" in str(warning.message) for warning in caught)


def test_what_the_task_does_not_know_is_told(listed):
    frames = [{"segment": "a", "time": time, "narrative": [f"happensAt(flying(p1),{time})"]} for time in (1, 2)]
    with pytest.warns(oled.OledWarning, match="flying"):
        oled.Recogniser(listed, listed.theories["hand"]).predict(frames)


def test_data_of_other_kinds_is_refused(listed):
    recogniser = oled.Recogniser(listed, listed.theories["hand"])
    for wrong in (7, None, {"a": 1}):
        with pytest.raises(TypeError):
            recogniser.predict(wrong)
    with pytest.raises(oled.OledError, match="cannot open `no/such/file.jsonl`"):
        recogniser.predict("no/such/file.jsonl")
    with pytest.raises(TypeError, match="labels are a path or a table"):
        recogniser.evaluate([], labels=7)
    with pytest.raises(oled.OledError, match="lobbi"):
        oled.Task.load("lobbi")


def test_an_iterator_that_fails_is_heard(listed):
    def frames():
        yield oled.Frame("a", 1)
        raise OSError("the sensor is gone")

    with pytest.raises(OSError, match="the sensor is gone"):
        oled.Replay(listed).learn_many(frames())


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise")
@pytest.mark.parametrize("work", ["model.fit(frames)", "model.learn_many(iter(frames * 0 or endless()))"])
def test_ctrl_c_ends_a_long_call(work, tmp_path):
    script = f"""
        import itertools, oled, signal
        # Who starts tests in the background has them ignore it, which they would hand down.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        frames = oled.simulate("lobby", segments=12, length=500, people=9)
        model = oled.Replay("lobby")
        def endless():
            for n in itertools.count():
                yield oled.Frame("a", n).happens("active", "p1")
        print("ready", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("interrupted", model.n_seen_ >= 0)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "interrupted True\n"
    finally:
        # Whoever does not hear it would go on for ever.
        child.kill()


def test_other_threads_run_while_learning(listed, lobby):
    import threading

    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        oled.Replay(listed).fit(lobby)
    finally:
        stop.set()
        thread.join()
    assert len(ticks) > 20, "the lock of the interpreter is released"
