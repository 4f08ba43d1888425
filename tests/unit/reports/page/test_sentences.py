"""The columns that the explorer of the report page reads."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace

import pytest

from gecbench.analysis.sentences import ReferenceVersion, SentenceRow, SystemVersion
from gecbench.core.edit import Edit
from gecbench.core.sample import Sample
from gecbench.core.score import Counts
from gecbench.reports.page.sentences import (
    TextChange,
    apply_changes,
    changes_of,
    compress,
    pack_sentences,
)
from gecbench.text.tokens import spans

ENGLISH = "I has a cat ."


def english(*edits: Edit) -> list[TextChange]:
    return changes_of(edits, spans(ENGLISH, tuple(ENGLISH.split())), " ")


@pytest.mark.parametrize(
    ("edit", "change", "text"),
    [
        (Edit(1, 2, ("have",), "R"), (2, 5, "have"), "I have a cat ."),
        (Edit(2, 3, (), "U"), (5, 7, ""), "I has cat ."),
        (Edit(0, 1, (), "U"), (0, 2, ""), "has a cat ."),
        (Edit(3, 3, ("black", "fat"), "M"), (7, 7, " black fat"), "I has a black fat cat ."),
        (Edit(0, 0, ("Now",), "M"), (0, 0, "Now "), "Now I has a cat ."),
        (Edit(5, 5, ("!",), "M"), (13, 13, " !"), "I has a cat . !"),
        (Edit(1, 2, None, "R"), (2, 5, None), "I has a cat ."),
        (Edit(0, 5, (), "U"), (0, 13, ""), ""),
    ],
)
def test_an_english_edit_brings_its_blanks(edit: Edit, change: tuple, text: str):
    (changes,) = english(edit)
    assert changes[:3] == change
    assert apply_changes(ENGLISH, [changes]) == text


def test_a_chinese_edit_has_no_blanks():
    places = spans("我有 猫", ("我", "有", "猫"))
    edits = (Edit(0, 0, ("现", "在"), "M"), Edit(2, 3, ("狗",), "S"), Edit(3, 3, ("。",), "M"))
    text_changes = changes_of(edits, places, "")
    assert [text_change[:3] for text_change in text_changes] == [
        (0, 0, "现在"),
        (3, 4, "狗"),
        (4, 4, "。"),
    ]
    assert apply_changes("我有 猫", text_changes) == "现在我有 狗。"


def test_an_edit_of_an_empty_source_has_no_blanks():
    assert changes_of((Edit(0, 0, ("a", "b"), "M"),), (), " ") == [TextChange(0, 0, "a b", "M")]


def test_edits_that_touch_stand_side_by_side():
    changes = english(Edit(1, 2, ("have",), "R"), Edit(2, 2, ("got",), "M"), Edit(2, 3, (), "U"))
    assert apply_changes(ENGLISH, changes) == "I have got cat ."


def test_insertions_at_one_place_follow_one_another():
    changes = english(Edit(2, 2, ("not",), "M"), Edit(2, 2, ("ever",), "M"))
    assert apply_changes(ENGLISH, changes) == "I has not ever a cat ."


def test_of_two_that_overlap_the_first_counts():
    first, second = english(Edit(1, 3, ("own",), "R"), Edit(2, 4, (), "U"))
    assert apply_changes(ENGLISH, [first, second]) == "I own cat ."
    assert apply_changes(ENGLISH, [second, first]) == "I has ."


def unpacked(text: str) -> object:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_what_is_compressed_can_be_read_and_is_the_same_each_time():
    value = {"a": ["</script>", "𠮷", 1.5, None]}
    assert unpacked(compress(value)) == value
    assert compress(value) == compress(value)
    assert "<" not in compress(value)


def test_half_a_character_is_replaced():
    assert unpacked(compress(["\ud800"])) == ["?"]


def row(*, tokens: tuple[str, ...] = tuple(ENGLISH.split()), source: str = ENGLISH) -> SentenceRow:
    right, wrong = Edit(1, 2, ("have",), "R:VERB"), Edit(3, 4, ("dog",), "R:NOUN", (("rat",),))
    return SentenceRow(
        Sample("s1", source, meta={"origin": "x"}),
        tokens,
        (
            ReferenceVersion((right,), (0.25,), "I have a cat .", None, "ann"),
            ReferenceVersion((), (), None, "error-free", None),
        ),
        (
            SystemVersion((right, wrong), (True, False), (), 0, "I have a dog .", None),
            SystemVersion((wrong,), (None,), (right, right), 0, "I  has a dog .", None),
            SystemVersion((), (), (), None, None, "unannotatable"),
        ),
        0.25,
    )


def packed(*rows: SentenceRow, lang: str = "en") -> dict:
    data = pack_sentences(rows, ("a", "b", "c"), lang, ("origin", "none"), edits=True)
    return json.loads(json.dumps(data))


def test_an_edit_of_many_stands_once_in_the_pool_of_its_sentence():
    data = packed(row(), row())
    assert data["pool"]["counts"] == [2, 2]
    assert data["pool"]["start"] == [2, 8, 2, 8]
    strings = data["strings"]
    assert [strings[at] for at in data["pool"]["text"]] == ["have", "dog"] * 2
    assert [strings[at] for at in data["pool"]["label"]] == ["R:VERB", "R:NOUN"] * 2
    assert data["pool"]["alternatives"] == {"1": ["rat"], "3": ["rat"]}
    assert data["types"] == ["R:NOUN", "R:VERB"]


def test_each_side_refers_to_the_pool():
    data = packed(row())
    assert data["references"]["counts"] == [2]
    assert data["references"]["edits"] == {"counts": [1, 0], "values": [0]}
    assert data["references"]["weights"] == [0.25]
    assert data["references"]["states"] == [None, "error-free"]
    assert data["references"]["annotators"] == ["ann", None]
    first, second, third = data["outputs"]
    assert first["made"] == {"counts": [2], "values": [0, 1]}
    assert first["verdicts"] == [1, 0]
    assert second["verdicts"] == [-1]
    assert second["missed"] == {"counts": [1], "values": [0]}
    assert (third["reference"], third["states"]) == ([-1], ["unannotatable"])


def test_a_text_is_kept_only_where_edits_do_not_make_it():
    data = packed(row())
    assert data["references"]["texts"] == {}
    assert [output["texts"] for output in data["outputs"]] == [{}, {"0": "I  has a dog ."}, {}]


def test_of_several_sets_the_first_makes_the_text():
    sets = (Edit(1, 2, ("have",), "R"), Edit(1, 3, ("have", "a"), "R"))
    text = "I have a cat ."
    both = SentenceRow(
        Sample("s", ENGLISH),
        tuple(ENGLISH.split()),
        (ReferenceVersion(sets, (), text, None, None, first=1),),
        (SystemVersion(sets[:1], (None,), (), None, text, None),) * 2
        + (SystemVersion(sets, (None, None), (), None, text, None, first=1),),
        None,
    )
    data = packed(row(), both)
    assert data["references"]["firsts"] == {"2": 1}
    assert [output["firsts"] for output in data["outputs"]] == [{}, {}, {"1": 1}]
    assert data["references"]["texts"] == {}
    assert [output["texts"].keys() & {"1"} for output in data["outputs"]] == [set()] * 3


def test_counts_and_makers_are_those_that_are_given():
    right = Edit(1, 2, ("have",), "R:VERB")
    changed_row = replace(
        row(),
        makers={right: (0, 2)},
        outputs=(replace(row().outputs[0], counts=Counts(3, 1, 2)), *row().outputs[1:]),
    )
    data = packed(changed_row)
    assert data["pool"]["makers"] == {"counts": [2, 0], "values": [0, 2]}
    assert [output["counts"] for output in data["outputs"]] == [[3, 1, 2], [0] * 3, [0] * 3]
    assert data["countsTokens"] is False


def test_metadata_and_lengths_stand_beside_the_sentences():
    bare = SentenceRow(Sample("s2", "two words"), (), (), row().outputs[2:] * 3, 0.0)
    data = packed(row(), bare)
    assert data["strings"][data["meta"]["origin"][0]] == "x"
    assert data["meta"]["none"] == [None, None]
    assert data["lengths"] == [5, 2]


def test_the_length_of_chinese_without_tokens_is_in_characters():
    bare = SentenceRow(Sample("s", "我有 猫"), (), (), (), None)
    data = json.loads(json.dumps(pack_sentences([bare], (), "zh", (), edits=False)))
    assert data["lengths"] == [3]
    assert (data["lang"], data["difficulty"]) == ("zh-Hans", [])


def test_tokens_of_another_text_take_its_place():
    data = packed(row(source="I have something else"))
    assert data["sources"] == [ENGLISH]


def test_edits_over_characters_bring_no_blanks_in_any_language():
    edit = Edit(4, 4, ("e", "s"), "M")
    bare = SentenceRow(
        Sample("s", "He go"),
        tuple("Hego"),
        (ReferenceVersion((edit,), (1.0,), "He goes", None, None),),
        (),
        None,
    )
    difficulty = json.loads(json.dumps(pack_sentences([bare], (), "en", (), edits=True, joiner="")))
    assert "es" in difficulty["strings"]
