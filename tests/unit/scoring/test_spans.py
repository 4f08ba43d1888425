"""One hypothesis against one reference: what is compared, and what each edit counts as."""

from __future__ import annotations

import itertools

import pytest

from gecbench.core.case import CHOICES, LEVELS, Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.score import Counts, total
from gecbench.metrics.edits import Cherrant as SpanF
from gecbench.scoring.results import by_tier
from gecbench.scoring.spans import Filter, Pairing, keys, pair

ANY = Filter()
NOTHING = CaseRewrite(())
IMPOSSIBLE = CaseRewrite((), unannotatable=True)


def version(*edits: Edit) -> CaseRewrite:
    return CaseRewrite(edits)


def counted(
    hypothesis: CaseRewrite, reference: CaseRewrite, level="correction", chosen: Filter = ANY
):
    pairing = pair(keys(hypothesis, level, chosen), keys(reference, level, chosen))
    return pairing.counts, pairing.by_type


S02 = Edit(0, 2, ("好", "的"), "S")
R12 = Edit(1, 2, (), "R")
M33 = Edit(3, 3, ("了",), "M")
OPEN = Edit(4, 5, None, "UNK")


@pytest.mark.parametrize(
    ("level", "want"),
    [
        ("correction", {(0, 2, "好的"): ["S"], (1, 2, ""): ["R"], (3, 3, "了"): ["M"]}),
        (
            "correction-type",
            {(0, 2, "S", "好的"): ["S"], (1, 2, "R", ""): ["R"], (3, 3, "M", "了"): ["M"]},
        ),
        (
            "detection-span",
            {(0, 2): ["S"], (1, 2): ["R"], (3, 3): ["M"], (4, 5): ["UNK"]},
        ),
        (
            "detection-token",
            {(0, 1): ["S"], (1, 2): ["S", "R"], (3, 4): ["M"], (4, 5): ["UNK"]},
        ),
    ],
)
def test_each_level_compares_its_own_key(level, want):
    assert keys(version(S02, R12, M33, OPEN), level, ANY) == want


@pytest.mark.parametrize("level", LEVELS)
def test_no_edit_and_not_annotatable_are_one_key_but_where_types_count(level):
    typed = level == "correction-type"
    for version_, kind in ((NOTHING, "error-free"), (IMPOSSIBLE, "unannotatable")):
        key = (-1, -1, kind) if typed else (-1, -1)
        assert keys(version_, level, ANY) == {key: [kind]}
    missed = pair(keys(IMPOSSIBLE, level, ANY), keys(NOTHING, level, ANY)).counts
    assert (missed.tp, missed.fp, missed.fn) == ((0, 1, 0) if typed else (1, 0, 0))


def test_a_replacement_is_compared_as_text_not_as_tokens():
    first, second = Edit(0, 1, ("ab", "c"), "S"), Edit(0, 1, ("a", "bc"), "S")
    assert keys(version(first), "correction", ANY) == keys(version(second), "correction", ANY)


def test_an_edit_without_label_is_unclassified():
    assert keys(version(Edit(0, 1, ())), "correction", ANY) == {(0, 1, ""): ["unclassified"]}


@pytest.mark.parametrize(
    ("size", "expected"),
    [("any", ["S", "R", "M"]), ("single", ["R", "M"]), ("multi", ["S"])],
)
def test_the_size_of_an_edit_is_that_of_its_source_side(size, expected):
    actual_keys = keys(version(S02, R12, M33), "correction", Filter(size))
    assert [label for labels in actual_keys.values() for label in labels] == expected


def test_a_version_whose_edits_are_all_left_out_is_empty_not_error_free():
    assert keys(version(M33), "correction", Filter("multi")) == {}
    assert keys(version(OPEN), "correction", ANY) == {}
    assert keys(NOTHING, "correction", Filter("multi")) == {}
    assert keys(IMPOSSIBLE, "correction", Filter("multi")) == {}
    assert keys(NOTHING, "correction", Filter("single")) == {(-1, -1): ["error-free"]}


