"""Sections of the guideline that are cited: people read and type titles, ids are kept (GUI-4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from gecbench.server.guidelines.rendering import Section, in_words, render_markdown
from gecbench.server.models import Guideline
from gecbench.server.web.navigation import Content
from gecbench.server.web.translation import interface_language
from gecbench.server.workflow.errors import Problem


def section_names(guideline: Guideline | None) -> tuple[str, ...]:
    """The names of the sections that can be cited, in the order of the guideline.

    A name is the title, with the title of the section above where several have the same.
    """
    return tuple(_names(Content.of(guideline)).values()) if guideline else ()


def find_section(guideline: Guideline | None, typed: str) -> str:
    """Find the id of the section that a title or an id names; "" where that is not one."""
    ids = _match(guideline, typed)
    return ids[0] if len(ids) == 1 else ""


def citation_problem(guideline: Guideline | None, typed: str, field: str) -> Problem | None:
    """Say what is wrong with a typed citation; None where nothing is, or nothing was typed."""
    if not typed.strip():
        return None
    ids = _match(guideline, typed)
    if len(ids) == 1:
        return None
    if ids:
        message = f"{len(ids)} sections have the title {typed!r:.120}; say which: {ids}"
        return Problem("GUI-4-several", field, message)
    return Problem("GUI-4", field, f"the guideline has no section {typed!r:.120}")


@dataclass(frozen=True, slots=True)
class Citation:
    """A section of the guideline that explains something."""

    section: str
    title: str
    text: str


def cite(guideline: Guideline | None, section_id: str) -> Citation | None:
    """Quote a section; None where there is no such section."""
    section = _sections(Content.of(guideline)).get(section_id) if guideline else None
    if section is None:
        return None
    return Citation(section_id, section.title, in_words(section.text, interface_language()))


def _match(guideline: Guideline | None, typed: str) -> tuple[str, ...]:
    """Find the ids of the sections that a person can mean; an id or a full name means one."""
    if guideline is None:
        return ()
    sections, names = _sections(Content.of(guideline)), _names(Content.of(guideline))
    if typed.strip() in sections:
        return (typed.strip(),)
    folded = _fold(typed)
    ids = tuple(section_id for section_id, name in names.items() if _fold(name) == folded)
    return ids or tuple(
        section.id for section in sections.values() if _fold(section.title) == folded
    )


def _fold(title: str) -> str:
    return " ".join(title.split()).casefold()


@lru_cache(maxsize=64)
def _sections(content: Content) -> Mapping[str, Section]:
    """Id to section, rendered once for each version: a version never changes."""
    rendered = render_markdown(content.guideline.markdown)
    return {section.id: section for section in rendered.sections if section.level}


@lru_cache(maxsize=64)
def _names(content: Content) -> Mapping[str, str]:
    """Id to a name that no other section has."""
    sections = tuple(_sections(content).values())
    titles = Counter(_fold(section.title) for section in sections)
    names = {}
    branch: list[Section] = []
    for section in sections:
        while branch and branch[-1].level >= section.level:
            branch.pop()
        names[section.id] = section.title
        if branch and titles[_fold(section.title)] > 1:
            names[section.id] = f"{branch[-1].title} › {section.title}"
        branch.append(section)
    count = Counter(map(_fold, names.values()))
    # Two of the same title under the same heading: only the id tells them apart.
    return {
        section_id: name if count[_fold(name)] == 1 else section_id
        for section_id, name in names.items()
    }
