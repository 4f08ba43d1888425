"""The protocol of NLPCC 2018: MaxMatch over words, from files, against m2scorer cb874a7."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.files import load, load_system
from gecbench.api.options import Options
from gecbench.api.score import score
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.scoring.cases import segmentation_notes, segmenter, segmenter_notes, token_shares

pytestmark = pytest.mark.golden

NAMES = ("src", "ref", "half")


@pytest.fixture(scope="module")
def gold(shared: Path) -> Corpus:
    return load(shared / "data/m2/nlpcc18.gold", format="m2-maxmatch")


def unspaced(shared: Path, gold: Corpus, name: str, folder: Path) -> SystemOutput:
    """A system's texts as they are before anything divides them."""
    path = folder / f"{name}.txt"
    words = (shared / f"golden/m2/m2data/nlpcc18.{name}").read_text("utf-8")
    path.write_text(words.replace(" ", ""), encoding="utf-8")
    return load_system(path, gold, name=name)


def counts(gold: Corpus, systems: list[SystemOutput], segmenter: str | None):
    report = score(gold, systems, options=Options(metrics=("m2",), segmenter=segmenter))
    by_system = {result.system: result.score.counts for result in report.results}
    signature = report.results[0].score.signature.parts
    return {name: (c.tp, c.tp + c.fp, c.tp + c.fn) for name, c in by_system.items()}, signature


@pytest.mark.parametrize("name", ["spaces", None])
def test_divided_texts_get_the_official_counts(shared: Path, gold: Corpus, name: str | None):
    data = shared / "golden/m2"
    official = json.loads((data / "m2_made.json").read_text("utf-8"))
    systems = [load_system(data / f"m2data/nlpcc18.{n}", gold, name=n) for n in NAMES]
    actual_counts, signature = counts(gold, systems, name)
    keys = ("correct", "proposed", "gold_edits")
    assert actual_counts == {
        n: tuple(official[f"made.nlpcc18.{n}"][k] for k in keys) for n in NAMES
    }
    assert signature["tokens"] == "spaces"


@pytest.mark.slow
def test_another_segmenter_costs_what_the_documentation_says(
    shared: Path, gold: Corpus, tmp_path: Path
):
    """Not official: our numbers, in docs/texts.md, of how little jieba does for PKUNLP."""
    pytest.importorskip("jieba")
    systems = [unspaced(shared, gold, name, tmp_path) for name in ("src", "ref")]
    actual_counts, signature = counts(gold, systems, "jieba")
    assert actual_counts == {"src": (123, 3072, 3790), "ref": (3209, 6197, 3790)}
    assert signature["tokens"] == "jieba 0.42.1"
    (note,) = segmenter_notes(segmenter("jieba", gold), gold)
    assert "divides 349 of 2000 sources as nlpcc18 does" in note


@pytest.mark.slow
def test_undivided_texts_are_noticed(shared: Path, gold: Corpus, tmp_path: Path):
    outputs = {}
    for name in ("src", "ref"):
        system = unspaced(shared, gold, name, tmp_path)
        for divide in ("spaces", "jieba", "characters"):
            if divide == "jieba":
                pytest.importorskip("jieba")
            find = segmenter(divide, gold).divide
            outputs[f"{name} {divide}"] = [
                Case(
                    s.id,
                    (CaseRewrite(tokens=find(system.hypotheses[s.id][0].text)),),
                    (),
                    tokens=s.tokens,
                )
                for s in gold.samples
            ]
    notes = [
        note.partition(" the median")[0]
        for note in segmentation_notes(
            {name: token_shares(cases) for name, cases in outputs.items()}
        )
    ]
    assert notes == [
        f"{name} {rest}"
        for name in ("src", "ref")
        for rest in (
            "spaces: looks unsegmented:",
            "characters: looks divided finer than the sources:",
        )
    ]
