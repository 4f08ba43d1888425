"""The chat corrector against a real server: `transformers serve` with a model made here."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import GecbenchError
from gecbench.models import load_corrector

from .conftest import PAIRS, Trained

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")
httpx = pytest.importorskip("httpx")

SERVE = "from transformers.cli.transformers import main; main()"


@pytest.fixture(scope="module")
def server_url(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server_url") / "log.txt"
    words = ("serve", str(trained.merged), "--host", "127.0.0.1", "--port", str(port))
    with log.open("wb") as file:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, *words, "--device", "cpu"],
            stdout=file,
            stderr=file,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )
    try:
        for _ in range(600):
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                    break
            except httpx.HTTPError:
                assert server.poll() is None, log.read_text("utf-8")
            time.sleep(0.1)
        yield f"chat:{trained.merged}@http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(30)


OPTIONS = {"prompt": "zh-instruction", "max_tokens": 40, "most_changed": 1, "cache": "none"}


@pytest.mark.parametrize("stream", [False, True])
def test_a_served_model_corrects_as_the_same_does_here(
    server_url: str, trained: Trained, stream: bool
) -> None:
    corrector = load_corrector(server_url, {**OPTIONS, "stream": stream})
    corrections = corrector.correct([pair.source for pair in PAIRS])
    assert [correction.text for correction in corrections] == [pair.target for pair in PAIRS]
    totals = corrector.totals  # type: ignore[attr-defined]
    assert totals.calls == len(PAIRS)
    assert totals.tokens_in > 100
    assert totals.tokens_out > 40
    corrector.close()


def test_an_answer_at_its_limit_is_flagged(server_url: str) -> None:
    corrector = load_corrector(server_url, {**OPTIONS, "max_tokens": 3})
    assert corrector.correct(["我高心"])[0].flags == ("cut",)
    corrector.close()


def test_what_a_real_server_refuses_is_one_line(server_url: str, tmp_path: Path) -> None:
    _, _, url = server_url.rpartition("@")
    corrector = load_corrector(f"chat:no-such@{url}", OPTIONS)
    with expect_error(GecbenchError, "400", "no-such") as caught:
        corrector.correct(["我高心"])
    assert "\n" not in str(caught.value)
    corrector.close()
