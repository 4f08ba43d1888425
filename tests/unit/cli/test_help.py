"""The help of every command, as a terminal shows it."""

from __future__ import annotations

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
