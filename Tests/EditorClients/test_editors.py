"""Scripted sessions in editors, with the settings of the page about them."""
import os
import pathlib
import re
import shutil
import sys

from conftest import MODEL, ROOT, SERVER, block, require, run

HERE = pathlib.Path(__file__).resolve().parent


def parts(file):
    """The formatted lines of a model's entities, without what is the same when it is left out."""
    run([SERVER, "format", str(file)])
    left_out = r' (representedClassName="[^"]*"|syncable="YES"|optional="NO"|usesScalarValueType="[A-Z]*")'
    return [re.sub(left_out, "", line) for line in file.read_text().splitlines() if line.startswith("    ")]


def test_neovim_makes_the_model_of_the_first_page_from_nothing(tmp_path):
    program = shutil.which("nvim") or str(pathlib.Path(sys.executable).parent / "nvim")
    settings = tmp_path / "settings.lua"
    settings.write_text(block("lua"))
    file = tmp_path / "Feed.xcdatamodeld" / "Feed.xcdatamodel" / "contents"
    file.parent.mkdir(parents=True)
    file.write_text("")
    output = run([program, "--headless", "--clean", "-l", str(HERE / "neovim.lua"), str(settings), str(file)],
                 XDG_STATE_HOME=str(tmp_path / "state"))
    assert "made" in output
    run([SERVER, "check", str(file.parents[1])])
    page = (ROOT / "README.md").read_text().split("```xml\n", 1)[1].split("```", 1)[0]
    expected = tmp_path / "Page.xcdatamodel" / "contents"
    expected.parent.mkdir()
    expected.write_text(page)
    assert parts(file) == parts(expected)


def test_emacs(tmp_path, contents):
    require("emacs")
    settings = tmp_path / "settings.el"
    settings.write_text(block("elisp"))
    output = run(["emacs", "--batch", "-q", "--eval", "(package-initialize)", "-l", str(HERE / "emacs.el"),
                  str(settings), str(contents)])
    assert "done" in output
