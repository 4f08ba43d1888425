"""Edits of files are used as they are, on both sides alike, and never compared with a program's.

ERRANT and ChERRANT give the figures of both ways: M2 files that they wrote, and what people wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from gecbench.api.analyse import meta
from gecbench.api.difficulty import difficulty
from gecbench.api.files import load, load_system
from gecbench.api.options import Options, Places, SchemeSpec
from gecbench.api.score import score
from gecbench.api.verb_options import DifficultyOptions
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.scoring.results import Result

pytestmark = [pytest.mark.golden, pytest.mark.slow]

SYSTEMS = ("T5", "GECToR-ens")


def counts(result: Result) -> tuple[int, int, int]:
    return result.score.counts.tp, result.score.counts.fp, result.score.counts.fn


@pytest.mark.parametrize(("re_extract", "references"), [(None, "first"), (True, "all")])
def test_a_named_scheme_leaves_the_references_own_edits(
    shared: Path, re_extract: bool | None, references: str
):
    """References with ChERRANT's first edit sets, and a system of which only texts are there."""
    official = json.loads((shared / "golden/cherrant/scores.json").read_text("utf-8"))
    corpus = load(shared / "golden/cherrant/MuCGEC_dev.char.first.m2")
    system = load_system(shared / "data/mucgec/example_pred_dev.txt", corpus)
    scheme = SchemeSpec("zh-cherrant", places=Places(mirror=shared / "data"))
    options = Options(re_extract=re_extract)
    (result,) = score(corpus, [system], scheme=scheme, options=options).results
    want = official[f"dev hyp=all ref={references}"]["default"]
    assert counts(result) == (want["tp"], want["fp"], want["fn"])


@pytest.fixture(scope="module")
def texts(shared: Path) -> tuple[Corpus, list[SystemOutput]]:
    """People's edits of CoNLL-2014, and systems of which only texts are there."""
    corpus = load(shared / "data/m2/conll14.gold")
    outputs = shared / "data/seeda/outputs"
    return corpus, [load_system(outputs / f"{name}.txt", corpus) for name in SYSTEMS]


@pytest.fixture(scope="module")
def official_files(shared: Path) -> tuple[Corpus, list[SystemOutput]]:
    """The same, as ERRANT extracted all edits."""
    folder = shared / "golden/errant"
    corpus = load(folder / "conll14.ref_auto.m2")
    return corpus, [load_system(folder / f"{name}.m2", corpus) for name in SYSTEMS]


@pytest.fixture(scope="module")
def scheme(shared: Path, common: Path) -> SchemeSpec:
    """ERRANT with the pipeline by which the official files were made."""
    return SchemeSpec(
        "en-errant", spacy_model=shared / "data/en_ud_sm", parse_cache=common / "parses of errant"
    )


@pytest.mark.parametrize(("re_extract", "references"), [(None, "ref_auto"), (False, "ref_gold")])
def test_people_beside_texts_are_extracted_again_as_errant_does(
    shared: Path, texts, scheme: SchemeSpec, re_extract: bool | None, references: str
):
    official = json.loads((shared / "golden/errant/scores.json").read_text("utf-8"))
    report = score(*texts, scheme=scheme, options=Options(re_extract=re_extract))
    want = {name: official[name][references]["cs"] for name in SYSTEMS}
    assert {result.system: counts(result) for result in report.results} == {
        name: (row["TP"], row["FP"], row["FN"]) for name, row in want.items()
    }
    assert report.notes, "whichever way is taken, the table says so"


def test_the_bundled_pipeline_gives_what_the_documentation_says(texts, common: Path):
    """Ours; docs/schemes.md has both rows."""

    def t5(re_extract: bool | None) -> tuple[tuple[int, int, int], str]:
        scheme = SchemeSpec("en-errant", parse_cache=common / "parses of the bundled pipeline")
        corpus, systems = texts
        options = Options(re_extract=re_extract)
        (result,) = score(corpus, systems[:1], scheme=scheme, options=options).results
        return counts(result), f"{result.score.value:.2%}"

    assert t5(None) == ((1389, 755, 1433), "60.93%")
    assert t5(False) == ((1334, 810, 1440), "58.77%")


def weighted(inputs: tuple[Corpus, list[SystemOutput]], **options) -> Mapping[str, object]:
    (result, *_) = difficulty(*inputs, **options)
    return {score.system: score.weighted for score in result.scores}


def test_difficulty_is_that_of_the_files_that_errant_writes(
    texts, official_files, scheme: SchemeSpec
):
    by_default = weighted(texts, scheme=scheme)
    assert by_default == weighted(official_files)
    as_in_files = weighted(texts, scheme=scheme, options=DifficultyOptions(re_extract=False))
    assert as_in_files["T5"] != by_default["T5"]


def test_meta_evaluation_scores_as_score_does(
    shared: Path, texts, scheme: SchemeSpec, tmp_path: Path
):
    official = json.loads((shared / "golden/errant/scores.json").read_text("utf-8"))
    corpus, outputs = texts
    third = load_system(shared / "data/seeda/outputs/BERT-fuse.txt", corpus)
    people = tmp_path / "people.tsv"
    people.write_text("system\tscore\nT5\t2\nGECToR-ens\t1\nBERT-fuse\t0\n", "utf-8")
    options = Options(metrics=("errant",))
    result = meta(corpus, [*outputs, third], human=[people], scheme=scheme, options=options)
    assert result.scores is not None
    scores_by_system = dict(
        zip(result.scores.systems, result.scores.metrics["errant"], strict=True)
    )
    want = {name: official[name]["ref_auto"]["cs"]["F"] for name in SYSTEMS}
    assert {name: round(scores_by_system[name], 4) for name in SYSTEMS} == want
