"""Fixtures of the unit tests: the command line in this process, tiny models, a chat server."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import Scripted
from masked_models import EN, ZH, masked_bert, masked_roberta

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


@pytest.fixture(scope="session")
def english_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return masked_bert(tmp_path_factory.mktemp("masked") / "tiny-en", EN.split())


@pytest.fixture(scope="session")
def chinese_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return masked_bert(tmp_path_factory.mktemp("masked") / "tiny-zh", [*dict.fromkeys(ZH), "##看"])


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return masked_roberta(tmp_path_factory.mktemp("masked") / "tiny-roberta")


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.http.shutdown()
    scripted.http.server_close()
