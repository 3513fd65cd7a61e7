"""Scripted sessions in editors, with the settings of the page about them."""
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


def neovim(script, *arguments):
    """Runs a session, and returns what it printed."""
    program = shutil.which("nvim") or str(pathlib.Path(sys.executable).parent / "nvim")
    return run([program, "--headless", "--clean", "-l", str(HERE / script), *map(str, arguments)],
               XDG_STATE_HOME=str(arguments[0].parent / "state"))


def test_neovim_makes_the_model_of_the_first_page_from_nothing(tmp_path):
    settings = tmp_path / "settings.lua"
    settings.write_text(block("lua"))
    file = tmp_path / "Feed.xcdatamodeld" / "Feed.xcdatamodel" / "contents"
    file.parent.mkdir(parents=True)
    file.write_text("")
    assert "made" in neovim("neovim.lua", settings, file)
    # The session ends with the formatter.
    written = file.read_bytes()
    run([SERVER, "format", str(file.parents[1])])
    assert file.read_bytes() == written
    run([SERVER, "check", str(file.parents[1])])
    page = (ROOT / "README.md").read_text().split("```xml\n", 1)[1].split("```", 1)[0]
    expected = tmp_path / "Page.xcdatamodel" / "contents"
    expected.parent.mkdir()
    expected.write_text(page)
    assert parts(file) == parts(expected)


def test_neovim_and_the_awkward_parts_of_the_protocol(tmp_path, contents):
    program = tmp_path / "ashlar"
    program.write_text(f'#!/bin/sh\nexec "{SERVER}" "$@"\n')
    program.chmod(0o755)
    settings = tmp_path / "settings.lua"
    settings.write_text(block("lua", program=program))
    contents.write_text(MODEL.replace('"Integer 64"', '"Integr 64"'))
    assert "done" in neovim("neovim_protocol.lua", settings, contents, program)


def test_emacs(tmp_path, contents):
    require("emacs")
    settings = tmp_path / "settings.el"
    settings.write_text(block("elisp"))
    output = run(["emacs", "--batch", "-q", "--eval", "(package-initialize)", "-l", str(HERE / "emacs.el"),
                  str(settings), str(contents)])
    assert "done" in output
