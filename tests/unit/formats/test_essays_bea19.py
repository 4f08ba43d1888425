"""bea19: essays with edits in characters become lines with a reference of each annotator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.formats.essays import BEA19
from gecbench.formats.reading import read

PATH = Path("A.dev.json")
TEXT = "He go home .\n\nMy dog are big .\n"


def corpus(*annotators: list, text: str = TEXT, **more: object) -> Corpus:
    edits = [[number, edits] for number, edits in enumerate(annotators)]
    row = {"id": "1-7", "text": text, "edits": edits, **more}
    return BEA19.read(PATH, [json.dumps(row)])


def references(*annotators: list, text: str = TEXT) -> list[list[str | None]]:
    actual_corpus = corpus(*annotators, text=text)
    return [[None if r.error_free else r.text for r in s.references] for s in actual_corpus.samples]


def test_lines_are_sentences_with_the_facts_of_their_essay() -> None:
    actual_corpus = corpus([[3, 5, "goes"]], cefr="A2.i", userid=8)
    facts = {"cefr": "A2.i", "userid": "8", "document": "1-7"}
    assert actual_corpus == Corpus(
        "A.dev",
        (
            Sample(
                "1-7/1",
                "He go home .",
                (Rewrite(text="He goes home .", annotator="0"),),
                {**facts, "position": "1"},
            ),
            Sample(
                "1-7/2",
                "My dog are big .",
                (Rewrite(error_free=True, annotator="0"),),
                {**facts, "position": "2"},
            ),
        ),
        "en",
    )


def test_every_annotator_makes_a_reference() -> None:
    assert references([[3, 5, "goes"]], [[0, 2, "They"], [21, 24, "is"]], []) == [
        ["He goes home .", "They go home .", None],
        [None, "My dog is big .", None],
    ]


def test_edits_are_applied_in_the_order_of_the_text() -> None:
    edits = [[5, 5, " to"], [0, 2, "They", "R:PRON"], [6, 11, ""], [5, 5, " my"]]
    assert references(edits, text="He go home .") == [["They go to my ."]]


@pytest.mark.parametrize(
    ("edits", "text", "lost"),
    [
        ([[3, 5, None]], "He go home .", "1 time the mark of an error that nobody corrected"),
        ([[0, 12, None], [3, 5, "goes"]], "He goes home .", ""),
        ([[0, 5, "They go"], [3, 5, "goes"]], "They go home .", "1 time an edit that overlaps"),
        ([[11, 16, ". Our"]], None, "1 time an edit across lines"),
        ([[12, 13, " "]], None, "1 time an edit across lines"),
    ],
)
def test_what_is_not_kept_is_counted(edits: list, text: str | None, lost: str) -> None:
    actual_corpus = corpus(edits)
    assert actual_corpus.samples[0].references[0].text == text
    assert actual_corpus.provenance.get(NOT_KEPT, "").startswith(lost)
    assert bool(actual_corpus.provenance) == bool(lost)


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        ({"id": "1", "text": "a", "edits": [[0, [[0, 2, "b"]]]]}, ("0", "2", "1")),
        ({"id": "1", "text": "a", "edits": [[0, [[0, "b"]]]]}, ("start, end",)),
        ({"id": "1", "text": "a", "edits": [[0, [[0, 1, 5]]]]}, ("start, end",)),
        ({"id": "1", "text": "a", "edits": [[0]]}, ("edits",)),
        ({"id": "1", "edits": [[0, []]]}, ("text",)),
        ({"text": "a", "edits": [[0, []]]}, ("id",)),
    ],
)
def test_what_is_wrong_is_named_with_its_line(row: object, facts: tuple[str, ...]) -> None:
    good = json.dumps({"id": "0", "text": "a", "edits": []})
    with expect_error(FormatError, f"{PATH}:2", *facts):
        BEA19.read(PATH, [good, json.dumps(row)])


def test_an_essay_that_nobody_annotated_has_no_references(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text('{"id": 3, "text": "a\\r\\nb", "edits": []}\n', "utf-8")
    assert [(s.id, s.source, s.references) for s in read(path).samples] == [
        ("3/1", "a", ()),
        ("3/2", "b", ()),
    ]
