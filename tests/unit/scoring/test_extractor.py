"""Whose edits count, and what becomes of those that a file only detected."""

from __future__ import annotations

import pytest

import gecbench
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.scoring.extractor import Extractor

SOURCE = "我昨天去了学校"
TOKENS = tuple(SOURCE)
WORDS = ("我", "昨天", "去", "了", "学校")
ZH_CHAR = gecbench.load_scheme("zh-char")


def corpus(*references: Rewrite, tokens: tuple[str, ...] = TOKENS, **provenance: str) -> Corpus:
    return Corpus("c", (Sample("1", SOURCE, references, {}, tokens),), "zh", provenance)


def system(*hypotheses: Rewrite, **provenance: str) -> SystemOutput:
    return SystemOutput("s", {"1": hypotheses}, {"1": TOKENS}, provenance)


def own_rewrite(replacement: str) -> Rewrite:
    """An edit of a file that spans more than any scheme would."""
    edits = (Edit(4, 7, tuple(replacement), "S"),)
    return Rewrite(SOURCE[:4] + replacement, edit_sets=(edits,))


def extract(corpus: Corpus, *systems: SystemOutput, re_extract: bool | None = None):
    return Extractor(lambda: ZH_CHAR, re_extract).extract(corpus, systems)


def test_two_sides_found_with_other_options_are_both_extracted_again():
    by_one = {"scheme": "zh-char", "gecbench": "0.1.0"}
    by_other = {"scheme": "zh-cherrant", "gecbench": "0.1.0"}
    edits = extract(
        corpus(own_rewrite("了学堂"), **by_one), system(own_rewrite("了学堂"), **by_other)
    )
    assert not edits.from_files
    assert "zh-cherrant" in str(edits.warning)
    rest = extract(
        corpus(own_rewrite("了学堂"), **by_one),
        system(own_rewrite("了学堂"), **by_other),
        re_extract=False,
    )
    assert rest.from_files
    assert rest.warning
    same = extract(corpus(own_rewrite("了学堂"), **by_one), system(own_rewrite("了学堂"), **by_one))
    assert same.from_files
    assert same.warning is None


def test_a_score_of_edits_that_do_not_say_who_found_them_says_so():
    data = corpus(own_rewrite("了学堂"))
    report = gecbench.score(data, system(Rewrite("我昨天去学校")), scheme=ZH_CHAR)
    assert any("do not say what found them" in note for note in report.notes)
    report = gecbench.score(data, system(own_rewrite("了学堂")))
    assert not any("do not say" in note for note in report.notes)


def test_what_was_detected_is_moved_to_the_tokens_of_the_scheme():
    detected = Rewrite(SOURCE, edit_sets=((Edit(4, 5, None, "UNK"), Edit(2, 2, None, "UNK")),))
    result = extract(corpus(detected, tokens=WORDS), system(Rewrite(SOURCE)), re_extract=True)
    (edits,) = result.corpus.samples[0].references[0].edit_sets
    assert [(edit.start, edit.end) for edit in edits] == [(3, 3), (5, 7)]


def test_what_was_detected_in_tokens_of_another_text_is_refused():
    detected = Rewrite(SOURCE, edit_sets=((Edit(1, 2, None, "UNK"),),))
    with pytest.raises(CorpusError, match="'1'"):
        extract(corpus(detected, tokens=("他", "昨天")), system(Rewrite(SOURCE)), re_extract=True)


def test_what_was_detected_may_overlap_what_is_extracted():
    detected = (Edit(4, 6, None, "UNK"), Edit(5, 6, ("大",), "S"))
    reference = Rewrite("我昨天去了大校", edit_sets=(detected,))
    result = extract(corpus(reference), system(Rewrite(SOURCE)), re_extract=True)
    (edits,) = result.corpus.samples[0].references[0].edit_sets
    assert {(edit.start, edit.end, edit.label == "UNK") for edit in edits} == {
        (4, 6, True),
        (5, 6, False),
    }


def test_a_right_system_loses_points_to_other_spans_and_not_with_re_extract():
    data, right = corpus(own_rewrite("了学堂")), system(Rewrite(SOURCE[:4] + "了学堂"))
    report = gecbench.score(data, right, scheme=ZH_CHAR)
    assert report.results[0].score.value < 1
    assert any("--re-extract" in note for note in report.notes)
    again = gecbench.score(data, right, scheme=ZH_CHAR, options=gecbench.Options(re_extract=True))
    assert again.results[0].score.value == 1
    assert not any("--re-extract" in note for note in again.notes)
