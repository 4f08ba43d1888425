"""Files that are something else than they look like, and what to do about them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import gecbench
from gecbench.core.errors import FormatError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.txt"


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        gecbench.load(path)
    return str(caught.value)


def test_an_edit_before_its_sentence_is_named(path: Path):
    message = refusal(path, b"\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\nS a b\n")
    assert message.startswith(f"{path}:2: ")
    assert "S line" in message


def test_a_compressed_file_is_called_that(path: Path):
    message = refusal(path, gzip.compress("我们\n".encode()))
    assert message.startswith(f"{path}:1: ")
    assert "compressed" in message
    assert "iconv" not in message


@pytest.mark.parametrize("encoding", ["gb18030", "latin-1"])
def test_other_encodings_are_guessed(path: Path, encoding: str):
    text = {"gb18030": "a\n我们", "latin-1": "a\nnaïve café"}[encoding]
    message = refusal(path, text.encode(encoding))
    assert message.startswith(f"{path}:2: ")
    assert "GB18030" in message
    assert "LATIN1" in message


def test_binary_data_are_called_that(path: Path):
    message = refusal(path, b"PNG\x00\x00\xff\xfe\n")
    assert "binary" in message
    assert "iconv" not in message
