"""The bundled English pipeline on the test set: the figures that docs/pipeline.md has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from figures import figures
from treebank import part

import gecbench

pytestmark = [pytest.mark.golden, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "pipeline.md"
FOLDER = Path(gecbench.__file__).parent / "lang" / "en" / "pipeline"
MEASURED = ("tag", "pos", "uas", "las", "lemma", "lemma_caseless")


@pytest.fixture(scope="module")
def measured(shared) -> dict[str, float]:
    """Percentages of words, on all 2,077 sentences: a second or two."""
    spacy = pytest.importorskip("spacy", reason="the English extra is not installed")
    return figures(spacy.load(FOLDER), part(shared / "data" / "ud_english_ewt", "test"))


def test_the_whole_test_set_is_measured(measured):
    assert (measured["sentences"], measured["words"]) == (2077, 25094)


@pytest.mark.parametrize("measure", MEASURED)
def test_it_is_as_good_as_when_it_was_trained(measured, measure):
    figures = json.loads((FOLDER / "eval.json").read_text("utf-8"))["test"]
    assert measured[measure] == pytest.approx(figures[measure], abs=0.1)


@pytest.mark.parametrize("measure", MEASURED)
def test_the_page_says_so(measured, measure):
    row = re.search(rf"^\| `{measure}` \|.* ([\d.]+) \|$", PAGE.read_text("utf-8"), re.M)
    assert row is not None
    assert float(row[1]) == pytest.approx(measured[measure], abs=0.1)
