"""ERRANT's alignment on cases that show one rule each, by both kernels."""

from __future__ import annotations

import random
import string

import pytest
from en_sentence import analysed
from messages import expect_error

from gecbench.core.edit import Sentence
from gecbench.core.errors import GecbenchError
from gecbench.lang.en import alignment
from gecbench.lang.en.alignment import Step, steps

COMPILED = alignment.compiled
"""The kernel, which tests of the other way take away."""


@pytest.fixture(params=["compiled", "python"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    if request.param == "python":
        monkeypatch.setattr(alignment, "compiled", None)
    elif alignment.compiled is None:
        pytest.skip("no compiler was there")
    assert alignment.kernel_name() == request.param


def ops(source: str, target: str, **options: bool) -> str:
    return " ".join(step.op for step in steps(analysed(source), analysed(target), **options))


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("", "", ""),
        ("", "a b", "I I"),
        ("a b", "", "D D"),
        ("a b", "a b", "M M"),
        ("saw the cat", "saw saw the cat", "I M M M"),  # at 0, though the beginning is common
        ("a b", "A b", "S M"),
        ("a_DT", "zzz_VB", "S"),  # at most 1.999, so never a deletion and an insertion
        ("a b", "b a", "T2"),
        ("a b c", "c a b", "T3"),
        ("a B c", "C A b", "T3"),  # lower-case forms change places
        ("a", "a a", "I M"),  # a match, though an insertion at the end would cost the same
        ("x y", "y x z", "T2 I"),  # of the two equal costs the first in order
        ("go_VB to_TO", "going_VBG_VERB_go", "S D"),
        ("cat", "cats_NNS_NOUN_cat dogs_NNS", "S I"),
    ],
)
def test_steps(source: str, target: str, want: str):
    assert ops(source, target) == want


def test_spans_are_half_open_and_meet():
    alignment_steps = steps(analysed("a b c d"), analysed("b a c e d"))
    assert alignment_steps == (
        ("T2", 0, 2, 0, 2),
        ("M", 2, 3, 2, 3),
        ("I", 3, 3, 3, 4),
        ("M", 3, 4, 4, 5),
    )
    assert alignment_steps[0].op == "T2"
    assert alignment_steps[2].target_end == 4


def test_a_transposition_does_not_reach_over_a_step_that_costs_nothing():
    assert ops("p o m q", "q m o p") == "T4"
    assert ops("p o m q", "q o m p") == "S M M S"
    assert ops("p o m q", "q O M p") == "S S S S"  # a change of case costs nothing either


def test_what_costs_less_is_substituted():
    """Lemma, part of speech and characters: each decides where the others are equal."""
    assert ops("b_NN_NOUN_l", "c_NN_NOUN_k d_NN_NOUN_l") == "I S"
    assert ops("b_NN_NOUN_l", "c_NN_NOUN_l d_NN_NOUN_k") == "S I"
    assert ops("b_NN_NOUN_l", "c_DT_DET_l d_JJ_ADJ_l") == "I S"
    assert ops("b_NN_NOUN_l", "c_VB_VERB_l d_DT_DET_l") == "S I"
    assert ops("b_MD_AUX_l", "c_VB_VERB_l d_DT_DET_l") == "I S"  # AUX is not open: a tie
    assert ops("bad_NN_NOUN_l", "xyz_NN_NOUN_l bat_NN_NOUN_l") == "I S"


def test_levenshtein_needs_no_pipeline():
    source, target = (Sentence(text, tuple(text.split())) for text in ("a b", "b a"))
    operations = [step.op for step in steps(source, target, levenshtein=True)]
    assert operations == ["S", "S"]
    assert ops("a", "A", levenshtein=True) == "S"


@pytest.mark.parametrize("known", [0, 1])
def test_a_sentence_without_analysis_is_refused(known: int):
    pair = [Sentence("bare words", ("bare", "words")), analysed("bare words")]
    with expect_error(GecbenchError, "'bare words'", "lemmas"):
        steps(*(pair if known else pair[::-1]))


def test_words_longer_than_a_machine_word():
    text = "".join(random.Random(1).choices(string.ascii_lowercase, k=200))
    near = text[:70] + "X" + text[71:150] + text[151:]
    far = "".join(random.Random(2).choices(string.ascii_lowercase, k=200))
    assert ops(f"{text}_NN_NOUN_l", f"{far}_NN_NOUN_l {near}_NN_NOUN_l") == "I S"
    assert ops(f"{text}_NN_NOUN_l", f"{near}_NN_NOUN_l {far}_NN_NOUN_l") == "S I"


def test_wide_windows_are_compared_too():
    words = [f"{at:04}" for at in range(300)]
    parts = ops(" ".join(words), " ".join(words[::-1])).split()
    assert max(int(op[1:]) for op in parts if op[0] == "T") > 250


@pytest.mark.parametrize(
    "arguments",
    [
        (int, (), (), None, None),  # no class of tuples
        (Step, ("a",), ("b",), ((), (), ()), (("b",), ("b",), ("X",))),
        (Step, ("a",), ("b",), (("a",), ("a",), ("X",)), None),
        (Step, ("a",), (1,), None, None),
    ],
)
def test_the_compiled_kernel_refuses_what_does_not_fit(arguments: tuple[object, ...]):
    if COMPILED is None:
        pytest.skip("no compiler was there")
    with pytest.raises(ValueError, match="not"):
        COMPILED.steps(*arguments)