def test_excluded_labels_take_no_part_exactly_as_written():
    chosen = Filter(exclude=frozenset({"R", "M:"}))
    actual_keys = keys(version(S02, R12, M33), "correction", chosen)
    assert list(actual_keys.values()) == [["S"], ["M"]]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "counts"),
    [
        (NOTHING, NOTHING, Counts(0, 0, 0)),
        (NOTHING, version(R12), Counts(0, 0, 1)),
        (version(R12), NOTHING, Counts(0, 1, 0)),
        (version(R12), version(R12), Counts(1, 0, 0)),
        (version(R12), version(M33), Counts(0, 1, 1)),
        (version(R12, M33), version(M33, S02), Counts(1, 1, 1)),
        # As the official script has it: "cannot be annotated" beside others is an edit.
        (NOTHING, IMPOSSIBLE, Counts(0, 0, 0)),
        (version(R12), IMPOSSIBLE, Counts(0, 1, 1)),
        (IMPOSSIBLE, NOTHING, Counts(1, 0, 0)),
        (IMPOSSIBLE, IMPOSSIBLE, Counts(1, 0, 0)),
        (IMPOSSIBLE, version(R12), Counts(0, 1, 1)),
        # Spec, section 9: alternative sets are pooled; what stands in two counts twice.
        (version(R12), version(R12, M33, R12, S02), Counts(2, 0, 2)),
        (version(R12, M33, R12, S02), version(R12), Counts(1, 2, 0)),
        (version(R12, M33, R12, S02), NOTHING, Counts(0, 4, 0)),
    ],
)
def test_counts_are_the_official_ones(hypothesis, reference, counts):
    assert counted(hypothesis, reference)[0] == counts


def test_a_hit_is_typed_by_the_reference_and_a_miss_by_its_own_side():
    right, other = Edit(0, 1, ("好",), "S:A"), Edit(0, 1, ("好",), "S:B")
    wrong, missed = Edit(2, 3, (), "R:X"), Edit(3, 3, ("了",), "M:Y")
    counts, by_type = counted(version(right, wrong), version(other, missed))
    assert counts == Counts(1, 1, 1)
    assert by_type == {"S:B": Counts(1, 0, 0), "R:X": Counts(0, 1, 0), "M:Y": Counts(0, 0, 1)}
    counts, by_type = counted(version(right), version(other), "correction-type")
    assert counts == Counts(0, 1, 1)


def test_detection_overlooks_the_text():
    first, second = version(Edit(0, 2, ("好",), "S")), version(Edit(0, 2, ("坏",), "S"))
    assert counted(first, second)[0] == Counts(0, 1, 1)
    assert counted(first, second, "detection-span")[0] == Counts(1, 0, 0)
    assert counted(first, version(Edit(1, 3, (), "R")), "detection-token")[0] == Counts(1, 1, 1)
    assert counted(version(OPEN), version(Edit(4, 5, (), "R")), "detection-span")[0].tp == 1
    assert counted(version(OPEN), version(Edit(4, 5, (), "R")))[0] == Counts(0, 0, 1)


BY_TYPE = {
    "R:VERB:TENSE": Counts(1, 0, 0),
    "R:VERB": Counts(0, 1, 0),
    "M:VERB": Counts(0, 0, 1),
    "S": Counts(2, 0, 0),
    "M": Counts(3, 0, 0),
    "error-free": Counts(4, 0, 0),
    "unannotatable": Counts(5, 0, 0),
}


@pytest.mark.parametrize(
    ("tier", "sums"),
    [
        (1, {"M": (3, 0, 1), "R": (1, 1, 0), "S": (2, 0, 0)}),
        (2, {"-": (5, 0, 0), "VERB": (0, 1, 1), "VERB:TENSE": (1, 0, 0)}),
        (3, {"M": (3, 0, 0), "M:VERB": (0, 0, 1), "R:VERB": (0, 1, 0), "S": (2, 0, 0)}),
    ],
)
def test_tiers_are_parts_of_the_label_and_states_stay_whole(tier: int, sums: dict):
    tiers = by_tier(BY_TYPE, tier)
    assert list(tiers) == sorted(tiers)
    assert {label: tiers[label] for label in sums} == {k: Counts(*v) for k, v in sums.items()}
    assert tiers["error-free"].tp == 4
    assert tiers["unannotatable"].tp == 5
    assert sum(counts.tp for counts in tiers.values()) == 15


