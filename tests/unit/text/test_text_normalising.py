"""Named changes of texts: what each does, and what it leaves."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import MissingExtraError, UnknownNameError
from gecbench.text import NORMALISATIONS, normalisation

PAGE = Path(__file__).parents[3] / "docs" / "texts.md"


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("halfwidth", "！～ＡＢ１，　（）", "!~AB1, ()"),
        ("halfwidth", "。、“”￥ｱ\u00a0", "。、“”￥ｱ\u00a0"),
        ("punctuation", "“a”„b‟〝c〞〟＂", '"a""b""c"""'),
        ("punctuation", "it’s ‘b’‚‛＇", "it's 'b''''"),
        ("punctuation", "a‐‑‒–—―─−﹘﹣－b", "a-----------b"),
        ("punctuation", "「」『』《》«»…，_`´′ー一", "「」『』《》«»…，_`´′ー一"),
        ("lower", "ÀB Ｃ ΑΣ ΑΣΑ", "àb ｃ ας ασα"),
        ("nfc", "e\u0301 \u212b ﬁ １", "é Å ﬁ １"),
        ("nfkc", "e\u0301 ﬁ １ ㈱\u3000…", "é fi 1 (株) ..."),
        ("nfkc", "a´b", "a \u0301b"),
        ("squeeze", " a\u3000\t b\n", "a b"),
        ("squeeze", "  ", ""),
        ("t2s", "這個 學校", "这个 学校"),
        ("t2s", "乾坤 乾 坤", "乾坤 干 坤"),  # a phrase, and its characters by themselves
        ("s2t", "头发 发展", "頭髮 發展"),
    ],
)
def test_each_does_what_its_name_says(name: str, text: str, result: str):
    assert normalisation(name).change(text) == result


@pytest.mark.parametrize("name", sorted(set(NORMALISATIONS) - {"squeeze", "halfwidth", "nfkc"}))
def test_white_space_stays(name: str):
    assert normalisation(name).change(" \u3000a\t\n b\u00a0") == " \u3000a\t\n b\u00a0"


def test_names_for_signatures_say_what_decides():
    names = {name: normalisation(name).name for name in NORMALISATIONS}
    unicode = f"unicode {unicodedata.unidata_version}"
    assert (names["nfc"], names["nfkc"]) == (f"nfc({unicode})", f"nfkc({unicode})")
    assert names["t2s"].startswith("t2s(opencc 1.")
    assert names["s2t"].startswith("s2t(opencc 1.")
    mine = ["halfwidth", "lower", "punctuation", "squeeze"]
    assert [names[name] for name in mine] == mine


def test_an_unknown_name_is_answered_with_the_nearest():
    with expect_error(UnknownNameError, "'lowercase'", "lower"):
        normalisation("lowercase")


@pytest.mark.parametrize("name", ["t2s", "s2t"])
def test_without_opencc_the_command_that_brings_it_is_said(monkeypatch, name: str):
    monkeypatch.setitem(sys.modules, "opencc", None)
    with pytest.raises(MissingExtraError) as error:
        normalisation(name)
    assert str(error.value).startswith(
        f"OpenCC, which {name} converts by, is not installed; run: pip install 'gecbench[zh]' "
    )


def test_every_name_is_documented():
    page = PAGE.read_text("utf-8")
    assert [name for name in NORMALISATIONS if f"`{name}`" not in page] == []
