"""What a received text becomes before anybody keeps it, and when two texts are the same.

Line ends and tabs would break files of lines and cells; invisible characters make texts differ
that look the same. Both go, counted, so that the person can be told. What may be the error itself
(half and full width, doubled spaces, a wrong character) is never touched.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gecbench.core.errors import GecbenchError, Message

LONGEST = 5_000
"""Characters of a sentence or of a correction; MuCGEC's longest sentence has 239."""

LONGEST_NOTE = 10_000
"""Characters of a note, an argument, a message."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "line_end": Message("line ends, now spaces"),
        "tab": Message("tabs, now spaces"),
        "odd_space": Message("no-break and other special spaces, now plain spaces"),
        "zero_width": Message("zero-width characters"),
        "byte_order_mark": Message("byte-order marks"),
        "soft_hyphen": Message("soft hyphens"),
        "direction": Message("marks of writing direction"),
        "filler": Message("invisible fillers"),
        "control": Message("control characters"),
        "format": Message("other invisible format characters"),
    }
)
"""Kind of what was changed, in English; what a count in `CleanText` counts."""

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "nul": Message(
            "{what} holds a NUL character at place {place}, which no text has; paste it again"
        ),
        "surrogate": Message(
            "{what} holds half a character (U+{code}) at place {place}; it was damaged on its "
            "way, paste it again"
        ),
        "too_long": Message(
            "{what} has {length} characters; at most {longest} are allowed, shorten it"
        ),
    }
)
"""Code of a refusal to the English sentence, with the names of its values."""


class TextError(GecbenchError):
    """A text that cannot be kept.

    Args:
        code: A key of `REFUSALS`, for a translation.
        values: What the sentence names.
    """

    def __init__(self, code: str, values: Mapping[str, str | int]) -> None:
        """Make the English sentence."""
        self.code = code
        super().__init__(REFUSALS[code], **values)


Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class CleanText:
    """A text as it is kept.

    Args:
        text: Without what was removed, trimmed at the ends.
        removed: Kind of invisible character to how many went, by the order of `KINDS`.
        spaces: Kind of white space to how many became plain spaces, likewise; what was
            trimmed at the ends is not told.
    """

    text: str
    removed: Counts = ()
    spaces: Counts = ()

    @property
    def changed(self) -> bool:
        """Say whether there is something that the person should be told."""
        return bool(self.removed or self.spaces)


def clean(text: str, *, longest: int = LONGEST, what: str = Message("the text")) -> CleanText:
    r"""Clean a text of line ends, tabs and invisible characters.

    A stretch of white space with line ends or tabs in it becomes one space. Joiners stay where a
    script or an emoji needs them. Cleaning twice changes nothing more.

    Args:
        text: As it was received.
        longest: Characters that the result may have.
        what: What an error calls it.

    Raises:
        TextError: It holds NUL or half a surrogate pair, or is too long.

    >>> clean("我\u200b去\n学校 ")
    CleanText(text='我去 学校', removed=(('zero_width', 1),), spaces=(('line_end', 1),))
    """
    _refuse_damage(text, what)
    counts: Counter[str] = Counter()
    visible = _without_invisible(text.replace("\r\n", "\n"), counts)
    result = _with_plain_spaces(visible.strip(), counts).strip()
    if len(result) > longest:
        raise TextError("too_long", {"what": what, "length": len(result), "longest": longest})
    return CleanText(
        result,
        tuple((kind, counts[kind]) for kind in KINDS if counts[kind] and kind not in _SPACES),
        tuple((kind, counts[kind]) for kind in _SPACES if counts[kind]),
    )


def whole(text: str) -> str:
    r"""A text that every database takes: NUL and halves of characters become U+FFFD.

    For what nobody may be asked to type again: drafts, notes, messages.

    >>> whole("a\0b")
    'a\ufffdb'
    """
    return text.translate(_DAMAGED)


def key(text: str) -> str:
    r"""What is equal exactly where two texts count as the same: NFC, trimmed.

    Not NFKC: full width and half width differ, because that may be the correction (CON-10).

    >>> key(" e\u0301 ") == key("é"), key("，") == key(",")
    (True, False)
    """
    return unicodedata.normalize("NFC", text.strip())


def digest(text: str) -> str:
    """The SHA-256 of a text's key, in hexadecimal."""
    return hashlib.sha256(key(text).encode()).hexdigest()


