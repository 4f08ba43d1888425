"""Names to objects, and the door of the package."""

from __future__ import annotations

import pytest

import gecbench
from gecbench.backends import SEGMENTERS
from gecbench.core.errors import UnknownNameError
from gecbench.core.registry import resolve
from gecbench.core.score import Counts, total
from gecbench.formats import FORMATS
from gecbench.lang import SCHEMES
from gecbench.metrics import METRICS

TABLE = {"counts": "gecbench.core.score:Counts", "total": "gecbench.core.score:total"}


def test_a_name_gives_its_object():
    assert resolve("thing", "counts", TABLE) is Counts
    assert resolve("thing", "total", TABLE) is total


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError) as error:
        resolve("thing", "count", TABLE)
    assert str(error.value) == "unknown thing 'count'; did you mean counts?"


def test_every_entry_of_every_table_can_be_imported():
    for table in (FORMATS, SCHEMES, METRICS, SEGMENTERS):
        assert all(resolve("entry", name, table) for name in table)


def test_every_public_name_resolves_and_is_listed():
    for name in gecbench.__all__:
        assert getattr(gecbench, name) is not None
    assert set(gecbench.__all__) <= set(dir(gecbench))


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        _ = gecbench.scores
