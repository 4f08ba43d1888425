"""The catalogue against the files that the origin serves."""

from pathlib import Path

import pytest

from gecbench.datasets import catalog
from gecbench.datasets.catalog import catalogue


@pytest.mark.parametrize("known", catalogue().values(), ids=lambda known: known.name)
def test_every_hash_is_that_of_the_origins_file(known, shared: Path, tmp_path):
    paths = catalog.verify(known, folder=tmp_path, mirror=shared / "data")
    assert paths == [shared / "data" / known.name / file.name for file in known.files]
