"""zh-cherrant: what it says of sources that it does not simplify."""

from __future__ import annotations

from dataclasses import replace

import opencc
import pytest

from gecbench.api.score import score
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import WarningNote
from gecbench.lang.zh.char import scheme
from gecbench.lang.zh.cherrant import traditional_warning

TO_SIMPLIFIED = opencc.OpenCC("t2s").convert
TRADITIONAL, SIMPLIFIED = "我們學習漢語", "我们学习汉语"


@pytest.mark.parametrize(
    ("traditional", "of", "warned"), [(0, 9, False), (1, 9, False), (2, 9, True), (9, 9, True)]
)
def test_traditional_sources_are_warned_of_where_they_are_many(
    traditional: int, of: int, warned: bool
):
    sources = [TRADITIONAL] * traditional + [SIMPLIFIED] * (of - traditional)
    warning = traditional_warning(sources, TO_SIMPLIFIED)
    assert (warning is not None) is warned
    if warning is not None:
        assert f"{traditional} of {of}" in warning
        assert "--no-simplify" in warning


def test_no_sources_and_nothing_to_simplify_are_not_warned_of():
    assert traditional_warning([], TO_SIMPLIFIED) is None
    assert traditional_warning([TRADITIONAL], str) is None


def test_the_warning_stands_above_the_scores():
    corpus = Corpus("tw", (Sample("1", TRADITIONAL, (Rewrite("我學漢語"),)),), "zh")
    system = SystemOutput("s", {"1": (Rewrite("我學漢語"),)})
    warning_scheme = replace(scheme(), warn=lambda sources: f"of {sources[0]}")
    notes = score(corpus, [system], scheme=warning_scheme).notes
    assert WarningNote(f"tw: of {TRADITIONAL}") in notes
    assert any(isinstance(note, WarningNote) for note in notes)
