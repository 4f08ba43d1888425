"""Scoring of lists of texts, and how a report of scores is shown."""

from __future__ import annotations

import sys

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import UsageError

SOURCES = ["He go to school .", "It works .", "They was <b> ."]
OUTPUTS = ["He goes to school .", "It works .", "They was <b> ."]
REFERENCES = [["He goes to school .", "He went to school ."], ("It works .",), "They were <b> ."]
PLAIN = {"lang": "en", "scheme": "xx-word", "metrics": ["edits"]}


class Column:
    """A column as data frames have it: it can be gone through, and is no list."""

    def __init__(self, values: list) -> None:
        self.values = values

    def __iter__(self):
        return iter(self.values)


class Table:
    """A data frame as pandas has it: going through it gives the names of its columns."""

    def __init__(self, **columns: list) -> None:
        self.columns = list(columns)

    def __iter__(self):
        return iter(self.columns)


def test_texts_score_as_a_corpus_of_them_does():
    samples = tuple(
        gecbench.Sample(
            str(n),
            source,
            tuple(gecbench.Rewrite(t) for t in ([texts] if isinstance(texts, str) else texts)),
        )
        for n, (source, texts) in enumerate(zip(SOURCES, REFERENCES, strict=True), 1)
    )
    outputs = {str(n): (gecbench.Rewrite(text),) for n, text in enumerate(OUTPUTS, 1)}
    corpus = gecbench.Corpus("texts", samples, "en")
    options = gecbench.Options(metrics=("edits",))
    system = gecbench.SystemOutput("system", outputs)
    want = gecbench.score(corpus, system, scheme="xx-word", options=options)
    assert gecbench.score_texts(SOURCES, OUTPUTS, REFERENCES, **PLAIN) == want
    columns = [Column(values) for values in (SOURCES, OUTPUTS, REFERENCES)]
    assert gecbench.score_texts(*columns, **PLAIN) == want
    counts = want.results[0].score.counts
    assert (counts.tp, counts.fp, counts.fn) == (1, 0, 1)


def test_several_systems_have_names():
    report = gecbench.score_texts(
        SOURCES, {"none": SOURCES, "mine": Column(OUTPUTS)}, REFERENCES, **PLAIN
    )
    assert [result.system for result in report.results] == ["none", "mine"]


def test_one_metric_may_be_named_by_a_text():
    plain = PLAIN | {"metrics": "edits"}
    want = gecbench.score_texts(SOURCES, OUTPUTS, REFERENCES, **PLAIN)
    assert gecbench.score_texts(SOURCES, OUTPUTS, REFERENCES, **plain) == want


@pytest.mark.parametrize("references", ["He goes .", ["He goes ."], [("He goes .",)]])
def test_one_text_is_one_sentence(references):
    report = gecbench.score_texts("He go .", {"mine": "He goes ."}, references, **PLAIN)
    in_lists = gecbench.score_texts(["He go ."], {"mine": ["He goes ."]}, [["He goes ."]], **PLAIN)
    assert report == in_lists


@pytest.mark.parametrize(
    ("sources", "hypotheses", "references", "named"),
    [
        ("He go .", OUTPUTS, REFERENCES, "references"),
        ("He go .", OUTPUTS, "He goes .", "hypotheses"),
        (SOURCES, "He goes .", REFERENCES, "hypotheses"),
        ([], [], [], "sources"),
        (SOURCES, OUTPUTS[:2], REFERENCES, "hypotheses"),
        (SOURCES, {"a": OUTPUTS[:2]}, REFERENCES, "hypotheses['a']"),
        (SOURCES, [*OUTPUTS[:2], float("nan")], REFERENCES, "hypotheses[2]"),
        (SOURCES, OUTPUTS, [OUTPUTS, OUTPUTS], "references"),
        (SOURCES, OUTPUTS, [*REFERENCES[:2], []], "references[2]"),
        (SOURCES, OUTPUTS, [*REFERENCES[:2], None], "references[2]"),
        (SOURCES, OUTPUTS, [*REFERENCES[:2], ["x", None]], "references[2][1]"),
        (SOURCES, OUTPUTS, None, "references"),
        (SOURCES, {1: OUTPUTS}, REFERENCES, "1"),
        # These would be gone through by the names of their columns, or in any order.
        (SOURCES, OUTPUTS, {"a": OUTPUTS, "b": OUTPUTS, "c": OUTPUTS}, "references"),
        (SOURCES, OUTPUTS, Table(a=OUTPUTS, b=OUTPUTS, c=OUTPUTS), "references"),
        (SOURCES, Table(a=OUTPUTS, b=OUTPUTS, c=OUTPUTS), REFERENCES, "hypotheses"),
        (SOURCES, OUTPUTS, [{"references": text} for text in OUTPUTS], "references[0]"),
        (set(SOURCES), OUTPUTS, REFERENCES, "sources"),
        # Half a surrogate pair is no character.
        (SOURCES, [*OUTPUTS[:2], "\ud800"], REFERENCES, "hypotheses[2]"),
        (SOURCES, OUTPUTS, [*REFERENCES[:2], ["x", "a\udfff"]], "references[2][1]"),
        ("\ud83d", "x", ["x"], "sources"),
    ],
)
def test_what_is_no_text_or_not_there_is_named(sources, hypotheses, references, named: str):
    with expect_error(UsageError, named):
        gecbench.score_texts(sources, hypotheses, references, **PLAIN)


