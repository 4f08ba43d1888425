"""Breakdowns, references and segmenters on real data, against official and published numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.analysis.breakdown import by_position, by_type
from gecbench.analysis.options import Sweep
from gecbench.analysis.references import curves, distribution, statistics
from gecbench.api.analyse import segmentation
from gecbench.api.files import load, load_system
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.score import total
from gecbench.scoring.results import RunStats

pytestmark = pytest.mark.golden


@pytest.fixture(scope="module")
def dev(shared: Path) -> RunStats:
    """MuCGEC's development set and its example prediction, as ChERRANT extracted both."""
    folder = shared / "golden/cherrant"
    corpus = load(folder / "MuCGEC_dev.char.all.m2")
    system = load_system(folder / "example_pred_dev.char.all.m2", corpus, name="example")
    return collect_stats(corpus, [system])


@pytest.fixture(scope="module")
def official(shared: Path) -> dict:
    rows = json.loads((shared / "golden/cherrant/scores.json").read_text("utf-8"))
    return rows["dev hyp=all ref=all"]


def three(row: dict) -> tuple[int, int, int]:
    return row["tp"], row["fp"], row["fn"]


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_types_are_the_official_categories(official: dict, dev: RunStats, tier: int):
    parts = by_type(dev, "cherrant", tier)
    cells = zip(parts.groups, parts.cells["example"], strict=True)
    ours = {g: (c.counts.tp, c.counts.fp, c.counts.fn) for g, c in cells}
    categories = official[f"cat{tier}"]["categories"]
    assert ours == {label or "-": three(row) for label, row in categories.items()}


def test_positions_make_up_the_official_counts(official: dict, dev: RunStats):
    breakdown = by_position(dev, "cherrant")
    counts = total(cell.counts for cell in breakdown.cells["example"])
    assert (counts.tp, counts.fp, counts.fn) == three(official["default"])


def test_the_first_k_references_give_the_official_scores(official: dict, dev: RunStats):
    """--max_answer_num 1 to 3; from 4 up the official flag drops every edit."""
    (curve,) = curves(dev, Sweep(taking="first"))
    scores = [round(point.mean, 4) for point in curve.points]
    assert scores[:3] == [official[f"max_answer_{k}"]["f"] for k in (1, 2, 3)]
    assert scores[-1] == official["default"]["f"]


def test_statistics_of_mucgec_dev(dev: RunStats):
    """An independent count (specs/annotation.md) of the references; the rest is ours.

    The paper's table 4 has no row for the development set. It is of CGED alone, whose row there
    says 44.8 characters, 4.0 edits, 2.3 references, 95.6% erroneous.
    """
    (row,) = statistics(dev)
    assert (row.sentences, row.discarded, row.erroneous) == (1134, 3, 1079)
    assert round(row.erroneous / row.sentences, 3) == 0.951
    assert round(row.characters, 1) == 44.0
    assert round(row.edits, 1) == 3.9
    assert round(row.references, 1) == round(row.distinct, 1) == 2.2
    every, erroneous = distribution(dev)
    # 287 with one "reference" there count the three that nobody could annotate.
    assert every == {0: 3, 1: 284, 2: 462, 3: 313, 4: 62, 5: 10, 6: 2, 7: 1}
    assert erroneous == {1: 229, 2: 462, 3: 313, 4: 62, 5: 10, 6: 2, 7: 1}


def test_more_references_raise_the_score(dev: RunStats):
    """Our numbers, in docs/analysis/references.md."""
    (curve,) = curves(dev)
    means = [round(100 * point.mean, 2) for point in curve.points]
    assert means == [27.47, 34.23, 36.01, 36.19, 36.22, 36.22, 36.22]


def test_division_by_spaces_gives_the_official_counts(shared: Path):
    """m2scorer's on the 2,000 sentences of NLPCC 2018, beside what jieba makes of them."""
    gold = load(shared / "data/m2/nlpcc18.gold", format="m2-maxmatch")
    data = shared / "golden/m2"
    names = ("src", "half", "ref")
    systems = [load_system(data / f"m2data/nlpcc18.{n}", gold, name=n) for n in names]
    result = segmentation(gold, systems, segmenters=["spaces"], beside=("sentence-accuracy",))
    rows = json.loads((data / "m2_made.json").read_text("utf-8"))
    for name in names:
        counts = result.segmenters[0].scores["m2"][name].counts
        row = rows[f"made.nlpcc18.{name}"]
        assert counts.tp == row["correct"]
        assert counts.tp + counts.fp == row["proposed"]
        assert counts.tp + counts.fn == row["gold_edits"]
    accuracies = result.beside["sentence-accuracy"]
    beside = {name: score.parts["right"] for name, score in accuracies.items()}
    assert (beside["half"], beside["src"]) == (693, 19)


@pytest.mark.slow
def test_jieba_moves_scores_as_far_as_the_documentation_says(shared: Path):
    """Not official: our numbers, in docs/analysis/segmentation.md."""
    pytest.importorskip("jieba")
    gold = load(shared / "data/m2/nlpcc18.gold", format="m2-maxmatch")
    system = load_system(shared / "golden/m2/m2data/nlpcc18.half", gold, name="half")
    result = segmentation(gold, [system], segmenters=["spaces", "jieba"], beside=())
    (moved,) = result.movements["m2"]
    assert [round(100 * value, 2) for value in moved.values] == [82.72, 38.27]
    assert [segmenter.alike for segmenter in result.segmenters] == [2000, 349]


@pytest.mark.slow
def test_segmenters_change_the_order_of_two_systems_on_mucgec_dev(shared: Path):
    """Not official: our numbers, in docs/analysis/segmentation.md."""
    pytest.importorskip("jieba")
    corpus = load(shared / "data/mucgec/MuCGEC_dev.txt")
    folder = shared / "golden/cherrant/ensemble"
    systems = [load_system(folder / f"sys{n}.para", corpus, name=f"sys{n}") for n in (2, 3)]
    options = Options(metrics=("m2",))
    result = segmentation(
        corpus, systems, segmenters=["characters", "jieba"], beside=(), options=options
    )
    values = {m.system: [round(100 * v, 2) for v in m.values] for m in result.movements["m2"]}
    assert values == {"sys2": [79.03, 75.91], "sys3": [79.29, 74.98]}
    assert result.swaps == {"m2": 1}
