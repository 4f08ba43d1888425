"""ERRANT's alignment and merging: both kernels and the rules against the slow reference."""

from __future__ import annotations

import random
import shutil
import sysconfig
from pathlib import Path

import reference_errant as reference
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, Levenshtein

from gecbench.core.edit import Sentence, TokenAttributes
from gecbench.lang.en import alignment
from gecbench.lang.en.alignment import merge

# Equal but for case, marks in a form, marks as parts of ASCII's string, a sigma whose lower case
# depends on its place, a letter whose lower case is two, and characters beyond the first plane.
FORMS = ["a", "A", "b", "ab", "a-b", "'s", "()", ".", ",", "ΑΣ", "ας", "İ", "😀", "😀x", "café"]
LEMMAS = ["a", "b"]
POS = ["NOUN", "VERB", "AUX", "PART", "DET", "PUNCT", "PROPN", "ADV"]
TAGS = ["NN", "POS"]


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    forms = draw(st.lists(st.sampled_from(FORMS), max_size=9).map(tuple))
    draws = [
        draw(st.lists(st.sampled_from(values), min_size=len(forms), max_size=len(forms)))
        for values in (LEMMAS, POS, TAGS)
    ]
    return Sentence(" ".join(forms), forms, words=TokenAttributes(*map(tuple, draws)))


def random_sentence(dice: random.Random, forms: list[str]) -> Sentence:
    """Analysed with few values, so that words are often alike."""
    pos = dice.sample(POS, dice.randrange(1, 4))
    tags = dice.choices(["NN", "POS"], weights=[12, 1], k=len(forms))
    words = TokenAttributes(
        tuple(dice.choices(LEMMAS, k=len(forms))),
        tuple(dice.choices(pos, k=len(forms))),
        tuple(tags),
    )
    return Sentence(" ".join(forms), tuple(forms), words=words)


def random_pair(dice: random.Random, longest: int) -> tuple[Sentence, Sentence]:
    """A sentence, and a relative of it (pieces moved, doubled, lost, in other case) or another."""
    known = FORMS + [f"w{at}" for at in range(longest)]
    forms = dice.sample(known, dice.randrange(1, len(known)))
    source = dice.choices(forms, k=dice.randrange(longest))
    if dice.random() < 0.4:
        target = dice.choices(forms, k=dice.randrange(longest))
    else:
        target = list(source)
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(target) + 1)
            piece = target[at : at + dice.randrange(1, 4)]
            del target[at : at + len(piece) * dice.randrange(2)]
            to = dice.randrange(len(target) + 1)
            target[to:to] = piece if dice.random() < 0.6 else [dice.choice(FORMS)]
        target = [token.swapcase() if dice.random() < 0.1 else token for token in target]
    return random_sentence(dice, source), random_sentence(dice, target)


def for_reference(sentence: Sentence) -> list[reference.Token]:
    words = sentence.words
    return list(map(reference.Token, sentence.tokens, words.lemmas, words.pos, words.tags))


def by_all_kernels(
    source: Sentence, target: Sentence, levenshtein: bool
) -> list[list[reference.Item]]:
    features = [None if levenshtein else alignment._features(side) for side in (source, target)]
    steps_by_kernel = [alignment.python_steps(source.tokens, target.tokens, *features)]
    if alignment.compiled is not None:
        sides = (source.tokens, target.tokens)
        steps_by_kernel.append(alignment.compiled.steps(alignment.Step, *sides, *features))
    return [list(map(tuple, steps)) for steps in steps_by_kernel]


def check_steps(source: Sentence, target: Sentence) -> None:
    for levenshtein in (False, True):
        want = reference.align(
            for_reference(source), for_reference(target), levenshtein=levenshtein
        )
        for steps in by_all_kernels(source, target, levenshtein):
            assert steps == want, (source, target)


def check_rules(source: Sentence, target: Sentence) -> int:
    steps = alignment.steps(source, target)
    want = reference.rules(list(map(tuple, steps)), for_reference(source), for_reference(target))
    assert merge(steps, source, target) == tuple(item[1:] for item in want), (source, target)
    return sum(item[0] == "X" for item in want)


def test_compiled_kernel_is_tested_wherever_it_could_be_built():
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if shutil.which("g++") and header.exists():
        assert alignment.kernel_name() == "compiled"


@given(sentences(), sentences())
def test_steps_and_edits_are_those_of_the_reference(source: Sentence, target: Sentence):
    check_steps(source, target)
    check_rules(source, target)


def test_steps_and_edits_are_those_of_the_reference_on_thousands_of_random_pairs():
    dice = random.Random(30)
    swaps = merged = 0
    for _ in range(1500):
        source, target = random_pair(dice, 12)
        check_steps(source, target)
        merged += check_rules(source, target)
        swaps += any(step.op[0] == "T" for step in alignment.steps(source, target))
    # The pairs are worth something only if they merge and transpose.
    assert merged > 500
    assert swaps > 100


def test_long_runs_are_merged_as_the_reference_merges_them():
    """Parts of a run are cut again, and what is known of their windows is not asked twice."""
    dice = random.Random(31)
    for _ in range(60):
        source, target = (
            random_sentence(dice, dice.choices([*FORMS, "x", "Y"], k=dice.randrange(5, 25)))
            for _ in range(2)
        )
        check_rules(source, target)


def test_steps_and_edits_lead_from_source_to_target():
    dice = random.Random(32)
    for _ in range(150):
        source, target = random_pair(dice, 40)
        steps = alignment.steps(source, target)
        assert by_all_kernels(source, target, False)[0] == list(map(tuple, steps))
        at = (0, 0)
        for step in steps:
            assert (step.start, step.target_start) == at
            at = (step.end, step.target_end)
        assert at == (len(source.tokens), len(target.tokens))
        for strategy in ("rules", "all-split", "all-merge", "all-equal"):
            tokens = list(source.tokens)
            for start, end, target_start, target_end in merge(steps, source, target, strategy)[
                ::-1
            ]:
                tokens[start:end] = target.tokens[target_start:target_end]
            assert tuple(tokens) == target.tokens


words = st.text(st.sampled_from("abcA😀é"), min_size=1, max_size=90)


@given(words, words)
def test_similarities_are_those_of_the_library(first: str, second: str):
    distance = alignment.indel_distance(alignment.positions(first), len(first), second)
    assert distance == Indel.normalized_distance(first, second)
    assert alignment.indel_similarity(first, second) == 1 - Indel.normalized_distance(first, second)
    want = Levenshtein.normalized_similarity(first, second)
    assert alignment.levenshtein_similarity(first, second) == want


def test_words_longer_than_a_machine_word_cost_the_same_in_both_kernels():
    """Which of two words that are nearly as much alike is substituted says which cost is less."""
    dice = random.Random(33)
    for _ in range(200):
        word, *others = (
            "".join(dice.choices("ab😀", k=dice.choice([63, 64, 65, 130]))) for _ in "123"
        )
        source = Sentence(word, (word,), words=TokenAttributes(("l",), ("X",), ("NN",)))
        target = Sentence(
            "", tuple(others), words=TokenAttributes(("l", "l"), ("X", "X"), ("NN", "NN"))
        )
        want = reference.align(for_reference(source), for_reference(target), levenshtein=False)
        for steps in by_all_kernels(source, target, False):
            assert steps == want
