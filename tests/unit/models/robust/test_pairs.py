"""Where two targets are compared: against slow code, and in words to check by eye."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.core.errors import UsageError
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.pairs import (
    DecoderTarget,
    align_targets,
    check_decoder,
    check_dropout,
)
from gecbench.models.training.config import RobustTable
from gecbench.text.tokens import tokens_of


def robust(**options: object) -> RobustTable:
    return RobustTable(cases=("cases.jsonl",), **options)


def decoder_target(
    text: str,
    pieces: Sequence[str],
    *,
    first: int = 1,
    most: int | None = None,
    unknown: bool = False,
) -> DecoderTarget:
    """A target whose tokens are the longest pieces, from the left; any character is one.

    Where some are unknown, these are the pieces of several characters, as SentencePiece has it.
    """
    spans, at = [], 0
    while at < len(text):
        fitting = [piece for piece in pieces if text.startswith(piece, at)]
        size = max([1, *map(len, fitting)])
        spans.append((at, at + size))
        at += size
    ids = [0 if unknown and end - start > 1 else hash(text[start:end]) for start, end in spans]
    most = len(ids) if most is None else min(most, len(ids))
    return DecoderTarget(text, ids, spans, first, first + most, complete=most == len(ids))


def align_by_table(first: Sequence[str], second: Sequence[str]) -> dict[int, int]:
    """Least edits in a table; from the end, equal words match where that costs nothing."""
    cost = {(i, 0): i for i in range(len(first) + 1)} | {(0, j): j for j in range(len(second) + 1)}
    for i, j in product(range(1, len(first) + 1), range(1, len(second) + 1)):
        around = min(cost[i - 1, j], cost[i, j - 1]) + 1
        cost[i, j] = min(around, cost[i - 1, j - 1] + (first[i - 1] != second[j - 1]))
    i, j = len(first), len(second)
    result = {}
    while i and j:
        differ = first[i - 1] != second[j - 1]
        if cost[i, j] == cost[i - 1, j - 1] + differ:
            if not differ:
                result[i - 1] = j - 1
            i, j = i - 1, j - 1
        elif cost[i, j] == cost[i, j - 1] + 1:
            j -= 1
        else:
            i -= 1
    return result


def family(side: DecoderTarget, words: Sequence, token: int) -> tuple[set[int], set[int]]:
    """All words and tokens that a token holds together with, blanks before them included."""
    inside = {
        (t, w)
        for t, (start, end) in enumerate(side.spans)
        for w, word in enumerate(words)
        if word.start < end and word.end > start
    }
    for t in reversed(range(len(side.spans))):
        if not any(place == t for place, _ in inside):
            behind = [w for place, w in inside if place == t + 1]
            inside |= {(t, min(behind))} if behind else set()
    tokens, mine = {token}, set[int]()
    while True:
        wider = {w for t, w in inside if t in tokens}
        more = tokens | {t for t, w in inside if w in wider}
        if more == tokens and wider == mine:
            return mine, tokens
        tokens, mine = more, wider


def align_by_definition(
    contexts: ContextPair,
    first: DecoderTarget,
    second: DecoderTarget,
    chosen: RobustTable,
    kind: str,
) -> list[tuple[int, int]]:
    words, others = tokens_of(first.text, kind), tokens_of(second.text, kind)
    texts, other_texts = ([w.text for w in item] for item in (words, others))
    same = align_by_table(texts, other_texts)
    for word, after in dict(same).items():
        far = 0
        while (word - far - 1, after - far - 1) in align_by_table(texts, other_texts).items():
            far += 1
        begins = word - far == 0 and after - far == 0
        if not begins and far < chosen.skip_after:
            del same[word]
    if chosen.sources_too:
        x, x2 = (
            [t.text for t in tokens_of(item.source, kind)]
            for item in (contexts.original, contexts.perturbed)
        )
        between = align_by_table(x, x2)
        here, there = find_origins(x, texts), find_origins(x2, other_texts)
        same = {
            w: v
            for w, v in same.items()
            if all(k in between for k in here[w]) and [between[k] for k in here[w]] == there[v]
        }
    result = []
    for i, j in product(range(len(first.ids)), range(len(second.ids))):
        (ws, ts), (vs, us) = family(first, words, i), family(second, others, j)
        if not ws or not all(w in same for w in ws) or {same[w] for w in ws} != vs:
            continue
        ids = [[item.ids[t] for t in sorted(some)] for item, some in ((first, ts), (second, us))]
        if ids[0] == ids[1] and i - min(ts) == j - min(us):
            result.append((first.first + i, second.first + j))
    result = [(i, j) for i, j in result if i < first.end and j < second.end]
    return [*result, *([(first.end, second.end)] if first.complete and second.complete else [])]


def find_origins(source: Sequence[str], target: Sequence[str]) -> list[list[int]]:
    """The source words of each target word: its own, or all between those of its neighbours."""
    back = {v: k for k, v in align_by_table(source, target).items()}
    result = []
    for word in range(len(target)):
        if word in back:
            result.append([back[word]])
            continue
        before = max((back[v] for v in back if v < word), default=-1)
        behind = min((back[v] for v in back if v > word), default=len(source))
        result.append([*range(before + 1, behind)])
    return result


TEXTS = st.text(alphabet="甲乙丙 ", min_size=1, max_size=7).map(str.strip).filter(bool)
PIECES = st.lists(st.text(alphabet="甲乙丙 ", min_size=2, max_size=3), max_size=6)


@given(
    texts=st.tuples(TEXTS, TEXTS, TEXTS, TEXTS),
    pieces=PIECES,
    skip_after=st.integers(0, 2),
    sources_too=st.booleans(),
    lengths=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    unknown=st.booleans(),
)
def test_places_are_those_of_a_slow_reference(
    texts, pieces, skip_after, sources_too, lengths, unknown
) -> None:
    x, y, x2, y2 = texts
    pair = ContextPair(SentencePair(x, y), SentencePair(x2, y2))
    first = decoder_target(y, pieces, most=lengths[0], unknown=unknown)
    second = decoder_target(y2, pieces, first=2, most=lengths[1], unknown=unknown)
    table = robust(skip_after=skip_after, sources_too=sources_too)
    assert [*align_targets(pair, first, second, table, "zh")] == align_by_definition(
        pair, first, second, table, "zh"
    )


@given(text=TEXTS, pieces=PIECES)
def test_of_the_same_text_everything_is_compared(text, pieces) -> None:
    pair = ContextPair(SentencePair(text, text), SentencePair(text, text))
    first = decoder_target(text, pieces)
    for settings in (robust(), robust(skip_after=3, sources_too=True)):
        places = align_targets(pair, first, first, settings, "zh")
        assert places == tuple((k, k) for k in range(first.first, first.end + 1))


def list_places(y: str, y2: str, *, x: str = "", x2: str = "", pieces=(), **options) -> list[str]:
    """The tokens that are compared, as text; the end as a full stop of its own."""
    first, second = decoder_target(y, pieces), decoder_target(y2, pieces)
    pair = ContextPair(SentencePair(x or y, y), SentencePair(x2 or y2, y2))
    places = align_targets(pair, first, second, robust(**options), "en")
    ends = {first.end: "END"}
    texts = {first.first + k: y[slice(*span)] for k, span in enumerate(first.spans)}
    return [{**texts, **ends}[i] for i, _ in places]


WORDS = ("The", " The", "the", " the", " old", " young", " cat", " sat", "cat", "Cat", ",", " red")


def test_words_that_both_have_are_compared_and_the_end() -> None:
    places = list_places("The old cat sat", "The young cat sat", pieces=WORDS)
    assert places == ["The", " cat", " sat", "END"]


def test_a_word_with_another_blank_before_it_is_another_token() -> None:
    # What a byte-level vocabulary makes of a word depends on the blank before it.
    assert list_places("The cat sat", "Old, The cat sat", pieces=WORDS) == [" cat", " sat", "END"]
    assert list_places("cat sat", " cat sat", pieces=WORDS) == [" sat", "END"]


def test_unknown_tokens_are_compared_where_they_are_the_same_words() -> None:
    pieces = ("甲乙", "甲丙乙")
    first, second = (decoder_target(text, pieces, unknown=True) for text in pieces)
    assert first.ids == second.ids
    pair = ContextPair(SentencePair("甲乙", "甲乙"), SentencePair("甲丙乙", "甲丙乙"))
    assert align_targets(pair, first, second, robust(), "zh") == ((2, 2),)
    assert align_targets(
        ContextPair(pair.original, pair.original), first, first, robust(), "zh"
    ) == (
        (1, 1),
        (2, 2),
    )


def test_what_follows_a_perturbation_can_be_left_out() -> None:
    pairs = {"y": "The old cat sat", "y2": "The young cat sat", "pieces": WORDS}
    assert list_places(**pairs, skip_after=1) == ["The", " sat", "END"]
    assert list_places(**pairs, skip_after=2) == ["The", "END"]
    # A word that was inserted or deleted is a perturbation, too.
    assert list_places("The cat sat", "The red cat sat", pieces=WORDS, skip_after=1) == [
        "The",
        " sat",
        "END",
    ]
    assert list_places("The red cat sat", "The cat sat", pieces=WORDS, skip_after=1) == [
        "The",
        " sat",
        "END",
    ]


def test_a_word_whose_source_differs_can_be_left_out() -> None:
    sides = {"x": "The old kat sit", "x2": "The old dog sit"}
    pairs = {"y": "The old cat sat", "y2": "The old cat sat", "pieces": WORDS, **sides}
    assert list_places(**pairs) == ["The", " old", " cat", " sat", "END"]
    # "kat sit" became "cat sat": of which of the two a word was made cannot be told.
    assert list_places(**pairs, sources_too=True) == ["The", " old", "END"]
    # What was inserted was made from nothing: there is nothing that could differ.
    inserted = {"x": "The cat sat", "x2": "The cat sat"}
    pairs = {"y": "The old cat sat", "y2": "The old cat sat", "pieces": WORDS, **inserted}
    assert list_places(**pairs, sources_too=True) == ["The", " old", " cat", " sat", "END"]


def test_a_decoder_has_no_detection_and_no_labels_that_disagree() -> None:
    check_decoder(robust())
    with expect_error(UsageError, "robust.heads", '"labels+detection"'):
        check_decoder(robust(heads="labels+detection"))
    with expect_error(UsageError, "robust.disagreeing", '"keep"'):
        check_decoder(robust(disagreeing="keep"))


@pytest.mark.parametrize(
    ("settings", "others", "drops"),
    [
        ({"attn_pdrop": 0.1}, (), True),
        ({"decoder_layerdrop": 0.1, "dropout": 0.0}, (), True),
        ({"attn_pdrop": 0.0}, (0.05,), True),
        # Of heads for classes, which no corrector has; GPT-2's is 0.1 unless it is said otherwise.
        ({"attn_pdrop": 0.0, "summary_first_dropout": 0.1}, (0.0,), False),
        ({"dropout": 0.0, "classifier_dropout": 0.1}, (0.0,), False),
    ],
)
def test_two_passes_of_a_decoder_that_drops_nothing_are_refused(settings, others, drops) -> None:
    table = RobustTable(method="r-drop")
    check_dropout(robust(), settings, *others)
    if drops:
        check_dropout(table, settings, *others)
    else:
        with expect_error(UsageError, "r-drop", "model.dropout"):
            check_dropout(table, settings, *others)
