"""Fixtures of the unit tests: the command line without a process of its own."""

from __future__ import annotations

import gc

import pytest

from gecbench.cli import main


@pytest.fixture(autouse=True)
def same_garbage():
    """The command line sets how often garbage is collected; tests share a process."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run a command line; return exit code, standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        try:
            main([str(word) for word in words])
            code = 0
        except SystemExit as ended:
            code = ended.code or 0
        return code, *capsys.readouterr()

    return run
