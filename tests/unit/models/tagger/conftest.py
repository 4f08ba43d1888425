"""Tiny taggers that learned a few pairs by heart, made once for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_taggers import teach, write_bert

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Make a folder with a tiny BERT for a language, as its authors would publish one."""
    result: dict[str, Path] = {}

    def make(language: str) -> Path:
        if language not in result:
            result[language] = write_bert(tmp_path_factory.mktemp("bert") / language, language)
        return result[language]

    return make


@pytest.fixture(scope="session")
def tagger_folder(
    tmp_path_factory: pytest.TempPathFactory, tiny_bert: Callable[..., Path]
) -> Callable[..., Path]:
    """Return the folder of a tagger that learned the pairs of a language by heart."""
    result: dict[tuple[str, str], Path] = {}

    def make(language: str, encoder: str) -> Path:
        if (language, encoder) not in result:
            folder = tmp_path_factory.mktemp("tagger_folder") / f"{language}-{encoder}"
            place = "convolution" if encoder == "convolution" else str(tiny_bert(language))
            teach(folder, language, place)
            result[language, encoder] = folder
        return result[language, encoder]

    return make
