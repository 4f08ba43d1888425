"""MaxMatch: what is proposed and matched, and which level and kernel found it."""

from __future__ import annotations

import pytest

from gecbench.core.edit import Edit
from gecbench.edits import maxmatch
from gecbench.edits.maxmatch import walk


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def match(source: str, target: str, *golds: Edit, **options) -> maxmatch.Matching:
    (only,) = maxmatch.match(words(source), words(target), [golds], **options)
    return only


def shown(source: str, target: str, *golds: Edit, **options) -> list[tuple[int, int, str]]:
    proposed = match(source, target, *golds, **options).proposed
    edits = [maxmatch.trim(edit, words(source)) for edit in proposed]
    return [(e.start, e.end, " ".join(e.replacement)) for e in edits]


def test_equal_texts_propose_nothing_and_still_have_golds() -> None:
    gold = Edit(0, 1, ("x",))
    assert match("a b", "a b", gold, gold) == maxmatch.Matching((), (), 2, "exact")


def test_neighbouring_changes_are_one_proposal_unless_gold_asks_otherwise() -> None:
    assert shown("a b c d", "a B C d") == [(1, 3, "B C")]
    assert shown("a b c d", "a B C d", Edit(1, 2, ("B",))) == [(1, 2, "B"), (2, 3, "C")]


@pytest.mark.parametrize(("limit", "proposed"), [(0, 2), (1, 2), (2, 1), (1000, 1)])
def test_changes_over_few_unchanged_words_are_one_proposal(limit: int, proposed: int) -> None:
    matching = match("a b c d e f", "a B c d E f", max_unchanged_words=limit)
    assert len(matching.proposed) == proposed


@pytest.mark.parametrize(
    "gold",
    [
        Edit(0, 1, ("x",)),
        Edit(0, 1, ("y",), alternatives=(("z",), ("x",))),
        Edit(0, 1, None, "UNK", (("x",),)),
        Edit(0, 1, ("x",), "any label"),
    ],
)
def test_a_gold_edit_accepts_its_texts_whatever_its_label(gold: Edit) -> None:
    assert match("a b", "x b", gold).matched == ((0, 0),)


def test_an_edit_without_texts_stands_for_the_source_and_is_never_matched() -> None:
    matching = match("a b", "x b", Edit(0, 1, None, "UNK"))
    assert (matching.matched, matching.golds, len(matching.proposed)) == ((), 1, 1)


@pytest.mark.parametrize("gold", [Edit(1, 2, None, "UNK"), Edit(1, 2, ("b",))])
def test_an_edit_that_changes_nothing_keeps_proposals_apart(gold: Edit) -> None:
    assert shown("a b c d", "A b C d") == [(0, 3, "A b C")]
    assert shown("a b c d", "A b C d", gold) == [(0, 1, "A"), (2, 3, "C")]


def test_an_edit_written_twice_is_matched_twice() -> None:
    gold = Edit(0, 1, ("x",))
    assert match("a b", "x b", gold, gold).matched == ((0, 0), (0, 1))


def test_an_edit_before_one_that_has_matched_is_lost() -> None:
    early, late = Edit(0, 1, ("A",)), Edit(3, 4, ("D",))
    assert match("a b c d", "A b c D", early, late).matched == ((0, 0), (1, 1))
    assert match("a b c d", "A b c D", late, early).matched == ((0, 1),)


def test_changes_of_white_space_and_case_can_be_dropped() -> None:
    gold = Edit(0, 1, ("the",))
    assert len(match("The cat sat", "the catsat", gold).proposed) == 2
    assert match("The cat sat", "the catsat", gold, ignore_whitespace_casing=True).proposed == ()
    assert shown("The cat", "a cat", ignore_whitespace_casing=True) == [(0, 1, "a")]


def test_a_gold_edit_beyond_the_sentence_counts_and_is_not_matched() -> None:
    matching = match("a", "b", Edit(0, 5, ("b",)), Edit(7, 7, ("b",)))
    assert (matching.matched, matching.golds) == ((), 2)


def test_no_annotator_no_matching() -> None:
    assert maxmatch.match(("a",), ("b",), []) == ()


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (Edit(0, 2, ("a", "x")), (1, 2, ("x",))),
        (Edit(0, 2, ("x", "b")), (0, 1, ("x",))),
        (Edit(0, 2, ("a", "x", "b")), (1, 1, ("x",))),
        (Edit(0, 2, ("b",)), (0, 1, ())),
        (Edit(0, 2, ()), (0, 2, ())),
        (Edit(0, 2, ("a", "b")), (2, 2, ())),
        (Edit(0, 1, None), (0, 1, ())),
    ],
)
def test_shown_edits_have_no_common_ends(edit: Edit, shown: tuple) -> None:
    trimmed = maxmatch.trim(edit, ("a", "b"))
    assert (trimmed.start, trimmed.end, trimmed.replacement) == shown


