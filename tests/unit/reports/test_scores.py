"""Reports of scores in each form; the overview of several metrics, and marks of what is best."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from gecbench.core.score import Counts, Interval, Score, Signature
from gecbench.metrics.edits import Cherrant
from gecbench.reports.report import Grid, as_csv, as_latex, as_text
from gecbench.reports.scores import render_scores, render_sentences
from gecbench.scoring.results import Result, ScoreReport, SentenceResult
from gecbench.scoring.spans import Pairing


def render(scores: list[ScoreReport], form: str, tier: int | None = None) -> str:
    return render_scores(scores, form, tier=tier)


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
    new_report = report(result("a", "up", 0.5, score=score), result("b", "up", 0.75))
    lines = render([new_report], "text").splitlines()
    assert lines[0].split() == ["system", "up", "95%"]
    assert lines[1].split() == ["a", "50.00", "25.00-62.50"]
    assert lines[2].split() == ["b", "75.00*"]
    (first, second) = json.loads(render([new_report], "json"))["results"]
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
    assert ",0.5,0.25,0.625,500,3," in render([new_report], "csv").splitlines()[1]


def test_counts_have_marks_and_intervals_too():
    counts = (Counts(3, 1, 6), Counts(2, 0, 6))
    scores = [
        Score(c.f(0.5), Signature({"metric": "m"}), 5, c, interval=Interval(0.1, 0.2))
        for c in counts
    ]
    new_report = report(*(result(n, "m", 0, score=s) for n, s in zip("ab", scores, strict=True)))
    text = render([new_report], "text").splitlines()
    assert text[0].split() == ["system", "TP", "FP", "FN", "P", "R", "F0.5", "95%"]
    assert text[1].split()[4:] == ["75.00", "33.33*", "60.00", "10.00-20.00"]
    assert text[2].split()[4:] == ["100.00*", "25.00", "62.50*", "10.00-20.00"]
    latex = render([new_report], "latex")
    assert r"\textbf{100.00}" in latex
    assert r"\textbf{33.33}" in latex


def test_json_has_what_does_not_apply_and_parts():
    results = json.loads(render([SEVERAL], "json"))["results"]
    assert results[4] == {
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
    data = json.loads(render([SEVERAL, other], "json"))
    assert list(data) == ["schema", "corpora"]
    assert data["corpora"][0] == json.loads(render([SEVERAL], "json"))
    assert [corpus["corpus"]["name"] for corpus in data["corpora"]] == ["dev", "test"]


SIGNATURE = Signature({"metric": "cherrant", "beta": "0.5"})
TYPES = {"M": Counts(1, 0, 0), "W:R": Counts(1, 1, 0), "W:M": Counts(1, 0, 6)}


def result_of(system: str, subset: str | None = None, **changes: object) -> Result:
    score = Score(Counts(3, 1, 6).f(0.5), SIGNATURE, 9, Counts(3, 1, 6), TYPES)
    return replace(Result(system, "cherrant", subset, score), **changes)


REPORT = ScoreReport(
    corpus="dev",
    sentences=10,
    left_out={"no annotator could correct it": 1},
    beta=0.5,
    results=(result_of("一号系统"), result_of("b_2")),
    per_sentence={},
    notes=("be careful",),
)
ABOUT = """\
dev: 10 sentences, 9 scored (1 left out: no annotator could correct it)
note: be careful
signature: metric:cherrant|beta:0.5
"""


def test_text_is_a_table_and_what_it_is_about():
    assert render([REPORT], "text") == (
        "system    TP  FP  FN      P      R   F0.5\n"
        "一号系统   3   1   6  75.00  33.33  60.00\n"
        "b_2        3   1   6  75.00  33.33  60.00\n"
        "\n" + ABOUT
    )


def test_types_are_a_second_table():
    report = replace(REPORT, results=REPORT.results[1:], notes=(), left_out={})
    assert render([report], "text", tier=1) == (
        "system  TP  FP  FN      P      R   F0.5\n"
        "b_2      3   1   6  75.00  33.33  60.00\n"
        "\n"
        "system  type  TP  FP  FN       P       R    F0.5\n"
        "b_2     M      1   0   0  100.00  100.00  100.00\n"
        "b_2     W      2   1   6   66.67   25.00   50.00\n"
        "\n"
        "dev: 10 sentences, 10 scored\n"
        "signature: metric:cherrant|beta:0.5\n"
    )


def test_subsets_and_metrics_have_columns_only_where_there_are_any():
    subsets = replace(REPORT, results=(result_of("a"), result_of("a", "essays")))
    lines = render([subsets], "text").splitlines()
    assert lines[0].split()[:3] == ["system", "subset", "TP"]
    assert lines[1].startswith("a       (all)    3")
    assert lines[2].startswith("a       essays   3")
    metrics = replace(REPORT, results=(result_of("a"), result_of("a", metric="other")))
    overview, counts, _ = render([metrics], "text").split("\n\n")
    assert overview.splitlines()[0].split() == ["system", "cherrant", "other"]
    assert counts.splitlines()[2].startswith("a       other      3")


def test_each_signature_is_printed_once():
    other = Score(0.5, Signature({"metric": "other"}), 9)
    several = replace(REPORT, results=(*REPORT.results, result_of("c", score=other)))
    assert render([several], "text").count("signature: ") == 2


def test_a_metric_that_counts_nothing_shows_its_value_alone():
    lone = Score(0.12345, SIGNATURE, 9)
    report = replace(REPORT, results=(result_of("a", score=lone),))
    assert render([report], "text").splitlines()[1].split() == ["a", "12.35"]
    (entry,) = json.loads(render([report], "json"))["results"]
    assert set(entry) == {"system", "metric", "signature", "sentences", "value"}
    assert render([report], "csv").splitlines()[1] == (
        "dev,a,cherrant,(all),,9,0.12345,,,,,,,,,,,metric:cherrant|beta:0.5"
    )


def test_json_has_the_keys_that_scripts_depend_on():
    data = json.loads(render([REPORT], "json"))
    assert list(data) == ["schema", "corpus", "notes", "results"]
    assert data["schema"] == 1
    assert data["corpus"] == {
        "name": "dev",
        "sentences": 10,
        "scored": 9,
        "skipped": {"no annotator could correct it": 1},
    }
    assert data["notes"] == ["be careful"]
    first = data["results"][0]
    assert first == {
        "system": "一号系统",
        "metric": "cherrant",
        "signature": "metric:cherrant|beta:0.5",
        "sentences": 9,
        "value": Counts(3, 1, 6).f(0.5),
        "precision": 0.75,
        "recall": 3 / 9,
        "f": Counts(3, 1, 6).f(0.5),
        "tp": 3,
        "fp": 1,
        "fn": 6,
        "by_type": first["by_type"],
    }
    assert list(first["by_type"]) == ["M", "W:M", "W:R"]
    assert first["by_type"]["W:R"] == {
        "precision": 0.5,
        "recall": 1.0,
        "f": Counts(1, 1, 0).f(0.5),
        "tp": 1,
        "fp": 1,
        "fn": 0,
    }


def test_json_is_readable_unrounded_and_has_subsets_and_tiers():
    text = render([replace(REPORT, results=(result_of("系", "作文"),))], "json", tier=1)
    assert '"系"' in text
    assert "0.3333333333333333" in text
    (entry,) = json.loads(text)["results"]
    assert entry["subset"] == "作文"
    assert list(entry["by_type"]) == ["M", "W"]


def test_csv_is_a_row_for_each_result_and_type():
    header, first, *rest = render([REPORT], "csv", tier=3).splitlines()
    assert header == (
        "corpus,system,metric,subset,type,sentences,value,low,high,resamples,seed,"
        "tp,fp,fn,precision,recall,f,signature"
    )
    f = Counts(3, 1, 6).f(0.5)
    assert first == (
        f"dev,一号系统,cherrant,(all),,9,{f},,,,,3,1,6,0.75,{3 / 9},{f},metric:cherrant|beta:0.5"
    )
    assert [line.split(",")[4] for line in rest] == ["M", "W:M", "W:R", "", "M", "W:M", "W:R"]
    assert len(render([REPORT], "csv").splitlines()) == 3


def test_csv_is_quoted_where_it_must_be():
    text = as_csv(["a", "b"], [['say "x", y', 1], ["line\nend", None]])
    assert text == 'a,b\n"say ""x"", y",1\n"line\nend",\n'
    assert list(csv.reader(io.StringIO(text)))[1] == ['say "x", y', "1"]


def test_latex_is_a_tabular_with_the_signature_beside_it():
    assert render([replace(REPORT, results=REPORT.results[1:])], "latex") == (
        "% dev: 10 sentences, 9 scored (1 left out: no annotator could correct it)\n"
        "% note: be careful\n"
        "% signature: metric:cherrant|beta:0.5\n"
        "\\begin{tabular}{lrrrrrr}\n"
        "\\toprule\n"
        "system & TP & FP & FN & P & R & F0.5 \\\\\n"
        "\\midrule\n"
        "b\\_2 & 3 & 1 & 6 & 75.00 & 33.33 & 60.00 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )
    assert render([REPORT], "latex", tier=2).count("\\begin{tabular}") == 2


def test_latex_escapes_what_it_would_obey():
    special = "a&b%c$d#e_f{g}h~i^j\\k"
    line = as_latex(Grid((special,), (), 1), "note").splitlines()[3]
    assert line == (r"a\&b\%c\$d\#e\_f\{g\}h\~{}i\^{}j\textbackslash{}k \\")


def test_a_note_cannot_leave_its_comment():
    text = as_latex(Grid(("a",), (), 1), "one\ntwo\u2028three\rfour")
    assert text.splitlines()[:4] == ["% one", "% two", "% three", "% four"]


@pytest.mark.parametrize(
    ("cell", "columns"),
    [("ab", 2), ("一号", 4), ("Ａ１", 4), ("e\u0301", 1), ("", 0), ("ｱ", 1), ("…", 1)],
)
def test_columns_are_as_wide_as_a_terminal_shows_them(cell: str, columns: int):
    first, second = as_text(Grid((cell, "x"), (("wide" * 2, "x"),), 1)).splitlines()
    assert second == "widewide  x"
    assert first == cell + " " * (8 - columns) + "  x"


def test_sentences_are_json_lines_under_a_header():
    pairings = (
        Pairing(0, 0, Counts(0, 1, 1), {"S": Counts(0, 1, 0), "R": Counts(0, 0, 1)}),
        Pairing(0, 1, Counts(1, 0, 0), {"S": Counts(1, 0, 0)}),
    )
    (values,) = Cherrant().sentences([pairings])
    rows = (SentenceResult("1", values), SentenceResult("二", None))
    report = replace(REPORT, per_sentence={("a", "cherrant"): rows})
    header, first, second = map(json.loads, render_sentences([report]).splitlines())
    assert header == {
        "format": "gecbench-sentences",
        "schema": 1,
        "corpus": "dev",
        "signatures": ["metric:cherrant|beta:0.5"],
    }
    assert first == {
        "system": "a",
        "metric": "cherrant",
        "id": "1",
        "chosen": 1,
        "pairings": [
            {
                "hypothesis": 0,
                "reference": 0,
                "tp": 0,
                "fp": 1,
                "fn": 1,
                "by_type": {"R": [0, 0, 1], "S": [0, 1, 0]},
            },
            {
                "hypothesis": 0,
                "reference": 1,
                "tp": 1,
                "fp": 0,
                "fn": 0,
                "by_type": {"S": [1, 0, 0]},
            },
        ],
    }
    assert second == {"system": "a", "metric": "cherrant", "id": "二", "left_out": True}
