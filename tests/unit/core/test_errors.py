"""Messages are one line, and exit codes tell a failed run from wrong use."""

from __future__ import annotations

import copy
import pickle

import pytest

from gecbench.core import errors

FAILED = ["GecbenchError", "FormatError", "CorpusError", "EditError", "ResourceError"]
WRONG_USE = ["UsageError", "UnknownNameError", "NoEffectError", "MissingExtraError"]


@pytest.mark.parametrize("name", FAILED)
def test_a_failed_run_exits_with_1(name: str):
    assert getattr(errors, name).exit_code == 1


@pytest.mark.parametrize("name", WRONG_USE)
def test_wrong_use_exits_with_2(name: str):
    assert getattr(errors, name).exit_code == 2
    assert issubclass(getattr(errors, name), errors.UsageError)


@pytest.mark.parametrize("name", FAILED + WRONG_USE)
def test_one_except_catches_all(name: str):
    assert issubclass(getattr(errors, name), errors.GecbenchError)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("enn", "did you mean en?"),
        ("zh-cha", "did you mean zh-char or zh-cherrant?"),
        ("x", "known: en, zh-char, zh-cherrant"),
        ("", "known: en, zh-char, zh-cherrant"),
    ],
)
def test_near_names_come_first_and_else_all(name: str, hint: str):
    error = errors.UnknownNameError("scheme", name, ["zh-cherrant", "zh-char", "en"])
    assert str(error) == f"unknown scheme {name!r}; {hint}"


def test_a_missing_extra_names_the_command():
    assert str(errors.MissingExtraError("OpenCC", "zh")) == (
        "OpenCC is not installed; run: pip install 'gecbench[zh]' "
        "(in a checkout: pip install -e '.[zh]')"
    )


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.GecbenchError("a {brace} stays"), "a {brace} stays"),
        (errors.GecbenchError("{n:,} of {name!r}", n=1200, name="x"), "1,200 of 'x'"),
        (errors.FormatError("no {what}", at=errors.Place("a.tsv", 3), what="id"), "a.tsv:3: no id"),
        (errors.GecbenchError(errors.Message("{n}", n=1), at="a.tsv"), "a.tsv: 1"),
        (errors.UnknownNameError("kind", "x", ["y"]), "unknown kind 'x'; known: y"),
        (errors.UnknownNameError("kind", "x", []), "unknown kind 'x'; there is none yet"),
    ],
)
def test_an_error_is_its_message_filled_behind_its_place(error: errors.GecbenchError, text: str):
    assert str(error) == text


@pytest.mark.parametrize("again", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_errors_are_whole_after_another_process_raised_them(again):
    for error in (
        errors.FormatError("no {what}", at=errors.Place("a.tsv", 3), what=errors.Message("id")),
        errors.MissingExtraError("spaCy", "en"),
        errors.UnknownNameError("kind", "x", ["y"]),
        errors.GecbenchError("{advice}", advice=errors.OptionAdvice("say {option}", "--from")),
    ):
        other = again(error)
        assert (type(other), str(other), other.at) == (type(error), str(error), error.at)
        assert other.message.template == error.message.template
        assert other.values == error.values
