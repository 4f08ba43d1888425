"""The default guidelines: whole, alike in both languages, true to their own rules."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest
from django.utils.translation import override

import gecbench.server.guidelines as guide
from gecbench.core.errors import UnknownNameError
from gecbench.server.choices import NotAnnotatableReason, RejectReason
from gecbench.server.guidelines import (
    CHAPTERS,
    LANGUAGES,
    PLACEHOLDERS,
    default_guideline,
)
from gecbench.server.guidelines.rendering import parse_pairs, render_markdown

TYPES = {
    "punctuation": ("missing", "redundant", "misused"),
    "spelling": ("sound", "shape", "order", "name"),
    "word": ("missing", "redundant", "misused"),
    "syntax": ("order", "blend"),
    "pragmatics": ("logic", "ambiguity"),
}
"""Five major and fourteen minor types after MuCGEC (Zhang et al., NAACL 2022, Table 2)."""

MINORS = [f"{major}-{minor}" for major, minors in TYPES.items() for minor in minors]

both = pytest.mark.parametrize("lang", LANGUAGES)


def blocks(markdown: str) -> list[str]:
    return re.findall(r"^```pair\n(.*?)^```$", markdown, re.M | re.S)


def pairs(markdown: str):
    return list(chain.from_iterable(map(parse_pairs, blocks(markdown))))


def texts(pair, *roles: str) -> list[str]:
    return [line.text for line in pair if line.role in roles]


def section_of(markdown: str, name: str) -> str:
    """The Markdown from a heading to the next one."""
    return re.search(rf"^#+ [^\n]*\{{#{name}\}}\n(.*?)(?=^#|\Z)", markdown, re.M | re.S)[1]


@both
def test_gui_1_each_type_and_reason_has_its_section_in_the_default_guideline(lang):
    ids = {section.id for section in render_markdown(default_guideline(lang)).sections}
    reasons = [reason.section for reason in (*RejectReason, *NotAnnotatableReason)]
    assert {*TYPES, *MINORS, *reasons} - ids == set()
    assert len(MINORS) == 14


def test_gui_4_a_citation_holds_in_the_guideline_of_either_language():
    for kind, count in (("rewrite", 60), ("perturb", 20)):
        zh, en = (
            render_markdown(default_guideline(lang, kind=kind)).sections for lang in LANGUAGES
        )
        assert [(s.id, s.level) for s in zh] == [(s.id, s.level) for s in en]
        assert len(zh) > count


@both
@pytest.mark.parametrize(("kind", "count"), [("rewrite", 30), ("perturb", 3)])
def test_each_link_of_a_default_guideline_leads_to_one_of_its_sections(lang, kind, count):
    page = render_markdown(default_guideline(lang, kind=kind))
    links = set(re.findall(r'href="#guide-([^"]*)"', page.html))
    assert len(links) > count
    assert links - {section.id for section in page.sections} == set()


@pytest.mark.parametrize(
    "reason", [*RejectReason, *NotAnnotatableReason], ids=lambda reason: reason.section
)
def test_the_title_of_a_section_is_the_label_of_the_reason_that_it_explains(reason):
    for lang, language in (("zh", "zh-hans"), ("en", "en")):
        title = next(
            s for s in render_markdown(default_guideline(lang)).sections if s.id == reason.section
        )
        with override(language):
            assert title.title == str(reason.label)


@both
@pytest.mark.parametrize("minor", MINORS)
def test_gui_1_each_minor_type_has_three_pairs_its_borders_and_frequent_mistakes(lang, minor):
    text = section_of(default_guideline(lang), minor)
    examples = pairs(text)
    assert len(examples) >= 3
    assert all(texts(pair, "wrong") and texts(pair, "right") for pair in examples)
    borders, mistakes = ("界线", "常见失误") if lang == "zh" else ("Borders", "Frequent mistakes")
    assert f"**{borders}**" in text
    assert f"**{mistakes}**" in text


@both
def test_no_example_is_given_twice_and_no_answer_equals_what_it_corrects(lang):
    examples = pairs(default_guideline(lang))
    originals = [
        text for pair in examples for text in texts(pair, "source")[:1] or texts(pair, "wrong")
    ]
    assert len(originals) > 60
    assert len(set(originals)) == len(originals)
    for pair in examples:
        sentences = texts(pair, "source", "wrong", "right")
        assert len(set(sentences)) == len(sentences)


@both
def test_examples_of_perturbing_are_given_once_and_each_variant_differs_from_its_original(lang):
    examples = pairs(default_guideline(lang, kind="perturb"))
    originals = [texts(pair, "source")[0] for pair in examples]
    assert len(set(originals)) == len(originals) > 15
    for pair in examples:
        assert texts(pair, "right")
        sentences = texts(pair, "source", "wrong", "right")
        assert len(set(sentences)) == len(sentences)


@both
def test_con_3_con_4_right_answers_of_an_example_agree_in_placeholders(lang):
    counts = [
        {text.count(PLACEHOLDERS[lang]) for text in texts(pair, "right")}
        for pair in pairs(default_guideline(lang))
    ]
    assert all(len(numbers) <= 1 for numbers in counts)
    assert all({number} in counts for number in (0, 1, 2))


def test_con_6_right_chinese_examples_and_prose_have_no_half_width_marks():
    markdown = default_guideline("zh")
    right = [text for pair in pairs(markdown) for text in texts(pair, "right")]
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", markdown, flags=re.S)
    assert [text for text in right if re.search(r"[,.?!;:]", text)] == []
    assert re.findall(r"[\u4e00-\u9fff][,?!;:][\u4e00-\u9fff]?", prose) == []
    assert all(text[-1] in "。？！”" for text in right)


def test_con_6_right_english_examples_have_no_full_width_marks_and_end_like_sentences():
    right = [text for pair in pairs(default_guideline("en")) for text in texts(pair, "right")]
    assert [text for text in right if re.search(r"[，。？！；：、]", text)] == []
    assert [text for text in right if not re.search(r"[.?!]”?$", text)] == []
    assert [text for text in right if re.search(r"  | [,.?!]|^[a-z]", text)] == []


@both
def test_the_project_s_placeholder_stands_wherever_the_guideline_shows_one(lang):
    placeholder, text = PLACEHOLDERS[lang], default_guideline(lang)
    changed = default_guideline(lang, placeholder="[GAP]")
    assert placeholder not in changed
    assert changed.count("[GAP]") == text.count(placeholder) > 5
    assert default_guideline(lang, placeholder=placeholder) == text


def test_a_default_guideline_of_another_language_is_refused():
    with pytest.raises(
        UnknownNameError, match="unknown language of guidelines 'fr'; known: en, zh"
    ):
        default_guideline("fr")


@both
def test_chapters_stay_readable_files(lang):
    folder = Path(guide.__file__).parent / lang
    assert sorted(path.name for path in folder.iterdir()) == sorted(chain(*CHAPTERS.values()))
    assert [p for p in folder.iterdir() if len(p.read_text("utf-8").splitlines()) >= 400] == []


@both
def test_no_example_is_a_sentence_of_a_data_set(lang, shared):
    names = {
        "zh": ["mucgec/*.txt", "sighan/*", "fcgec/*", "m2/nlpcc18.gold"],
        "en": ["jfleg/*", "robustgec/*/*", "m2/conll14.gold", "m2/fce.gold"],
    }[lang]
    files = [path for name in names for path in sorted((shared / "data").glob(name))]
    known = "\n".join(path.read_text("utf-8", "replace") for path in files)
    bare = re.sub(r"\W", "", known) if lang == "zh" else " ".join(re.findall(r"\w+", known))
    assert len(bare) > 100_000
    copies = []
    for pair in pairs(default_guideline(lang)):
        for text in texts(pair, "source", "wrong", "right"):
            words = re.sub(r"\W", "", text) if lang == "zh" else " ".join(re.findall(r"\w+", text))
            copies += [text] if words in bare else []
    assert copies == []
