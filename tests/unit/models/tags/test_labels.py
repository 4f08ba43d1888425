"""Labels by name, and vocabularies of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gecbench.core.errors import FormatError
from gecbench.lang.en.verbs import FORMS, regular
from gecbench.models.tags.labels import (
    DELETE,
    KEEP,
    UNKNOWN,
    LabelVocabulary,
    Transforms,
    append_label,
    build_label_vocabulary,
    clean_labels,
    parse_label,
    read_label_vocabulary,
    replace_label,
    transform_label,
    transforms_for,
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
        ("a.json", "{", "a.json:1: .*JSON"),
        ("a.json", '{"$KEEP": 0}', "a.json:1: .*list of labels"),
        ("a.json", "[1]", "a.json:1: .*list of labels"),
        ("a.txt", "$KEEP\n$KEEP\n", r"a.txt: label '\$KEEP' stands twice"),
        ("a.txt", "", r"a.txt: the vocabulary has no \$KEEP"),
    ],
)
def test_a_file_that_is_no_vocabulary_is_refused(tmp_path: Path, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_label_vocabulary(tmp_path / name)


EN = transforms_for("en")

TABLE = [
    ("CASE_LOWER", "The", "the"),
    ("CASE_CAPITAL", "the", "The"),
    ("CASE_CAPITAL", "iPhone", "Iphone"),
    ("CASE_UPPER", "usa", "USA"),
    ("CASE_CAPITAL_1", "iphone", "iPhone"),
    ("CASE_UPPER_-1", "dvds", "DVDs"),
    ("AGREEMENT_PLURAL", "student", "students"),
    ("AGREEMENT_SINGULAR", "informations", "information"),
    ("SPLIT_HYPHEN", "well-known", "well known"),
    ("SPLIT_HYPHEN", "up-to-date", "up to date"),
    ("VERB_VB_VBZ", "go", "goes"),
    ("VERB_VB_VBZ", "study", "studies"),
    ("VERB_VBZ_VB", "watches", "watch"),
    ("VERB_VBG_VB", "making", "make"),
    ("VERB_VBG_VBD", "running", "ran"),
    ("VERB_VBN_VBD", "written", "wrote"),
    ("VERB_VBD_VBN", "did", "done"),
    ("VERB_VB_VBG", "begin", "beginning"),
    ("VERB_VB_VBG", "die", "dying"),
    ("VERB_VB_VBG", "see", "seeing"),
    ("VERB_VB_VBD", "plan", "planned"),
    ("VERB_VB_VBD", "visit", "visited"),
    ("VERB_VB_VBD", "play", "played"),
    ("VERB_VB_VBG", "picnic", None),
    ("VERB_VB_VBZ", "be", "is"),
    ("VERB_VBZ_VBD", "is", "was"),
    ("VERB_VB_VBZ", "have", "has"),
    ("VERB_VB_VBD", "Go", "Went"),
    ("VERB_VB_VBD", "GO", "WENT"),
    # What cannot be done keeps the token.
    ("CASE_LOWER", "the", None),
    ("CASE_CAPITAL_1", "a", None),
    ("VERB_VB_VBD", "table-top", None),
    ("VERB_VBD_VB", "go", None),
    ("VERB_VB_VBD", "put", None),
    ("AGREEMENT_SINGULAR", "book", None),
    ("AGREEMENT_SINGULAR", "s", None),
    ("AGREEMENT_PLURAL", ",", None),
    ("SPLIT_HYPHEN", "-", None),
    ("SPLIT_HYPHEN", "co-", None),
    ("VERB_VB_VB", "go", None),
    ("CASE_NOTHING", "go", None),
]


@pytest.mark.parametrize(("name", "token", "made"), TABLE)
def test_a_transform_makes_a_form(name, token, made):
    assert EN.apply(name, token) == made


@pytest.mark.parametrize(
    ("token", "target", "name"),
    [
        ("the", "The", "CASE_CAPITAL"),
        ("goes", "went", "VERB_VBZ_VBD"),
        ("walked", "walk", "VERB_VBD_VB"),
        ("walk", "walked", "VERB_VB_VBD"),
        ("Walk", "Walked", "VERB_VB_VBD"),
        ("Walk", "walked", None),
        ("student", "students", "AGREEMENT_PLURAL"),
        ("box", "boxes", "VERB_VB_VBZ"),
        ("child", "children", None),
        ("well-known", "well known", "SPLIT_HYPHEN"),
        ("well-known", "wellknown", None),
        ("same", "same", None),
    ],
)
def test_a_change_of_form_is_explained(token, target, name):
    assert EN.explain(token, target) == name


def test_what_explains_also_makes():
    words = ["go", "goes", "went", "gone", "Going", "the", "The", "THE", "cat", "cats", "lie"]
    words += ["lay", "lying", "lies", "a-b", "a b", "found", "find", "founded", "wound", "wind"]
    explained = [(a, b, EN.explain(a, b)) for a in words for b in words]
    assert all(EN.apply(name, a) == b for a, b, name in explained if name)
    assert sum(name is not None for *_, name in explained) > 30


def test_the_released_transforms_are_there():
    verbs = {f"VERB_{a}_{b}" for a in FORMS for b in FORMS if a != b}
    others = {"CASE_LOWER", "CASE_CAPITAL", "CASE_UPPER", "CASE_CAPITAL_1", "SPLIT_HYPHEN"}
    assert verbs | others | {"AGREEMENT_PLURAL", "AGREEMENT_SINGULAR"} <= set(EN.functions)


def test_other_languages_have_none():
    assert transforms_for("zh") == Transforms()
    assert transforms_for("zh").explain("a", "A") is None


@pytest.mark.parametrize(
    ("marked", "past", "progressive", "third"),
    [
        ("stop", "stopped", "stopping", "stops"),
        ("quit", "quitted", "quitting", "quits"),
        ("quiz", "quizzed", "quizzing", "quizzes"),
        ("waltz", "waltzed", "waltzing", "waltzes"),
        ("fix", "fixed", "fixing", "fixes"),
        ("play", "played", "playing", "plays"),
        ("carry", "carried", "carrying", "carries"),
        ("agree", "agreed", "agreeing", "agrees"),
        ("panic", "panicked", "panicking", "panics"),
        ("prefer*", "preferred", "preferring", "prefers"),
        ("veto", "vetoed", "vetoing", "vetoes"),
        ("dye", "dyed", "dyeing", "dyes"),
        ("need", "needed", "needing", "needs"),
        ("tie", "tied", "tying", "ties"),
    ],
)
def test_the_rules_of_spelling(marked, past, progressive, third):
    _, pasts, progressives, _, thirds = regular(marked)
    assert (pasts[0], progressives[0], thirds[0]) == (past, progressive, third)
