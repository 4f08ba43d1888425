"""Errors of the library become words of the page's language, parts and all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from django.utils.translation import override

from gecbench.api.schemes import load_scheme
from gecbench.core.errors import FormatError, GecbenchError, Message, MissingExtraError, Place
from gecbench.formats.m2 import parse
from gecbench.formats.tsv import check
from gecbench.formats.validation import value_of
from gecbench.server.choices import MemberStatus
from gecbench.server.web.messages import Translation, translate

BLANK = "the line is blank; remove it"


def test_an_error_is_translated_with_its_place_and_what_is_nested_in_it():
    inner = FormatError("no TAB in {text}; a row is id TAB source TAB references", text="'{0}'")
    error = FormatError(
        "{message}; the rest of the file was not looked at", at=Place("b: x", 7), message=inner
    )
    with override("zh-hans"):
        assert translate(error) == Translation(
            "b: x 第 7 行：'{0}' 中没有制表符；每行依次为编号、原句、各答案，以制表符分隔；"
            "文件的其余部分没有检查"
        )
    with override("en"):
        assert translate(error) == Translation(str(error))


def test_words_of_the_workflow_in_an_error_are_their_labels():
    refused = GecbenchError("a member who is {status} cannot do this", status=MemberStatus.PAUSED)
    with override("zh-hans"):
        assert str(MemberStatus.PAUSED.label) in str(translate(refused))
        assert "paused" not in str(translate(refused))


def test_pages_advise_no_option_of_the_command_line():
    with pytest.raises(FormatError) as span:
        parse("A 0 9|||R|||x|||REQUIRED|||-NONE-|||0", ("a",), or_maxmatch=True)
    with pytest.raises(FormatError) as ids:
        check(Path("a.tsv"), ["我昨天去了图书馆\t我去了"])
    for error, chinese in (
        (span.value, "；请改正"),
        (ids.value, "；如果第一列确实是编号，请选择 mucgec；"),
    ):
        assert "--from m" in str(error)
        with override("en"):
            assert "--" not in str(translate(error))
        with override("zh-hans"):
            assert chinese in str(translate(error))


@pytest.mark.parametrize(
    "error",
    [
        GecbenchError("new words"),
        GecbenchError(f"{BLANK} "),
        GecbenchError("{message}; write it as jsonl", message=Message("new words")),
        GecbenchError(BLANK, at=Message("new {place}", place="words")),
    ],
)
def test_what_nobody_has_translated_stays_english_and_is_marked(error: GecbenchError):
    with override("zh-hans"):
        assert translate(error) == Translation(str(error), foreign=True)


@pytest.mark.parametrize("into", [tuple[str, ...], int])
def test_kinds_of_values_are_translated_in_a_message(into: type):
    with override("zh-hans"):
        with pytest.raises(FormatError) as error:
            value_of({"id": None}, "id", into)
        expected = "整数" if into is int else "列表"
        assert str(translate(error.value)) == f"'id' 是空值（null）；应为{expected}"
        with pytest.raises(FormatError) as error:
            value_of({}, "id", into)
        assert str(translate(error.value)) == f"缺少 'id'；应为{expected}"


def test_a_scheme_without_its_package_is_refused_in_the_persons_language(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError) as error:
        load_scheme("en-errant").signature  # noqa: B018
    with override("zh-hans"):
        assert str(translate(error.value)).startswith("没有安装 spaCy（")
        assert str(translate(MissingExtraError("scipy", "statistics"))).startswith("没有安装 scipy")
