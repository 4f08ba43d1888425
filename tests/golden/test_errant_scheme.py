"""The scheme en-errant with spaCy at work: M2 files byte for byte as ERRANT 3.0.2 writes them.

The official files were made with the pipeline in data/en_ud_sm, read sentence by sentence; ours
are read in batches, and parsed apart from the tagging.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.api.files import load, save
from gecbench.api.options import Options
from gecbench.api.schemes import extract, load_scheme
from gecbench.api.score import score
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme

pytestmark = pytest.mark.golden


@pytest.fixture(scope="module")
def schemes(shared: Path, common: Path):
    """Schemes by their options, each loaded once; those that are not live share their parses."""
    by_options: dict[tuple, Scheme] = {}

    def make(live: bool = False, **options: object) -> Scheme:
        key = (live, *sorted(options.items()))
        if key not in by_options:
            parses = None if live else common / "parses of errant"
            by_options[key] = load_scheme(
                "en-errant", spacy_model=shared / "data/en_ud_sm", parse_cache=parses, **options
            )
        return by_options[key]

    return make


def written(corpus: Corpus, folder: Path) -> str:
    save(corpus, folder / "made.m2", format="m2")
    return (folder / "made.m2").read_text("utf-8")


def parallel(shared: Path, *targets: str) -> Corpus:
    source = shared / "data/seeda/outputs/INPUT.txt"
    return load(source, references=[shared / target for target in targets])


@pytest.mark.slow  # test_errant_m2 compares them, with recorded parses
@pytest.mark.parametrize("system", ["T5", "GECToR-ens"])
def test_parallel_text_becomes_the_official_m2(shared, schemes, tmp_path, system: str):
    corpus = parallel(shared, f"data/seeda/outputs/{system}.txt")
    want = (shared / f"golden/errant/{system}.m2").read_text("utf-8")
    assert written(extract(corpus, schemes(live=True)), tmp_path) == want


@pytest.mark.slow  # test_errant_m2 compares the same files, with recorded parses
@pytest.mark.parametrize("merging", ["all-split", "all-merge", "all-equal"])
def test_other_mergings_are_the_official_ones(shared, schemes, tmp_path, merging: str):
    corpus = parallel(shared, "data/seeda/outputs/T5.txt")
    want = (shared / f"golden/errant/T5.{merging}.m2").read_text("utf-8")
    assert written(extract(corpus, schemes(merging=merging)), tmp_path) == want


@pytest.mark.slow
def test_the_levenshtein_alignment_is_the_official_one(shared, schemes, tmp_path):
    corpus = parallel(shared, "data/seeda/outputs/T5.txt")
    want = (shared / "golden/errant/T5.lev.m2").read_text("utf-8")
    assert written(extract(corpus, schemes(levenshtein=True)), tmp_path) == want


@pytest.mark.slow
def test_several_references_are_the_official_ones(shared, schemes, tmp_path):
    corpus = parallel(shared, "golden/errant/REF0.txt", "golden/errant/REF1.txt")
    want = (shared / "golden/errant/conll14.ref_parallel.m2").read_text("utf-8")
    assert written(extract(corpus, schemes()), tmp_path) == want


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [("auto", {}), ("gold", {"keep": True})], ids=["auto", "gold"]
)
def test_m2_is_annotated_again_as_officially(shared, schemes, tmp_path, name: str, options):
    corpus = load(shared / "data/m2/conll14.gold", format="m2")
    want = (shared / f"golden/errant/conll14.ref_{name}.m2").read_text("utf-8")
    assert written(extract(corpus, schemes(), **options), tmp_path) == want


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("auto", {}),
        ("gold", {"keep": True}),
        ("goldno_min", {"keep": True, "minimise": False}),
        ("goldold_cats", {"keep": True, "relabel": False}),
    ],
)
def test_edges_of_m2_are_annotated_as_officially(shared, schemes, tmp_path, name: str, options):
    """But for the last block, which ERRANT loses where no blank line follows it."""
    corpus = load(shared / "golden/errant/edge/edge_m2_in.m2", format="m2")
    want = (shared / f"golden/errant/edge/edge_m2_out.{name}.m2").read_text("utf-8")
    m2 = written(extract(corpus, schemes(), **options), tmp_path)
    last = corpus.samples[-1].source
    assert last not in want
    assert m2[: m2.index(f"S {last}")] == want


@pytest.mark.slow
@pytest.mark.parametrize("types", [True, False], ids=["types", "plain"])
def test_scores_need_no_types(shared, schemes, types: bool):
    corpus = parallel(shared, "golden/errant/REF0.txt", "golden/errant/REF1.txt")
    texts = (shared / "data/seeda/outputs/T5.txt").read_text("utf-8").split("\n")
    system = _system("T5", corpus, texts)
    report = score(corpus, [system], scheme=schemes(types=types), options=Options())
    actual_score = report.results[0].score
    assert (actual_score.counts.tp, actual_score.counts.fp, actual_score.counts.fn) == (
        1387,
        757,
        1405,
    )
    assert ("R:SPELL" in actual_score.by_type) == types


def _system(name: str, corpus: Corpus, texts: list[str]) -> SystemOutput:
    from gecbench.core.sample import Rewrite

    pairs = zip(corpus.samples, texts, strict=True)
    return SystemOutput(name, {sample.id: (Rewrite(text),) for sample, text in pairs})
