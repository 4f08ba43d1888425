"""Sections of the guideline that are cited: people read and type titles, ids are kept (GUI-4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from gecbench.server.guide.render import render
from gecbench.server.guide.sections import Section
from gecbench.server.models import Guideline
from gecbench.server.web.content import Content
from gecbench.server.workflow.errors import Problem


def section_names(guideline: Guideline | None) -> tuple[str, ...]:
    """Return what each section that can be cited is called, in the order of the guideline.

    That is its title, with the title of the section above where several have the same.
    """
    return tuple(_names(Content.of(guideline)).values()) if guideline else ()


def section_of(guideline: Guideline | None, typed: str) -> str:
    """Return the id of the section that a title or an id names; "" where that is not one."""
    found = _meant(guideline, typed)
    return found[0] if len(found) == 1 else ""


def citation_problem(guideline: Guideline | None, typed: str, field: str) -> Problem | None:
    """Return what is wrong with a typed citation; None where it is one, or where there is none."""
    if not typed.strip():
        return None
    found = _meant(guideline, typed)
    if len(found) == 1:
        return None
    if found:
        message = f"{len(found)} sections have the title {typed!r:.120}; say which: {found}"
        return Problem("GUI-4-several", field, message)
    return Problem("GUI-4", field, f"the guideline has no section {typed!r:.120}")


def excerpt(guideline: Guideline | None, section: str) -> tuple[str, str, str] | None:
    """Return id, title and the first words of a section; None where there is no such section."""
    sections = _sections(Content.of(guideline)) if guideline else {}
    one = sections.get(section)
    return None if one is None else (section, one.title, one.text)


def _meant(guideline: Guideline | None, typed: str) -> tuple[str, ...]:
    """Return the ids of the sections that a person can mean; an id or a full name means one."""
    if guideline is None:
        return ()
    sections, names = _sections(Content.of(guideline)), _names(Content.of(guideline))
    if typed.strip() in sections:
        return (typed.strip(),)
    wanted = _folded(typed)
    full = tuple(one for one, name in names.items() if _folded(name) == wanted)
    return full or tuple(one.id for one in sections.values() if _folded(one.title) == wanted)


def _folded(words: str) -> str:
    return " ".join(words.split()).casefold()


@lru_cache(maxsize=64)
def _sections(content: Content) -> Mapping[str, Section]:
    """Return id to section, rendered once for each version: a version never changes."""
    return {one.id: one for one in render(content.guideline.markdown).sections if one.level}


@lru_cache(maxsize=64)
def _names(content: Content) -> Mapping[str, str]:
    """Return id to a name that no other section has."""
    sections = tuple(_sections(content).values())
    titles = Counter(_folded(one.title) for one in sections)
    long = {
        one.id: f"{above} › {one.title}" if titles[_folded(one.title)] > 1 and above else one.title
        for one, above in zip(sections, _above(sections), strict=True)
    }
    names = Counter(_folded(name) for name in long.values())
    # Two of the same title under the same heading: only the id tells them apart.
    return {one: name if names[_folded(name)] == 1 else one for one, name in long.items()}


def _above(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the title of the heading that each section stands under; "" for none."""
    open_: list[Section] = []
    for one in sections:
        while open_ and open_[-1].level >= one.level:
            open_.pop()
        yield open_[-1].title if open_ else ""
        open_.append(one)
