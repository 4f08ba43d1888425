"""Default guidelines, for each kind of project in both languages; search in guidelines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.server.choices import ProjectKind
from gecbench.server.guidelines.rendering import HAN, Language, Section

LANGUAGES: tuple[Language, ...] = ("zh", "en")
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


LONGEST_QUERY = 200
_BEFORE, _AFTER = 30, 90


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a snippet; marked parts are what was searched."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that has all that was searched, with the place where the first part stands."""

    section: Section
    title: tuple[Piece, ...]
    snippet: tuple[Piece, ...]


def search(sections: Iterable[Section], query: str) -> tuple[Hit, ...]:
    """Find the sections in whose title or text every word of the query is found, best first.

    A word of Chinese is found anywhere, another one where a word begins; case does not matter.
    Sections with more of the words in their title come first, then the order of the document.

    Raises:
        UsageError: The query is longer than any sensible one.
    """
    if len(query) > LONGEST_QUERY:
        raise UsageError(
            "the search has {length} characters, at most {most} are searched; use fewer words",
            length=len(query),
            most=LONGEST_QUERY,
        )
    words = [_pattern(word) for word in dict.fromkeys(query.split())]
    if not words:
        return ()
    hits: list[tuple[int, int, Hit]] = []
    for section in sections:
        if all(word.search(section.title) or word.search(section.text) for word in words):
            in_title = sum(bool(word.search(section.title)) for word in words)
            hits.append((-in_title, len(hits), _hit(section, words)))
    return tuple(hit for *_, hit in sorted(hits, key=lambda entry: entry[:2]))


def _pattern(word: str) -> re.Pattern[str]:
    starts_word = re.match(rf"[^\W{HAN}]", word)
    before = rf"(?<![^\W{HAN}])" if starts_word else ""
    return re.compile(before + re.escape(word), re.IGNORECASE)


def _hit(section: Section, words: list[re.Pattern[str]]) -> Hit:
    text = section.text.replace("\n", " ")
    starts = [match.start() for word in words if (match := word.search(text))]
    begin = max(0, min(starts, default=0) - _BEFORE)
    end = min(len(text), min(starts, default=0) + _AFTER)
    snippet = text[begin:end]
    cut = ("…" if begin else "") + snippet + ("…" if end < len(text) else "")
    return Hit(section, tuple(_pieces(section.title, words)), tuple(_pieces(cut, words)))


def _pieces(text: str, words: list[re.Pattern[str]]) -> Iterator[Piece]:
    marked = [False] * len(text)
    for word in words:
        for match in word.finditer(text):
            marked[match.start() : match.end()] = [True] * (match.end() - match.start())
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or marked[at] != marked[start]:
            yield Piece(text[start:at], marked[start])
            start = at
