"""What the heat map shows of sentences, and the page that it is embedded in."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from messages import assert_is_line

from gecbench.api.difficulty import difficulty
from gecbench.api.files import sample
from gecbench.api.verb_options import DifficultyOptions
from gecbench.core.edit import Edit
from gecbench.core.errors import MissingExtraError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.reports.page import interface_words
from gecbench.reports.page.heatmap import ALARM, ERROR, heat_map, values

WORDS = interface_words("heatmap")
SOURCES = {"1": "我喜欢 猫 在家。", "2": "我喜换吃平果。", "3": "都好。"}
TARGETS = {"1": "我喜欢 小猫 在家。", "2": "我喜欢吃苹果。", "3": "都好。"}
ONE = {"1": "我喜欢 猫 在家。", "2": "我喜欢吃平果。", "3": "都坏。"}
TWO = {"1": "我很喜欢 猫 在家。", "2": "我喜换吃苹果。", "3": "都好了。"}


def rewritten(texts: dict[str, str]) -> dict[str, tuple[Rewrite, ...]]:
    return {name: (Rewrite(text=text),) for name, text in texts.items()}


def rewrite_by(*edits: Edit) -> Rewrite:
    return Rewrite(text="...", edit_sets=(edits,))


def measure(**options: object):
    corpus = Corpus(
        name="a </script> corpus",
        lang="zh",
        samples=tuple(Sample(n, s, (Rewrite(text=TARGETS[n]),)) for n, s in SOURCES.items()),
    )
    systems = [SystemOutput(name, rewritten(texts)) for name, texts in (("one", ONE), ("<2>", TWO))]
    return difficulty(corpus, systems, scheme="zh-char", options=DifficultyOptions(**options))[0]


@pytest.fixture(scope="module")
def result():
    return measure()


def shown(data, sources=SOURCES) -> dict[str, list]:
    return {name: pieces for name, _, pieces in values(data, sources)["sentences"]}


def test_pieces_are_the_whole_text_in_its_own_spacing(result):
    for name, pieces in shown(result).items():
        text = "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
        assert text == SOURCES[name]


def test_without_texts_that_fit_tokens_are_shown_as_characters_are_written(result):
    for sources in ({}, dict.fromkeys(SOURCES, "something else")):
        for name, pieces in shown(result, sources).items():
            text = "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
            assert text == SOURCES[name].replace(" ", "")


def test_words_are_shown_with_spaces_but_han_characters_without():
    source = "We like 猫 猫 today"
    reference = rewrite_by(Edit(1, 2, ("really", "like")))
    tokens = tuple(source.split())
    m2 = Corpus("words", (Sample("1", source, (reference,), tokens=tokens),), "en")
    system = SystemOutput("one", {"1": (rewrite_by(Edit(1, 2, ("love",))),)}, {"1": tokens})
    (result,) = difficulty(m2, [system], options=DifficultyOptions())
    for sources in ({"1": "We like 猫 猫 today"}, {}):
        (pieces,) = shown(result, sources).values()
        assert [p[4] for p in pieces if not isinstance(p, str)] == ["really like"]
        text = "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
        assert text == ("We like 猫 猫 today" if sources else "We like猫猫today")


def test_errors_have_weight_type_correction_and_systems(result):
    marks = [piece for piece in shown(result)["2"] if not isinstance(piece, str)]
    types = values(result, SOURCES)["types"]
    assert [(m[0], m[1], m[2], types[m[3]], m[4], m[5], m[6]) for m in marks] == [
        ("换", ERROR, 0.5, "S", "欢", [0], []),
        ("平", ERROR, 0.5, "S", "苹", [1], []),
    ]


def test_insertions_stand_between_characters_and_wrong_ones_name_who_changed(result):
    pieces = shown(result)["1"]
    types = values(result, SOURCES)["types"]
    error = ("", ERROR, 1.0, types.index("M"), "小", [], [])
    assert pieces == ["我", ("", ALARM, 0.5, -1, "", [], [1]), "喜欢 ", error, "猫 在家。"]


def test_what_no_reference_changes_has_only_wrong_changes(result):
    marks = [piece for piece in shown(result)["3"] if not isinstance(piece, str)]
    assert [(m[0], m[1], m[6]) for m in marks] == [("好", ALARM, [0]), ("", ALARM, [1])]
    value = {name: value for name, value, _ in values(result, SOURCES)["sentences"]}
    assert value == {"1": 1.0, "2": 1.0, "3": 0.0}


def test_an_error_at_the_very_end_ends_the_text_and_names_who_changed_it_otherwise():
    corpus = Corpus("ends", (Sample("1", "好吗", (Rewrite(text="好吧"),)),), lang="zh")
    texts = {"kept": "好吗", "otherwise": "好嘛"}
    systems = [SystemOutput(name, {"1": (Rewrite(text=text),)}) for name, text in texts.items()]
    (result,) = difficulty(corpus, systems, scheme="zh-char")
    assert shown(result, {"1": "好吗"})["1"] == ["好", ("吗", ERROR, 1.0, 0, "吧", [], [1])]


def test_the_range_of_weights_is_that_of_the_formula():
    from gecbench.analysis.options import Weighting

    assert values(measure(), SOURCES)["range"] == [0.0, 1.0]
    page_values = values(measure(weighting=Weighting(2.0, 0.0, 1.0)), SOURCES)
    assert page_values["range"] == [round(2 - 2 / 3, 4), 2.0]


class Scripts(HTMLParser):
    """Collects the contents of scripts by id, as a browser cuts them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.at: str | None = None

    def handle_starttag(self, tag, attrs):
        self.at = dict(attrs).get("id", tag) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        if self.at:
            self.found[self.at] = self.found.get(self.at, "") + data


