"""Types of edits in words: every label that the schemes give has some."""

from __future__ import annotations

import pytest

import gecbench
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.reports.report import are_errant_types, type_words


@pytest.mark.parametrize(
    ("label", "en", "zh"),
    [
        ("M:DET", "missing determiner", "缺失：限定词"),
        ("R:VERB:TENSE", "wrong verb tense", "替换：动词时态"),
        ("U:PREP", "unnecessary preposition", "多余：介词"),
        ("M:OTHER", "missing: other", "缺失：其他"),
        ("-", "no category", "无类别"),
        ("VERB:SVA", "subject-verb agreement", "主谓一致"),
    ],
)
def test_labels_of_errant_have_words(label: str, en: str, zh: str):
    words = type_words(label, errant=True)
    assert words
    assert (words.en, words.zh) == (en, zh)


@pytest.mark.parametrize(
    ("label", "en", "zh"),
    [
        ("M", "missing", "缺失"),
        ("R", "redundant", "冗余"),
        ("S", "substituted", "替换"),
        ("S:AUX", "substituted auxiliary", "替换：助动词或助词"),
        ("W", "word order", "词序"),
        ("W:R", "word order: moved from here", "词序：从这里移走"),
        ("W:M", "word order: moved to here", "词序：移到这里"),
    ],
)
def test_labels_of_cherrant_and_of_any_language_have_words(label: str, en: str, zh: str):
    words = type_words(label, errant=False)
    assert words
    assert (words.en, words.zh) == (en, zh)


@pytest.mark.parametrize(
    ("labels", "errant"),
    [
        (["M:DET", "R:NOUN"], True),
        (["M", "R", "U"], True),
        (["R:WO", "UNK"], True),
        (["M", "R", "S", "W"], False),
        (["R", "M"], False),
        (["R:AUX", "S:SPELL"], False),
        (["M", "W:M", "W:R"], False),
        ([], False),
    ],
)
def test_r_is_a_replacement_in_labels_of_errant_alone(labels: list[str], errant: bool):
    assert are_errant_types(labels) == errant


@pytest.mark.parametrize(
    ("source", "words"), [("他去学较了", "substituted"), ("他去了学校了", "redundant")]
)
@pytest.mark.parametrize("scheme", ["zh-char", "xx-char"])
def test_words_are_those_of_what_the_scheme_finds(scheme: str, source: str, words: str):
    sample = Sample("1", source, (Rewrite("他去学校了"),))
    [edits] = (
        gecbench.extract(Corpus("c", (sample,), lang="zh"), scheme)
        .samples[0]
        .references[0]
        .edit_sets
    )
    labels = [edit.label for edit in edits]
    [shown] = [type_words(label, errant=are_errant_types(labels)) for label in labels]
    assert shown
    assert shown.en == words


@pytest.mark.parametrize("label", ["", "ArtOrDet", "M:ArtOrDet", "X:DET", "error-free"])
def test_labels_of_others_have_none(label: str):
    assert type_words(label, errant=True) is None
    assert type_words(label, errant=False) is None
