"""GLEU of SEEDA's systems on its subset of CoNLL-2014, as its released functions give it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.files import load, load_system
from gecbench.api.options import Options
from gecbench.api.score import score

pytestmark = [pytest.mark.golden, pytest.mark.slow]


def test_gleu_of_the_subset_is_the_released_one(shared: Path, tmp_path: Path):
    folder = shared / "golden/seeda"
    official = json.loads((folder / "meta_eval.json").read_text("utf-8"))["GLEU_py3 (subset)"]
    rows = json.loads((folder / "src_ids.json").read_text("utf-8"))
    corpus = load(
        folder / "subset.src", references=[folder / "subset.ref0", folder / "subset.ref1"]
    )
    systems = []
    for name in official["system_scores"]:
        lines = (shared / f"data/seeda/outputs/{name}.txt").read_text("utf-8").split("\n")
        file = tmp_path / f"{name}.txt"
        file.write_text("".join(f"{lines[row]}\n" for row in rows), "utf-8")
        systems.append(load_system(file, corpus))
    options = Options(metrics=("gleu",))
    scores = {r.system: r.score.value for r in score(corpus, systems, options=options).results}
    assert scores == pytest.approx(official["system_scores"], abs=1e-12)
