"""A manager who imports a broken file on a Chinese page reads in Chinese what is wrong with it."""

from __future__ import annotations

import re

import pytest
from django.utils.translation import override
from server.import_export.files import empty
from server.web.broken_imports import BROKEN, HEADER, WHOLE, errors, with_wrong_values

from gecbench.formats.records import READERS, Trouble, records
from gecbench.server.import_export.reading import content_of
from gecbench.server.web.manage.shortcuts import translate_error
from gecbench.server.web.messages import translate

HAN = re.compile("[\u4e00-\u9fff]")
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
SENTENCE = re.compile(r"[a-z]{2,}(?: [a-z]+){2,}")


def in_english(message: str, chinese: str, *, foreign: bool) -> bool:
    return foreign or not HAN.search(chinese) or bool(SENTENCE.search(QUOTED.sub("", chinese)))


def test_every_format_that_is_imported_has_broken_files():
    assert set(BROKEN) == {*READERS, ""}


@pytest.mark.parametrize("format", BROKEN)
def test_what_is_wrong_with_a_file_is_said_in_chinese(site, format):
    project = empty()
    sound, english = [], []
    with override("zh-hans"):
        for name, raw in BROKEN[format].items():
            problems = list(errors(project, raw, format))
            if not problems:
                sound.append(name)
            for error in problems:
                words = translate_error(error)
                if in_english(str(error), words.text, foreign=words.foreign):
                    english.append((name, str(error), words.text))
    assert (sound, english) == ([], [])


@pytest.mark.parametrize("format", WHOLE)
def test_a_wrong_value_in_any_place_is_said_in_chinese(format):
    english, wrong = set(), 0
    with override("zh-hans"):
        for raw in with_wrong_values(format):
            for entry in records(content_of("file", raw.encode()), format)[1]:
                if isinstance(entry, Trouble):
                    wrong += 1
                    words = translate(entry.message)
                    if in_english(entry.message, words.text, foreign=words.foreign):
                        english.add((entry.message, words.text))
    assert english == set()
    assert wrong > 30


@pytest.mark.parametrize("format", BROKEN)
def test_advice_of_the_command_line_is_not_given_on_a_page(site, format):
    project = empty()
    with override("zh-hans"):
        shown = [
            translate_error(e).text
            for raw in BROKEN[format].values()
            for e in errors(project, raw, format)
        ]
    assert [text for text in shown if " --" in text] == []


@pytest.mark.parametrize(
    ("format", "raw", "problem"),
    [
        ("label-studio", f'[{{"id": {"9" * 5000}}}]', "有一个数的位数太多"),
        ("label-studio", "[" * 100_000, "括号嵌套太深"),
        ("jsonl", f'{HEADER}{{"id": {"9" * 5000}}}', "有一个数的位数太多；请缩短"),
        ("m2", "S a b\nA 0  1|||S|||b|||REQUIRED|||-NONE-|||0\n", "范围为 '0  1'"),
    ],
)
def test_problems_are_told_in_words_of_the_page(format, raw, problem):
    entries = list(records(content_of("file", raw.encode()), format)[1])
    with override("zh-hans"):
        assert problem in translate(entries[-1].message).text
