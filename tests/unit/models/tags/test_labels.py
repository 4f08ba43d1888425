"""Labels by name, and vocabularies of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gecbench.core.errors import FormatError
from gecbench.lang import transforms_for
from gecbench.models.tags.labels import (
    DELETE,
    KEEP,
    UNKNOWN,
    LabelVocabulary,
    append_label,
    build_label_vocabulary,
    clean_labels,
    parse_label,
    read_label_vocabulary,
    replace_label,
    transform_label,
    unknown_labels,
    write_label_vocabulary,
)


@pytest.mark.parametrize(
    ("label", "kind", "argument"),
    [
        (KEEP, "keep", ""),
        (DELETE, "delete", ""),
        (append_label("的"), "append", "的"),
        (append_label("_"), "append", "_"),
        (replace_label("$KEEP"), "replace", "$KEEP"),
        (transform_label("VERB_VB_VBZ"), "transform", "VERB_VB_VBZ"),
        ("$MERGE_SPACE", "merge", "SPACE"),
        ("$MERGE_NOTHING", "unknown", ""),
        ("$APPEND_", "unknown", ""),
        ("$APPEND_ ", "unknown", ""),
        (UNKNOWN, "unknown", ""),
        ("", "unknown", ""),
    ],
)
def test_a_label_is_taken_apart(label, kind, argument):
    assert parse_label(label) == (kind, argument)


def test_ids_are_looked_up_by_name():
    vocabulary = LabelVocabulary((UNKNOWN, DELETE, KEEP))
    assert (vocabulary.keep, vocabulary.unknown, len(vocabulary)) == (2, 0, 3)
    assert vocabulary.id_of(DELETE) == 1
    assert vocabulary.id_of("$APPEND_的") == vocabulary.unknown


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((KEEP, UNKNOWN, KEEP), r"label '\$KEEP'"),
        ((DELETE, UNKNOWN), r"the vocabulary has no \$KEEP"),
        ((KEEP, DELETE), "the vocabulary has no @@UNKNOWN@@"),
    ],
)
def test_what_no_tagger_can_work_with_is_refused(labels, message):
    with pytest.raises(FormatError, match=message):
        LabelVocabulary(labels)


def test_the_hash_depends_on_labels_and_order():
    first = LabelVocabulary((KEEP, UNKNOWN, DELETE))
    assert first.hash == LabelVocabulary((KEEP, UNKNOWN, DELETE)).hash
    assert first.hash != LabelVocabulary((KEEP, DELETE, UNKNOWN)).hash


def test_a_vocabulary_is_built_by_count_then_by_name():
    counter = Counter({KEEP: 90, "$APPEND_b": 3, "$APPEND_a": 3, "$REPLACE_c": 5, "$APPEND_d": 1})
    whole = build_label_vocabulary(counter)
    assert whole.labels == (
        *(KEEP, DELETE, UNKNOWN),
        *("$REPLACE_c", "$APPEND_a", "$APPEND_b", "$APPEND_d"),
    )
    assert build_label_vocabulary(counter, min_count=3).labels == whole.labels[:-1]
    assert build_label_vocabulary(counter, size=4).labels == whole.labels[:4]
    assert build_label_vocabulary(Counter(), size=1).labels == (KEEP, DELETE, UNKNOWN)


def test_labels_that_nobody_knows_are_named():
    labels = (KEEP, UNKNOWN, "$TRANSFORM_CASE_LOWER", "$TRANSFORM_MAGIC", "$APPEND_a", "NOISE")
    result = unknown_labels(LabelVocabulary(labels), transforms_for("en"))
    assert result == ("$TRANSFORM_MAGIC", "NOISE")


def test_written_and_read_again(tmp_path: Path):
    vocabulary = LabelVocabulary((KEEP, DELETE, UNKNOWN, "$APPEND_的", '$APPEND_"', "$REPLACE_\\"))
    path = tmp_path / "labels.json"
    write_label_vocabulary(path, vocabulary)
    assert read_label_vocabulary(path) == vocabulary


def test_a_released_text_file_loses_its_padding_aloud(tmp_path: Path):
    path = tmp_path / "labels.txt"
    path.write_text("$KEEP\n$DELETE\n$APPEND_的\n@@UNKNOWN@@\n@@PADDING@@\n", encoding="utf-8")
    assert read_label_vocabulary(path).labels == (KEEP, DELETE, "$APPEND_的", UNKNOWN)
    cleaned = clean_labels(path.read_text("utf-8").split(), str(path))
    assert cleaned.notes == (
        f"{path}: label 4 @@PADDING@@ is left out; padding is never predicted",
    )


def test_rows_say_which_weights_remain():
    cleaned = clean_labels(["<PAD>", KEEP, "<OOV>", "$APPEND_a"], "config.json")
    assert cleaned.vocabulary.labels == (KEEP, UNKNOWN, "$APPEND_a")
    assert cleaned.rows == (1, 2, 3)
    assert "label 2 <OOV> is called @@UNKNOWN@@" in cleaned.notes[1]
    cleaned = clean_labels([KEEP, DELETE], "labels.txt")
    assert (cleaned.vocabulary.labels, cleaned.rows) == ((KEEP, DELETE, UNKNOWN), (0, 1, None))
    assert cleaned.notes == ("labels.txt: @@UNKNOWN@@ is missing; it was added at the end",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "[", "a.json:1: .*JSON"),
        ("a.json", '{"$KEEP": 0}', "a.json: .*list of labels"),
        ("a.json", "[1]", "a.json: .*list of labels"),
        ("a.txt", "$KEEP\n$KEEP\n", r"a.txt: label '\$KEEP' stands twice"),
        ("a.txt", "", r"a.txt: the vocabulary has no \$KEEP"),
    ],
)
def test_a_file_that_is_no_vocabulary_is_refused(tmp_path: Path, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_label_vocabulary(tmp_path / name)


def test_a_byte_order_mark_before_labels_is_left_out(tmp_path: Path):
    path = tmp_path / "labels.json"
    path.write_text('["$KEEP", "$DELETE"]', "utf-8-sig")
    assert read_label_vocabulary(path).labels[:2] == ("$KEEP", "$DELETE")
