"""The rule votes: which edits are kept."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import expect_error
from reference_voting import SOURCE, plain, system_edits, vote

from gecbench.core.edit import Edit, apply, check
from gecbench.core.errors import CorpusError, EditError, UnknownNameError, UsageError
from gecbench.models.combine.candidates import (
    Candidate,
    Proposal,
    collect_candidates,
    correcting_edits,
)
from gecbench.models.combine.voting import (
    Threshold,
    VoteTally,
    VotingRule,
    apply_to_text,
    decide,
    parse_relaxed,
    parse_votes,
    parse_weights,
    select_edits,
)

ONES = (Fraction(1),) * 9
WEIGHTS = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3), Fraction(1, 10)])
SYSTEMS = st.lists(st.tuples(system_edits(), WEIGHTS), min_size=1, max_size=6)


def collect(sets, **more) -> list[Candidate]:
    return collect_candidates(SOURCE, [Proposal(edits) for edits in sets], **more)


def selected_edits(sets, rule: VotingRule | None = None, **more) -> list[tuple]:
    rule = rule or VotingRule(ONES[: len(sets)])
    verdicts = decide(collect(sets, **more), rule)
    return [plain(edit) for edit, _ in select_edits(verdicts, rule.total)]


def rule_of(systems, threshold=None, **more) -> VotingRule:
    return VotingRule(tuple(weight for _, weight in systems), threshold, **more)


@given(SYSTEMS, st.none() | st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(2)]))
def test_it_is_the_slow_reference_implementation(systems, threshold):
    sets, weights = [s for s, _ in systems], [w for _, w in systems]
    if threshold is not None and threshold > sum(weights):
        threshold = sum(weights)
    edits = selected_edits(sets, rule_of(systems, threshold))
    assert set(edits) == vote(sets, weights, threshold)
    check([Edit(*edit) for edit in edits], len(SOURCE))


@given(SYSTEMS, st.randoms())
def test_the_order_of_systems_does_not_matter(systems, random):
    shuffled = random.sample(systems, len(systems))
    for threshold in (None, Fraction(1, 10)):
        for relaxed in ("none", "code", "paper"):
            first = selected_edits(
                [s for s, _ in systems], rule_of(systems, threshold, relaxed=relaxed)
            )
            second = selected_edits(
                [s for s, _ in shuffled], rule_of(shuffled, threshold, relaxed=relaxed)
            )
            assert first == second


@given(system_edits(), st.integers(1, 5))
def test_copies_of_a_system_are_that_system(edits, copies):
    want = [plain(edit) for edit in correcting_edits(SOURCE, edits)]
    assert selected_edits([edits] * copies) == want
    assert selected_edits([edits], VotingRule(ONES[:1], Fraction(1))) == want


@given(SYSTEMS)
def test_with_all_votes_needed_the_intersection_is_kept(systems):
    rule = rule_of(systems)
    edits = selected_edits([s for s, _ in systems], rule_of(systems, rule.total))
    assert set(edits) == set.intersection(*({plain(e) for e in s} for s, _ in systems))


@given(SYSTEMS, st.data())
def test_more_weight_never_costs_a_system_an_edit(systems, data):
    at = data.draw(st.integers(0, len(systems) - 1))
    more = data.draw(WEIGHTS)
    raised = [(s, w + more * (k == at)) for k, (s, w) in enumerate(systems)]
    edits = {plain(edit) for edit in systems[at][0]}
    before = edits & set(selected_edits([s for s, _ in systems], rule_of(systems)))
    assert before <= set(selected_edits([s for s, _ in raised], rule_of(raised)))


@given(SYSTEMS, st.sampled_from([2, Fraction(1, 3), 10]))
def test_only_the_proportion_of_weights_matters(systems, factor):
    scaled = [(s, w * factor) for s, w in systems]
    for relaxed in ("none", "code", "paper"):
        first = selected_edits([s for s, _ in systems], rule_of(systems, relaxed=relaxed))
        assert first == selected_edits([s for s, _ in scaled], rule_of(scaled, relaxed=relaxed))


@given(SYSTEMS)
def test_a_higher_threshold_above_half_keeps_no_more(systems):
    sets, total = [s for s, _ in systems], rule_of(systems).total
    majority = set(selected_edits(sets, rule_of(systems)))
    assert set(selected_edits(sets, rule_of(systems, total * Fraction(9, 10)))) <= majority


@given(SYSTEMS)
def test_the_veto_changes_nothing_where_all_edits_have_one_bar(systems):
    sets = [s for s, _ in systems]
    assert selected_edits(sets, rule_of(systems, veto=True)) == selected_edits(
        sets, rule_of(systems)
    )


A, B, C = Edit(0, 1, ("x",)), Edit(1, 2, ("y",)), Edit(0, 2, ("z",))


@pytest.mark.parametrize(
    ("sets", "want"),
    [
        ([[C], [A], [A]], [A]),  # more votes beat the longer and the first
        ([[C], [A]], [A]),  # a tie: the same start, the shorter
        ([[B], [C]], [C]),  # a tie: the earlier start
        ([[Edit(0, 1, ("y",))], [A]], [A]),  # a tie: the same span, by what stands there
        ([[Edit(0, 0, ("x",))], [A]], [Edit(0, 0, ("x",)), A]),  # beside, both stay
        ([[A], [Edit(0, 0, ("x",))]], [Edit(0, 0, ("x",)), A]),
        ([[A], [Edit(1, 1, ("x",))]], [A, Edit(1, 1, ("x",))]),
        ([[C], [Edit(1, 1, ("x",))]], [C]),  # inside, the longer begins first
        ([[Edit(2, 2, ("x",))], [Edit(2, 2, ("y",))]], [Edit(2, 2, ("x",))]),
        ([[Edit(6, 6, ("x",))], [Edit(5, 6, ())]], [Edit(5, 6, ()), Edit(6, 6, ("x",))]),
    ],
)
def test_overlaps_are_resolved_by_votes_then_by_place(sets, want):
    for item in (sets, sets[::-1]):
        first = VotingRule(ONES[: len(sets)], Fraction(1))
        assert selected_edits(item, first) == [plain(edit) for edit in want]


def test_of_as_many_votes_the_surer_edit_is_kept():
    sure, unsure = Proposal((B,), (0.9,)), Proposal((C,), (0.4,))
    rule = VotingRule(ONES[:2], Fraction(1))
    for pair in ((sure, unsure), (unsure, sure)):
        (verdict,) = [
            v for v in decide(collect_candidates(SOURCE, pair), rule) if v.outcome == "kept"
        ]
        assert verdict.candidate.edits == (B,)
        assert verdict.candidate.score == 0.9
    silent = Proposal((B,), (None,))
    (verdict,) = [
        v for v in decide(collect_candidates(SOURCE, (silent, unsure)), rule) if v.outcome == "kept"
    ]
    assert verdict.candidate.edits == (C,)


def test_insertions_of_one_system_at_one_place_are_one():
    twice = (Edit(0, 0, ("x",)), Edit(0, 0, ("y",)))
    assert selected_edits([twice]) == [(0, 0, ("x", "y"))]
    assert selected_edits([twice, (Edit(0, 0, ("x", "y")),)]) == [(0, 0, ("x", "y"))]


def test_what_only_detects_or_changes_nothing_proposes_nothing():
    assert selected_edits([(Edit(0, 1, None, "UNK"), Edit(1, 2, ("b",)), Edit(3, 3, ()))]) == []


def test_edits_of_one_system_that_overlap_are_refused():
    with expect_error(EditError, "span 0 2", "span 0 1"):
        collect([(A, C)])


def labelled_edit(start, end, words, label) -> Edit:
    return Edit(start, end, tuple(words), label)


def test_word_order_is_kept_or_dropped_whole():
    """Else a word that is moved could be lost, or stand twice."""
    moved = (Edit(0, 1, ()), Edit(4, 4, ("a",)))
    half = (Edit(0, 1, ()),)
    assert selected_edits([moved, moved, half], all_moves=True) == [(0, 1, ()), (4, 4, ("a",))]
    assert selected_edits([moved, half, half], all_moves=True) == [(0, 1, ())]
    (deletion,) = [
        result for result in collect([moved, half, half], all_moves=True) if not result.kind
    ]
    assert deletion.backers == {1, 2}
    assert selected_edits([moved, half, ()], all_moves=True) == []
    assert selected_edits([moved, half, ()]) == [(0, 1, ())]  # unlabelled, of a scheme of tokens
    named = (labelled_edit(0, 1, "", "W:R"), labelled_edit(4, 4, "a", "W:M"))
    assert selected_edits([named, named[:1], ()]) == []


def test_a_move_that_overlaps_goes_as_a_whole():
    moved = (Edit(0, 1, ()), Edit(4, 4, ("a",)))
    rule = VotingRule(ONES[:3], Fraction(1))
    against = (Edit(3, 5, ("q",)),)
    assert selected_edits([moved, against, against], rule, all_moves=True) == [(3, 5, ("q",))]


def is_similar(first: str, second: str) -> bool:
    return {first, second} == {"c", "x"}


ORDER, SPELLING, OTHER = Edit(0, 2, ("b", "a")), Edit(2, 3, ("x",)), Edit(4, 5, ("x",))


def test_kinds_come_from_labels_or_from_the_texts():
    def kind(edit: Edit) -> str | None:
        (first,) = collect([(edit,)], similar=is_similar)
        return first.kind

    assert kind(ORDER) == kind(labelled_edit(0, 2, "zz", "W")) == "order"
    assert (
        kind(labelled_edit(0, 2, "zz", "R:WO"))
        == kind(labelled_edit(0, 2, "zz", "W:NOUN"))
        == "order"
    )
    assert kind(SPELLING) == kind(labelled_edit(0, 1, "z", "R:SPELL")) == "spelling"
    assert kind(labelled_edit(2, 3, "x", "W")) == "order"
    assert kind(OTHER) is None
    assert kind(Edit(2, 4, ("x",))) is None
    assert kind(labelled_edit(0, 1, "z", "R:WORD")) is None


@pytest.mark.parametrize(
    ("systems", "relaxed", "backers"),
    [
        (6, "none", 4),
        (6, "code", 3),  # T - 1 of T = 4
        (6, "paper", 2),  # N/2 - 1
        (6, Fraction(1), 1),
        (5, "none", 3),
        (5, "code", 2),
        (5, "paper", 2),  # 1.5: with an odd number the two are the same
        (3, "code", 1),
        (2, "none", 2),
        (2, "code", 1),
        (2, "paper", 1),  # N/2 - 1 is none at all; one has to propose it
        (1, "code", 1),
    ],
)
def test_word_order_and_spelling_need_what_the_relaxed_rule_says(systems, relaxed, backers):
    rule = VotingRule(ONES[:systems], relaxed=relaxed)
    for edit in (ORDER, SPELLING):
        for count in range(1, systems + 1):
            sets = [(edit,)] * count + [()] * (systems - count)
            assert bool(selected_edits(sets, rule, similar=is_similar)) == (count >= backers)
    majority = systems // 2 + 1
    for count in range(1, systems + 1):
        sets = [(OTHER,)] * count + [()] * (systems - count)
        assert bool(selected_edits(sets, rule, similar=is_similar)) == (count >= majority)


def test_one_vote_is_the_mean_weight():
    rule = VotingRule((Fraction(4), Fraction(2), Fraction(2), Fraction(2)), relaxed="code")
    assert str(rule.relaxed_threshold) == "more than 2.5"
    rule = VotingRule(rule.weights, relaxed="paper")
    assert str(rule.relaxed_threshold) == "at least 2.5"


def test_code_counts_from_the_threshold_that_is_given():
    rule = VotingRule(ONES[:6], Fraction(6), "code")
    assert selected_edits([(ORDER,)] * 5 + [()], rule) == [plain(ORDER)]
    assert selected_edits([(ORDER,)] * 4 + [()] * 2, rule) == []


def test_types_have_thresholds_of_their_own():
    edit = labelled_edit(4, 5, "x", "R:NOUN:NUM")
    sets = [(edit,), (edit,), ()]
    assert selected_edits(sets) == [plain(edit)]
    for names, stays in (
        ({"R": Fraction(3)}, False),
        ({"R": Fraction(3), "R:NOUN": Fraction(2)}, True),
        ({"R:NO": Fraction(3)}, True),
        ({"order": Fraction(3)}, True),
    ):
        assert bool(selected_edits(sets, VotingRule(ONES[:3], by_type=names))) == stays
    spelling = VotingRule(ONES[:3], relaxed="code", by_type={"spelling": Fraction(3)})
    assert selected_edits([(SPELLING,), (SPELLING,), ()], spelling, similar=is_similar) == []
    assert selected_edits([(ORDER,), (), ()], spelling, similar=is_similar) == [plain(ORDER)]


def test_the_veto_is_of_systems_that_change_nothing():
    """Six systems, T = 4: three that say "no error" outvote a spelling error with three votes."""
    rule, vetoing = (
        VotingRule(ONES[:6], relaxed="code"),
        VotingRule(ONES[:6], relaxed="code", veto=True),
    )
    silent = [(SPELLING,)] * 3 + [()] * 3
    elsewhere = [(SPELLING,)] * 3 + [(OTHER,), (), ()]
    assert selected_edits(silent, rule, similar=is_similar) == [plain(SPELLING)]
    assert selected_edits(silent, vetoing, similar=is_similar) == []
    assert selected_edits(elsewhere, vetoing, similar=is_similar) == [plain(SPELLING)]
    verdicts = decide(collect(silent, similar=is_similar), vetoing)
    assert [verdict.outcome for verdict in verdicts] == ["unchanged by most"]


def test_the_label_is_that_of_most_backers():
    verb, noun = labelled_edit(0, 1, "z", "R:VERB"), labelled_edit(0, 1, "z", "R:NOUN")
    for sets in ([(noun,), (verb,), (verb,)], [(verb,), (noun,), (verb,)]):
        assert collect(sets)[0].edits[0].label == "R:VERB"
    for sets in (
        [(verb,), (noun,)],
        [(noun,), (verb,)],
        [(noun,), (labelled_edit(0, 1, "z", None),)],
    ):
        assert collect(sets)[0].edits[0].label == "R:NOUN"


def test_each_half_of_a_move_has_one_other_half():
    source = ("a", "b", "a", "c")
    edits = (Edit(0, 1, ()), Edit(2, 3, ()), Edit(4, 4, ("a",)))
    proposals = collect_candidates(source, [Proposal(edits)], all_moves=True)
    assert [proposal.edits for proposal in proposals] == [(edits[0], edits[2]), (edits[1],)]


def test_shares_and_counts_are_those_of_the_votes():
    rule = VotingRule((Fraction(3), Fraction(1)))
    verdicts = decide(collect([(A,), (B,)]), rule)
    assert select_edits(verdicts, rule.total) == [(A, 0.75)]
    tally = VoteTally()
    tally.add((len(verdict.candidate.backers), verdict.outcome) for verdict in verdicts)
    tally.add([])
    assert (tally.of("kept"), tally.of("too few votes"), tally.of("overlap")) == (1, 1, 0)
    assert (tally.changed, tally.sentences) == (1, 2)


def test_numbers_are_what_was_written():
    assert (
        parse_votes(0.1, "it") + parse_votes("0.2", "it")
        == parse_votes(0.3, "it")
        == Fraction(3, 10)
    )
    assert parse_votes(2, "it") == parse_votes(Fraction(2), "it") == 2


@pytest.mark.parametrize(
    "value", [0, -1, "0", "-1", "", "x", "1e9", "nan", "1/2", True, float("nan"), float("inf")]
)
def test_what_is_no_number_above_0_is_refused(value):
    with expect_error(UsageError, "the weight", repr(value)):
        parse_votes(value, "the weight")


def test_relaxed_is_a_name_or_a_number():
    assert [parse_relaxed(item) for item in ("none", "code", "2.5", 2)] == [
        *("none", "code"),
        *(Fraction(5, 2), Fraction(2)),
    ]
    with expect_error(UsageError, "relaxed", "'lax'"):
        parse_relaxed("lax")


def test_weights_are_of_systems_that_take_part():
    assert parse_weights(["a", "b"], {"b": "0.5"}) == (1, Fraction(1, 2))
    with expect_error(UnknownNameError, "'eagre'", "eager"):
        parse_weights(["eager", "cautious"], {"eagre": 2})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"threshold": Fraction(4)}, "the threshold is 4, but all systems together have 3 votes"),
        ({"relaxed": Fraction(4)}, "the relaxed threshold is 4"),
        ({"by_type": {"R": Fraction(4)}}, "the threshold of R is 4"),
    ],
)
def test_a_threshold_above_all_votes_is_refused(more, message):
    with pytest.raises(UsageError, match=message):
        VotingRule((Fraction(1),) * 3, **more)
    VotingRule((Fraction(1), Fraction(3)), **more)


def test_no_system_is_refused():
    with expect_error(UsageError, "no system"):
        VotingRule(())


def test_bars_are_reached_from_below_or_passed():
    half = Threshold(Fraction(3, 2), exclusive=True)
    assert not half.admits(Fraction(3, 2))
    assert half.admits(Fraction(2))
    assert Threshold(Fraction(3, 2)).admits(Fraction(3, 2))
    assert str(half) == "more than 1.5"


def test_it_says_itself_in_words():
    rule = VotingRule((Fraction(1),) * 6, relaxed="paper", by_type={"R": Fraction(3)}, veto=True)
    assert rule.describe() == (
        "more than 3 of 6 votes; word order and spelling at least 2 (paper); R at least 3; "
        "veto of unchanged"
    )
    numbered = VotingRule((Fraction(1),) * 2, Fraction(2), Fraction(1))
    assert numbered.describe() == (
        "at least 2 of 2 votes; word order and spelling at least 1 (by number)"
    )


TOKENS = ("I", "has", "a", "cat", ".")
BLANKS = st.sampled_from(["", " ", "  ", "\u3000"])


def apply_edits(source: str, *edits: tuple[int, int, str], separator: str = " ") -> str:
    tokens = TOKENS if separator else tuple("".join(source.split()))
    result = [Edit(start, end, tuple(words.split())) for start, end, words in edits]
    return apply_to_text(source, tokens, result, separator=separator)


@pytest.mark.parametrize(
    ("edits", "want"),
    [
        ([], " I  has a cat. "),
        ([(1, 2, "have")], " I  have a cat. "),
        ([(1, 3, "have the")], " I  have the cat. "),
        ([(2, 3, "")], " I  has cat. "),
        ([(1, 2, "")], " I a cat. "),
        ([(0, 1, "")], " has a cat. "),
        ([(4, 5, "")], " I  has a cat "),
        ([(3, 5, "")], " I  has a "),
        ([(0, 5, "")], "  "),
        ([(0, 0, "So")], " So I  has a cat. "),
        ([(3, 3, "big")], " I  has a big cat. "),
        ([(1, 1, "never")], " I  never has a cat. "),
        ([(4, 4, "now")], " I  has a cat now. "),
        ([(5, 5, "Really")], " I  has a cat. Really "),
        ([(0, 0, "So"), (0, 1, "we")], " So we  has a cat. "),
        ([(0, 0, "So"), (0, 1, "")], " So  has a cat. "),
        ([(2, 3, ""), (3, 3, "big")], " I  has big cat. "),
        ([(2, 2, "only"), (2, 3, "")], " I  has only cat. "),
    ],
)
def test_english(edits, want):
    assert apply_edits(" I  has a cat. ", *edits) == want


@pytest.mark.parametrize(
    ("source", "edits", "want"),
    [
        ("我 有　猫。", [(1, 2, "")], "我　猫。"),
        ("我 有　猫。", [(1, 1, "也")], "我也 有　猫。"),
        ("我 有　猫。", [(0, 0, "今 天"), (0, 1, "你")], "今天你 有　猫。"),
        ("我 有　猫。\n", [(4, 4, "吗")], "我 有　猫。吗\n"),
        (" 我有猫", [(0, 1, "")], " 有猫"),
        ("我 有猫", [(1, 2, "")], "我 猫"),
    ],
)
def test_chinese(source, edits, want):
    assert apply_edits(source, *edits, separator="") == want


@st.composite
def spaced_texts(draw: st.DrawFn) -> str:
    gaps = draw(st.lists(BLANKS, min_size=len(TOKENS) + 1, max_size=len(TOKENS) + 1))
    return "".join(gap + token for gap, token in zip(gaps, [*TOKENS, ""], strict=True))


@given(spaced_texts(), st.data())
@settings(max_examples=100)
def test_the_tokens_are_those_that_the_edits_make(source, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(TOKENS)), max_size=4)))
    words = st.lists(st.sampled_from(["x", "yz"]), max_size=2).map(tuple)
    spans = dict.fromkeys(zip(cuts[::2], cuts[1::2], strict=False))  # an odd one is left over
    edits = [Edit(start, end, data.draw(words)) for start, end in spans]
    for separator in ("", " "):
        text = apply_to_text(source, TOKENS, edits, separator=separator)
        assert "".join(text.split()) == "".join(apply(edits, TOKENS))
    assert apply_to_text(source, TOKENS, [], separator="") == source


def test_what_does_not_fit_the_text_is_refused():
    with expect_error(CorpusError, "'I has'"):
        apply_to_text("We have", ("I", "has"), [Edit(0, 1, ("x",))], separator=" ")
    with expect_error(EditError, "span 1 3"):
        apply_to_text("I has", ("I", "has"), [Edit(1, 3, ())], separator=" ")
