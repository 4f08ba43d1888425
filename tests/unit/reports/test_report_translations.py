"""Every text of a report has its Chinese, and every Chinese text a report."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import gecbench
from gecbench.core.errors import Message
from gecbench.core.score import WarningNote
from gecbench.metrics import METRICS, metric_class
from gecbench.reports.report import Column, Figure, Words, message_words, translate

SOURCE = Path(gecbench.__file__).parent
GROUPS = json.loads((SOURCE / "reports" / "chinese.json").read_text("utf-8"))
CATALOGUE = {english: chinese for group in GROUPS.values() for english, chinese in group.items()}


EMPTY = {"system": "a", "count": 1, "first": "97"}
WARNINGS = ("analysis", "lang", "metrics", "scoring")


def nodes(*packages: str) -> Iterator[ast.AST]:
    for package in packages:
        for path in (SOURCE / package).rglob("*.py"):
            yield from ast.walk(ast.parse(path.read_text("utf-8")))


def calls(name: str) -> Iterator[ast.Call]:
    for node in nodes("reports", "api"):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield node


def literals() -> Iterator[str]:
    arguments = [call.args[0] for name in ("translate", "Column.of") for call in calls(name)]
    for call in calls("Figure.of"):
        arguments += [k.value for k in call.keywords if k.arg in ("title", "alt", "x", "y")]
    for argument in arguments:
        if isinstance(argument, ast.Constant):
            yield argument.value


def test_every_text_of_a_report_has_chinese():
    assert set(literals()) - CATALOGUE.keys() == set()


def test_every_chinese_text_is_of_something_in_the_code():
    constants = {
        node.value
        for node in nodes("reports", "api", "core", *WARNINGS)
        if isinstance(node, ast.Constant)
    }
    texts = {key: key.rpartition("|")[2] for key in CATALOGUE}
    assert [key for key, text in texts.items() if not {key, text} & constants] == []


def test_every_warning_has_chinese():
    heads = [
        node.args[0]
        for node in nodes(*WARNINGS)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "WarningNote"
    ]
    texts = {
        constant.value
        for head in heads
        for constant in ast.walk(head)
        if isinstance(constant, ast.Constant)
    }
    assert len(texts) > 10
    assert texts - CATALOGUE.keys() == set()


def test_a_message_is_put_into_chinese_with_those_inside_it():
    why = Message("of types as {label}", label="ArtOrDet")
    note = WarningNote("{system}: empty outputs: {count} (first: {first})", **EMPTY)
    assert message_words(why) == Words("of types as ArtOrDet", "例如类型 ArtOrDet")
    assert message_words(note).zh == "a：有 1 个空输出（首个：97）"
    inside = WarningNote("{name}: {value}", name="c", value=why)
    assert message_words(inside).zh == "c：例如类型 ArtOrDet"
    assert message_words("a text") is None


def test_every_text_has_its_chinese_once():
    assert sum(map(len, GROUPS.values())) == len(CATALOGUE)


def test_values_stand_in_both_languages():
    kind = translate("length")
    text = translate("{metric} by {kind}", metric="F0.5", kind=kind)
    assert text == Words("F0.5 by length", "F0.5，按句长")


def test_one_word_of_english_may_be_two_of_chinese():
    assert translate("rank").en == translate("place|rank").en == "rank"
    assert translate("rank").zh != translate("place|rank").zh


def test_a_text_without_chinese_is_a_mistake():
    with pytest.raises(KeyError):
        translate("nobody has translated this")


def test_columns_and_figures_are_made_of_the_catalogue():
    assert Column.of("errors", "count") == Column("errors", "count", zh="错误数")
    figure = Figure.of(
        "x",
        "bars",
        title="{f} (%)",
        alt=Words("a", "b"),
        x="system",
        y="{f} (%)",
        series=(),
        f="F1",
    )
    assert (figure.title, figure.alt.zh) == (Words("F1 (%)", "F1（%）"), "b")
    assert (figure.x_label.zh, figure.y_label.zh) == ("系统", "F1（%）")


NOTED = (
    *("analysis/breakdown", "analysis/difficulty", "analysis/references", "analysis/robustness"),
    *("analysis/significance", "metrics", "scoring", "reports/breakdown", "reports/compare"),
    *("reports/difficulty", "reports/references", "reports/robustness", "reports/scores"),
)
"""Where notes are made that the page shows."""


def paths_of(module: str) -> Iterator[Path]:
    folder = SOURCE / module
    yield from folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]


def note_nodes(path: Path) -> Iterator[ast.expr]:
    """What is appended to notes, yielded by functions of notes, or returned by them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "notes.append":
            yield node.args[0]
        if isinstance(node, ast.FunctionDef) and node.name.endswith(("notes", "_note")):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Yield | ast.Return) and inner.value is not None:
                    value = inner.value
                    yield from value.elts if isinstance(value, ast.Tuple | ast.List) else [value]


def test_no_note_of_the_page_is_a_bare_text():
    """One that is formatted by Python has forgotten its template, and stays English."""
    bare = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for module in NOTED
        for path in paths_of(module)
        for node in note_nodes(path)
        if isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value)
    ]
    assert bare == []


def test_what_metrics_did_to_sentences_has_chinese():

    approximations = {metric_class(name).approximation for name in METRICS} - {""}
    assert approximations - CATALOGUE.keys() == set()


def test_values_that_are_messages_are_chinese_in_a_note():
    note = Message("n/a: {why}", why=Message("95% intervals"))
    assert message_words(note) == Words("n/a: 95% intervals", "不适用：95% 置信区间")
