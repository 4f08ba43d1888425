"""Profiles of chat servers: what a user writes, and what is wrong in it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError, MissingExtraError, UsageError
from gecbench.models import load_corrector

URL = "http://127.0.0.1:9/v1"


def write_profile(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return f"chat:{path}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'base_url = "{URL}"\nmodel = "m"\nmodle = "n"', "'modle'; did you mean model"),
        ('model = "m"', "'base_url' is missing"),
        (f'base_url = "{URL}"\nmodel = "m"\nretries = -1', "'retries' is -1; expected int >= 0"),
        (f'base_url = "{URL}"\nmodel = "m"\nbatch = "two"', "'batch' is a string, 'two'; expected"),
        ("base_url = ", r"p\.toml.*: is not TOML"),
    ],
)
def test_what_is_wrong_in_a_profile_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_corrector(write_profile(tmp_path / "p.toml", text))


@pytest.mark.parametrize(
    ("place", "options", "message"),
    [
        ("gpt", {}, r"chat:gpt: is neither a profile \(a \.toml file\) nor MODEL@URL"),
        ("m@ftp://x", {}, "is neither a profile"),
        ("m@http://", {}, "is no address; write it as"),
        ("m@http://me:secret@h/v1", {}, "holds a user or password"),
        ("m@http://h/v1?key=secret", {}, "base_url of h: ends in a query"),
        (f"m@{URL}", {"speed": 1}, "unknown option of chat 'speed'"),
        (f"m@{URL}", {"batch": "0"}, "option batch of chat: it is '0'; expected int >= 1"),
        (f"m@{URL}", {"prompt": "zh-minmal"}, "unknown prompt 'zh-minmal'; did you mean zh-min"),
        (f"m@{URL}", {"language": "de"}, "no prompt for language 'de'; set prompt"),
        (f"m@{URL}", {"language": "German"}, "'German' is no ISO 639 code"),
        (f"m@{URL}", {"key_env": "NO_SUCH_KEY"}, "variable NO_SUCH_KEY is not set"),
        (f"m@{URL}", {"key_env": "sk-a secret"}, "variable that key_env names is not set"),
        (f"m@{URL}", {"extra": {"api_key": "secret"}}, "extra.api_key looks like a key"),
        (f"m@{URL}", {"extra": {"messages": []}}, "extra.messages is not free"),
        (
            f"m@{URL}",
            {"extra": {"top_p": float("nan")}},
            "extra cannot be sent as JSON: Out of range",
        ),
        (f"m@{URL}", {"extra": {"day": date(2024, 1, 1)}}, "extra cannot be sent as JSON: .*date"),
        (f"m@{URL}", {"omit": ["seed", "seed"], "key_header": "a secret"}, "key_header is no name"),
        ("m@http://h:99999/v1", {}, "base_url .*: is no address"),
        ("m@http://h:port/v1", {}, "base_url .*: is no address"),
        ("m@http://exa mple/v1", {}, "base_url .*: is no address"),
        (f"m@{URL}", {"replay": "true", "cache": "none"}, "from a cache, but cache is none"),
        (f"m@{URL}", {"shortest": "2"}, "option shortest of chat: it is '2'; expected float <= 1"),
    ],
)
def test_what_is_wrong_in_options_is_named(
    place: str, options: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load_corrector(f"chat:{place}", {"cache": str(tmp_path), **options})
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_that_no_header_can_hold_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("A_KEY", "密钥")
    with expect_error(UsageError, "the key", "header") as caught:
        load_corrector(f"chat:m@{URL}", {"key_env": "A_KEY", "cache": str(tmp_path)})
    assert "密" not in str(caught.value)


def test_without_httpx_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with expect_error(MissingExtraError, "httpx", "gecbench[chat]"):
        load_corrector(f"chat:m@{URL}")
