"""The overview of several metrics and corpora, and the marks of what is best."""

from __future__ import annotations

import json
from dataclasses import replace

from gecbench.core.score import Counts, Interval, Score, Signature
from gecbench.reports.report import render as render_report
from gecbench.reports.scores import scores_report
from gecbench.scoring.results import Result, ScoreReport


def render(scores: list[ScoreReport], form: str, tier: int | None = None) -> str:
    return render_report(scores_report(scores, tier=tier), form)


def result(system: str, metric: str, value: float, **changes: object) -> Result:
    score = Score(value, Signature({"metric": metric}), 5)
    return replace(Result(system, metric, None, score), **changes)


def report(*results: Result, corpus: str = "dev") -> ScoreReport:
    return ScoreReport(corpus, 5, {}, 0.5, results, {}, ())


SEVERAL = report(
    result("a", "up", 0.5),
    result("b", "up", 0.75),
    result("a", "down", 0.1, higher_is_better=False),
    result("b", "down", 0.2, higher_is_better=False),
    result("a", "never", 0, score=None, note="never is for language xx, dev is en"),
    result("b", "never", 0, score=None, note="never is for language xx, dev is en"),
)


def test_each_metric_is_a_column_and_its_best_has_a_star():
    assert render([SEVERAL], "text") == (
        "system     up    down  never\n"
        "a       50.00   10.00*    n/a\n"
        "b       75.00*  20.00     n/a\n"
        "\n"
        "dev: 5 sentences, 5 scored\n"
        "n/a: never is for language xx, dev is en\n"
        "signature: metric:up\n"
        "signature: metric:down\n"
    ).replace("down  never", "down   never")


def test_equal_systems_have_no_best():
    same = report(result("a", "up", 0.5), result("b", "up", 0.5))
    assert "*" not in render([same], "text")


def test_corpora_stand_side_by_side():
    other = report(result("a", "up", 0.25), corpus="test")
    lines = render([SEVERAL, other], "text").splitlines()
    assert lines[0].split() == ["system", "dev", "up", "dev", "down", "dev", "never", "test", "up"]
    assert lines[1].split() == ["a", "50.00", "10.00*", "n/a", "25.00"]
    assert lines[2].split() == ["b", "75.00*", "20.00", "n/a"]


def test_intervals_stand_beside_their_values():
    score = Score(0.5, Signature({"metric": "up"}), 5, interval=Interval(0.25, 0.625, 0.95, 500, 3))
    made = report(result("a", "up", 0.5, score=score), result("b", "up", 0.75))
    lines = render([made], "text").splitlines()
    assert lines[0].split() == ["system", "up", "95%"]
    assert lines[1].split() == ["a", "50.00", "25.00-62.50"]
    assert lines[2].split() == ["b", "75.00*"]
    (first, second) = json.loads(render([made], "json"))["results"]
    assert first["interval"] == {
        "method": "percentile bootstrap",
        "low": 0.25,
        "high": 0.625,
        "level": 0.95,
        "resamples": 500,
        "seed": 3,
    }
    assert "95%: percentile bootstrap, 500 resamples of sentences, seed 3" in lines
    assert "interval" not in second
    assert ",0.5,0.25,0.625,500,3," in render([made], "csv").splitlines()[1]


def test_counts_have_marks_and_intervals_too():
    counts = (Counts(3, 1, 6), Counts(2, 0, 6))
    scores = [
        Score(c.f(0.5), Signature({"metric": "m"}), 5, c, interval=Interval(0.1, 0.2))
        for c in counts
    ]
    made = report(*(result(n, "m", 0, score=s) for n, s in zip("ab", scores, strict=True)))
    text = render([made], "text").splitlines()
    assert text[0].split() == ["system", "TP", "FP", "FN", "P", "R", "F0.5", "95%"]
    assert text[1].split()[4:] == ["75.00", "33.33*", "60.00", "10.00-20.00"]
    assert text[2].split()[4:] == ["100.00*", "25.00", "62.50*", "10.00-20.00"]
    latex = render([made], "latex")
    assert r"\textbf{100.00}" in latex
    assert r"\textbf{33.33}" in latex


def test_json_has_what_does_not_apply_and_parts():
    found = json.loads(render([SEVERAL], "json"))["results"]
    assert found[4] == {
        "system": "a",
        "metric": "never",
        "value": None,
        "note": "never is for language xx, dev is en",
    }
    score = Score(0.5, Signature({"metric": "up"}), 5, parts={"deviation": 0.01})
    (entry,) = json.loads(render([report(result("a", "up", 0, score=score))], "json"))["results"]
    assert entry["parts"] == {"deviation": 0.01}


def test_json_of_several_corpora_is_a_list_of_what_one_has():
    other = report(result("a", "up", 0.25), corpus="test")
    found = json.loads(render([SEVERAL, other], "json"))
    assert list(found) == ["schema", "corpora"]
    assert found["corpora"][0] == json.loads(render([SEVERAL], "json"))
    assert [each["corpus"]["name"] for each in found["corpora"]] == ["dev", "test"]
