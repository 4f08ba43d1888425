"""The explorer of the report page says the counts that the official scorer has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.analysis.sentences import SentenceRow, sentence_rows
from gecbench.api.files import load, load_system
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.reports.page.sentences import pack_sentences

pytestmark = pytest.mark.golden


def golden(shared: Path) -> dict:
    return json.loads((shared / "golden/cherrant/scores.json").read_text("utf-8"))


def marks(row: SentenceRow) -> list[int]:
    """The distinct edits of the only system: true, false, missed."""
    (output,) = row.outputs
    right_of = dict(zip(output.edits, output.right, strict=True))
    verdicts = list(right_of.values())
    return [verdicts.count(True), verdicts.count(False), len(set(output.missed))]


@pytest.mark.parametrize(("name", "level"), [("default", "correction"), ("dt", "detection-token")])
def test_the_counts_beside_a_system_add_up_to_the_official_ones(
    shared: Path, make_cherrant, name: str, level: str
):
    corpus = load(shared / "data/mucgec/MuCGEC_dev.txt")
    system = load_system(shared / "data/mucgec/example_pred_dev.txt", corpus)
    options = Options(level=level)  # type: ignore[arg-type]
    run_stats = collect_stats(
        corpus, [system], scheme=make_cherrant(strategy="all"), options=options
    )
    rows = list(sentence_rows(run_stats, "cherrant"))
    packed = pack_sentences(rows, ["pred"], "zh", (), edits=True)
    (output,) = packed["outputs"]
    counts = [tuple(output["counts"][at : at + 3]) for at in range(0, 3 * len(rows), 3)]
    want = golden(shared)["dev hyp=all ref=all"][name]
    assert tuple(map(sum, zip(*counts, strict=True))) == (want["tp"], want["fp"], want["fn"])
    fewer = sum(marks(row) != list(counts) for row, counts in zip(rows, counts, strict=True))
    assert fewer > 0  # why the page says counts, and not how many marks there are