def row(*counts: tuple[int, int, int]) -> tuple[Pairing, ...]:
    return tuple(Pairing(0, r, Counts(*three), {}) for r, three in enumerate(counts))


def rewrite(places: str) -> CaseRewrite:
    return CaseRewrite(tuple(Edit(int(p), int(p) + 1, (), "R") for p in places))


# Specification, section 11, item 19.
AMBIGUOUS = Case("1", (rewrite("01"),), (rewrite("0"), rewrite("01234567")))
PLAIN = Case("2", (rewrite("01"),), (rewrite("01"),))


def counts_of(cases: list[Case], choice: str) -> tuple[tuple[int, int, int], float]:
    metric = SpanF(choice=choice)
    score = metric.aggregate([metric.stats(case) for case in cases])
    return (score.counts.tp, score.counts.fp, score.counts.fn), round(score.value, 4)


def test_the_order_of_sentences_changes_what_corpus_greedy_counts():
    assert counts_of([AMBIGUOUS, PLAIN], "corpus-greedy") == ((4, 0, 6), 0.7692)
    assert counts_of([PLAIN, AMBIGUOUS], "corpus-greedy") == ((3, 1, 0), 0.7895)


def test_the_order_of_sentences_does_not_change_what_sentence_best_counts():
    both = {
        counts_of(list(order), "sentence-best")
        for order in itertools.permutations([AMBIGUOUS, PLAIN])
    }
    assert both == {((4, 0, 6), 0.7692)}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(
    ("counts", "best"),
    [
        ([(1, 1, 1)], 0),
        ([(0, 1, 0), (1, 0, 5)], 1),  # F first
        ([(1, 0, 2), (2, 1, 0)], 1),  # 5/7 both, however it is rounded
        ([(2, 1, 0), (1, 0, 2)], 0),
        ([(1, 0, 0), (2, 0, 0)], 1),  # then more true positives
        ([(0, 2, 3), (0, 1, 3)], 1),  # then fewer false positives
        ([(0, 1, 3), (0, 1, 2)], 1),  # then fewer false negatives
        ([(0, 1, 2), (0, 1, 2)], 0),  # then the first
        ([(0, 0, 0), (0, 0, 0), (1, 0, 0)], 2),
    ],
)
def test_ties_are_broken_as_stated(choice, counts, best: int):
    (chosen,) = SpanF(choice=choice, beta=0.5).choose([row(*counts)])
    assert chosen.reference == best


@pytest.mark.parametrize("choice", CHOICES)
def test_no_sentence_has_no_choice(choice):
    assert SpanF(choice=choice, beta=0.5).choose([]) == ()


def test_corpus_greedy_rounds_as_the_official_script_does():
    """Both give F = 0.9999 to four decimals; then more true positives win, and F falls."""
    long = row((10_000, 0, 0))
    late = row((1, 0, 0), (2, 0, 1))
    chosen = SpanF(choice="corpus-greedy", beta=0.5).choose([long, late])
    assert chosen[1].reference == 1
    assert SpanF(choice="sentence-best", beta=0.5).choose([long, late])[1].reference == 0
    assert total(pairing.counts for pairing in chosen).f(0.5) < 1.0


def test_beta_weighs_the_choice():
    precise, complete = (2, 0, 4), (4, 3, 0)
    assert (
        SpanF(choice="sentence-best", beta=0.5).choose([row(precise, complete)])[0].reference == 0
    )
    assert (
        SpanF(choice="sentence-best", beta=2.0).choose([row(precise, complete)])[0].reference == 1
    )
