"""yaclc: corrections of many annotators, by dimension."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import FormatError
from gecbench.core.sample import NOT_KEPT, Rewrite


def annotation(text: str, is_grammatical: int, count: int) -> dict[str, object]:
    return {
        "correction": text,
        "is_grammatical": is_grammatical,
        "edits_count": 1,
        "annotator_count": count,
    }


ROWS = [
    {
        "sentence_id": 4,
        "sentence_text": "我去学校昨天。",
        "article_id": 9,
        "sentence_annos": [
            annotation("我昨天去学校。", 1, 3),
            annotation("昨天我去了学校。", 0, 2),
            annotation("我去学校昨天。", 1, 1),
        ],
    },
    {
        "sentence_id": 5,
        "sentence_text": "好的吧",
        "article_id": 9,
        "sentence_annos": [annotation("好吧", 1, 2), annotation("好吧", 0, 4)],
    },
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "valid.json"
    path.write_text(json.dumps(ROWS, ensure_ascii=False), "utf-8")
    return path


def test_corrections_are_references_and_their_annotators_metadata(path: Path) -> None:
    corpus = gecbench.load(path)
    first, second = corpus.samples
    assert (corpus.lang, first.id, first.source) == ("zh", "4", "我去学校昨天。")
    assert first.references == (
        Rewrite(text="我昨天去学校。"),
        Rewrite(text="昨天我去了学校。"),
        Rewrite(error_free=True),
    )
    assert first.meta == {"article_id": "9", "annotator_count": "3 2 1"}
    assert (second.references, second.meta["annotator_count"]) == ((Rewrite(text="好吧"),), "6")


@pytest.mark.parametrize(
    ("format", "texts"),
    [
        ("yaclc-minimal", [["我昨天去学校。", None], ["好吧"]]),
        ("yaclc-fluency", [["昨天我去了学校。"], ["好吧"]]),
    ],
)
def test_a_dimension_can_be_chosen(path: Path, format: str, texts: list) -> None:
    samples = gecbench.load(path, format=format).samples
    assert [[r.text for r in sample.references] for sample in samples] == texts


def test_a_correction_of_both_dimensions_is_listed(path: Path) -> None:
    note = gecbench.load(path).provenance[NOT_KEPT]
    assert note.startswith("1 time")
    assert "'5'" in note


def test_one_object_a_line_is_read_too(tmp_path: Path, path: Path) -> None:
    lines = tmp_path / "valid.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    assert gecbench.load(lines).samples == gecbench.load(path).samples


@pytest.mark.parametrize(
    ("row", "fact"),
    [
        ({"sentence_text": " "}, "empty"),
        ({"sentence_text": 5}, "'sentence_text'"),
        ({"sentence_text": "x", "sentence_annos": [{}]}, "'correction'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, row: object, fact: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(f"{json.dumps(ROWS[0])}\n{json.dumps(row)}\n", "utf-8")
    with expect_error(FormatError, f"{path}:2", fact):
        gecbench.load(path)
