"""Names on the hub, and revisions of them."""

from __future__ import annotations

from messages import expect_error

from gecbench.backends import transformers
from gecbench.core.errors import GecbenchError


def test_a_revision_goes_to_the_hub_apart_from_the_name(monkeypatch, tmp_path) -> None:
    calls = []

    class Auto:
        @staticmethod
        def from_pretrained(place: str, *, trust_remote_code: bool, **options: object) -> str:
            assert not trust_remote_code
            calls.append((place, options))
            return "loaded"

    monkeypatch.chdir(tmp_path)
    assert transformers._load("owner/name@v2", Auto, what="a model") == "loaded"
    assert transformers._load("owner/name", Auto, what="a model") == "loaded"
    assert calls == [("owner/name", {"revision": "v2"}), ("owner/name", {})]


def test_a_folder_with_such_a_name_is_a_folder(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model@home").mkdir()
    assert transformers.split_revision("model@home") == ("model@home", "")
    assert transformers.split_revision("model@work") == ("model", "work")


def test_what_the_hub_does_not_give_is_told_with_what_to_do(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with expect_error(GecbenchError, "hf download NAME --local-dir FOLDER"):
        transformers.load_config("nobody/nothing-at-all")
