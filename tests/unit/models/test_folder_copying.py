"""The corrector that changes nothing."""

from __future__ import annotations

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error

import gecbench.models as models
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
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


@pytest.mark.parametrize("inside", ["", "model"])
def test_a_model_is_loaded_by_its_name_on_the_hub(monkeypatch, tmp_path, inside) -> None:
    monkeypatch.setattr(models, "CORRECTORS", {"strict": f"{__name__}:STRICT"})
    (tmp_path / "cache" / inside).mkdir(parents=True)
    write_card(tmp_path / "cache" / inside, Card(kind="strict"))
    (tmp_path / "mine" / "model@v1").mkdir(parents=True)  # a folder of this name says nothing
    monkeypatch.chdir(tmp_path)
    asked: list[list[str]] = []

    def snapshot_download(name: str, *, revision: str, allow_patterns: list[str]) -> str:
        assert (name, revision) == ("mine/model", "v1")
        asked.append(allow_patterns)
        return str(tmp_path / "cache")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert isinstance(load_corrector("hub:mine/model@v1"), Copying)
    cards = ["gecbench.json", "model/gecbench.json"]
    assert asked == [cards, ["model/*" if inside else "*"]]
    (tmp_path / "cache" / inside / "gecbench.json").unlink()
    with expect_error(GecbenchError, "hub:mine/model@v1", "gecbench.json"):
        load_corrector("hub:mine/model@v1")
    assert asked[2:] == [cards]


def test_what_the_hub_cannot_give_is_named_as_it_was_written(monkeypatch) -> None:
    def snapshot_download(name: str, **_options: object) -> str:
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    with expect_error(GecbenchError, "hub:mine/model", "no network"):
        load_corrector("hub:mine/model")
    for spec in ("hub:", "hub:@v1"):
        with expect_error(UsageError, spec, "hub:NAME"):
            load_corrector(spec)


def test_a_kind_says_whether_a_place_follows_its_name(monkeypatch) -> None:
    kinds = {"strict": f"{__name__}:STRICT", "function": f"{__name__}:load"}
    monkeypatch.setattr(models, "CORRECTORS", {**models.CORRECTORS, **kinds})
    for name in ("tagger", "tagger:", "strict"):
        with pytest.raises(UsageError, match=r"say which (tagger|strict), as"):
            load_corrector(name)
    for name in ("strict:here", "function", "function:here"):
        assert load_corrector(name).info.kind == "copying"
