r"""A message of the library as a pattern: the same words, with named places for the values.

The library raises finished English sentences and knows no other language. A pattern is such a
sentence with places, as gettext has them, "reference %(number)s is empty". The place's name says
what may stand there, so that patterns tell messages apart and no text of a file is taken for words
of the library. A pattern has one place at most that is unbounded, and quoted texts are read without
looking back: a line of a hundred million characters is matched in one go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_PLACE = re.compile(r"%\((\w+)\)s")
_QUOTED = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
"""A text as `repr` writes it."""


def _same(kind: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), kind)


_KINDS: Mapping[str, str] = MappingProxyType(
    {
        **_same(
            r"-?[0-9][0-9,]*",
            "line first number other_number count total least most length longest start end "
            "other_start other_end column char place digits bytes expected inside there version "
            "days schema known coder",
        ),
        **_same(_QUOTED, "id text key name other_name token found made language"),
        **_same(r"[\w.+-]+", "word near other third byte code encoding container data extra"),
        **_same(r"[\w-]+", "slug format option label"),
        **_same(r"T[0-9]+(?:-A[0-9]+)?", "target before"),
        **_same(r"[^ ]{1,255}", "resource resource_path"),
        # Names of files and stretches of sentences, which the library bounds.
        **_same(r".{1,255}?", "file"),
        **_same(r".{0,5000}?", "piece repair"),
        "mark": r"\w+",
        **_same(r"[0-9-]+", "first_id last_id"),
        "rule": r"[A-Z]+-[0-9]+(?:-position)?",
        "seen": rf"(?:{_QUOTED}|[-+.\w]+…?)",
        "names": r".{1,5000}?",  # those of a table of the library
        "value": r".+",
    }
)
_NESTED: Mapping[str, str] = MappingProxyType(
    {
        "message": r".+",
        "what": rf"(?:the [A-Za-z ]+?|{_QUOTED})",
        "part": r"[a-z0-9 ]+?",
        **_same(r"[a-z ]+?", "type wanted kind decision other_decision third_decision"),
        **_same(r".{1,300}?", "json thing"),
    }
)
"""Places whose values are words of the library, too."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A message with places.

    Args:
        msgid: As gettext knows it.
        expression: What a whole message matches; each place is a group.
        nested: Places whose values are translated, too.
    """

    msgid: str
    expression: re.Pattern[str]
    nested: frozenset[str]


def pattern(msgid: str) -> Pattern:
    """Return a msgid as a pattern.

    Raises:
        KeyError: A place has a name that says nothing of what stands there.

    >>> pattern("%(count)s fields instead of 6").expression.fullmatch("7 fields instead of 6")[1]
    '7'
    """
    written: list[str] = []
    seen: set[str] = set()
    for at, part in enumerate(_PLACE.split(msgid)):
        if at % 2 == 0:
            written.append(re.escape(part.replace("%%", "%")))
        elif part in seen:  # the same value stands there twice
            written.append(f"(?P={part})")
        else:
            written.append(f"(?P<{part}>{_KINDS.get(part) or _NESTED[part]})")
            seen.add(part)
    nested = frozenset(seen & _NESTED.keys())
    return Pattern(msgid, re.compile("".join(written), re.DOTALL), nested)
