"""Messages say what to do instead, to somebody who expected another option or name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gecbench.api.files import sample
from gecbench.cli import gecbench

CHINESE = str(sample("zh", "corpus.jsonl"))
ENGLISH = str(sample("en", "corpus.jsonl"))
SYSTEM = str(sample("zh", "eager.txt"))


def groups(group: click.Group, *words: str) -> Iterator[tuple[str, ...]]:
    """The words before a group, and those before each group in it."""
    context = click.Context(group)
    yield words
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from groups(command, *words, name)


@pytest.mark.parametrize("words", list(groups(gecbench)), ids=" ".join)
def test_a_group_names_its_commands_where_it_has_none_of_a_name(
    run, words: tuple[str, ...]
) -> None:
    code, out, err = run(*words, "zzzz")
    assert (code, out) == (2, "")
    assert "'zzzz'; known: " in err


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["annotate", "serve", "--port", "8791"], ["--port", "--bind"]),
        (["annotate", "serve", "--host", "127.0.0.1:8791"], ["--bind 127.0.0.1:8791"]),
        (["annotate", "init", "--data", "mydata"], ["--data", "init FOLDER"]),
        (["annotate", "restore", "--data", "mydata"], ["--data", "restore BACKUP FOLDER"]),
        (["convert", CHINESE], ["--to", "--output", ".parquet"]),
        (["score", CHINESE, "a="], ["no file", "'a='"]),
        (["score", ENGLISH, SYSTEM, "--scheme", "zh-char"], ["leave --scheme out", "en-errant"]),
    ],
)
def test_the_way_out_is_named(run, words: list[str], facts: list[str]) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert [fact for fact in facts if fact not in err] == []


def test_the_ending_of_the_output_is_enough_to_convert(run, tmp_path: Path) -> None:
    code, _, _ = run("convert", ENGLISH, "-o", str(tmp_path / "x.jsonl"))
    assert code == 0
    assert (tmp_path / "x.jsonl").read_text("utf-8").startswith("{")
