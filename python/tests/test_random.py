"""Random tasks and streams: Python and the program agree, whatever they are."""

import os
import warnings

import pytest
from conftest import needs_program

import oled

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given  # noqa: E402
from hypothesis import settings as how  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

pytestmark = needs_program

#: How many tasks; each runs the program twice. 200 of them were run once: `OLED_RANDOM_TASKS=200`.
TASKS = int(os.environ.get("OLED_RANDOM_TASKS", "8"))

EVENTS = ["rises", "falls", "rings", "stops"]
THINGS = ["a", "b", "c1", "d_2"]


@st.composite
def tasks(draw):
    """Declarations, a background, and whether an end wins."""
    events = draw(st.lists(st.sampled_from(EVENTS), min_size=1, max_size=4, unique=True))
    pairs = draw(st.booleans())
    fluent = "near(+thing, +thing)" if pairs else "busy(+thing)"
    lines = [f"input(happensAt({event}(+thing), +time)). modeb(happensAt({event}(+thing), +time))." for event in events]
    lines += ["type(number, real). input(level(+thing, +number, +time)).", f"example(holdsAt({fluent}, +time))."]
    lines += [f"modeh(initiatedAt({fluent}, +time)). modeh(terminatedAt({fluent}, +time))."]
    background = ""
    if draw(st.booleans()):
        lines.append("modeb(above(+thing, #limit, +time)).")
        background = "limit(2). limit(5). above(X, L, T) :- level(X, V, T), limit(L), V >= L."
    settings = '[calculus]\nboth = "end"\n' if draw(st.booleans()) else ""
    return events, pairs, "\n".join(lines), background, settings


@st.composite
def streams(draw, events, pairs):
    """Frames with labels that follow an event, now and then."""
    things = draw(st.lists(st.sampled_from(THINGS), min_size=2, max_size=3, unique=True))
    frames = []
    for segment in range(draw(st.integers(1, 4))):
        holds = set()
        for time in range(0, draw(st.integers(1, 25)) * 3, 3):
            frame = oled.Frame(f"s{segment}", time)
            for thing in holds:
                frame.label(*(("near", *thing) if pairs else ("busy", thing)))
            happening = draw(st.lists(st.tuples(st.sampled_from(events), st.sampled_from(things)), max_size=3, unique=True))
            for thing in things:
                if draw(st.integers(0, 4)):
                    frame.fact("level", thing, draw(st.integers(0, 7)) / 2)
            for event, thing in happening:
                frame.happens(event, thing)
                subject = (thing, things[0] if thing != things[0] else things[1]) if pairs else thing
                if event == events[0]:
                    holds.add(subject)
                else:
                    holds.discard(subject)
            frames.append(frame)
    return frames


@how(
    max_examples=TASKS,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_random_tasks_are_learned_and_recognised_alike(tmp_path_factory, run, data):
    events, pairs, modes, background, settings = data.draw(tasks())
    frames = data.draw(streams(events, pairs))
    folder = tmp_path_factory.mktemp("random")
    files = {"modes.lp": modes, "background.lp": background, "task.toml": settings, "stream.jsonl": oled.to_jsonl(frames)}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    run("learn", folder, "--input", folder / "stream.jsonl", "--output", folder / "rules.lp", "--quiet")
    rules = (folder / "rules.lp").read_text(encoding="utf-8")
    task = oled.Task.load(folder)
    # Streams without labels and frames without facts are warned of; here only what comes out of them counts.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", oled.OledWarning)
        model = oled.Replay(task).fit(frames)
        one_by_one = oled.Replay(task)
        for frame in frames:
            one_by_one.learn_one(frame)
        recognised = oled.Recogniser(task, rules).predict(frames)
    assert model.theory_.text == rules
    assert one_by_one.theory_.text == rules
    printed = run("recognise", folder, "--theory", folder / "rules.lp", "--input", folder / "stream.jsonl", "--quiet")
    assert recognised.to_csv() == printed
