"""Every word of the interface is said in Chinese, once; nothing is translated that nobody says."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

SERVER = Path(__file__).parents[2] / "src" / "gecbench" / "server"
PARTS = sorted((SERVER / "locale" / "zh_Hans" / "LC_MESSAGES").glob("*.po"))
KEYWORDS = {
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop", "_")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
}
Message = str | tuple[str, ...]


def said_in(path: Path) -> Iterator[tuple[Message, str | None]]:
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        text = templatize(text, origin=str(path))
    found = extract("python", io.BytesIO(text.encode()), keywords=KEYWORDS)
    for _, message, _, context in found:
        yield message, context


def spoken() -> dict[tuple[Message, str | None], str]:
    paths = [*SERVER.rglob("*.py"), *(SERVER / "web" / "templates").rglob("*.html")]
    return {one: str(path.relative_to(SERVER)) for path in sorted(paths) for one in said_in(path)}


def entries() -> list[tuple[str, Message, str | None, Message, bool]]:
    return [
        (part.name, one.id, one.context, one.string, one.fuzzy)
        for part in PARTS
        for one in read_po(io.BytesIO(part.read_bytes()), locale="zh_Hans", abort_invalid=True)
        if one.id
    ]


def whole(string: Message) -> bool:
    return bool(string) and all(string) if isinstance(string, tuple) else bool(string)


def test_every_message_is_said_in_chinese():
    known = {(message, context) for _, message, context, string, _ in entries() if whole(string)}
    missing = {f"{path}: {one[0]!r}" for one, path in spoken().items() if one not in known}
    assert sorted(missing) == []


def test_no_message_stands_in_two_files_or_is_fuzzy():
    seen: dict[tuple[Message, str | None], str] = {}
    twice = []
    for part, message, context, _, fuzzy in entries():
        assert not fuzzy, f"{part}: {message!r} is fuzzy"
        if (message, context) in seen:
            twice.append(f"{part} and {seen[message, context]}: {message!r}")
        seen[message, context] = part
    assert twice == []


def test_nothing_is_translated_that_nobody_says():
    said = spoken()
    assert [
        f"{part}: {m!r}" for part, m, context, _, _ in entries() if (m, context) not in said
    ] == []


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"%\(\w+\)[sd]|%[sd]|\{\w*\}", text))


def test_translations_keep_the_placeholders():
    for part, message, _, string, _ in entries():
        pairs = [(message, string)] if isinstance(message, str) else [(message[1], string[0])]
        for ours, theirs in pairs:
            assert set(placeholders(theirs)) <= set(placeholders(ours)), f"{part}: {ours!r}"


BARE = re.compile(r">([^<>{}]*[A-Za-z\u4e00-\u9fff]{2,}[^<>{}]*)<")
ALLOWED = {"gecbench", "Ctrl", "Enter", "Alt", "English", "中文", "Esc", "⌘", "简体中文"}


@pytest.mark.parametrize(
    "path", sorted((SERVER / "web" / "templates").rglob("*.html")), ids=lambda path: path.name
)
def test_templates_have_no_bare_words(path: Path):
    text = re.sub(
        r"\{%\s*comment.*?endcomment\s*%\}|\{#.*?#\}", "", path.read_text("utf-8"), flags=re.S
    )
    text = re.sub(r"\{%\s*blocktrans.*?endblocktrans\w*\s*%\}", "", text, flags=re.S)
    text = re.sub(r"\{[%{].*?[%}]\}", "", text, flags=re.S)
    words = [
        w for bare in BARE.findall(text) for w in re.findall(r"[A-Za-z\u4e00-\u9fff⌘]{2,}", bare)
    ]
    assert [word for word in words if word not in ALLOWED] == []