def test_the_page_holds_its_data_whatever_is_in_them(result):
    page = heat_map([result], [SOURCES], "zh")
    scripts = Scripts()
    scripts.feed(page)
    assert json.loads(scripts.found["data"]) == json.loads(json.dumps([values(result, SOURCES)]))
    assert set(json.loads(scripts.found["words"])) == set(WORDS)
    assert '<html lang="zh-Hans" data-language="zh">' in page
    assert "<title>错误的难度: a &lt;/script&gt; corpus</title>" in page


def test_the_page_loads_nothing_and_allows_nothing_else(result):
    page = heat_map([result], [SOURCES])
    assert re.findall(r"""(?:src|href)=["'](?!#)""", page) == []
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
    assert "unsafe" not in policy
    assert " style=" not in page.split("<script")[0]


def test_the_same_results_give_the_same_page(result):
    assert heat_map([result], [SOURCES]) == heat_map([measure()], [SOURCES])


def test_several_results_are_all_in_the_page(result):
    other = replace(result, reference="reference 2")
    scripts = Scripts()
    scripts.feed(heat_map([result, other], [SOURCES, SOURCES]))
    names = [item["reference"] for item in json.loads(scripts.found["data"])]
    assert names == ["reference 1", "reference 2"]


def test_every_word_of_the_page_is_there_in_both_languages(result):
    page = heat_map([result], [SOURCES])
    matches = set(re.findall(r'data-(?:say|name|hint)="([\w-]+)"', page))
    matches |= set(re.findall(r'\bsay\("([\w-]+)"\)', page))
    assert matches <= set(WORDS)
    for key, words in WORDS.items():
        assert not re.search("[\u4e00-\u9fff]", words.en), key
        assert re.search("[\u4e00-\u9fff]", words.zh), key


def test_without_jinja_the_extra_is_named(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"jinja2.*gecbench\[report\]"):
        heat_map([result], [SOURCES])


def test_the_command_writes_the_page_in_the_language_asked_for(run, tmp_path):
    corpus, system = sample("zh", "corpus.jsonl"), sample("zh", "eager.txt")
    words = ("analyse", "difficulty", corpus, system, "--scheme", "zh-char", "--language", "zh")
    code, out, _ = run(*words, "--heat-map", tmp_path / "page.html")
    assert code == 0
    assert "zh-samples" in (tmp_path / "page.html").read_text("utf-8").split("</title>")[0]
    assert "eager" in out
    code, _, err = run(*words, "--heat-map", "-")
    assert code == 2
    assert_is_line(err, "--output", "--heat-map", "standard output")
