"""CLEME and CLEME2.0 as the authors' program computes them, on real systems and on edge cases."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gecbench.api.files import load, load_system
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.score import Score
from gecbench.metrics.cleme import ChunkMetric, Cleme, Cleme2, SentenceCleme, SentenceCleme2
from gecbench.scoring.cases import make_cases
from gecbench.scoring.extractor import Extractor

pytestmark = pytest.mark.golden

NAMES = {"p": "precision", "r": "recall", "acc": "accuracy"}
NAMES |= {name: name for name in ("tp", "fn", "tn", "fp_ne", "fp_un", "hit")}
NAMES |= {"err": "wrong", "und": "under", "ove": "over"}
PUBLISHED = ("p", "r", "f", "acc")
FACTORS = {"corpus": (0.45, 0.35, 0.15, 0.05), "sentence": (0.35, 0.25, 0.2, 0.2)}
KINDS = {
    "corpus": (Cleme, Cleme2),
    "sentence": (SentenceCleme, SentenceCleme2),
}


def figures(score: Score) -> dict[str, float]:
    """Under the names of the authors' program."""
    parts = {name: score.parts[ours] for name, ours in NAMES.items() if ours in score.parts}
    return {
        **parts,
        "fp": parts["fp_ne"] + parts["fp_un"],
        "f": score.value,
        "com": score.value,
    }


def runs(official: Mapping[str, Any], assumption: str) -> Iterator[tuple[ChunkMetric, Mapping]]:
    """Yield each official run under an assumption: the metric, and its figures."""
    options = {"assumption": assumption, "faults": "official"}
    lengths = official["length"]
    for level, (cleme, cleme2) in KINDS.items():
        yield cleme(weights="none", **options), lengths[f"prf_{level}_unweighted"]
        yield cleme(**options), lengths[f"prf_{level}_weighted"]
        for name, values in FACTORS.items():
            if tables := official.get(f"cleme2_{name}_factors"):
                factors = dict(zip(("hit", "wrong", "under", "over"), values, strict=True))
                yield cleme2(**factors, **options), tables[f"heuo_{level}_unweighted"]
    if published := official.get("length_sentence_parameters_set"):
        yield SentenceCleme(assumption=assumption), published["prf_sentence_weighted"]


def check(corpus: Corpus, system: SystemOutput, official: Mapping[str, Any]) -> int:
    """Compare all figures of a system whose edits are used as they are; how many there were."""
    extractor = Extractor(lambda: pytest.fail("no edit is extracted"), re_extract=False)
    (cases,) = make_cases(corpus, [system], frozenset({"edits"}), extractor).by_system.values()
    number = 0
    for assumption, tables in official.items():
        taker = Cleme(assumption=assumption, faults="official")
        stats = [taker.stats(case) for case in cases]
        for metric, values in runs(tables, assumption):
            numbers = figures(metric.aggregate(stats))
            for name, value in values.items():
                if name in numbers and not math.isnan(value):  # not defined there
                    exact = metric.faults == "official" or name not in PUBLISHED
                    expected = pytest.approx(value, abs=1e-9 if exact else 5e-5)
                    assert numbers[name] == expected, f"{metric.signature} {name}"
                    number += 1
    return number


@pytest.fixture(scope="module")
def official(shared: Path) -> dict:
    return json.loads((shared / "golden/cleme/scores.json").read_text("utf-8"))


@pytest.fixture(scope="module", params=["errant_auto", "official"])
def references(request, shared: Path) -> tuple[str, Corpus]:
    path = {
        "errant_auto": shared / "golden/errant/conll14.ref_auto.m2",
        "official": shared / "data/m2/conll14.gold",
    }[request.param]
    return request.param, load(path)


SYSTEMS = ["INPUT", "REF-F", "T5"]
OTHERS = ["GECToR-BERT", "GECToR-ens", "PIE", "REF-M", "Riken-Tohoku", "TemplateGEC"]


@pytest.mark.parametrize(
    "name", [*SYSTEMS, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
def test_systems_have_the_official_figures(
    shared: Path, tmp_path: Path, references, official: dict, name: str
):
    kind, corpus = references
    packed = (shared / f"golden/cleme/hyp/{name}.m2.gz").read_bytes()
    (tmp_path / f"{name}.m2").write_bytes(gzip.decompress(packed))
    system = load_system(tmp_path / f"{name}.m2", corpus)
    assert check(corpus, system, official[kind][name]["v2"]) > 100


EDGES = [f"{n} " for n in range(1, 28)]


@pytest.mark.parametrize("number", EDGES)
def test_edge_cases_have_the_official_figures(shared: Path, tmp_path: Path, number: str):
    cases = json.loads((shared / "golden/cleme/edge_cases.json").read_text("utf-8"))
    (edge,) = (case for name, case in cases.items() if name.startswith(number))
    for name in ("ref", "hyp"):
        (tmp_path / f"{name}.m2").write_text(edge[f"{name}_m2"], "utf-8")
    corpus = load(tmp_path / "ref.m2", lang="en")
    assert check(corpus, load_system(tmp_path / "hyp.m2", corpus), edge["v2"])


@pytest.mark.parametrize("kind", ["all", "first"])
def test_chinese_has_the_official_figures(shared: Path, kind: str):
    official = json.loads((shared / "golden/cleme/mucgec.json").read_text("utf-8"))[kind]
    folder = shared / "golden/cherrant"
    corpus = load(folder / f"MuCGEC_dev.char.{kind}.m2")
    system = load_system(folder / f"example_pred_dev.char.{kind}.m2", corpus)
    assert check(corpus, system, official["v2_zho"]) > 100


def test_the_authors_example_has_its_figures(shared: Path, tmp_path: Path):
    folder = shared / "golden/cleme/demo"
    official = json.loads((folder / "scores.json").read_text("utf-8"))
    for name in ("conll14", "conll14-AMU"):
        packed = (folder / f"{name}.errant.gz").read_bytes()
        (tmp_path / f"{name}.m2").write_bytes(gzip.decompress(packed))
    corpus = load(tmp_path / "conll14.m2")
    system = load_system(tmp_path / "conll14-AMU.m2", corpus)
    assert check(corpus, system, official["AMU"]["v2"]) > 100
