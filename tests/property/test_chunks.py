"""Laws of chunks and of the weights that are made of them."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from reference_chunks import slow_chunks, slow_verdicts
from strategies import edit_sets

from gecbench.analysis.sentences import edit_weights
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.edits.chunks import chunks, idle, marking, verdicts

TOKENS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=7).map(tuple)
WORDS = st.sampled_from(["a", "b", "c"])


@st.composite
def sides(draw: st.DrawFn, systems: int = 1):
    """A source, the edits of a reference, and of some systems that often agree with it."""
    tokens = draw(TOKENS)
    gold = draw(edit_sets(len(tokens), WORDS))
    edit_lists = []
    for _ in range(systems):
        edits = draw(edit_sets(len(tokens), WORDS))
        edit_lists.append(draw(st.sampled_from([edits, gold, gold[:1], ()])))
    return tokens, gold, edit_lists


def letters(gold, system, tokens) -> str:
    reference = marking(gold, tokens)
    verdict_of = verdicts(reference, marking(system, tokens))
    return "".join(verdict_of.get(chunk) or idle(reference, chunk) for chunk in chunks(reference))


@given(sides())
@example(((), (), [(Edit(0, 0, ("a",)),)]))
@example((("a", "b"), (Edit(0, 2, ("c",)),), [(Edit(1, 1, ("c",)),)]))
@example((("a", "b"), (Edit(1, 1, ("c",)),), [(Edit(0, 2, ("a", "c", "b")),)]))
@example((("a",), (Edit(1, 1, ("b",)), Edit(1, 1, ("c",))), [(Edit(1, 1, ("c",)),)]))
@example((("a",), (Edit(0, 1, ("a",)),), [()]))
@example((("a",), (), [(Edit(0, 1, ("a",)),)]))
@example((("a",), (Edit(1, 1, ()),), [(Edit(1, 1, ()),)]))
@example((("a", "b"), (Edit(1, 1, ()),), [(Edit(1, 2, ("c",)),)]))
@example((("a", "b"), (Edit(0, 2, ("a", "b")),), [()]))
def test_verdicts_are_those_of_comparing_all_with_all(case):
    tokens, gold, (system,) = case
    assert letters(gold, system, tokens) == slow_verdicts(gold, system, tokens)


@given(sides())
def test_chunks_are_those_of_walking_along_the_sentence(case):
    tokens, gold, _ = case
    fast = [(chunk.start, chunk.end) for chunk in chunks(marking(gold, tokens))]
    assert fast == [(chunk.start, chunk.end) for chunk in slow_chunks(gold, tokens)]


@given(sides())
def test_only_chunks_of_the_reference_get_verdicts(case):
    tokens, gold, (system,) = case
    reference = marking(gold, tokens)
    assert set(verdicts(reference, marking(system, tokens))) <= set(chunks(reference))


def cases_of(tokens, gold, edit_lists):
    return {
        str(n): [Case("1", (CaseRewrite(edits),), (CaseRewrite(gold),), edit_tokens=tokens)]
        for n, edits in enumerate(edit_lists)
    }


@given(sides(systems=3))
def test_edit_weights_are_shares_of_the_slow_verdicts(case):
    tokens, gold, edit_lists = case
    (difficulty,) = edit_weights(cases_of(tokens, gold, edit_lists))
    rows = [slow_verdicts(gold, edits, tokens) for edits in edit_lists]
    by_chunk = list(zip(chunks(marking(gold, tokens)), zip(*rows, strict=True), strict=True))
    for chunk, column in by_chunk:
        weight = 1 - sum(letter in "TN" for letter in column) / 3
        if chunk.edit is not None:
            same = [e for e in gold if e.replacement == gold[chunk.edit].replacement]
            same = [e for e in same if (e.start, e.end) == chunk[:2]]
            if len(same) == 1:  # pooled sets have an edit twice, and then it counts once
                assert difficulty.references[0][chunk.edit] == weight


@given(sides(systems=3))
def test_weights_stay_in_their_range_and_do_not_know_the_order_of_systems(case):
    tokens, gold, edit_lists = case
    (difficulty,) = edit_weights(cases_of(tokens, gold, edit_lists))
    assert all(0 <= weight <= 1 for weight in difficulty.references[0])
    assert edit_weights(cases_of(tokens, gold, edit_lists[::-1])) == [difficulty]
