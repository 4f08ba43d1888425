"""Marks of the heat map, as many as GoToScorer's own heat map of CoNLL-2014 has spans."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.api.difficulty import difficulty
from gecbench.api.files import load, load_systems
from gecbench.api.verb_options import DifficultyOptions
from gecbench.reports.page.heatmap import ERROR, values

pytestmark = pytest.mark.golden


def marks(shared: Path, systems: str, weights: Path | None) -> list[tuple]:
    corpus = load(shared / "data/m2/conll14.gold")
    outputs = load_systems(shared / "golden/gts/inputs" / systems, corpus, names=())
    options = DifficultyOptions(weights=weights, re_extract=False)
    (difficulty_result,) = difficulty(corpus, outputs, options=options)
    texts = {sample.id: sample.source for sample in corpus.samples}
    sentences = values(difficulty_result, texts)["sentences"]
    return [piece for _, _, pieces in sentences for piece in pieces if not isinstance(piece, str)]


@pytest.mark.slow
def test_eleven_systems_give_as_many_marks_as_the_official_page(shared: Path):
    actual_marks = marks(shared, "seeda11.m2", None)
    # specs/gts_spec.md, section 5: "7,963 of 8,829" spans of seeda11.
    assert len(actual_marks) == 8829
    assert sum(mark[1] == ERROR for mark in actual_marks) == 2379


def test_one_system_with_published_weights_has_a_colour_for_each_mark(shared: Path):
    """The official page lacks a colour for 1,679 of these 3,673 spans (section 5)."""
    actual_marks = marks(shared, "one_T5.m2", shared / "data/gts_weights/conll14_8sys.txt")
    assert len(actual_marks) == 3673
    assert all(0 <= mark[2] <= 1 for mark in actual_marks)
