"""Tiny taggers that learned a few pairs by heart, made once for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tiny_taggers import teach, write_bert

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def tiny_bert(common: Path, once: Callable[..., None]) -> Callable[..., Path]:
    """Make a folder with a tiny BERT for a language, as its authors would publish one."""

    def make(language: str) -> Path:
        folder = common / "bert" / language
        once(f"bert {language}", partial(write_bert, folder, language))
        return folder

    return make


@pytest.fixture(scope="session")
def tagger_folder(
    common: Path, once: Callable[..., None], tiny_bert: Callable[..., Path]
) -> Callable[..., Path]:
    """Return the folder of a tagger that learned the pairs of a language by heart."""

    def make(language: str, encoder: str) -> Path:
        folder = common / "taggers" / f"{language}-{encoder}"
        place = "convolution" if encoder == "convolution" else str(tiny_bert(language))
        once(f"tagger {folder.name}", lambda: bool(teach(folder, language, place)))
        return folder

    return make
