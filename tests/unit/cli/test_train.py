"""gecbench train: options that would have no effect."""

from __future__ import annotations

import pytest
from messages import assert_is_line


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--list", "--lang", "de"), "--lang"),
        (("--list", "run.toml"), "CONFIG"),
        (("--list", "-o", "run"), "--output"),
        (("--recipe", "tiny", "--lang", "de"), "--lang"),
        (("--recipe", "tiny", "--folder", "data"), "--folder"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(run, tmp_path, monkeypatch, words, option):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("train", *words)
    assert (code, out) == (2, "")
    assert_is_line(err, option)
    assert list(tmp_path.iterdir()) == []


def test_the_demonstration_is_refused_to_several_processes(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, out, err = run("train", "--recipe", "tiny")
    assert (code, out) == (2, "")
    assert_is_line(err, "tiny.toml")
    assert list(tmp_path.iterdir()) == []
