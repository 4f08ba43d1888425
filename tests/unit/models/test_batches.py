"""Batches by length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gecbench.models.batches import make_batches

LENGTHS = st.lists(st.integers(0, 60), max_size=80)


def padding_share(lengths: list[int], batches: list[list[int]]) -> float:
    area = sum(max((lengths[k] for k in batch), default=0) * len(batch) for batch in batches)
    return 1 - sum(lengths[k] for batch in batches for k in batch) / area if area else 0.0


@given(LENGTHS, st.integers(1, 9), st.integers(0, 200))
def test_each_place_is_in_one_batch_and_batches_keep_their_bounds(lengths, size, tokens):
    batches = make_batches(lengths, size, tokens)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[place] for place in batch)
        assert 1 <= len(batch) <= size
        assert not tokens or len(batch) == 1 or longest * len(batch) <= tokens
    assert batches == make_batches(tuple(lengths), size, tokens)


@given(LENGTHS, st.integers(1, 9))
def test_no_order_pads_less_than_by_length(lengths, size):
    lengths = lengths[: len(lengths) // size * size]  # a batch that is not full may be anywhere
    unsorted = [list(range(k, k + size)) for k in range(0, len(lengths), size)]
    assert (
        padding_share(lengths, make_batches(lengths, size))
        <= padding_share(lengths, unsorted) + 1e-9
    )


@given(LENGTHS, st.integers(1, 9), st.floats(0, 1))
def test_no_batch_has_more_padding_than_is_allowed(lengths, size, most):
    batches = make_batches(lengths, size, most_padding=most)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(padding_share(lengths, [batch]) <= most + 1e-9 for batch in batches)
    assert make_batches(lengths, size, most_padding=1.0) == make_batches(lengths, size)