def test_a_large_lattice_is_left_to_the_linear_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maxmatch, "MOST_PAIRS", 6)
    for compiled in {maxmatch.compiled, None}:
        monkeypatch.setattr(maxmatch, "compiled", compiled)
        assert match("a b", "a x", Edit(1, 2, ("x",))).level == "linear"
        assert match("a b", "x y", Edit(1, 2, ("x",))).level == "linear"
        assert match("a", "b", Edit(0, 1, ("b",))) == maxmatch.Matching(
            (Edit(0, 1, ("b",)),), ((0, 0),), 1, "exact"
        )


def test_texts_with_nothing_in_common_end_soon_and_say_so() -> None:
    source, target = (tuple(f"{side}{n}" for n in range(120)) for side in "ab")
    golds = [Edit(n, n + 1, (f"b{n}",)) for n in range(0, 120, 3)]
    (matching,) = maxmatch.match(source, target, [golds])
    assert matching.level == "linear"
    assert len(matching.matched) == 40


def test_who_has_no_compiler_gets_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    before = match("a b c", "x b y z", Edit(3, 3, ("z",)))
    monkeypatch.setattr(maxmatch, "compiled", None)
    assert maxmatch.kernel_name() == "python"
    assert match("a b c", "x b y z", Edit(3, 3, ("z",))) == before


def linear_spans(source: str, target: str, *golds: maxmatch.Gold, limit: int = 2) -> list:
    a, b = (bytes_of(text) for text in (source, target))
    return maxmatch.approximate(a, b, limit, [golds])[0]


def bytes_of(text: str) -> bytes:
    return b"".join(ord(c).to_bytes(4, "little") for c in text)


def test_the_linear_way_keeps_the_limit_and_the_golds() -> None:
    assert linear_spans("abcdef", "aBcdEf") == [(1, 5, 1, 5)]
    assert linear_spans("abcdef", "aBcdEf", limit=1) == [(1, 2, 1, 2), (4, 5, 4, 5)]
    gold = (1, 2, (bytes_of("B"),))
    assert linear_spans("abcdef", "aBcdEf", gold) == [(1, 2, 1, 2), (4, 5, 4, 5)]
    wide = (1, 6, (bytes_of("BcdeF"),))
    assert linear_spans("abcdefg", "aBcdeFg", wide) == [(1, 2, 1, 2), (5, 6, 5, 6)]


def test_the_linear_way_does_not_propose_what_does_not_change() -> None:
    same = (1, 2, (bytes_of("b"),))
    both = (1, 3, (bytes_of("bc"),))
    assert linear_spans("abcd", "abcx", same, both) == [(3, 4, 3, 4)]
    assert linear_spans("abcd", "abcx", (2, 4, (bytes_of("cx"),))) == [(2, 4, 2, 4)]


def test_the_linear_way_takes_insertions_in_the_order_of_the_golds() -> None:
    golds = [(1, 1, (bytes_of("x"),)), (1, 1, (bytes_of("y"),))]
    assert linear_spans("ab", "axyb", *golds) == [(1, 1, 1, 2), (1, 1, 2, 3)]
    assert linear_spans("ab", "axyb", (1, 1, (bytes_of("xy"),))) == [(1, 1, 1, 3)]


@pytest.mark.parametrize(
    ("golds", "events"),
    [
        (["x", "y"], [(0, True), (1, False), (2, True)]),
        (["y", "x"], [(0, True), (1, False), (2, False)]),
        (["xy"], [(0, False), (2, False), (1, True), (2, False)]),
        ([], [(0, False), (2, False), (1, False)]),
    ],
)
def test_insertions_are_walked_from_both_ends(golds: list[str], events: list) -> None:
    gaps = [(0, 1), (0, 2), (1, 2)]
    texts = [b"x", b"xy", b"y"]
    assert list(walk(gaps, texts, [(gold.encode(),) for gold in golds])) == events


WRONG = [
    ((b"abc", b"", 2, (), 9), ValueError, "not 32-bit codes"),
    ((b"abcd", b"abc", 2, (), 9), ValueError, "not 32-bit codes"),
    ((b"abcd", b"", -1, (), 9), ValueError, "limit and most are 0 or more"),
    ((b"abcd", b"", 2, ([],), 9), TypeError, "are tuples"),
    ((b"abcd", b"", 2, (((0, 2, ()),),), 9), ValueError, "a gold edit lies outside the source"),
    ((b"abcd", b"", 2, (((1, 0, ()),),), 9), ValueError, "a gold edit lies outside the source"),
    ((b"abcd", b"", 2, (((0, 1, (b"a",)),),), 9), ValueError, "not 32-bit codes"),
    ((b"abcd", b"", 2, (((0, 1, ("a",)),),), 9), TypeError, "bytes"),
    ((b"abcd", b"", 2, ((0, 1),), 9), TypeError, "are tuples"),
]


@pytest.mark.parametrize(("options", "kind", "message"), WRONG)
def test_the_compiled_kernel_refuses_what_is_not_for_it(options, kind, message: str) -> None:
    if maxmatch.compiled is None:
        pytest.skip("the compiled kernel could not be built")
    with pytest.raises(kind, match=message):
        maxmatch.compiled.proposals(*options)
