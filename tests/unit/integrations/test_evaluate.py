"""The module for Hugging Face evaluate, on stand-ins for what it imports."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import gecbench
from gecbench import integrations

TEXTS = {
    "sources": ["He go to school .", "It works ."],
    "predictions": ["He goes to school .", "It works well ."],
    "references": [["He goes to school .", "He went to school ."], ["It works ."]],
}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> type:
    """The class of the module."""
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "evaluate", SimpleNamespace(Metric=object))
    (script,) = Path(integrations.folder("evaluate")).glob("*.py")
    cls = runpy.run_path(str(script))["GecbenchScore"]
    cls.config_name = "default"
    return cls


def test_it_has_the_name_of_its_folder():
    folder = Path(integrations.folder("evaluate"))
    assert (folder / f"{folder.name}.py").is_file()


def test_values_are_those_of_score_texts(module: type):
    values = module()._compute(
        **TEXTS, metrics=["edits", "gleu"], lang="en", scheme="xx-word", options=gecbench.Options()
    )
    edits, gleu = gecbench.score_texts(
        *TEXTS.values(), metrics=["edits", "gleu"], lang="en", scheme="xx-word"
    ).results
    assert values == {
        "edits": edits.score.value,
        "edits_precision": 0.5,
        "edits_recall": 1.0,
        "edits_tp": 1,
        "edits_fp": 1,
        "edits_fn": 0,
        "edits_signature": str(edits.score.signature),
        "gleu": gleu.score.value,
        "gleu_signature": str(gleu.score.signature),
    }


def test_the_name_given_to_load_is_the_metric(module: type):
    module.config_name = "green"
    assert set(module()._compute(**TEXTS, lang="en")) == {"green", "green_signature"}


def test_a_metric_of_another_language_has_no_value_and_says_why(module: type):
    values = module()._compute(**TEXTS, metrics=["gleu", "cherrant"], lang="en", scheme="xx-word")
    assert values["cherrant"] is None
    assert "cherrant" in values["cherrant_note"]