_DAMAGED = dict.fromkeys((0, *range(0xD800, 0xE000)), "\ufffd")
_SPACES = ("line_end", "tab", "odd_space")
_LINE_ENDS = frozenset("\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_TABS = frozenset("\t\x1f")
_BREAKS = _LINE_ENDS | _TABS
_PLAIN_SPACES = frozenset(" \u3000")  # the full-width one may be what the learner wrote
_NAMED = {
    **dict.fromkeys("\u200b\u2060\u180e", "zero_width"),
    "\ufeff": "byte_order_mark",
    "\u00ad": "soft_hyphen",
    **dict.fromkeys("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e", "direction"),
    **dict.fromkeys("\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f", "direction"),
    **dict.fromkeys("\u034f\u17b4\u17b5\u3164\uffa0", "filler"),
}
_JOINERS = frozenset("\u200c\u200d")
_JOINING_SCRIPTS = (("\u0600", "\u109f"), ("\u1780", "\u18af"), ("\ua800", "\uabff"))
_VISIBLE_FORMATS = (  # signs of Arabic, Syriac, Kaithi, Egyptian and music are drawn
    *(("\u0600", "\u0605"), ("\u06dd", "\u06dd"), ("\u070f", "\u070f"), ("\u0890", "\u0891")),
    *(("\u08e2", "\u08e2"), ("\U000110bd", "\U000110cd"), ("\U00013430", "\U0001343f")),
    *(("\U0001bca0", "\U0001bca3"), ("\U0001d173", "\U0001d17a")),
)
_TAGS = ("\U000e0020", "\U000e007f")
_BLACK_FLAG = "\U0001f3f4"
_EMOJI = ("\U0001f000", "\U0001faff")
_PICTURES = ("So", "Sm")  # ♂ and ↔ stand after joiners


def _refuse_damage(text: str, what: str) -> None:
    match = re.search("[\0\ud800-\udfff]", text)
    if match is None:
        return
    values: dict[str, str | int] = {"what": what, "place": match.start() + 1}
    if match.group() == "\0":
        raise TextError("nul", values)
    raise TextError("surrogate", {**values, "code": f"{ord(match.group()):04X}"})


def _without_invisible(text: str, counts: Counter[str]) -> str:
    if text.isascii() and text.isprintable():
        return text
    # What always goes, goes first: then what stands beside a joiner is what stays beside it.
    visible = []
    for character in text:
        kind = _invisible(character)
        if kind:
            counts[kind] += 1
        else:
            visible.append(character)
    result: list[str] = []
    for place, character in enumerate(visible):
        after = visible[place + 1] if place + 1 < len(visible) else ""
        before = result[-1] if result else ""
        if character in _JOINERS and not _joins(before, character, after):
            counts["zero_width"] += 1
        elif _within(character, _TAGS) and not (
            before == _BLACK_FLAG or (before and _within(before, _TAGS))
        ):
            counts["format"] += 1
        else:
            result.append(character)
    return "".join(result)


def _invisible(character: str) -> str:
    """The kind of a character that nobody sees and no script needs; "" for others."""
    if character in _NAMED:
        return _NAMED[character]
    if character in _BREAKS:
        return ""
    category = unicodedata.category(character)
    if category == "Cc":
        return "control"
    if category != "Cf" or character in _JOINERS or _within(character, _TAGS):
        return ""
    return "" if any(_within(character, span) for span in _VISIBLE_FORMATS) else "format"


def _joins(before: str, joiner: str, after: str) -> bool:
    """Say whether a joiner between two characters changes how they are drawn."""
    if not before:
        return False
    if any(_within(before, span) for span in _JOINING_SCRIPTS):
        return True
    picture = bool(after) and (_within(after, _EMOJI) or unicodedata.category(after) in _PICTURES)
    # Before it: an emoji, a variation selector after one, a skin colour, or the end of a tag.
    emoji = _within(before, _EMOJI) or before == "\ufe0f" or unicodedata.category(before) == "So"
    return joiner == "\u200d" and picture and emoji


def _with_plain_spaces(text: str, counts: Counter[str]) -> str:
    def plain(run: re.Match[str]) -> str:
        broken = False
        for character in run.group():
            if character in _BREAKS:
                broken = True
                counts["tab" if character in _TABS else "line_end"] += 1
            elif character not in _PLAIN_SPACES:
                counts["odd_space"] += 1
        if broken:
            return " "
        return "".join(
            character if character in _PLAIN_SPACES else " " for character in run.group()
        )

    return re.sub(r"\s+", plain, text)


def _within(character: str, span: tuple[str, str]) -> bool:
    return span[0] <= character <= span[1]


# Where a sentence stands in the text that it was taken from.


_LONGEST_NAME = 200


def place_in_document(meta: Mapping[str, object], number: int) -> dict[str, str | int]:
    """The columns that say which document a sentence is from, and where it stands there.

    Without a position in the file the order of the task numbers is that of the document.
    """
    name, place = str(meta.get("document", "")).strip(), str(meta.get("position", ""))
    if not 0 < len(name) <= _LONGEST_NAME:
        return {}
    is_number = place.isascii() and place.isdigit() and len(place) < 10
    return {"document": name, "position": int(place) if is_number else number}
