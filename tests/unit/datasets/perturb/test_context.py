"""Which places of a sentence may change, and what a change makes of the texts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from error_checks import problems
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.perturbed import PerturbedCase, Variant
from gecbench.datasets.perturb.context import (
    RUN_TOGETHER,
    TOUCHED,
    UNCHANGED,
    Context,
    SentencePair,
    context_of,
    kind_of,
    replace_word,
    segmenter_splitter,
    token_splitter,
)
from gecbench.datasets.perturb.fillers import Blank, Offer
from gecbench.datasets.perturb.variants import PerturbPlan, choose_variants
from gecbench.lang import language_of


def context(source: str, target: str, kind: str = "space", cut: str = "") -> Context:
    """A context; `cut` is the target with blanks between the words, for Chinese."""
    if kind == "zh":
        divide = segmenter_splitter("zh", lambda _: [(word, "") for word in cut.split()])
    else:
        divide = token_splitter(kind, None)
    (words,) = divide([target])
    return context_of(SentencePair("set", "1", source, target), kind, words)


def free(context: Context) -> list[str]:
    return [place.word.text for place in context.words]


@pytest.mark.parametrize(
    ("source", "target", "words", "gaps"),
    [
        # Beside a replaced word all may change, and no word comes between it and its neighbours.
        ("I goes home now .", "I go home now .", ["I", "home", "now"], [0, 3, 4]),
        # Nothing beside a word that is missing, or one too many.
        ("I look it now .", "I look at it now .", ["I", "now"], [0, 1, 3, 4]),
        ("we met with him again .", "we met him again .", ["we", "again"], [0, 1, 4, 5]),
        # Nothing at all is left beside two of them.
        ("see at him", "see him", [], [0]),
        ("He is here .", "He is here .", ["He", "is", "here"], [0, 1, 2, 3]),
        ("all wrong", "", [], []),
        ("a b", "c d", [], []),
    ],
)
def test_what_is_free(source: str, target: str, words: list[str], gaps: list[int]):
    result = context(source, target)
    assert free(result) == words
    assert [place.source[0] for place in result.gaps] == gaps
    for place in (*result.words, *result.gaps):
        assert (
            result.sides[0].words[slice(*place.source)]
            == result.sides[1].words[slice(*place.target)]
        )


@pytest.mark.parametrize(
    ("spans", "words", "gaps"),
    [
        ((), ["He", "the", "last"], [0, 1, 3, 4, 5, 8]),
        # A word-order edit from "has" to "happy": nothing inside of it may change.
        (((3, 36),), ["He"], [0, 1, 8]),
        # Beside each other, two edits leave a gap.
        (((0, 6), (7, 9)), ["the", "last"], [0, 3, 4, 5, 8]),
    ],
)
def test_what_gold_edits_name_is_never_touched(spans, words: list[str], gaps: list[int]):
    source = "He has in the last years been happy ."
    target = "He has been in the last years happy ."
    (actual_words,) = token_splitter("space", None)([target])
    context = context_of(SentencePair("set", "1", source, target, spans), "space", actual_words)
    assert free(context) == words
    assert [place.source[0] for place in context.gaps] == gaps


def test_chinese_words_are_whole_and_lie_outside_of_errors():
    actual_context = context(
        "我昨天去图书管看书。", "我昨天去图书馆看书。", "zh", "我 昨天 去 图书馆 看书 。"
    )
    assert free(actual_context) == ["我", "昨天", "去", "看书"]
    # Not inside of a word, and not where the error begins or ends.
    assert [place.source[0] for place in actual_context.gaps] == [0, 1, 3, 4, 9]


@pytest.mark.parametrize(
    ("text", "kind", "old", "new", "expected"),
    [
        ("The cat sleeps.", "en", "cat", "dog", "The dog sleeps."),
        ("The cat sleeps.", "en", "cat", None, "The sleeps."),
        ("The cat sleeps.", "en", "sleeps", None, "The cat."),
        ("The cat sleeps.", "en", "The", None, "cat sleeps."),
        ("See (the cat) there.", "en", "the", None, "See (cat) there."),
        ("a  b c", "space", "b", None, "a  c"),
        ("我 有 iphone 手机", "zh", "iphone", None, "我 有 手机"),
        ("我有iphone手机", "zh", "iphone", None, "我有手机"),
    ],
)
def test_the_rest_of_the_text_stays(text: str, kind: str, old: str, new: str | None, expected: str):
    actual_context = context(text, text, kind, "我 有 iphone 手机")
    place = next(place for place in actual_context.words if place.word.text == old)
    assert replace_word(actual_context, place, new) == Variant(expected, expected)


def test_a_word_goes_in_before_another():
    actual_context = context("I am here.", "I am here.", "en")
    assert replace_word(actual_context, actual_context.gaps[0], "now") == Variant(
        "now I am here.", "now I am here."
    )
    assert [place.source[0] for place in actual_context.gaps] == [
        0,
        1,
        2,
    ]  # none right before the stop
    actual_context = context("我来了。", "我来了。", "zh", "我 来了 。")
    assert replace_word(actual_context, actual_context.gaps[1], "昨天") == Variant(
        "我昨天来了。", "我昨天来了。"
    )


@pytest.mark.parametrize(
    ("source", "target", "kind", "at", "word", "why"),
    [
        ("I am x", "I am y", "space", 0, "I", UNCHANGED),
        ("我有abc。", "我有abc。", "zh", 1, "x", RUN_TOGETHER),
        # With this word the alignment of least edits would be another.
        ("a b c x", "a b c y z", "space", 2, "y", TOUCHED),
    ],
)
def test_changes_that_are_refused(source, target, kind, at, word, why):
    actual_context = context(source, target, kind, "我 有 abc 。")
    assert replace_word(actual_context, actual_context.words[at], word) == why


def test_tokens_are_what_blanks_divide_where_they_divide_all():
    assert kind_of(language_of("zh"), ["我 有 书 。"]) == "zh"
    assert kind_of(language_of("en"), ["I am .", "Am I ?", "No stop"]) == "space"
    assert kind_of(language_of("en"), ["I am.", "Am I?", "I .", "No stop"]) == "en"


def filler_of(words, *, by_character=False) -> SimpleNamespace:
    return SimpleNamespace(vocabulary=tuple(words), by_character=by_character)


def answered(asking, word_of) -> object:
    """Drive one sentence to its end with a filler that offers anything."""
    try:
        blank: Blank = next(asking)
        while True:
            blank = asking.send(Offer(word_of(blank)))
    except StopIteration as ended:
        return ended.value


def test_a_sentence_without_enough_variants_ends_all_the_same():
    actual_context = context("a b", "a b")
    plan = PerturbPlan(variants=3, operations=("delete",))
    answer = answered(choose_variants(actual_context, plan, filler_of("")), lambda _: ())
    assert sorted(variant.source for _, variant in answer.variants) == ["a", "b"]
    assert answer.rejected["the same as another variant"] >= 20


letters = st.lists(st.sampled_from("abcde"), max_size=9).map(" ".join)


@given(letters.filter(bool), letters, st.integers(0, 50))
def test_errors_stay_whatever_is_filled_in(source: str, target: str, seed: int):
    """Few letters, all of them offered: most variants could be read in other ways."""
    actual_context = context(source, target)
    plan = PerturbPlan(variants=4, seed=seed)
    answer = answered(choose_variants(actual_context, plan, filler_of("abcde")), lambda _: "abcde")
    variants = tuple(variant for _, variant in answer.variants)
    if variants:
        case = PerturbedCase("1", Variant(source, target), variants)
        assert [p for p in problems(case, "space") if "another change" not in p] == []


han = st.text("一二三的了", max_size=8)


@given(han.filter(bool), han, st.integers(0, 50))
def test_so_do_chinese_ones(source: str, target: str, seed: int):
    actual_context = context(source, target, "zh", " ".join(target))
    filler = filler_of("一二三的", by_character=True)
    answer = answered(
        choose_variants(actual_context, PerturbPlan(variants=3, seed=seed), filler),
        lambda _: "一二三的",
    )
    variants = tuple(variant for _, variant in answer.variants)
    if variants:
        case = PerturbedCase("1", Variant(source, target), variants)
        assert [p for p in problems(case, "zh") if "another change" not in p] == []
