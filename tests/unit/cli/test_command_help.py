"""The help of every command, as a terminal shows it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
from click.testing import CliRunner

from gecbench.cli import gecbench


def paths(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (*before, name)
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from paths(command, (*before, name))


def test_help_keeps_examples_on_lines_of_their_own_and_cuts_no_line_about_a_command():
    for words in ((), *paths(gecbench)):
        shown = CliRunner().invoke(gecbench, [*words, "--help"])
        assert shown.exit_code == 0, words
        assert "\\b" not in shown.output, words
        assert "\b" not in shown.output, words
        commands = shown.output.partition("\nCommands:")[2].replace(": robustness, ...", "")
        assert "..." not in commands or not words, words


HEAVY = (
    *("numpy", "torch", "spacy", "scipy", "requests", "msgspec", "gecbench.edits.alignment"),
    *("matplotlib", "jinja2", "PIL", "pooch", "opencc", "pypinyin", "py3langid", "platformdirs"),
)
"""What help needs least of all, and takes long to import."""


def test_help_imports_nothing_heavy():
    code = (
        "import sys, click\nfrom gecbench.cli import gecbench\n"
        f"for words in {[w for w in paths(gecbench) if w[0] != 'annotate']!r}:\n"
        "    group = gecbench\n"
        "    for word in words:\n"
        "        group = group.get_command(click.Context(group), word)\n"
        f"    heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    if heavy:\n"
        "        sys.exit(f'{words} import {heavy}')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
