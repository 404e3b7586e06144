"""The stubs say what the native part is, and the Python around it is typed."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

HERE = pathlib.Path(__file__).parents[1]

USE = """
import oled

task: oled.Task = oled.Task.load("lobby")
model: oled.Replay = oled.Replay(task, window=7).fit(oled.simulate("lobby"))
gains: list[float | None] = model.get_rules()["gain"]
frame: oled.Frame = oled.Frame("a", 1).happens("walking", "id1")
for row in oled.Recogniser(task, model.theory_).predict([frame]):
    print(row["fluent"])
"""


def mypy(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True)


def test_the_stubs_are_those_of_the_native_part(tmp_path):
    done = mypy("mypy.stubtest", "oled._oled", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_that_uses_it_is_strict(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    for arguments in (("use.py",), ("-p", "oled")):
        done = mypy("mypy", "--strict", *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_mistakes_are_found(tmp_path):
    (tmp_path / "use.py").write_text("import oled\noled.Replay(7).fit()\n")
    done = mypy("mypy", "--strict", "use.py", cwd=tmp_path)
    assert done.returncode == 1 and "Missing positional argument" in done.stdout and "incompatible type" in done.stdout
