"""What each key does, and how a person may change it (section 4.6 of the specification).

A chord is written as modifiers and a key: "Ctrl+Enter", "Alt+A", "F1", "?". The modifiers stand
in the order Ctrl, Alt, Shift, Meta; "Up", "Esc" and so on name keys. The pages' keys.js reads
them. Nothing is done while an input method composes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from types import MappingProxyType

from gecbench.core.errors import UsageError

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "unknown": "unknown action {action!r}; see the list of keys",
        "missing": "{action}: a key is missing",
        "no_key": "{key!r} is no key; write it as Alt+A, Ctrl+Enter, F1 or ?",
        "taken": "{action}: {key} belongs to the browser; choose another key",
        "types": (
            "{action}: {key} would type into the box; choose one with Ctrl, Alt or Meta, or F1"
        ),
        "twice": "{key} would do two things: {action} and {other}; choose another key",
    }
)
"""Code of a refusal to the English sentence, with the names of its values."""


class KeyRefusedError(UsageError):
    """A key that cannot be.

    Args:
        code: A key of `REFUSALS`, for a translation.
        values: What the sentence names: action, other (ids of actions), key.
    """

    def __init__(self, code: str, **values: str) -> None:
        """Make the English sentence."""
        self.code = code
        super().__init__(REFUSALS[code], **values)


class Place(StrEnum):
    """A screen on which keys hold."""

    WORK = "work"
    REVIEW = "review"
    STUDY = "study"
    JUDGE = "judge"


_ALL = (Place.WORK, Place.REVIEW, Place.STUDY)


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a key does.

    Args:
        id: A stable name; buttons carry it as data-action.
        chords: Its default keys; any of them does it.
        places: The screens where it holds.
        in_box: Whether it holds while somebody types, so that it needs Ctrl, Alt or Meta, or is
            a function key; else it holds outside of boxes alone.
    """

    id: str
    chords: tuple[str, ...]
    places: tuple[Place, ...]
    in_box: bool = True


MOST_CRITERIA = 4
"""Criteria of an inspection; each takes two digits."""

_WRONG = "QWERTYIOP"
_REASONS = "ASDFGHZXC"


def _actions() -> Iterator[Action]:
    work, review, study = (Place.WORK,), (Place.REVIEW,), (Place.STUDY,)
    judge = (Place.JUDGE,)
    yield Action("submit", ("Ctrl+Enter",), (*_ALL, *judge))
    yield Action("add", ("Alt+A",), (Place.WORK, Place.REVIEW))
    yield Action("remove", ("Alt+Backspace",), (Place.WORK, Place.REVIEW))
    yield Action("bring_back", ("Alt+U",), work)
    yield Action("box_up", ("Alt+Up",), work)
    yield Action("box_down", ("Alt+Down",), work)
    for n in range(1, 10):
        yield Action(f"box_{n}", (f"Alt+{n}",), work)
    yield Action("copy", ("Alt+C",), work)
    yield Action("placeholder", ("Alt+M",), _ALL)
    yield Action("reset", ("Alt+R",), _ALL)
    yield Action("error_free", ("Alt+G",), _ALL)
    yield Action("not_annotatable", ("Alt+N",), _ALL)
    yield Action("skip", ("Alt+P",), work)
    yield Action("undo", ("Alt+Z",), (Place.WORK, Place.REVIEW, Place.JUDGE))
    yield Action("previous", ("Alt+,",), (Place.WORK, Place.JUDGE))
    yield Action("next", ("Alt+.",), (Place.WORK, Place.JUDGE))
    yield Action("other_version", ("Alt+O",), work)
    yield Action("clean", ("Alt+L",), (Place.WORK, Place.REVIEW))
    yield Action("suggestion", ("Alt+K",), work)
    yield Action("guide", ("F1", "Ctrl+/"), (*_ALL, *judge))
    yield Action("close", ("Esc",), (*_ALL, *judge))
    yield Action("keys", ("?",), (*_ALL, *judge), in_box=False)
    for n, (wrong, reason) in enumerate(zip(_WRONG, _REASONS, strict=True), 1):
        yield Action(f"correct_{n}", (str(n),), review, in_box=False)
        yield Action(f"wrong_{n}", (wrong,), review, in_box=False)
        yield Action(f"reason_{n}", (reason,), review, in_box=False)
        yield Action(f"restore_{n}", (f"Alt+{n}",), review)
    yield Action("row_down", ("J",), review, in_box=False)
    yield Action("row_up", ("K",), review, in_box=False)
    yield Action("modify", ("M",), review, in_box=False)
    yield Action("undo_row", ("U",), review, in_box=False)
    yield Action("second_opinion", ("Alt+O",), review)
    yield Action("complain", ("Alt+I",), study)
    for n in range(1, MOST_CRITERIA + 1):
        yield Action(f"accept_{n}", (str(2 * n - 1),), judge, in_box=False)
        yield Action(f"reject_{n}", (str(2 * n),), judge, in_box=False)
    yield Action("note", ("N",), judge, in_box=False)


ACTIONS: Mapping[str, Action] = {action.id: action for action in _actions()}
"""Id to action, in the order of the help. The reasons are those of `RejectReason`, in order."""

