"""What is done with a network's answers, with a network that answers by a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pytest
from messages import expect_error

from gecbench.core.corrector import CorrectorInfo
from gecbench.core.errors import GecbenchError
from gecbench.formats.validation import options_of
from gecbench.models.tagger.corrector import (
    Biases,
    Predictions,
    SentencePositions,
    TaggerCorrector,
    TaggerOptions,
)
from gecbench.models.tagger.encoding import Positions
from gecbench.models.tags.labels import UNKNOWN, LabelVocabulary

LABELS = ("$DELETE", UNKNOWN, "$REPLACE_乙", "$KEEP", "$REPLACE_甲", "$APPEND_丙")
"""$KEEP stands where nobody would look for it."""


class Table:
    """Answers by the text of a sentence: place of a token to its label and probability."""

    signature: Mapping[str, str] = {}
    batch_size = 4

    def __init__(self, answers: Mapping[str, Mapping[int, tuple[str, float]]], read=99) -> None:
        self.answers = answers
        self.read = read
        self.batches: list[list[str]] = []
        self.given: list[str] = []

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[SentencePositions]:
        start = len(self.given)
        self.given += ["".join(tokens) for tokens in sentences]
        result = []
        for place, tokens in enumerate(sentences, start):
            read = min(len(tokens) + 1, self.read)
            result.append((Positions((place,) * read, tuple(range(read))),))
        return result

    def predict(
        self, batches: Iterable[Sequence[SentencePositions]], biases: Biases
    ) -> Iterator[Predictions]:
        for batch in batches:
            texts = [self.given[encoded[0].ids[0]] for encoded in batch]
            self.batches.append(texts)
            width = max(len(encoded[0].firsts) for encoded in batch)
            labels = np.full((len(batch), width), LABELS.index("$KEEP"))
            probabilities = np.full((len(batch), width), 0.9, dtype=np.float32)
            errors = np.full((len(batch), width), 0.1, dtype=np.float32)
            for row, text in enumerate(texts):
                for place, (label, value) in self.answers.get(text, {}).items():
                    if place < width:
                        labels[row, place] = LABELS.index(label)
                        probabilities[row, place] = value
                        errors[row, place] = value
            yield Predictions(labels, probabilities, errors)

    def close(self) -> None:
        pass


def corrector(answers, read=99, **options: object) -> TaggerCorrector:
    info = CorrectorInfo("table", "tagger", ("zh",), "answers by a table")
    settings = options_of("tagger", TaggerOptions, options)
    return TaggerCorrector(info, Table(answers, read), LabelVocabulary(LABELS), "zh", settings)


def test_labels_are_known_by_name():
    (result,) = corrector({"一二": {1: ("$REPLACE_甲", 0.8)}}).correct(["一二"])
    assert result.text == "甲二"
    assert [(e.start, e.end, e.replacement, e.label) for e in result.edits] == [
        (0, 1, "甲", "$REPLACE_甲")
    ]
    assert result.edits[0].score == pytest.approx(0.8)
    assert result.score == pytest.approx(0.8)


def test_rounds_go_on_while_the_text_is_new():
    answers = {
        "一": {0: ("$APPEND_丙", 0.9), 1: ("$APPEND_丙", 0.7)},
        "丙一丙": {2: ("$REPLACE_乙", 0.6)},
    }
    tagger = corrector(answers)
    (result,) = tagger.correct(["一"])
    assert (result.text, result.flags) == ("丙乙丙", ())
    assert sum(map(len, tagger._runtime.batches)) == 3
    assert min(edit.score for edit in result.edits) == pytest.approx(0.6)
    (result,) = corrector(answers, rounds=1).correct(["一"])
    assert (result.text, result.flags) == ("丙一丙", ("rounds",))


def test_a_form_that_recurs_is_taken_and_ends_the_rounds():
    answers = {"甲": {1: ("$REPLACE_乙", 0.9)}, "乙": {1: ("$REPLACE_甲", 0.9)}}
    tagger = corrector(answers)
    (result,) = tagger.correct(["甲"])
    assert (result.text, result.edits, result.flags) == ("甲", (), ())
    assert sum(map(len, tagger._runtime.batches)) == 2


def test_what_never_ends_is_flagged():
    answers = {"一" + "丙" * n: {n + 1: ("$APPEND_丙", 0.9)} for n in range(9)}
    (result,) = corrector(answers, rounds=4).correct(["一"])
    assert (result.text, result.flags) == ("一丙丙丙丙", ("rounds",))


def test_the_two_thresholds_are_two():
    answers = {"一二": {1: ("$REPLACE_甲", 0.3), 2: ("$DELETE", 0.7)}}
    assert corrector(answers).correct(["一二"])[0].text == "甲"
    assert corrector(answers, token_threshold=0.5).correct(["一二"])[0].text == "一"
    assert corrector(answers, min_error_probability=0.6).correct(["一二"])[0].text == "甲"
    assert corrector(answers, min_error_probability=0.8).correct(["一二"])[0].text == "一二"


def test_the_probability_of_an_edit_has_no_bias():
    answers = {"一二": {2: ("$DELETE", 0.75)}}
    (result,) = corrector(answers, delete_bias=0.25).correct(["一二"])
    assert result.edits[0].score == pytest.approx(0.5)
    answers = {"一二": {1: ("$REPLACE_甲", 1.5)}}
    assert corrector(answers).correct(["一二"])[0].edits[0].score == 1.0


def test_what_is_not_read_is_kept_and_said():
    answers = {"一二三": {1: ("$DELETE", 0.9), 3: ("$DELETE", 0.9)}}
    (result,) = corrector(answers, read=3).correct(["一二三"])
    assert (result.text, result.flags) == ("二三", ("too long",))
    (result,) = corrector(answers).correct(["一二三"])
    assert (result.text, result.flags) == ("二", ())


def test_what_is_too_short_is_kept_and_said():
    answers = {"一": {1: ("$REPLACE_甲", 0.9)}, "一二": {1: ("$REPLACE_甲", 0.9)}}
    corrections = corrector(answers, min_tokens=2).correct(["一", "一二", ""])
    assert [(correction.text, correction.flags) for correction in corrections] == [
        ("一", ("too short",)),
        ("甲二", ()),
        ("", ("too short",)),
    ]


def test_batches_are_made_by_length():
    tagger = corrector({}, batch_size=2)
    tagger.correct(["一" * 9, "一", "一" * 8, "二"])
    assert tagger._runtime.batches == [["一" * 9, "一" * 8], ["一", "二"]]


def test_nothing_is_written_where_no_token_stands():
    answers = {"": {0: ("$APPEND_丙", 0.9)}}
    corrections = corrector(answers).correct(["", " \t", "\u3000"])
    assert [
        (correction.text, correction.edits, correction.flags, correction.score)
        for correction in corrections
    ] == [(text, (), (), None) for text in ("", " \t", "\u3000")]
    answers = {"一": {1: ("$DELETE", 0.9)}, **answers}
    (corrections,) = corrector(answers).correct(["一"])
    assert (corrections.text, corrections.flags) == ("", ())


def test_only_the_source_may_be_too_short():
    answers = {"一二": {2: ("$DELETE", 0.9)}, "一": {1: ("$REPLACE_甲", 0.9)}}
    (result,) = corrector(answers, min_tokens=2).correct(["一二"])
    assert (result.text, result.flags) == ("甲", ())


def test_probabilities_that_are_no_numbers_are_an_error():
    for value in (float("nan"), np.float32("nan")):
        with expect_error(GecbenchError, "no numbers"):
            corrector({"一": {1: ("$DELETE", value)}}).correct(["二", "一"])
