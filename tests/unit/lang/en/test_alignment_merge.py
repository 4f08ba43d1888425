"""Merging: the strategies, and ERRANT's rules one by one on hand-made runs."""

from __future__ import annotations

import pytest
from en_sentence import analysed
from messages import expect_error

from gecbench.core.edit import Sentence
from gecbench.core.errors import GecbenchError
from gecbench.lang.en.alignment import Step, merge


def run(ops: str) -> tuple[Step, ...]:
    """Steps of these kinds from the first tokens of both sides on; a digit is a transposition."""
    steps, i, j = [], 0, 0
    for op in ops:
        width = int(op) if op.isdigit() else 1
        x, y = i + width * (op != "I"), j + width * (op != "D")
        steps.append(Step(f"T{op}" if op.isdigit() else op, i, x, j, y))
        i, j = x, y
    return tuple(steps)


def edits(ops: str, source: str, target: str, strategy: str = "rules") -> str:
    """The edits as source text > target text, parted by bars."""
    first, second = analysed(source), analysed(target)
    steps = run(ops)
    assert steps[-1][2::2] == (len(first.tokens), len(second.tokens))
    return " | ".join(
        f"{' '.join(first.tokens[start:end])}>{' '.join(second.tokens[target_start:target_end])}"
        for start, end, target_start, target_end in merge(steps, first, second, strategy)
    )


@pytest.mark.parametrize(
    ("strategy", "want"),
    [
        ("all-split", "b>x | c>y | d> | f g>g f | i j k>k i j | >z"),
        ("all-merge", "b c d>x y | f g>g f | i j k>k i j z"),
        ("all-equal", "b c>x y | d> | f g>g f | i j k>k i j | >z"),
        ("rules", "b c d>x y | f g>g f | i j k>k i j | >z"),
    ],
)
def test_strategies(strategy: str, want: str):
    source, target = "a b c d e f g h i j k", "a x y e g f h k i j z"
    assert edits("MSSDM2M3I", source, target, strategy) == want


def test_transpositions_of_one_width_are_equal_and_of_two_are_not():
    assert edits("22", "a b c d", "b a d c", "all-equal") == "a b c d>b a d c"
    assert edits("23", "a b c d e", "b a e c d", "all-equal") == "a b>b a | c d e>e c d"


@pytest.mark.parametrize("strategy", ["all-split", "all-merge", "all-equal", "rules"])
def test_nothing_changed_is_no_edit(strategy: str):
    assert edits("MM", "a b", "a b", strategy) == ""
    assert merge((), analysed(""), analysed(""), strategy) == ()


@pytest.mark.parametrize(
    ("ops", "source", "target", "want"),
    [
        # runs that no rule looks at
        ("S", "a", "b", "a>b"),
        ("DD", "a_DT b_VB", "", "a b>"),
        ("II", "", "a_DT b_VB", ">a b"),
        ("DI", "a_VB", "b_VB", "a> | >b"),  # nothing without a substitution
        # possessives
        ("SI", "'s_POS", "of_IN y_VB", "'s>of | >y"),  # before the rule for a last one
        ("SI", "of_IN", "'s_POS y_VB", "of>'s | >y"),
        ("SSI", "'s_POS eat_VB", "of_IN look_VB up_RB", "'s>of | eat>look up"),
        ("SI", "friends", "friend 's_POS", "friends>friend 's"),
        ("SD", "friend 's_POS", "friends", "friend 's>friends"),
        ("SSI", "my_PRP friends", "his_PRP friend 's_POS", "my>his | friends>friend 's"),
        # changes of case
        ("IS", "doctor", "The_DT Doctor", "doctor>The Doctor"),
        ("IS", "doctor", "the_DT Doctor", ">the | doctor>Doctor"),
        ("DS", "The_DT doctor", "Doctor", "The doctor>Doctor"),
        ("DS", "the_DT doctor", "Doctor", "the> | doctor>Doctor"),
        ("IIS", "cat", "The_DT big_JJ Cat", "cat>The big Cat"),
        ("IISD", "cat_CD x_CD", "The_DT big_CD Cat_CD", "cat>The big Cat | x>"),
        ("SIS", "x_CD cat", "y_CD The_DT Cat", "x cat>y The Cat"),  # not at the beginning
        # at the beginning of what is left after a cut
        (
            "SIIS",
            "recieve_CD cat_CD",
            "receive_CD The_DT big_UH Cat_CD",
            "recieve>receive | cat>The big Cat",
        ),
        ("SS", ",_, we_CD", "._. We_CD", ", we>. We"),
        ("SSS", "x_CD ,_, we_CD", "y_CD ._. We_CD", "x>y | , we>. We"),
        ("DS", "()_CD we_CD", "We_CD", "() we>We"),  # a part of ASCII's marks, as a string
        ("DS", ")(_CD_X we_CD", "We_CD", ")(> | we>We"),
        # one text or one class
        ("SI", "acat_CD", "a_DT cat_CD", "acat>a cat"),
        ("SDD", "sub_CD -_: way_CD", "Subway_DT", "sub - way>Subway"),
        ("SI", "dont_CD", "do_DT n't_CD", "dont>do n't"),
        ("SI", "ΑΣΒ_CD", "ΑΣ_DT Β_CD", "ΑΣΒ>ΑΣ | >Β"),  # a sigma at the end of a token is another
        ("SD", "to_TO eat_VB", "eating_VBG", "to eat>eating"),
        ("SI", "x_CD", "y_CD z_CD", "x>y z"),
        ("SI", "x_CD", "y_CD z_IN", "x>y | >z"),
        ("SSI", "x_CD y_IN", "z_IN w_CD v_CD", "x>z | y>w | >v"),
        ("SIS", "x_CD y_CD", "z_CD w_CD v_IN", "x>z w | y>v"),
        # what is split and what is content
        ("SS", "x_NN y_VB", "z_NN w_VB", "x>z | y>w"),
        ("SI", "recieve_VB", "receive_VB now_RB", "recieve>receive | >now"),
        ("IS", "recieve_VB", "now_RB receive_VB", ">now | recieve>receive"),
        ("SI", "take_VB", "receive_VB now_RB", "take>receive now"),
        ("SI", "abcd_VB", "abce_VB now_RB", "abcd>abce now"),  # alike by 0.75, which is too little
        ("SI", "take_VB", "receive_VB the_DT", "take>receive | >the"),
        ("SD", "take_VB the_DT", "receive_VB", "take>receive | the>"),
        ("IS", "this_DT", "now_RB he_PRP", ">now | this>he"),
        ("SIS", "take_VB big_JJ", "receive_VB the_DT huge_JJ", "take big>receive the huge"),
        ("SI", "Ann_NNP_PROPN", "Bob_NNP_PROPN of_IN", "Ann>Bob | >of"),  # PROPN is no content
    ],
)
def test_rules_merge_and_split_a_run(ops: str, source: str, target: str, want: str):
    assert edits(ops, source, target) == want


def test_a_run_may_be_longer_than_the_stack():
    source, target = " ".join(["'s_POS"] * 1100), " ".join(f"x{at}" for at in range(1100))
    edits = merge(run("S" * 1100), analysed(source), analysed(target))
    assert edits == tuple((at, at + 1, at, at + 1) for at in range(1100))


def test_rules_need_a_pipeline():
    bare = Sentence("x y", ("x", "y"))
    with expect_error(GecbenchError, "'x y'", "lemmas"):
        merge(run("SS"), bare, analysed("a b"))
    assert merge(run("SS"), bare, bare, "all-split") == ((0, 1, 0, 1), (1, 2, 1, 2))
