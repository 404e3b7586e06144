"""Docstrings, the chapter of the book and the notebook run as they are written."""

import contextlib
import doctest
import io
import json
import os
import pathlib
import pkgutil
import re

import pytest
from conftest import ROOT

import oled

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
CHAPTER = ROOT / "book" / "src" / "python.md"


@pytest.mark.parametrize("name", ["oled", *(f"oled.{module.name}" for module in pkgutil.iter_modules(oled.__path__))])
def test_docstrings_run(name):
    module = __import__(name, fromlist=["x"])
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0, f"{failed} of {tried} examples of {name}"


def test_frames_have_examples_that_run():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    runner.run(parser.get_doctest(oled.Frame.__doc__, {}, "Frame", None, None))
    assert runner.tries > 2 and runner.failures == 0


@pytest.mark.skipif(not CHAPTER.exists(), reason="the book is not beside the package")
def test_the_chapter_runs(tmp_path, monkeypatch):
    """Each block of Python runs after the others; a block of text behind it is what it prints."""
    monkeypatch.chdir(tmp_path)
    names, printed, ran = {}, [""], []

    def block(match):
        language, text = match.group(1), match.group(2)
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, CHAPTER.name, "exec"), names)
            printed[0] = out.getvalue()
            ran.append(text)
        elif language == "text":
            return f"```text\n{printed[0].strip()}\n```"
        return match.group(0)

    page = CHAPTER.read_text(encoding="utf-8")
    found = re.sub(r"```(\w+)[^\n]*\n(.*?)```", block, page, flags=re.S)
    assert len(ran) >= 8
    if os.environ.get("OLED_UPDATE_DOCS") == "1":
        CHAPTER.write_text(found, encoding="utf-8", newline="\n")
    else:
        assert found == page


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 5
    names = {"display": lambda thing: thing._repr_html_()}
    for number, text in enumerate(code):
        exec(compile(text, f"{notebook.name}, cell {number}", "exec"), names)
