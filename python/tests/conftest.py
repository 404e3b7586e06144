"""What the tests share: a little data, the program to compare with, and how often random tests are run."""

from __future__ import annotations

import os
import pathlib
import subprocess
import warnings

import pytest

import oled

#: The program, built from the same sources; tests that compare with it are left out where it is not named.
PROGRAM = os.environ.get("OLED_PROGRAM")
ROOT = pathlib.Path(__file__).resolve().parents[2]
CAVIAR = pathlib.Path(os.environ.get("OLED_CAVIAR", ROOT.parent / "shared" / "data" / "caviar"))

needs_program = pytest.mark.skipif(not PROGRAM, reason="OLED_PROGRAM does not name the program to compare with")


@pytest.fixture(autouse=True)
def no_surprises():
    """What is told of data is an error, unless a test expects it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", oled.OledWarning)
        yield


@pytest.fixture(scope="session")
def lobby():
    return oled.simulate("lobby", segments=3, length=150)


@pytest.fixture(scope="session")
def listed():
    return oled.Task.load("lobby-listed")


@pytest.fixture(scope="session")
def model(listed, lobby):
    return oled.Replay(listed).fit(lobby)


@pytest.fixture(scope="session")
def run():
    """Runs the program; returns what it prints."""

    def run(*arguments, ok=(0, 1)):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
        )
        assert done.returncode in ok, done.stderr
        return done.stdout

    return run
