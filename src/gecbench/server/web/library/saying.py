"""Finished English messages of the library, said in the person's language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from gecbench.server.web.library import (
    of_exchange,
    of_formats,
    of_laws,
    of_m2,
    of_projects,
    phrases,
)
from gecbench.server.web.library.patterns import Pattern, pattern

FRAMES = (_("sample %(id)s: %(message)s"), _("%(message)s; write it as jsonl"))
"""What stands around messages."""

_IN_LINE = _("%(file)s:%(line)s: %(message)s")
_IN_FILE = _("%(file)s: %(message)s")
_PREFIX = re.compile(r":(?:([0-9]+):)? ")
_LONGEST_NAME = 300
"""Characters in which the name of a file ends; the library takes no longer ones."""

_DEEPEST = 8
"""Messages in messages; what nests deeper is none of the library's."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as a page shows it.

    Args:
        text: In the person's language, or in English where nobody has translated it.
        foreign: Whether it stayed English, which a page marks.
    """

    text: str
    foreign: bool = False

    def __str__(self) -> str:
        """Return the text."""
        return self.text


@cache
def messages() -> tuple[Pattern, ...]:
    """Return the patterns of whole messages, those that hold other messages last."""
    rooms = (of_formats, of_m2, of_exchange, of_laws, of_projects)
    return tuple(pattern(one) for one in (*(m for room in rooms for m in room.MESSAGES), *FRAMES))


@cache
def parts() -> tuple[Pattern, ...]:
    """Return the patterns of what is a part of messages."""
    return tuple(pattern(one) for one in phrases.PHRASES)


def said(message: str) -> Said:
    """Return a message of the library in the person's language.

    In English it is the message itself, whatever stands in it: patterns have the library's words.
    """
    return _as_shown(message, _Search().message(message, _DEEPEST))


def phrase(words: str) -> Said:
    """Return a part of a message, as a note in a report, in the person's language."""
    return _as_shown(words, _Search().part(words, _DEEPEST))


def _as_shown(message: str, found: str | None) -> Said:
    return Said(message, foreign=True) if found is None else Said(found)


@dataclass(frozen=True, slots=True)
class _Search:
    """One search for translations.

    Args:
        known: What was found of a text among whole messages or among parts, by both: one message
            in another can be come to by several ways.
    """

    known: dict[tuple[str, bool], str | None] = field(default_factory=dict)

    def message(self, text: str, depth: int) -> str | None:
        """Return a translation of a message, perhaps of a file; None where a part has none."""
        found = self._found(text, messages(), depth)
        return self._of_file(text, depth) if found is None else found

    def part(self, text: str, depth: int) -> str | None:
        """Return a translation of a part of a message; None where there is none."""
        return self._found(text, parts(), depth)

    def _of_file(self, text: str, depth: int) -> str | None:
        """Return a message behind the name of a file, in which there may be colons, too."""
        for prefix in _PREFIX.finditer(text, 1, _LONGEST_NAME):
            inner = self._found(text[prefix.end() :], messages(), depth - 1)
            if inner is not None:
                values = {"file": text[: prefix.start()], "line": prefix[1], "message": inner}
                return gettext(_IN_LINE if prefix[1] else _IN_FILE) % values
        return None

    def _found(self, text: str, patterns: Sequence[Pattern], depth: int) -> str | None:
        place = (text, patterns is messages())
        if place not in self.known:
            tried = (self._by(one, text, depth) for one in patterns if depth > 0)
            self.known[place] = next((found for found in tried if found is not None), None)
        return self.known[place]

    def _by(self, one: Pattern, text: str, depth: int) -> str | None:
        """Return what one pattern makes of a text; None where it does not match."""
        match = one.expression.fullmatch(text)
        if match is None:
            return None
        values: dict[str, str] = {}
        for name, value in match.groupdict().items():
            found: str | None = value
            if name in one.nested:
                look = self.message if name == "message" else self.part
                found = look(value, depth - 1)
            if found is None:
                return None
            values[name] = found
        return gettext(one.msgid) % values
