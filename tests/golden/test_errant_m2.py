"""Our alignment, merging and types are ERRANT's, byte for byte, from recorded analyses."""

from __future__ import annotations

from pathlib import Path

import pytest
from errant_golden import Parse, blocks, lines, parallel, recorded

from gecbench.lang.en import alignment

pytestmark = pytest.mark.golden

OPTIONS = {
    "": {},
    ".all-merge": {"strategy": "all-merge"},
    ".all-split": {"strategy": "all-split"},
    ".all-equal": {"strategy": "all-equal"},
    ".lev": {"levenshtein": True},
}
OUTPUTS = "data/seeda/outputs"


@pytest.fixture(scope="module")
def parse(shared: Path) -> Parse:
    return recorded(shared)


@pytest.fixture(params=["compiled", "python"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(alignment, "compiled", None)
    if alignment.kernel_name() != request.param:
        pytest.skip("no compiler was there")


@pytest.mark.usefixtures("kernel")
def test_a_system(shared: Path, parse: Parse):
    texts = [lines(shared / OUTPUTS / f"{name}.txt") for name in ("INPUT", "T5")]
    assert parallel(parse, texts) == blocks(shared / "golden/errant/T5.m2")


@pytest.mark.parametrize("option", OPTIONS)
def test_merging_strategies_and_levenshtein(shared: Path, parse: Parse, option: str):
    texts = [lines(shared / OUTPUTS / f"{name}.txt") for name in ("INPUT", "T5")]
    want = blocks(shared / f"golden/errant/T5{option}.m2")
    assert parallel(parse, texts, **OPTIONS[option]) == want


def test_another_system(shared: Path, parse: Parse):
    texts = [lines(shared / OUTPUTS / f"{name}.txt") for name in ("INPUT", "GECToR-ens")]
    assert parallel(parse, texts) == blocks(shared / "golden/errant/GECToR-ens.m2")


def test_two_references(shared: Path, parse: Parse):
    golden = shared / "golden/errant"
    texts = [shared / OUTPUTS / "INPUT.txt", golden / "REF0.txt", golden / "REF1.txt"]
    want = blocks(golden / "conll14.ref_parallel.m2")
    assert parallel(parse, [lines(path) for path in texts]) == want


@pytest.mark.parametrize("name", ["conll14", "tem8"])
def test_references_of_robustgec(shared: Path, parse: Parse, name: str):
    rows = lines(shared / f"data/robustgec/{name}/para.txt")
    texts = [[row[4:] for row in rows if row.startswith(f"O-{side}")] for side in "ST"]
    want = blocks(shared / f"golden/errant/robustgec_{name}.O.m2")
    assert len(want) > 1000
    assert parallel(parse, texts) == want


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("option", OPTIONS)
def test_edge_cases(shared: Path, parse: Parse, option: str):
    folder = shared / "golden/errant/edge"
    texts = [lines(folder / f"edge_{name}.txt") for name in ("orig", "cor")]
    assert parallel(parse, texts, **OPTIONS[option]) == blocks(folder / f"edge{option}.m2")
