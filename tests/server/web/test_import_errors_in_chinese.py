"""A manager who imports a broken file on a Chinese page reads in Chinese what is wrong with it."""

from __future__ import annotations

import re

import pytest
from django.utils.translation import override
from server.import_export.files import empty
from server.web.broken_imports import BROKEN, WHOLE, errors, with_wrong_values

from gecbench.server.import_export.reading import READERS, Trouble, content_of, records
from gecbench.server.web.manage.words import refused
from gecbench.server.web.translation import translate

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
            found = list(errors(project, raw, format))
            if not found:
                sound.append(name)
            for error in found:
                words = refused(error)
                if in_english(str(error), words.text, foreign=words.foreign):
                    english.append((name, str(error), words.text))
    assert (sound, english) == ([], [])


@pytest.mark.parametrize("format", WHOLE)
def test_a_wrong_value_in_any_place_is_said_in_chinese(format):
    english, wrong = set(), 0
    with override("zh-hans"):
        for raw in with_wrong_values(format):
            for found in records(content_of("file", raw.encode()), format)[1]:
                if isinstance(found, Trouble):
                    wrong += 1
                    words = translate(found.message)
                    if in_english(found.message, words.text, foreign=words.foreign):
                        english.add((found.message, words.text))
    assert english == set()
    assert wrong > 30
