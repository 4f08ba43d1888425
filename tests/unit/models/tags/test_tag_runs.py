"""What runs of target tokens cost: found for each by itself, or for all at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.models.tags import derive
from gecbench.models.tags.derive import derive_labels
from gecbench.models.tags.labels import transforms_for

TOKENS = st.lists(st.text("abgo-s", min_size=1, max_size=5), min_size=1, max_size=7)


@given(TOKENS, TOKENS)
def test_both_ways_find_the_same_distances(source, target):
    at, end = np.triu_indices(len(target) + 1)
    for one, many in zip(
        derive._run_distances(source, target), derive._all_distances(source, target), strict=True
    ):
        assert (one[at, end] == many[at, end]).all()


@given(TOKENS, TOKENS)
def test_labels_do_not_depend_on_the_way(source, target):
    found = set()
    with pytest.MonkeyPatch.context() as patch:
        for few in (0, 99):
            patch.setattr(derive, "_FEW", few)
            found.add(derive_labels(source, target, transforms_for("en")))
    assert len(found) == 1
