"""Keys: one does one thing in one place, none is taken from the browser, all can be changed."""

from __future__ import annotations

import pytest

from gecbench.server.choices import RejectReason
from gecbench.server.rules.keys import (
    ACTIONS,
    KeyRefusedError,
    Place,
    Tables,
    on_mac,
    parse_chord,
    parse_keys,
    tables,
)


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("mac", [False, True])
def test_no_default_key_does_two_things(place, mac):
    held = tables({}, screen=place)
    chords = [chord for row in (held.mac if mac else held.keys).values() for chord in row]
    assert len(chords) >= 10
    assert len(chords) == len(set(chords))


def test_the_defaults_are_those_of_the_specification():
    work = tables(None, screen="work").keys
    assert work["submit"] == ("Ctrl+Enter",)
    assert work["guide"] == ("F1", "Ctrl+/")
    assert (work["error_free"], work["not_annotatable"], work["skip"]) == (
        ("Alt+G",),
        ("Alt+N",),
        ("Alt+P",),
    )
    review = tables(None, screen="review").keys
    assert [review[f"correct_{n}"][0] for n in (1, 9)] == ["1", "9"]
    assert [review[f"wrong_{n}"][0] for n in (1, 2, 3, 4)] == ["Q", "W", "E", "R"]
    assert len([action for action in review if action.startswith("reason_")]) == len(RejectReason)


def test_every_default_is_written_as_it_would_be_kept():
    for action in ACTIONS.values():
        assert all(parse_chord(chord) == chord for chord in action.chords)
        assert all(parse_chord(on_mac(chord)) == on_mac(chord) for chord in action.chords)


def test_avoided_keys_are_no_defaults():
    used = {chord for action in ACTIONS.values() for chord in action.chords}
    avoided = ["D", "E", "F", "S", "V", "B", "T", "Left", "Right"]
    assert used & {f"Alt+{letter}" for letter in avoided} == set()


def test_an_own_key_stands_alone_on_every_machine():
    keys = parse_keys({"guide": "ctrl + j", "add": "Alt+A", "correct_1": "shift+alt+q"})
    assert keys == {"guide": "Ctrl+J", "correct_1": "Alt+Shift+Q"}
    held = tables(keys, screen="work")
    assert held.keys["guide"] == held.mac["guide"] == ("Ctrl+J",)
    assert held.mac["add"] == ("Ctrl+A",)


def test_two_may_change_places():
    assert parse_keys({"add": "Alt+P", "skip": "Alt+A"}) == {"add": "Alt+P", "skip": "Alt+A"}


def test_the_same_key_on_different_screens_is_no_conflict():
    assert parse_keys({"complain": "Alt+A"}) == {"complain": "Alt+A"}


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"fly": "Alt+A"}, "unknown"),
        ({"add": " "}, "missing"),
        ({"add": 3}, "missing"),
        ({"add": "Alt+Alt+A"}, "no_key"),
        ({"add": "Hyper+A"}, "no_key"),
        ({"add": "Alt+"}, "no_key"),
        ({"add": "Alt+é"}, "no_key"),
        ({"add": "Alt+Shift+1"}, "no_key"),
        ({"add": "Ctrl+Shift+?"}, "no_key"),
        ({"add": "Ctrl+T"}, "taken"),
        ({"add": "F5"}, "taken"),
        ({"add": "Shift+A"}, "types"),
        ({"submit": "Enter"}, "types"),
        ({"add": "Alt+R"}, "twice"),
        ({"modify": "J"}, "twice"),
        ({"add": "Ctrl+Q", "skip": "Ctrl+Q"}, "twice"),
        ({"add": "Ctrl+P"}, "twice"),  # on a Mac Control stands for Alt: Skip has it there
    ],
)
def test_what_cannot_be_is_refused(keys, code):
    with pytest.raises(KeyRefusedError) as caught:
        parse_keys(keys)
    assert caught.value.code == code
    assert str(caught.value)


def test_function_keys_and_escape_type_nothing():
    assert parse_keys({"add": "F2", "remove": "Shift+F2"}) == {"add": "F2", "remove": "Shift+F2"}


@pytest.mark.parametrize("old", [{"gone": "Alt+A"}, {"add": "Alt+R"}, [], "x", 3])
def test_an_old_choice_that_means_nothing_locks_no_page(old):
    assert tables(old, screen="work") == tables({}, screen="work")
    assert isinstance(tables(old, screen="work"), Tables)