def test_what_only_looks_like_a_text_is_named_by_its_type():
    class Scalar:
        def __str__(self) -> str:
            return "He go ."

    with expect_error(UsageError, "sources[0]", "He go .", "Scalar"):
        gecbench.score_texts([Scalar()], ["He goes ."], [["He goes ."]], **PLAIN)


def test_a_report_prints_in_ten_lines_at_most():
    systems = {f"system{n}": OUTPUTS for n in range(30)}
    report = gecbench.score_texts(SOURCES, systems, REFERENCES, **PLAIN)
    assert len(repr(report).splitlines()) == 10
    short = repr(gecbench.score_texts(SOURCES, OUTPUTS, REFERENCES, **PLAIN))
    assert len(short.splitlines()) == 3
    assert "0.8333" in short


def test_notebooks_show_a_table():
    report = gecbench.score_texts(SOURCES, {"<mine>": OUTPUTS}, REFERENCES, **PLAIN)
    shown = report._repr_html_()
    assert shown.count("<tr>") == 2
    assert "<td>&lt;mine&gt;</td>" in shown


def test_columns_of_pandas_score_and_a_data_frame_has_a_row_for_each_result():
    pandas = pytest.importorskip("pandas")
    texts = pandas.DataFrame({"source": SOURCES, "output": OUTPUTS, "references": REFERENCES})
    report = gecbench.score_texts(texts.source, texts.output, texts.references, **PLAIN)
    frame = report.to_frame()
    assert len(frame) == 1
    row = frame.iloc[0]
    assert (row["system"], row["metric"], row["tp"], row["fn"]) == ("system", "edits", 1, 1)
    assert row["value"] == pytest.approx(5 / 6)
    two = gecbench.score_texts(
        texts.source, {"a": texts.output, "b": texts.source}, texts.references, **PLAIN
    )
    assert list(two.to_frame().system) == ["a", "b"]


def test_data_frames_of_types_and_of_sentences_are_flat():
    pytest.importorskip("pandas")
    plain = PLAIN | {"metrics": ["edits", "sent-m2", "sentence-accuracy"]}
    report = gecbench.score_texts(SOURCES, {"a": OUTPUTS, "b": SOURCES}, REFERENCES, **plain)
    types = report.to_frame("types")
    assert [tuple(row) for row in types[["system", "type", "tp", "fp", "fn"]].to_numpy()] == [
        ("a", "S", 1, 0, 1),
        ("b", "S", 0, 0, 2),
    ]
    assert types.f[0] == pytest.approx(report.results[0].score.counts.f(0.5))
    sentences = report.to_frame("sentences")
    assert len(sentences) == 2 * 3 * 3
    rows = dict(list(sentences.groupby(["system", "metric"])))
    assert list(rows["b", "edits"].fn) == [1, 0, 1]
    assert list(rows["b", "edits"].reference) == [0, 0, 0]
    assert list(rows["a", "sentence-accuracy"].value) == [1, 1, 0]
    assert list(rows["a", "sent-m2"].matched) == [1, 0, 0]
    with expect_error(UsageError, "subsets"):
        report.to_frame("subsets")


def test_without_pandas_there_is_a_line_that_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with expect_error(UsageError, "pip install pandas"):
        gecbench.score_texts(SOURCES, OUTPUTS, REFERENCES, **PLAIN).to_frame()
