"""Chinese typing errors by word n-grams: the search, what is corrected, what is left alone."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from corrector_checks import EN, ZH, check_corrector
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.core.corrector import CorrectorInfo
from gecbench.core.errors import FormatError, GecbenchError, MissingExtraError, UsageError
from gecbench.models import load_corrector
from gecbench.models.lexical.chinese_lm import (
    Edge,
    NgramModel,
    ZhLm,
    build_lexicon,
    find_best,
)


class Bigrams(NgramModel):
    """Words that follow one another in some sentences are likely, others are not."""

    name, start = "bigrams", ""

    def __init__(self, sentences: Sequence[str]) -> None:
        words = [["", *sentence.split()] for sentence in sentences]
        self.pairs = {pair for line in words for pair in pairwise(line)}
        self.words = {word for line in words for word in line[1:]}

    def __contains__(self, word: str) -> bool:
        return word in self.words

    def score(self, state: Hashable, word: str) -> tuple[float, Hashable]:
        return -2.0 if (state, word) in self.pairs else -9.0 if word in self.words else -18.0, word


@pytest.fixture(scope="module")
def corrector() -> ZhLm:
    model = Bigrams(
        [
            "你们 要 小心 一点",
            "他们 在 家里 做饭",
            "我 高兴 地 走 了",
            "再 说 一遍",
            "他 跑 得 很 快",
            "他 有 五 本 书 午",
        ]
    )
    info = CorrectorInfo("zh-lm", "lexical", ("zh",), "by bigrams")
    return ZhLm(info, build_lexicon(model)[1], model)


def test_laws(corrector: ZhLm) -> None:
    check_corrector(lambda: corrector, [*ZH, *EN])


@pytest.mark.parametrize(
    ("wrong", "right", "labels"),
    [
        ("你们要小新一点。", "你们要小心一点。", ["same sound"]),
        ("他们再家里做饭！", "他们在家里做饭！", ["function word"]),
        ("你好，在说一遍", "你好，再说一遍", ["function word"]),
        ("我高心的走了", "我高兴地走了", ["similar sound", "function word"]),
        ("她们在家里做饭", "她们在家里做饭", []),  # another person
        ("他有五本书", "他有五本书", []),
        ("他有午本书", "他有五本书", ["single character"]),
        ("他跑得很快", "他跑得很快", []),
        ("刘高心走了", "刘高心走了", []),
        ("柯新点，要小新一点。", "柯新点，要小心一点。", ["same sound"]),
        ("他读《小新》，你们要小新一点。", "他读《小新》，你们要小心一点。", ["same sound"]),
        ("小新·再新，你们要小新一点。", "小新·再新，你们要小心一点。", ["same sound"]),
        ("小新·再新·小新，你们要小新一点。", "小新·再新·小新，你们要小心一点。", ["same sound"]),
    ],
)
def test_what_is_corrected(corrector: ZhLm, wrong: str, right: str, labels: list[str]) -> None:
    (correction,) = corrector.correct([wrong])
    assert correction.text == right
    assert [edit.label for edit in correction.edits] == labels
    assert all(edit.score >= 0.5 for edit in correction.edits)  # each gains what it must


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("见弗拉基米尔·普京说", "见弗拉基米尔·普京"),
        ("读约翰·罗纳德‧托尔金的书", "读约翰·罗纳德‧托尔金"),
        ("在安娜•卡列尼娜", "安娜•卡列尼娜"),
        ("的·书", ""),
    ],
)
def test_parts_of_a_name_have_dots_between_them(corrector: ZhLm, text: str, name: str) -> None:
    _, others = corrector.lexicon.names(text)
    assert "".join(text[place] for place in sorted(others)) == name


words = st.sampled_from(["在", "再", "家", "家里", "里", "佳"])


@given(st.lists(st.lists(words, min_size=1, max_size=3), min_size=1, max_size=5), st.data())
def test_the_search_finds_what_trying_all_finds(
    alternatives: list[list[str]], data: st.DataObject
) -> None:
    model = Bigrams([" ".join(data.draw(st.lists(words, min_size=1, max_size=4)))])
    n = len(alternatives)
    edges = [
        [Edge(k + 1, "在"), *(Edge(min(k + len(w), n), w, len(w) * 1.5) for w in logs)]
        for k, logs in enumerate(alternatives)
    ]

    def best(at: int, state: Hashable) -> float:
        logs = [0.0] if at == n else []
        for end, word, threshold, _ in edges[at] if at < n else ():
            log, new = model.score(state, word)
            logs.append(log - threshold + best(end, new))
        return max(logs)

    log, path = find_best(edges, model)
    assert math.isclose(log, best(0, model.start))
    assert path


def test_wrong_options_and_models(tmp_path: Path, need: Callable[[str], ModuleType]) -> None:
    with pytest.raises(UsageError):
        load_corrector("zh-lm", {"caution": 0})
    need("kenlm")
    header = b"mmap lm http://kheafield.com/code format version 5\n".ljust(56, b"\0")
    header += struct.pack("=3fIIxxxxQ", 0, 1, -0.5, 1, 2**32 - 1, 1)
    contents = {"words.lm": b"no model", "empty.lm": b"", "cut.lm": header, "start.lm": header[:40]}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        with expect_error(FormatError, name):
            load_corrector(f"zh-lm:{tmp_path / name}")
    for name in ("none.lm", ""):
        with expect_error(GecbenchError, str(tmp_path / name)):
            load_corrector(f"zh-lm:{tmp_path / name}")


def test_without_kenlm_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="zh-lm"):
        load_corrector("zh-lm")


def test_a_model_of_kenlm(tmp_path: Path, need: Callable[[str], ModuleType]) -> None:
    need("kenlm")
    unigrams = ["-9\t<unk>", "-99\t<s>", "-1\t</s>"]
    unigrams += [f"-2\t{w}" for w in ("你们", "要", "小心", "一点", "新", "小")]
    content = "\\data\\\nngram 1=9\nngram 2=1\n\n\\1-grams:\n" + "\t0\n".join(unigrams)
    content += "\t0\n\n\\2-grams:\n-1\t要 小心\n\n\\end\\\n"
    (tmp_path / "words.arpa").write_text(content, encoding="utf-8")
    corrector = load_corrector(f"zh-lm:{tmp_path / 'words.arpa'}", {"caution": "0.3"})
    assert corrector.correct(["你们要小新一点"])[0].text == "你们要小心一点"
    assert "words.arpa" in corrector.info.signature["model"]
