"""GLEU is the official script's, draw for draw, under both versions of Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from text_inputs import cases, conll, jfleg

from gecbench.core.case import Case
from gecbench.metrics.gleu import GENERATORS, Gleu, Matches, SentenceGleu, draw

pytestmark = pytest.mark.golden

FILES = {"python3": "jfleg_py3.json", "python2": "jfleg_py2.json"}
INPUTS = {
    "source vs ref0-3": ("src", (0, 1, 2, 3)),
    "ref0 vs the other three": ("ref0", (1, 2, 3)),
    "ref1 vs the other three": ("ref1", (0, 2, 3)),
    "ref2 vs the other three": ("ref2", (0, 1, 3)),
    "ref3 vs the other three": ("ref3", (0, 1, 2)),
    "ref0 vs ref0-3": ("ref0", (0, 1, 2, 3)),
    "source vs ref0 only": ("src", (0,)),
    "source vs ref0-3, order 2": ("src", (0, 1, 2, 3)),
    "source vs ref0-3, 10 iterations": ("src", (0, 1, 2, 3)),
}
OPTIONS = {
    "source vs ref0-3, order 2": {"order": 2},
    "source vs ref0-3, 10 iterations": {"iterations": 10},
}
WITHOUT_INPUT = "spellchecked source vs ref0-3"
"""This run cannot be made again: the reference folder has no spell-checked sources."""

PARTS = ("dev", "test")
RUNS = [f"{part}: {name}" for part in PARTS for name in INPUTS]
BY_SENTENCE = [
    f"{part}: {name}" for part in PARTS for name in ("source vs ref0-3", "ref0 vs the other three")
]


@cache
def golden(shared: Path, generator: str) -> dict:
    return json.loads((shared / "golden/gleu" / FILES[generator]).read_text("utf-8"))


def inputs(shared: Path, run: str) -> list[Case]:
    part, name = run.split(": ")
    hypothesis, annotators = INPUTS[name]
    references = [jfleg(shared, part, f"ref{annotator}") for annotator in annotators]
    return cases(jfleg(shared, part, "src"), jfleg(shared, part, hypothesis), references)


@cache
def stats_of(shared: Path, run: str) -> Sequence[Matches]:
    """The statistics of a run, in which neither draws nor iterations play a part."""
    if run.endswith(", 10 iterations"):
        return stats_of(shared, run.partition(",")[0])
    metric = Gleu(order=OPTIONS.get(run.split(": ")[1], {}).get("order", 4))
    return [metric.stats(case) for case in inputs(shared, run)]


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_run_is_here_but_those_without_input(shared: Path, generator: str) -> None:
    runs = golden(shared, generator)["runs"]
    assert set(runs) == {*RUNS, *(f"{part}: {WITHOUT_INPUT}" for part in PARTS)}
    scored = {run for run, figures in runs.items() if "sentence_mean" in figures}
    assert scored == {*BY_SENTENCE, *(f"{part}: {WITHOUT_INPUT}" for part in PARTS)}


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("run", RUNS)
def test_mean_deviation_and_first_iterations_are_the_official(
    shared: Path, run: str, generator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = golden(shared, generator)["runs"][run]
    metric = Gleu(draws=generator, **OPTIONS.get(run.split(": ")[1], {}))
    stats = stats_of(shared, run)
    values = metric.rounds(stats)
    monkeypatch.setattr(Gleu, "rounds", lambda *_: values)  # to be drawn once
    score = metric.aggregate(stats)
    assert score.value == pytest.approx(figures["mean"], abs=1e-12)
    deviation = figures["std_population"]
    assert score.parts.get("deviation", 0.0) == pytest.approx(deviation, abs=1e-12)
    rounds = values.tolist()
    if run.endswith("only"):
        rounds *= 3  # where there is nothing to draw, one round says it all
    assert rounds[:5] == pytest.approx(figures["first5_iterations"], abs=1e-12)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("run", BY_SENTENCE)
def test_sentence_scores_are_the_official(shared: Path, run: str, generator: str) -> None:
    figures = golden(shared, generator)["runs"][run]
    metric, stats = SentenceGleu(), stats_of(shared, run)
    first = inputs(shared, run)[:50]
    assert [metric.stats(case) for case in first] == stats[: len(first)]
    assert metric.aggregate(stats).value == pytest.approx(figures["sentence_mean"], abs=1e-12)
    values = [sentence["value"] for sentence in metric.sentences(stats)]
    assert values[:10] == pytest.approx(figures["sentence_first10"], abs=1e-12)
    assert values == pytest.approx(figures["sentence_all"], abs=5.1e-7)  # kept with 6 decimals
    assert [sentence["value"] for sentence in Gleu().sentences(stats)] == values


@pytest.mark.parametrize("generator", GENERATORS)
def test_draws_are_those_of_that_python(shared: Path, generator: str) -> None:
    draws = golden(shared, generator)["draws"]
    assert len(draws) == 4
    for name, drawn in draws.items():
        seed, references = name.removeprefix("seed").removesuffix("refs").split("_")
        actual_draws = draw(int(seed), len(drawn), int(references), generator)
        assert actual_draws.tolist() == drawn, name


def test_the_figures_of_the_jfleg_page_are_of_python_2(shared: Path) -> None:
    for part, figure in (("dev", 38.21), ("test", 40.54)):
        metric = Gleu(draws="python2")
        stats = stats_of(shared, f"{part}: source vs ref0-3")
        assert round(100 * metric.aggregate(stats).value, 2) == figure


def test_scores_are_gec_metrics_gleuofficial(shared: Path) -> None:
    path = shared / "golden/gecmetrics/scores.json"
    figures = json.loads(path.read_text("utf-8"))["T5"]["gleuofficial"]
    metric = Gleu()
    for annotators, name in (((0, 1), "corpus"), ((0,), "ref0_only"), ((1,), "ref1_only")):
        stats = [metric.stats(case) for case in conll(shared, *annotators)]
        assert metric.aggregate(stats).value == pytest.approx(figures[name], abs=1e-12)
