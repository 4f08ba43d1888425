"""Types of edits in words: every label that the schemes give has some."""

from __future__ import annotations

import pytest

from gecbench.reports.report import type_words


@pytest.mark.parametrize(
    ("label", "en", "zh"),
    [
        ("M:DET", "missing determiner", "缺失：限定词"),
        ("R:VERB:TENSE", "wrong verb tense", "替换：动词时态"),
        ("U:PREP", "unnecessary preposition", "多余：介词"),
        ("S:AUX", "redundant auxiliary", "冗余：助动词或助词"),
        ("M:OTHER", "missing: other", "缺失：其他"),
        ("W", "word order", "语序"),
        ("W:R", "word order: moved from here", "语序：从这里移走"),
        ("W:M", "word order: moved to here", "语序：移到这里"),
        ("-", "no category", "无类别"),
        ("VERB:SVA", "subject-verb agreement", "主谓一致"),
    ],
)
def test_labels_of_errant_and_cherrant_have_words(label: str, en: str, zh: str):
    words = type_words(label)
    assert words
    assert (words.en, words.zh) == (en, zh)


@pytest.mark.parametrize("label", ["", "ArtOrDet", "M:ArtOrDet", "X:DET", "error-free"])
def test_labels_of_others_have_none(label: str):
    assert type_words(label) is None
