"""Every command line of gecbench in READMEs and docs has commands and options that there are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
import pytest

from gecbench.cli import gecbench

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```bash[^\n]*\n(.*?)^```$", re.M | re.S)
OPERATORS = frozenset(("|", "||", "&&", ";", "&", ">", ">>", "<", "(", ")", "<(", ">&", "2>"))


def lines_of(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the command lines in the blocks of a page, each with its number."""
    text = page.read_text("utf-8")
    for block in BLOCK.finditer(text):
        number = text.count("\n", 0, block.start(1)) + 1
        for line in re.sub(r"\\\n", "  ", block[1]).split("\n"):
            yield number, line
            number += 1


def commands_in(line: str) -> Iterator[list[str]]:
    """Yield the words behind each `gecbench` of a line of a shell."""
    # Where a shell runs a command within a word, its words stand there as others do.
    plain = re.sub(r"\"?\$\(([^()]*)\)([^\s\"]*)\"?", r" ( \1 ) ", line)
    lexer = shlex.shlex(plain, posix=True, punctuation_chars="|&;<>()")
    lexer.commenters = "#"
    words = list(lexer)
    for at, word in enumerate(words):
        before = words[at - 1] if at else ";"
        if word == "gecbench" and (before in OPERATORS or "=" in before):
            yield list(takewhile(lambda word: word not in OPERATORS, words[at + 1 :]))


def problem_of(words: list[str]) -> str:
    """What is wrong with commands and options; "" where nothing is."""
    command: click.Command = gecbench
    context = click.Context(gecbench, info_name="gecbench")
    rest = words
    while isinstance(command, click.Group):
        name = next((word for word in rest if not word.startswith("-")), None)
        if name is None:
            return ""
        rest = rest[rest.index(name) + 1 :]
        try:
            found = command.get_command(context, name)
        except click.UsageError:
            found = None
        if found is None:
            return f"no command {name}"
        command, context = found, click.Context(found, info_name=name, parent=context)
    known = {
        name
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    options = [word.split("=")[0] for word in rest if re.match(r"--?[A-Za-z]", word)]
    return ", ".join(f"no option {name}" for name in options if name not in known | {"--debug"})


COMMANDS = [
    (f"{page.relative_to(ROOT)}:{number}", words)
    for page in PAGES
    for number, line in lines_of(page)
    if "gecbench" in line
    for words in commands_in(line)
]


def test_there_are_commands():
    assert len(COMMANDS) > 100


def test_commands_and_options_in_docs_are_there():
    problems = [(place, problem_of(words)) for place, words in COMMANDS]
    assert [(place, problem) for place, problem in problems if problem] == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("gecbench scor a b", "no command scor"),
        ("X=1 gecbench score a --nope", "no option --nope"),
        ("cat a | gecbench correct --fast > b", "no option --fast"),
        ('gecbench score "$(gecbench data wher x)" y', "no command wher"),
    ],
)
def test_wrong_commands_are_found(line: str, problem: str):
    assert problem in [problem_of(words) for words in commands_in(line)]
