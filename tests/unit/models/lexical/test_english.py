"""Spelling hints for English: each rule, what it leaves alone, and the near words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from corrector_checks import EN, ZH, check_corrector
from hypothesis import given
from hypothesis import strategies as st

from gecbench.backends import dictionaries
from gecbench.backends.dictionaries import symspell_words
from gecbench.core.corrector import Corrector
from gecbench.core.errors import MissingExtraError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.lexical.english import (
    FARTHEST,
    build_speller,
    build_word_list,
    choose_article,
    edit_cost,
)


@pytest.fixture(scope="module")
def corrector() -> Corrector:
    return load_corrector("en-rules")


def test_laws(corrector: Corrector) -> None:
    check_corrector(lambda: corrector, [*EN, *ZH])


def test_loading_again_gives_the_same(corrector: Corrector) -> None:
    again = load_corrector("en-rules")
    assert again.info == corrector.info
    assert again.correct(EN) == corrector.correct(EN)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Recieve my letter .", "Receive my letter ."),
        ("She walks becuase she likes it.", "She walks because she likes it."),
        ("We saw alot of birds.", "We saw a lot of birds."),
        ("It has a new-fasion look.", "It has a new-fashion look."),
        ("He dont know it.", "He don't know it."),
        ("The childrn’s toys are here.", "The children’s toys are here."),
        ("We waited a hour for an university.", "We waited an hour for a university."),
        ("It is a enviroment.", "It is an environment."),  # the sound of what was meant
        ('He said a "hour" .', 'He said an "hour" .'),
        ("A old man and an new car .", "An old man and a new car ."),
        ("We we saw the the sea .", "We saw the sea ."),
        ("yesterday i saw it, and i'm glad.", "Yesterday I saw it, and I'm glad."),
        ("It rained. we stayed  at  home.", "It rained. We stayed  at  home."),
    ],
)
def test_what_is_mended(corrector: Corrector, wrong: str, right: str) -> None:
    assert corrector.correct([wrong])[0].text == right


@pytest.mark.parametrize(
    "text",
    [
        "The colour of the centre is grey, and we travelled there.",
        "The color of the center is gray, and we traveled there by airplane.",
        "She practiced math and memorized the catalog.",
        "We met Krall and Szymborska in Jeju with an iPhone.",
        "He had had that that that she meant, and it was very very good.",
        "They do n't know ; it 's theirs .",
        "See i.e. this (i) or that.",
        "Vitamin A is good, and so is an MBA, a UFO, a NATO base and an 8-day trip.",
        "A nonfluoridated, unmeaningful thing of mp3 and x2y.",
        "café naïve Straße",
        "An unanswered question, a Ukrainian, a Ugandan, a urologist and a usurper .",
        "An 1865 letter, an homage, an SQL query, a SQL query and a Honolulu hotel .",
        "I got up at 7 a.m. and went to the U.S. to see it.",
        '"Are you well?" he asked. She waited (why?) and left ... and slept .',
        "http://example.com is mine, www.becuase.com is his .",
        "See my_becuase.txt in /usr/locale/bin and #becuase by @freind_of .",
        "I sha n't go ; I gave her her keys .",
        "Two kgs of wechat selfies .",
    ],
)
def test_what_is_left_alone(corrector: Corrector, text: str) -> None:
    assert corrector.correct([text])[0].text == text


def test_labels_say_which_rule_and_one_token_has_one_edit(corrector: Corrector) -> None:
    (result,) = corrector.correct(["becuase i saw the the sea for a hour"])
    labels = [edit.label for edit in result.edits]
    assert labels == ["spelling, capital", "capital", "repeated word", "a or an"]
    assert result.text == "Because I saw the sea for an hour"


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("an", "hour honest heir uninteresting unusual umbrella urgent e-mail x-ray MBA FBI 8 11"),
        (
            "an",
            "18th 80 800 onerous usher unimportant ugly IOU unidentified unanswered Eulerian hors",
        ),
        ("a", "university European one-way once user useful unit unanimous unique utopia ewe"),
        ("a", "house UFO USB u-turn 1 110 100 9 uranium BBC PhD union ukulele Ukrainian Utah"),
        ("a", "urologist urethra Uruguayan usurper Ugandan Honolulu horse 1,800 unanimity"),
        (None, "NATO LED historic herb and in is of 她 élan homage 1865 1100 SQL"),
    ],
)
def test_the_article_goes_by_the_sound(expected: str | None, words: str) -> None:
    assert {word: choose_article(word) for word in words.split()} == dict.fromkeys(
        words.split(), expected
    )


def test_own_words_are_right(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("enviroment\n", encoding="utf-8")
    corrector = load_corrector("en-rules", {"words": str(path)})
    assert (
        corrector.correct(["An enviroment and a recieve ."])[0].text
        == "An enviroment and a receive ."
    )


def test_a_threshold_of_one_leaves_spelling_alone() -> None:
    careful = load_corrector("en-rules", {"threshold": 1})
    assert careful.correct(["She likes the enviroment ."])[0].edits == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"word": "x"}, "unknown option of en-rules 'word'; did you mean words"),
        ({"threshold": 2}, "option threshold of en-rules: it is 2; expected float <= 1"),
    ],
)
def test_a_wrong_option_is_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises((UnknownNameError, UsageError), match=message):
        load_corrector("en-rules", options)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"symspellpy, whose .*gecbench\[spelling\]"):
        symspell_words()


def test_it_is_called_spelling_hints(corrector: Corrector) -> None:
    assert corrector.info.about.startswith("Spelling hints")


def test_british_and_american_spellings_are_known_and_usual_errors_are_not() -> None:
    known = build_word_list(symspell_words())
    right = "colorful theater theaters traveled sulfur orthopedic analyzed dialog licensed"
    wrong = "becuase recieve controled tecnology enviroment untill writting"
    assert [word for word in right.split() if not known.knows(word)] == []
    assert [word for word in wrong.split() if known.knows(word)] == []


def slow_edits(first: str, second: str) -> int:
    """Optimal string alignment, by its table."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(second) + 1)] for i in range(9)]
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            ways = [table[i - 1][j] + 1, table[i][j - 1] + 1]
            ways.append(table[i - 1][j - 1] + (first[i - 1] != second[j - 1]))
            if i > 1 and j > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
                ways.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(ways)
    return table[len(first)][len(second)]


WORDS = st.text("abch", max_size=8)


@given(WORDS, WORDS)
def test_a_word_is_near_exactly_where_two_edits_suffice(first: str, second: str) -> None:
    assert (edit_cost(first, second, FARTHEST) < math.inf) == (
        slow_edits(first, second) <= FARTHEST
    )


@given(st.dictionaries(st.text("abch", min_size=1, max_size=8), st.integers(1, 9), min_size=1))
def test_looking_early_loses_no_near_word(counts: dict[str, int]) -> None:
    # With so few and so frequent words nothing is negligible but by the number of edits.
    result = build_speller(counts, dict)("abch")
    near = [word for word in counts if slow_edits("abch", word) <= FARTHEST]
    assert (result is not None) == bool(near)
    assert result is None or result.word in near
