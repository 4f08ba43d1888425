"""Annotators' edits in ERRANT's terms: applied, and kept with its types."""

from __future__ import annotations

from dataclasses import replace

from en_sentence import analysed, unparsed
from messages import expect_error

from gecbench.core.edit import Edit
from gecbench.core.errors import EditError
from gecbench.lang.en.classify import Classifier
from gecbench.lang.en.errant import correct, keep

SOURCE = analysed("He_PRP go_VB to_TO the_DT house_NN")
UNCLEAR = Edit(4, 5, None, "Um", (("home",),))
UNKNOWN = Edit(2, 4, None, "UNK", (("x", "y"),))
CLASSIFIER = Classifier(frozenset(), str.lower)


def test_edits_are_applied_by_place_and_know_their_targets():
    edits = (Edit(3, 4, (), "Det"), Edit(1, 2, ("has", "gone"), "V"), Edit(0, 0, ("Now",), "M"))
    tokens, joined = correct(edits, SOURCE.tokens)
    assert tokens == ("Now", "He", "has", "gone", "to", "house")
    assert joined == (
        (edits[2], (0, 0, 0, 1)),
        (edits[1], (1, 2, 2, 4)),
        (edits[0], (3, 4, 5, 5)),
    )


def test_insertions_at_one_place_keep_their_order():
    edits = (Edit(1, 1, ("x",)), Edit(1, 1, ("y", "z")), Edit(0, 1, ("w",)))
    tokens, joined = correct(edits, ("a", "b"))
    assert tokens == ("w", "x", "y", "z", "b")
    assert [span for _, span in joined] == [(0, 1, 0, 1), (1, 1, 1, 2), (1, 1, 2, 4)]


def test_what_is_only_detected_changes_nothing():
    tokens, joined = correct((UNCLEAR, UNKNOWN), SOURCE.tokens)
    assert tokens == SOURCE.tokens
    assert joined == ((UNKNOWN, (2, 4, 2, 4)), (UNCLEAR, (4, 5, 4, 5)))


def test_overlapping_edits_are_refused():
    with expect_error(EditError, "span 1 2", "span 0 2"):
        correct((Edit(0, 2, ()), Edit(1, 2, ())), SOURCE.tokens)


def keep_edits(*edit: Edit, target: str, **options: bool) -> tuple[Edit, ...] | None:
    tokens, joined = correct(edit, SOURCE.tokens)
    target_sentence = analysed(target)
    assert target_sentence.tokens == tokens
    return keep(joined, SOURCE, target_sentence, CLASSIFIER, **options)


def test_edits_are_minimised_and_relabelled():
    edit = Edit(0, 4, ("He", "goes", "to", "the"), "SVA", (("He", "went", "to", "the"),))
    target = "He_PRP goes_VBZ_VERB_go to_TO the_DT house_NN"
    want = Edit(1, 2, ("goes",), "R:VERB:INFL", (("went",),))
    assert keep_edits(edit, target=target) == (want,)
    assert keep_edits(edit, target=target, relabel=False) == (replace(want, label="SVA"),)
    (whole,) = keep_edits(edit, target=target, minimise=False)
    assert (whole.start, whole.end, whole.replacement) == (0, 4, edit.replacement)
    assert whole.alternatives == edit.alternatives
    assert keep_edits(edit, target=target, minimise=False, relabel=False) == (edit,)


def test_only_what_all_alternatives_share_is_stripped():
    edit = Edit(3, 5, ("the", "home"), "N", (("my", "home"), ()))
    target = "He_PRP go_VB to_TO the_DT home_NN"
    assert keep_edits(edit, target=target, relabel=False) == (edit,)
    edit = replace(edit, alternatives=(("the",),))
    (shorter,) = keep_edits(edit, target=target, relabel=False)
    assert shorter == Edit(4, 5, ("home",), "N", ((),))


def test_equal_tokens_are_stripped_from_the_beginning_first():
    source = analysed("a_DT a_DT b_NN")
    tokens, joined = correct((Edit(0, 2, ("a",), "D"),), source.tokens)
    actual_edits = keep(joined, source, analysed("a_DT b_NN"), CLASSIFIER)
    assert tokens == ("a", "b")
    assert actual_edits == (Edit(1, 2, (), "U:DET"),)


def test_an_edit_that_changes_nothing_only_detects():
    edit = Edit(3, 5, ("the", "house"), "X")
    target = "He_PRP go_VB to_TO the_DT house_NN"
    assert keep_edits(edit, target=target) == (Edit(5, 5, None, "UNK"),)
    assert keep_edits(edit, target=target, minimise=False) == (Edit(3, 5, None, "UNK"),)
    assert keep_edits(edit, target=target, relabel=False) == (Edit(5, 5, (), "X"),)


def test_what_is_only_detected_is_kept_with_its_proposal():
    same = Edit(0, 1, None, "Um")
    target = "He_PRP go_VB to_TO the_DT house_NN"
    want = (Edit(0, 1, None, "UNK"), UNKNOWN, Edit(4, 5, None, "UNK", (("home",),)))
    assert keep_edits(UNCLEAR, UNKNOWN, same, target=target) == want
    assert keep_edits(UNCLEAR, UNKNOWN, same, target=target, relabel=False) == (
        same,
        UNKNOWN,
        UNCLEAR,
    )


def test_none_where_a_type_needs_a_parse():
    edit = Edit(3, 4, (), "Det")
    tokens, joined = correct((edit,), SOURCE.tokens)
    target = unparsed(analysed("He_PRP go_VB to_TO house_NN"))
    assert target.tokens == tokens
    assert keep(joined, unparsed(SOURCE), target, CLASSIFIER) is None
    assert keep(joined, unparsed(SOURCE), target, CLASSIFIER, relabel=False) == (edit,)
    assert keep(joined, SOURCE, target, CLASSIFIER) == (Edit(3, 4, (), "U:DET"),)
