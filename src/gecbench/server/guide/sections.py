"""A rendered guideline: its sections, and what changed between two of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level.

    Args:
        id: What citations and links name; unique in the document.
        anchor: The id of the heading's element in the page.
        level: 1 to 6; 0 is the text before the first heading.
        title: The heading's text without marks.
        text: The body's text without marks, one line a block; examples too, headings not.
        html: Safe HTML of heading and body.
    """

    id: str
    anchor: str
    level: int
    title: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A guideline as safe HTML.

    Args:
        sections: In the order of the document.
        images: How many images were replaced by their description: guidelines show none.
    """

    sections: tuple[Section, ...]
    images: int

    @property
    def html(self) -> str:
        """Return the whole document."""
        return "".join(section.html for section in self.sections)

    def branch(self, name: str) -> tuple[Section, ...]:
        """Return a section and all below it; () if there is none of that id.

        This is what a deep link shows: the section of a major type with its minor types.
        """
        for at, section in enumerate(self.sections):
            if section.id == name:
                return (section, *_below(self.sections[at + 1 :], section.level))
        return ()


def _below(sections: tuple[Section, ...], level: int) -> tuple[Section, ...]:
    for at, section in enumerate(sections):
        if section.level <= level or level == 0:
            return sections[:at]
    return sections


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids of the sections that differ between two versions, each in the order of its document."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        """Return whether any section differs."""
        return bool(self.added or self.removed or self.changed)


def compare(old: Rendered, new: Rendered) -> Changes:
    """Return which sections a reader has to read anew; a section that only moved is none."""
    before = {section.id: section for section in old.sections}
    after = {section.id: section for section in new.sections}
    return Changes(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(
            name for name in after if name in before and after[name].html != before[name].html
        ),
    )
