"""Every word of the interface is said in Chinese, once; nothing is translated that nobody says."""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

from gecbench.server.rules.consistency import SENTENCES
from gecbench.server.rules.text import REFUSALS
from gecbench.server.workflow.errors import MESSAGES

SOURCE = Path(__file__).parents[2] / "src" / "gecbench"
SERVER = SOURCE / "server"
REPORTS = SOURCE / "reports" / "chinese.json"  # what pages of reports show
CATALOGUE = SERVER / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
KEYWORDS = {
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop", "_")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
}
LIBRARY_KEYWORDS = (
    re.search(  # `make messages` takes the same
        r"^KEYWORDS := ((?:.*\\\n)*.*)", (SOURCE.parents[1] / "Makefile").read_text("utf-8"), re.M
    )[1]
    .replace("\\\n", " ")
    .split()
)
"""What takes the template of a message first; those of the library's modules that pages ask."""

LIBRARY = (
    *("api/schemes", "core/edit", "core/errors", "core/files", "core/format", "core/sample"),
    "datasets/catalog",
    *("formats/essays", "formats/fcgec", "formats/jsonl", "formats/lines", "formats/m2"),
    *("formats/records", "formats/sighan", "formats/table", "formats/texts"),
    *("formats/tsv", "formats/validation", "formats/yaclc"),
    *("lang/en/errant", "server/guidelines/*", "server/import_export/*"),
    *("server/rules/*", "server/web/manage/*", "server/workflow/*"),
)
"""Modules whose errors pages show in the library's words."""

Message = str | tuple[str, ...]


def messages_of(path: Path) -> Iterator[tuple[Message, str | None]]:
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        # Babel reads what is left as Python, in which an indent means something.
        text = templatize(re.sub(r"^ +", "", text, flags=re.M), origin=str(path))
    messages = extract("python", io.BytesIO(text.encode()), keywords=KEYWORDS)
    for _, message, _, context in messages:
        yield message, context


@cache
def spoken() -> dict[tuple[Message, str | None], str]:
    paths = [*SERVER.rglob("*.py"), *(SERVER / "web" / "templates").rglob("*.html")]
    return {
        message: str(path.relative_to(SERVER))
        for path in sorted(paths)
        for message in messages_of(path)
    }


@cache
def library() -> dict[str, str]:
    """Templates of messages, and where they are: those of errors, and of `Message` alone."""
    errors = {path for module in LIBRARY for path in SOURCE.glob(f"{module}.py")}
    return {
        template: f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "chat" not in path.parts  # which has another kind of Message
        for line, template in templates_in(
            path, LIBRARY_KEYWORDS if path in errors else ["Message"]
        )
    }


def templates_in(path: Path, keywords: list[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            first = node.args[0]
            text = first.value if isinstance(first, ast.Constant) else None
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if isinstance(text, str) and name in keywords:
                yield node.lineno, text


@cache
def entries() -> list[tuple[Message, str | None, Message, bool]]:
    return [
        (entry.id, entry.context, entry.string, entry.fuzzy)
        for entry in read_po(
            io.BytesIO(CATALOGUE.read_bytes()), locale="zh_Hans", abort_invalid=True
        )
        if entry.id
    ]


def whole(string: Message) -> bool:
    return bool(string) and all(string) if isinstance(string, tuple) else bool(string)


def test_every_message_of_pages_has_a_translation():
    known = {(message, context) for message, context, string, _ in entries() if whole(string)}
    missing = {
        f"{path}: {message[0]!r}" for message, path in spoken().items() if message not in known
    }
    assert sorted(missing) == []


def test_every_message_of_the_library_that_pages_show_has_a_translation():
    known = {message for message, _, string, _ in entries() if whole(string)}
    assert len(library()) > 150
    known = known.union(*json.loads(REPORTS.read_text("utf-8")).values())
    words = {text for text in library() if re.search("[A-Za-z]", re.sub(r"\{.*?\}", "", text))}
    assert [(library()[text], text) for text in words - known] == []


def test_every_problem_has_a_message():
    keys = {*SENTENCES, *REFUSALS}
    for path in SERVER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "Problem":
                kind = [word.value for word in node.keywords if word.arg == "kind"]
                key = [*kind, *node.args[3:4], *node.args[:1]][0]
                keys |= {key.value} if isinstance(key, ast.Constant) else set()
    assert sorted(keys - set(MESSAGES)) == []


def test_no_translation_is_fuzzy():
    assert [message for message, _, _, fuzzy in entries() if fuzzy] == []


def test_every_translation_is_of_a_message_that_is_there():
    messages = {*spoken(), *((text, None) for text in library())}
    assert [
        message for message, context, *_ in entries() if (message, context) not in messages
    ] == []


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"%\(\w+\)[sd]|%[sd]|\{\w*(?:!r)?(?::[^}]*)?\}", text))


def test_translations_keep_the_placeholders():
    for message, _, string, _ in entries():
        if isinstance(message, str):
            assert placeholders(string) == placeholders(message), message
        else:  # a sentence for one and for many may leave the number out
            assert placeholders(string[0]) <= placeholders(message[1]), message


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="GNU gettext is not installed")
def test_gettext_finds_no_mistake_in_the_translations():
    command = ["msgfmt", "--check-format", "--output-file=/dev/null", CATALOGUE]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


BARE = re.compile(r">([^<>{}]*[A-Za-z\u4e00-\u9fff]{2,}[^<>{}]*)<")
ALLOWED = {"gecbench", "Ctrl", "Enter", "Alt", "English", "中文", "Esc", "⌘", "简体中文"}


def test_templates_have_no_bare_words():
    paths = sorted((SERVER / "web" / "templates").rglob("*.html"))
    assert [(path.name, word) for path in paths for word in bare_words(path)] == []


def bare_words(path: Path) -> list[str]:
    text = re.sub(
        r"\{%\s*comment.*?endcomment\s*%\}|\{#.*?#\}", "", path.read_text("utf-8"), flags=re.S
    )
    text = re.sub(r"\{%\s*blocktrans.*?endblocktrans\w*\s*%\}", "", text, flags=re.S)
    text = re.sub(r"\{[%{].*?[%}]\}", "", text, flags=re.S)
    words = [
        w for bare in BARE.findall(text) for w in re.findall(r"[A-Za-z\u4e00-\u9fff⌘]{2,}", bare)
    ]
    return [word for word in words if word not in ALLOWED]
