"""jsonl: everything there and back, nothing that is default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import reading
from gecbench.formats.jsonl import FORMAT

PATH = Path("x.jsonl")

EDITS = (
    Edit(0, 1, ("您",), "S", (("你", "们"), ())),
    Edit(1, 2, None),
    Edit(2, 2, (), None),
)
FULL = Corpus(
    "开发集",
    (
        Sample("a", "你好\u2028", (Rewrite(text=""), Rewrite(error_free=True, edit_sets=((),)))),
        Sample(
            "b",
            "你好",
            (
                Rewrite(edit_sets=(EDITS, ()), annotator="李", capped=True),
                Rewrite(unannotatable=True),
            ),
            {"origin": "web"},
            ("你", "好"),
        ),
    ),
    "zh",
    {"licence": "Apache-2.0"},
)


def lines_of(corpus: Corpus) -> list[str]:
    return FORMAT.write(corpus)[""].split("\n")[:-1]


@pytest.mark.parametrize(
    ("content", "table"),
    [
        ('{"source": "He go .", "references": ["He goes ."]}', True),
        ('{"sentence": "He go .", "references": ["He goes ."]}', True),
        ('[{"source": "He go .", "references": ["He goes ."]}]', True),
        ('[\n{"source": "He go .", "references": ["He goes ."]}\n]', True),
        ('{"source": "He go .", "target": "He goes ."}', False),
        ('{"1": {"source": "He go .", "target": "He goes ."}}', False),
    ],
)
def test_the_refusal_of_other_json_offers_what_reads_it(
    tmp_path: Path, content: str, table: bool
) -> None:
    path = tmp_path / "set.json"
    path.write_text(content, "utf-8")
    with pytest.raises(FormatError) as caught:
        reading.read(path)
    assert ("say --from table" in str(caught.value)) == table
    assert ("--columns" in str(caught.value)) != table
    columns = None if table else {"references": "target"}
    (sample,) = reading.read(path, format="table", columns=columns).samples
    assert (sample.source, sample.references[0].text) == ("He go .", "He goes .")


def test_a_full_corpus_comes_back_the_same() -> None:
    assert FORMAT.read(PATH, lines_of(FULL)) == FULL


def test_a_corpus_without_sentences_comes_back_the_same() -> None:
    assert FORMAT.read(PATH, lines_of(Corpus("", ()))) == Corpus("", ())


def test_the_file_is_what_its_documentation_says() -> None:
    header, first, second = map(json.loads, lines_of(FULL))
    assert header == {
        "format": "gecbench-corpus",
        "schema": 1,
        "name": "开发集",
        "lang": "zh",
        "provenance": {"licence": "Apache-2.0"},
    }
    assert first == {
        "id": "a",
        "source": "你好\u2028",
        "references": [{"text": ""}, {"error_free": True, "edit_sets": [[]]}],
    }
    assert second == {
        "id": "b",
        "source": "你好",
        "references": [
            {
                "annotator": "李",
                "edit_sets": [
                    [
                        {
                            "start": 0,
                            "end": 1,
                            "replacement": ["您"],
                            "label": "S",
                            "alternatives": [["你", "们"], []],
                        },
                        {"start": 1, "end": 2, "replacement": None},
                        {"start": 2, "end": 2, "replacement": []},
                    ],
                    [],
                ],
                "capped": True,
            },
            {"unannotatable": True},
        ],
        "meta": {"origin": "web"},
        "tokens": ["你", "好"],
    }


def test_keys_that_are_default_are_left_out() -> None:
    assert lines_of(Corpus("n", (Sample("1", "a"),))) == [
        '{"format": "gecbench-corpus", "schema": 1, "name": "n"}',
        '{"id": "1", "source": "a", "references": []}',
    ]


def test_characters_are_written_as_they_are() -> None:
    assert "你好" in lines_of(FULL)[2]


def test_a_pair_of_escaped_surrogates_is_a_character() -> None:
    header = lines_of(Corpus("n", ()))[0]
    row = r'{"id": "1", "source": "\ud83d\ude00", "references": [{"text": "", "capped": false}]}'
    corpus = FORMAT.read(PATH, [header, row])
    assert corpus.samples == (Sample("1", "😀", (Rewrite(text=""),)),)


def test_a_brace_at_the_very_beginning_tells() -> None:
    assert FORMAT.matches(["{"])
    assert not FORMAT.matches([" {"])
    assert not FORMAT.matches([])


def test_nothing_is_lost() -> None:
    assert FORMAT.losses(FULL) == []
