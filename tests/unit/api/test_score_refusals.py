"""What scoring refuses, and what it counts apart."""

from __future__ import annotations

import pytest
from messages import expect_error
from score_corpus import CORPUS, GOOD, counts

from gecbench.api.schemes import extract
from gecbench.api.score import score
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Rewrite, SystemOutput
from gecbench.lang.zh.char import scheme as zh_char


@pytest.mark.parametrize("part", [(2, 2), (3, 2), (0, 6), (5, 5), (-1, 3)])
def test_a_range_that_no_corpus_has_is_refused(part):
    with expect_error(UsageError, "A:B", "5"):
        counts(GOOD, part=part)


def test_what_lies_outside_the_range_is_counted_and_signed():
    report, _ = counts(GOOD, part=(1, 3))
    assert report.left_out["outside the range"] == 3
    assert (report.sentences, report.scored) == (5, 2)
    assert report.results[0].score.signature.parts["range"] == "1-3"


def test_a_system_that_lacks_a_sentence_is_refused():
    few = SystemOutput("few", {"1": (Rewrite("他去了"),), "2": ()})
    with expect_error(CorpusError, "system few", "4 sentences", "'dev'", "2, 3, 4, 5"):
        counts(few)


def test_given_edits_that_leave_the_source_are_refused():
    edited = extract(CORPUS, zh_char())
    wild = Rewrite("x", edit_sets=((Edit(0, 99, ("x",), "S"),),))
    hypotheses = {each.id: (wild,) for each in edited.samples}
    tokens = {each.id: each.tokens for each in edited.samples}
    with expect_error(CorpusError, "span 0 99"):
        score(edited, [SystemOutput("a", hypotheses, tokens)])