_MODIFIERS = ("Ctrl", "Alt", "Shift", "Meta")
_NAMED = frozenset(
    [
        *(f"F{n}" for n in range(1, 13)),
        *("Enter", "Backspace", "Delete", "Insert", "Home", "End", "Space", "Esc"),
        *("Up", "Down", "Left", "Right", "PageUp", "PageDown"),
    ]
)
_SYMBOLS = frozenset(",./;'[]\\`-=?!")
_BROWSER_CHORDS = frozenset(
    [
        *(f"Ctrl+{letter}" for letter in "ACLNRTVWXYZ"),
        *(f"Meta+{letter}" for letter in "ACHLMNQRTVWXYZ"),
        *("Ctrl+Shift+N", "Ctrl+Shift+T", "Ctrl+Shift+W", "Alt+Left", "Alt+Right", "F5"),
        *("Alt+D", "Alt+F4", "F11", "F12", "Alt+Space", "Ctrl+F5", "Ctrl+Space", "Meta+Space"),
    ]
)
"""What browsers and systems own: a page never sees it, or people need it to edit."""


def parse_chord(chord: str) -> str:
    """Bring a chord into its one spelling.

    Raises:
        KeyRefusedError: It is no chord.

    >>> parse_chord("alt + a"), parse_chord("shift+ctrl+enter"), parse_chord("?")
    ('Alt+A', 'Ctrl+Shift+Enter', '?')
    """
    *before, last = re.split(r"\s*\+\s*", chord.strip())
    names = {modifier.lower(): modifier for modifier in _MODIFIERS}
    modifiers = [names.get(modifier.lower(), "") for modifier in before]
    key = {named_key.lower(): named_key for named_key in _NAMED}.get(last.lower(), last.upper())
    single = len(key) == 1 and (key in _SYMBOLS or (key.isascii() and key.isalnum()))
    is_key = single or key in _NAMED
    # Shift makes another character of a digit or a sign, another one on each keyboard.
    shifted = "Shift" in modifiers and single and not key.isalpha()
    if "" in modifiers or len(set(modifiers)) < len(modifiers) or not is_key or shifted:
        raise KeyRefusedError("no_key", key=chord)
    return "+".join([*(modifier for modifier in _MODIFIERS if modifier in modifiers), key])


def on_mac(chord: str) -> str:
    """A default chord as a Mac has it: Option types characters there, so Control stands in.

    >>> on_mac("Alt+A"), on_mac("Ctrl+Enter"), on_mac("F1")
    ('Ctrl+A', 'Meta+Enter', 'F1')
    """
    if chord.startswith("Alt+"):
        return f"Ctrl+{chord.removeprefix('Alt+')}"
    if chord.startswith("Ctrl+"):
        return f"Meta+{chord.removeprefix('Ctrl+')}"
    return chord


def parse_keys(choices: Mapping[str, object]) -> dict[str, str]:
    """Check a person's own keys: action to chord; what equals the default is left out.

    Raises:
        KeyRefusedError: An unknown action, no key, a key that browsers own or that would type a
            character, or one that does two things in one place. The message names it.
    """
    chords: dict[str, str] = {}
    for name, chord in choices.items():
        if name not in ACTIONS:
            raise KeyRefusedError("unknown", action=name)
        if not isinstance(chord, str) or not chord.strip():
            raise KeyRefusedError("missing", action=name)
        spelled = parse_chord(chord)
        _refuse_browser_chord(ACTIONS[name], spelled)
        if spelled not in ACTIONS[name].chords:
            chords[name] = spelled
    for mac in (False, True):
        _refuse_conflicts(_chords(chords, mac=mac))
    return chords


def _refuse_browser_chord(action: Action, chord: str) -> None:
    if chord in _BROWSER_CHORDS and chord not in action.chords:
        raise KeyRefusedError("taken", action=action.id, key=chord)
    free = chord.startswith(("Ctrl+", "Alt+", "Meta+")) or re.fullmatch(
        r"(Shift\+)?(F\d+|Esc)", chord
    )
    if action.in_box and not free:
        raise KeyRefusedError("types", action=action.id, key=chord)


def _refuse_conflicts(chords: Mapping[str, tuple[str, ...]]) -> None:
    for first, second in combinations(ACTIONS.values(), 2):
        both = set(chords[first.id]) & set(chords[second.id])
        if both and set(first.places) & set(second.places):
            raise KeyRefusedError("twice", key=min(both), action=first.id, other=second.id)


def _chords(custom: Mapping[str, str], *, mac: bool) -> dict[str, tuple[str, ...]]:
    """Action to chords; a person's own key stands alone and is the same on every machine."""
    return {
        name: (custom[name],)
        if name in custom
        else tuple(on_mac(chord) if mac else chord for chord in action.chords)
        for name, action in ACTIONS.items()
    }


@dataclass(frozen=True, slots=True)
class Tables:
    """The keys of one screen, as its script reads them.

    Args:
        keys: Action to its chords.
        mac: The same on a Mac.
    """

    keys: Mapping[str, tuple[str, ...]]
    mac: Mapping[str, tuple[str, ...]]


def tables(choices: object, *, screen: str) -> Tables:
    """The keys of a screen, with what a person has chosen.

    Args:
        chosen: What `parse_keys` gave and the person's preferences keep. What means nothing (any
            more) is passed over, so that an old choice never locks a page.
        screen: A `Place`.
    """
    try:
        custom = parse_keys(choices) if isinstance(choices, Mapping) else {}
    except KeyRefusedError:
        custom = {}

    def of_screen(*, mac: bool) -> dict[str, tuple[str, ...]]:
        chords = _chords(custom, mac=mac)
        return {name: chord for name, chord in chords.items() if screen in ACTIONS[name].places}

    return Tables(of_screen(mac=False), of_screen(mac=True))
