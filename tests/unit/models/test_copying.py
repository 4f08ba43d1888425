"""The corrector that changes nothing."""

from __future__ import annotations

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error

import gecbench.models as models
from gecbench.backends import transformers
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.models import CorrectorKind, load_corrector
from gecbench.models.folder import Card, Copying, write_card


def load(place, options) -> Copying:
    return Copying()


STRICT = CorrectorKind(load)


def test_every_text_comes_back_as_it_is() -> None:
    corrections = check_corrector(lambda: load_corrector("copying"), [*ZH, *EN])
    assert [c.text for c in corrections] == [*ZH, *EN]
    assert not any(c.edits for c in corrections)


def test_it_takes_neither_place_nor_options() -> None:
    with expect_error(UsageError, "copying:here", "colon"):
        load_corrector("copying:here")
    with expect_error(UnknownNameError, "copying", "'speed'"):
        load_corrector("copying", {"speed": 2})


def test_a_model_is_loaded_by_its_name_on_the_hub(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(models, "CORRECTORS", {"strict": f"{__name__}:STRICT"})
    write_card(tmp_path, Card(kind="strict"))
    on_hub = {"mine/model@v1": tmp_path}
    monkeypatch.setattr(transformers, "download", lambda place, _patterns: on_hub[place])
    assert isinstance(load_corrector("hub:mine/model@v1"), Copying)


def test_a_kind_says_whether_a_place_follows_its_name(monkeypatch) -> None:
    kinds = {"strict": f"{__name__}:STRICT", "function": f"{__name__}:load"}
    monkeypatch.setattr(models, "CORRECTORS", {**models.CORRECTORS, **kinds})
    for name in ("tagger", "tagger:", "strict"):
        with pytest.raises(UsageError, match=r"say which (tagger|strict), as"):
            load_corrector(name)
    for name in ("strict:here", "function", "function:here"):
        assert load_corrector(name).info.kind == "copying"
