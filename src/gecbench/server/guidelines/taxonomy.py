"""The default guidelines of the package: for each kind of project one Chinese and one English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from gecbench.core.errors import UnknownNameError
from gecbench.server.choices import ProjectKind

CHAPTERS: dict[str, tuple[str, ...]] = {
    ProjectKind.REWRITE: ("work.md", "types.md", "review.md"),
    ProjectKind.PERTURB: ("perturb.md",),
}
PLACEHOLDERS: dict[Language, str] = {"zh": "[缺失成分]", "en": "[MC]"}


def default_guideline(
    lang: Language, *, kind: str = ProjectKind.REWRITE, placeholder: str | None = None
) -> str:
    """The Markdown of a default guideline.

    Args:
        lang: Language that the learners write, and that the guideline is written in.
        kind: Of the project: what its annotators do.
        placeholder: The project's token for what is missing and cannot be guessed; stands
            wherever the guideline shows it. None leaves the guideline's own.

    Raises:
        UnknownNameError: There is no default guideline in that language.

    >>> default_guideline("en", placeholder="[GAP]").count("[MC]")
    0
    """
    if lang not in LANGUAGES:
        raise UnknownNameError("language of guidelines", lang, LANGUAGES)
    folder = files("gecbench.server.guidelines") / lang
    text = "\n".join((folder / name).read_text("utf-8") for name in CHAPTERS[kind])
    return text.replace(PLACEHOLDERS[lang], placeholder) if placeholder else text


# The two-tier taxonomy of errors, the reasons of decisions, and where guidelines explain them.
#
# Five major and fourteen minor types after MuCGEC (Zhang et al., NAACL 2022, Table 2). The ids are
# for citations and links: a section of that name stands in every default guideline, whatever its
# language. Names are given here in both languages because guidelines are written in either.


Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that a decision can name and a guideline explains.

    Args:
        id: What the database and the wire write.
        zh: Chinese name.
        en: English name.
        section: Id of the section that explains it, in the guidelines of all languages.
    """

    id: str
    zh: str
    en: str
    section: str

    def name(self, lang: Language) -> str:
        """The name in a language."""
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Major:
    """A major type of error and its minor types, in the order of the guideline."""

    topic: Topic
    minors: tuple[Topic, ...]


def _major(name: str, zh: str, en: str, *minors: tuple[str, str, str]) -> Major:
    return Major(
        Topic(name, zh, en, name),
        tuple(Topic(f"{name}-{sub}", a, b, f"{name}-{sub}") for sub, a, b in minors),
    )


TAXONOMY: tuple[Major, ...] = (
    _major(
        "punctuation",
        "标点错误",
        "Punctuation",
        ("missing", "标点缺失", "Missing mark"),
        ("redundant", "标点冗余", "Redundant mark"),
        ("misused", "标点误用", "Misused mark"),
    ),
    _major(
        "spelling",
        "拼写错误",
        "Spelling",
        ("sound", "音近致误", "Similar sound"),
        ("shape", "形近致误", "Similar shape"),
        ("order", "词内字序颠倒", "Letters exchanged"),
        ("name", "专名误写", "Proper name misspelled"),
    ),
    _major(
        "word",
        "词语错误",
        "Word",
        ("missing", "词语缺失", "Missing word"),
        ("redundant", "词语冗余", "Redundant word"),
        ("misused", "词语误用", "Misused word"),
    ),
    _major(
        "syntax",
        "句法错误",
        "Syntax",
        ("order", "语序不当", "Word order"),
        ("blend", "句式杂糅", "Blended patterns"),
    ),
    _major(
        "pragmatics",
        "语用错误",
        "Pragmatics",
        ("logic", "逻辑矛盾", "Logically inconsistent"),
        ("ambiguity", "歧义不明", "Ambiguous or unclear"),
    ),
)


def _reason(name: str, zh: str, en: str) -> Topic:
    return Topic(name, zh, en, f"reject-{name.replace('_', '-')}")


REJECT_REASONS: tuple[Topic, ...] = (
    _reason("incomplete", "修改不完全", "Incomplete correction"),
    _reason("erroneous", "修改有误", "Erroneous correction"),
    _reason("meaning", "改变原意", "Meaning change"),
    _reason("overcorrection", "过度修改", "Over-correction"),
    _reason("placeholder", "占位符使用不当", "Placeholder misuse"),
    _reason("punctuation", "标点", "Punctuation"),
    _reason("symbol", "符号", "Symbol"),
    _reason("foreign_word", "外文词", "Foreign word"),
    _reason("other", "其他", "Other"),
)

NOT_ANNOTATABLE_REASONS: tuple[Topic, ...] = (
    Topic("incomprehensible", "无法理解", "Incomprehensible", "unannotatable-incomprehensible"),
    Topic("traditional", "繁体字", "Traditional characters", "unannotatable-traditional"),
    Topic("language", "语言不符", "Not the language", "unannotatable-language"),
    Topic("personal", "个人信息", "Personal data", "unannotatable-personal"),
    Topic("other", "其他", "Other", "unannotatable-other"),
)


def topics() -> Iterator[Topic]:
    """Yield all that has a section: major and minor types, then the reasons of both kinds."""
    for major in TAXONOMY:
        yield major.topic
        yield from major.minors
    yield from REJECT_REASONS
    yield from NOT_ANNOTATABLE_REASONS
