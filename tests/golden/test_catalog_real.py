"""The catalogue against the files that the origin serves."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from gecbench.datasets import catalog
from gecbench.datasets.catalog import catalogue

DATA_SETS = [known for known in catalogue().values() if not known.package]
WEIGHTS = [known for known in catalogue().values() if known.package]


@pytest.mark.parametrize("known", DATA_SETS, ids=lambda known: known.name)
def test_every_hash_is_that_of_the_origins_file(known, shared: Path, tmp_path):
    paths = catalog.verify(known, folder=tmp_path, mirror=shared / "data")
    assert paths == [shared / "data" / known.name / file.name for file in known.files]


@pytest.mark.parametrize("known", WEIGHTS, ids=lambda known: known.name)
def test_every_sum_is_that_of_the_package(known, tmp_path):
    name = known.files[0].path.partition("/")[0]
    if find_spec(name) is None:
        pytest.skip(f"needs {name}; `make integrations` installs it")
    assert len(catalog.verify(known, folder=tmp_path, mirror=None)) == len(known.files)
