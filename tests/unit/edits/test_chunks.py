"""Chunks of a reference, and verdicts on a system: the plain cases; the rules are properties."""

from __future__ import annotations

import pytest
from messages import expect_error

from gecbench.core.edit import Edit
from gecbench.core.errors import EditError
from gecbench.edits.chunks import chunks, idle, marking, verdicts

SOURCE = ("We", "discussing", "about", "its", ".")
GOLD = (Edit(1, 1, ("have", "been")), Edit(2, 3, ()), Edit(3, 4, ("it",)))


def letters(gold, system, tokens=SOURCE) -> str:
    reference = marking(gold, tokens)
    verdict_of = verdicts(reference, marking(system, tokens))
    return "".join(verdict_of.get(chunk) or idle(reference, chunk) for chunk in chunks(reference))


def test_the_example_of_the_description_has_eleven_chunks():
    spans = [(chunk.start, chunk.end) for chunk in chunks(marking(GOLD, SOURCE))]
    assert spans == [
        *((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3)),
        *((3, 3), (3, 4), (4, 4), (4, 5), (5, 5)),
    ]
    assert [chunk.edit for chunk in chunks(marking(GOLD, SOURCE))] == [
        *(None, None, 0, None, None, 1, None, 2, None, None, None)
    ]


def test_a_source_without_tokens_has_three_chunks():
    assert len(list(chunks(marking((), ())))) == 3


@pytest.mark.parametrize(
    ("system", "want"),
    [
        ((), "NNMNNMNMNNN"),
        (GOLD, "NNTNNTNTNNN"),
        ((Edit(1, 1, ("have",)),), "NNXNNMNMNNN"),
        ((Edit(2, 4, ("it",)),), "NNMNNXNXNNN"),
        ((Edit(0, 2, ("Discussing",)),), "NFMFNMNMNNN"),
        ((Edit(5, 5, ("!",)), Edit(4, 5, (".",))), "NNMNNMNMNTF"),
    ],
)
def test_verdicts(system, want: str):
    assert letters(GOLD, system) == want


@pytest.mark.parametrize("label", ["UNK", "Um"])
def test_what_is_only_detected_is_no_chunk_on_either_side(label: str):
    detected = Edit(0, 2, None, label, (("x",),))
    assert letters((detected,), ()) == "N" * 11
    assert letters((), (detected,)) == "N" * 11
    assert letters((Edit(0, 2, None, "R"),), ()) == "N" * 11


def test_edits_that_overlap_are_refused():
    with expect_error(EditError, "span 1 2", "span 0 2"):
        marking((Edit(0, 2, ("x",)), Edit(1, 2, ("y",))), SOURCE)


def test_two_insertions_at_one_place_are_two_chunks_and_each_is_met_by_its_own():
    gold = (Edit(1, 1, ("a",)), Edit(1, 1, ("b",)))
    assert letters(gold, (Edit(1, 1, ("b",)),), ("x",)) == "NNXT"
    assert letters(gold, gold[::-1], ("x",)) == "NNTT"
