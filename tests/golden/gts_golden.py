"""What GoToScorer gave, and the references that it was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from gecbench.analysis.difficulty import WeightedCounts
from gecbench.api.files import load, load_systems
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import f_score


@cache
def golden(shared: Path, name: str) -> Any:
    """A JSON file of the golden folder."""
    return json.loads((shared / f"golden/gts/{name}.json").read_text("utf-8"))


@cache
def conll14(shared: Path) -> Corpus:
    """Both annotators of CoNLL-2014."""
    return load(shared / "data/m2/conll14.gold")


@cache
def data(shared: Path, name: str) -> tuple[Corpus, list[SystemOutput]]:
    """The corpus and the systems of a golden set."""
    corpus = conll14(shared) if name == "seeda11" else cleme(shared)
    path = shared / f"golden/gts/inputs/{name}.m2"
    return corpus, load_systems(path, corpus, names=golden(shared, name)["systems"])


def cleme(shared: Path) -> Corpus:
    """Annotator 0 of CLEME's reference, which is not in the folder: taken from the picture of
    its chunks, with the mask that says which of them are errors.
    """
    folder = shared / "golden/gts"
    blocks = (folder / "cleme12.chunks.txt").read_text("utf-8").split("\n\n")
    masks = golden(shared, "cleme12.verdicts")["mask"]
    sources = load(folder / "inputs/cleme12.m2").samples
    pairs = zip(sources, blocks[:-1], masks, strict=True)
    return Corpus("cleme", tuple(_annotated(*pair) for pair in pairs))


def _annotated(sample: Sample, block: str, mask: str) -> Sample:
    lines = (line.partition(":")[2].strip()[1:-1] for line in block.splitlines())
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    edits = []
    at = 0
    for source, target, _, label, kind in zip(*rows, mask, strict=True):
        end = at + len(source.split())
        if kind in "RI":
            edits.append(Edit(at, end, tuple(target.split()), label))
        at = end
    rewrite = Rewrite(
        error_free=not edits, text="..." if edits else None, edit_sets=(tuple(edits),)
    )
    return replace(sample, references=(replace(rewrite, annotator="0"),))


def official(counts: WeightedCounts) -> Mapping[str, float]:
    """Weighted counts under the program's names."""
    return {
        "TP": counts.tp,
        "FP": counts.fp,
        "FN": counts.fn,
        "TN": counts.tn,
        "all": counts.all,
        "P": counts.precision,
        "R": counts.recall,
        "F1": f_score(counts.precision, counts.recall, 1),
        "F0.5": f_score(counts.precision, counts.recall, 0.5),
        "A": counts.accuracy,
    }
