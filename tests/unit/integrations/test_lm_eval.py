"""The functions of the tasks for lm-evaluation-harness."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from messages import expect_error

import gecbench
from gecbench import integrations
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.integrations.lm_eval import utils

DOC = {
    "source": "He go to school .",
    "references": ["He goes to school .", "He went to school ."],
    "lang": "en",
    "scheme": "xx-word",
}


@pytest.fixture(autouse=True)
def lists_for_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the library `datasets`."""
    stub = SimpleNamespace(Dataset=SimpleNamespace(from_list=list))
    monkeypatch.setitem(sys.modules, "datasets", stub)


@pytest.mark.parametrize(
    ("answer", "correction", "rejected"),
    [
        ("He goes to school.", "He goes to school .", False),
        ('Corrected: "He goes to school ."', "He goes to school .", False),
        ("He go to school .", "He go to school .", False),
        ("I'm sorry, but I can't help with that.", "He go to school .", True),
        ("", "He go to school .", True),
        ("He go to school .\n\nNo changes were needed.", "He go to school .", False),
    ],
)
def test_the_correction_in_an_answer_is_scored(answer: str, correction: str, rejected: bool):
    items = utils.process_results(DOC, [answer])
    assert {(item[1], item[-1]) for item in items.values()} == {(correction, rejected)}


def test_scores_are_those_of_score_texts():
    docs = [DOC, DOC | {"source": "It works .", "references": ["It works ."]}]
    items = [
        utils.process_results(doc, [answer])["f0.5"]
        for doc, answer in zip(docs, ["He goes to school .", "It worked ."], strict=True)
    ]
    assert utils.precision(items) == 0.5
    assert utils.recall(items) == 1.0
    assert utils.f05(items) == pytest.approx(5 / 9)
    assert utils.sentence_accuracy(items) == 0.5
    assert utils.rejected(items) == 0
    report = gecbench.score_texts(
        [doc["source"] for doc in docs],
        ["He goes to school .", "It worked ."],
        [doc["references"] for doc in docs],
        lang="en",
        metrics=["gleu"],
    )
    assert utils.gleu(items) == report.results[0].score.value


def test_the_samples_are_the_corpus_if_there_is_no_other():
    rows = utils.load_corpus("zh", scheme="zh-char", version=1.0)["test"]
    corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
    uncorrectable = sum(all(r.unannotatable for r in s.references) for s in corpus.samples)
    assert len(rows) == len(corpus.samples) - uncorrectable
    assert set(rows[0]) == {"source", "references", "lang", "scheme"}


def test_files_of_sources_and_references_are_a_corpus(tmp_path: Path):
    for name, text in (("src", "A b\nC d"), ("one", "A c\nC d"), ("two", "A b\nC")):
        (tmp_path / name).write_text(f"{text}\n", "utf-8")
    first, second = str(tmp_path / "one"), str(tmp_path / "two")
    rows = utils.load_corpus(
        "en", corpus=str(tmp_path / "src"), references=[first, second], scheme="xx-word"
    )["test"]
    assert [row["references"] for row in rows] == [["A c", "A b"], ["C d", "C"]]


def test_what_cannot_be_scored_is_found_out_before_a_model_writes(tmp_path: Path):
    with expect_error(GecbenchError, "zh-char"):
        utils.load_corpus("en", scheme="zh-char")
    (tmp_path / "sources.txt").write_text("A b\n", "utf-8")
    with expect_error(UsageError, "sources.txt"):
        utils.load_corpus("en", corpus=str(tmp_path / "sources.txt"))


def test_every_function_that_the_tasks_name_is_there():
    folder = Path(integrations.folder("lm_eval"))
    text = "".join(path.read_text("utf-8") for path in folder.glob("*.yaml"))
    names = {line.split("utils.")[1] for line in text.splitlines() if "!function" in line}
    assert names
    assert [name for name in names if not callable(getattr(utils, name, None))] == []


def test_there_are_folders_of_two_libraries():
    with expect_error(UsageError, "'gec_metrics'"):
        integrations.folder("gec_metrics")
