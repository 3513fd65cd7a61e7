"""Scripted sessions in editors, with the settings of the page about them."""
import os
import pathlib
import shutil
import sys

from conftest import MODEL, ROOT, SERVER, block, require, run

HERE = pathlib.Path(__file__).resolve().parent


def test_neovim_makes_a_model_from_nothing(tmp_path):
    program = shutil.which("nvim") or str(pathlib.Path(sys.executable).parent / "nvim")
    settings = tmp_path / "settings.lua"
    settings.write_text(block("lua"))
    file = tmp_path / "Feed.xcdatamodeld" / "Feed.xcdatamodel" / "contents"
    file.parent.mkdir(parents=True)
    file.write_text("")
    output = run([program, "--headless", "--clean", "-l", str(HERE / "neovim.lua"), str(settings), str(file)],
                 XDG_STATE_HOME=str(tmp_path / "state"))
    assert "made" in output
    assert 'inverseName="posts"' in file.read_text()
    run([SERVER, "check", str(file.parents[1])])


def test_emacs(tmp_path, contents):
    require("emacs")
    settings = tmp_path / "settings.el"
    settings.write_text(block("elisp"))
    output = run(["emacs", "--batch", "-q", "--eval", "(package-initialize)", "-l", str(HERE / "emacs.el"),
                  str(settings), str(contents)])
    assert "done" in output
