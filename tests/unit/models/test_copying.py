"""The corrector that changes nothing."""

from __future__ import annotations

import pytest
from corrector_checks import EN, ZH, check_corrector

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.models import load_corrector


def test_every_text_comes_back_as_it_is() -> None:
    found = check_corrector(lambda: load_corrector("copying"), [*ZH, *EN])
    assert [c.text for c in found] == [*ZH, *EN]
    assert not any(c.edits for c in found)


def test_it_takes_neither_place_nor_options() -> None:
    with pytest.raises(UsageError, match="copying takes nothing behind the colon; write copying"):
        load_corrector("copying:here")
    with pytest.raises(UnknownNameError, match="unknown option of copying 'speed'"):
        load_corrector("copying", {"speed": 2})
