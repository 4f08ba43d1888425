"""The corrector that changes nothing."""

from __future__ import annotations

from corrector_checks import EN, ZH, check_corrector
from messages import expect_error

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.models import load_corrector


def test_every_text_comes_back_as_it_is() -> None:
    found = check_corrector(lambda: load_corrector("copying"), [*ZH, *EN])
    assert [c.text for c in found] == [*ZH, *EN]
    assert not any(c.edits for c in found)


def test_it_takes_neither_place_nor_options() -> None:
    with expect_error(UsageError, "copying"):
        load_corrector("copying:here")
    with expect_error(UnknownNameError, "copying", "'speed'"):
        load_corrector("copying", {"speed": 2})
