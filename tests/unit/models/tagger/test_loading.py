"""Folders of taggers that cannot be loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.models import CARD, load_corrector


@pytest.mark.parametrize(
    "facts",
    [
        {"languages": [], "tokens": "en"},
        {"languages": ["en", "zh"], "tokens": "en"},
        {"languages": ["en"]},
    ],
)
def test_an_exported_tagger_reads_one_language_in_known_tokens(tmp_path: Path, facts: dict):
    card = {"schema": 1, "kind": "tagger", "runtime": "onnx", **facts}
    (tmp_path / CARD).write_text(json.dumps(card))
    with expect_error(FormatError, tmp_path.name, "card"):
        load_corrector(f"tagger:{tmp_path}")


def test_what_is_no_folder_is_answered_with_how_to_make_one(tmp_path: Path):
    with expect_error(GecbenchError, "gone", "convert"):
        load_corrector(f"tagger:{tmp_path / 'gone'}")
