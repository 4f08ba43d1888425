"""The help of every command, as a terminal shows it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from gecbench.cli import gecbench


def paths(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (*before, name)
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from paths(found, (*before, name))


@pytest.mark.parametrize("words", [(), *paths(gecbench)], ids=" ".join)
def test_help_keeps_examples_on_lines_of_their_own(words):
    shown = CliRunner().invoke(gecbench, [*words, "--help"])
    assert shown.exit_code == 0
    assert "\\b" not in shown.output
    assert "\b" not in shown.output


HEAVY = ("numpy", "torch", "spacy", "scipy", "requests", "msgspec", "gecbench.edits.alignment")
"""What help needs least of all, and takes long to import."""


@pytest.mark.parametrize("words", [w for w in paths(gecbench) if w[0] != "annotate"], ids=" ".join)
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys\nfrom gecbench.cli import main\n"
        f"try:\n    main({[*words, '--help']!r})\nexcept SystemExit:\n    pass\n"
        f"found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(f'imports {found}' if found else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
