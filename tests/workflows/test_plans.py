"""Every command of every workflow is a command of gecbench, and every row of a table is filled."""

from __future__ import annotations

import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import click
import pytest

from gecbench.analysis.paper_table import Paper
from gecbench.cli import gecbench as commands
from gecbench.formats.validation import read_toml

from .conftest import NAMES, WORKFLOWS


def test_each_paper_table_has_its_workflow() -> None:
    assert [
        *("cgec-table-3", "cgec-table-4"),
        *("mucgec-table-5", "mucgec-table-6", "mucgec-table-7"),
        *("robust-from-scratch",),
        *("robustgec-figure-4", "robustgec-table-4", "robustgec-table-5"),
        *("syngec-mucgec", "syngec-nlpcc18"),
    ] == NAMES
    assert sorted(path.stem for path in (WORKFLOWS / "tables").glob("*.toml")) == NAMES


def check_command(words: list[str]) -> None:
    """Parse a command line as gecbench does, without running it."""
    command: click.Command = commands
    while isinstance(command, click.Group):
        child = command.get_command(click.Context(command), words.pop(0))
        assert child is not None
        command = child
    context = command.make_context(command.name, words, resilient_parsing=True)
    assert not context.args


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_all_command_lines_are_valid(name: str, small: bool, planned) -> None:
    from gecbench.api.train import read_settings

    lines = [shlex.split(line) for line in planned(name, small)]
    lines = [words[: words.index("2>")] if "2>" in words else words for words in lines]
    lines = [words for words in lines if words[0] == "gecbench"]
    assert len(lines) > 5
    for _, *words in lines:
        if words[0] == "train":
            changes = [value for option, value in pairwise(words) if option == "--set"]
            read_settings(None, recipe=words[words.index("--recipe") + 1], changes=changes)
        check_command(words)


@pytest.mark.parametrize("name", NAMES)
def test_results_and_rows_fit_each_other(name: str, planned) -> None:
    (line,) = [line for line in planned(name, False) if "paper-table" in line and "-o" in line]
    results = [word for word in line.split() if re.search(r"^[\w./-]+\.json$", word)]
    paper = read_toml(WORKFLOWS / "tables" / f"{name}.toml", Paper)
    patterns = {row.results for table in paper.tables for row in table.rows if row.results}
    lines = {line.results for figure in paper.figures for line in figure.lines}
    regexes = {
        pattern: re.compile(re.sub(r"\{\w+\}", "[^/-]+", pattern)) for pattern in patterns | lines
    }
    empty = [
        pattern for pattern, regex in regexes.items() if not any(map(regex.fullmatch, results))
    ]
    optional = ("chatgpt", "scores/sources-")  # an LLM, and where sentences come from
    assert [pattern for pattern in empty if not any(word in pattern for word in optional)] == []
    unused = [
        result
        for result in results
        if not any(regex.fullmatch(result) for regex in regexes.values())
    ]
    assert unused == []


def test_optional_data_add_their_rows(dry_run, planned) -> None:
    planned("robustgec-table-4", False)
    output = dry_run("robustgec-table-4", "chatgpt=chat:profile.toml")[1]
    assert "gecbench correct chat:profile.toml data/robustgec -o systems/chatgpt.txt" in output
    assert "robustness/chatgpt.json" in output
    assert "scores/sources-" in "".join(planned("mucgec-table-6", True))


def test_missing_data_are_named_with_where_they_come_from(dry_run) -> None:
    code, output = dry_run("robustgec-table-5")
    assert code == 1
    for name, place in (("clang8", "data/clang8.tsv"), ("cases", "data/robustgec")):
        assert re.search(rf"MISSING: {name}, .*https://.* {place}; --config {name}=PATH", output)


def test_parameters_and_data_are_named_by_config(dry_run, planned) -> None:
    planned("robustgec-table-5", False)
    code, output = dry_run(
        "robustgec-table-5",
        *("seeds=[7]", "biases=[0.0]", "roberta=some/name", "cases=data/clang8.tsv"),
        "launcher=torchrun --nproc_per_node 8 -m",
    )
    assert code == 0, output
    assert "cpr-1.0-7" in output
    assert "cpr-1.0-1" not in output
    assert "gecbench data divide data/clang8.tsv" in output
    assert "torchrun --nproc_per_node 8 -m gecbench train --recipe robustgec-gector" in output
    assert "--set model.encoder=some/name" in output
    code, output = dry_run("robustgec-table-5", "seeds=7")
    assert (code, "--config seeds: write it as seeds=[1, 2, 3]" in output) == (1, True), output


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("smal=true", "--config smal: robustgec-table-5"),
        ("small=yes", "--config small is 'yes'"),
    ],
)
def test_a_misspelt_setting_is_refused(dry_run, setting: str, message: str) -> None:
    code, output = dry_run("robustgec-table-5", setting)
    assert (code, message in output) == (1, True), output


def test_the_page_names_all_workflows_and_its_example_is_one(dry_run, tmp_path) -> None:
    page = (WORKFLOWS.parent / "docs" / "correct" / "experiments.md").read_text("utf-8")
    assert [name for name in NAMES if f"`{name}`" not in page] == []
    shutil.copytree(WORKFLOWS, tmp_path / "workflows")
    for kind, place in (("snakemake", "mine.smk"), ("toml", "tables/mine.toml")):
        (block,) = re.findall(rf"^```{kind}\n(.*?)^```$", page, re.M | re.S)
        (tmp_path / "workflows" / place).write_text(block, "utf-8")
    for needed in ("dev.m2", "model"):
        (tmp_path / needed).touch()
    name = str(tmp_path / "workflows" / "mine")
    code, output = dry_run(name, "model=model", "biases=[0.1]")
    assert code == 0, output
    assert "gecbench correct model dev.m2 --to lines --set keep_bias=0.1" in output
    assert read_toml(Path(f"{name[:-4]}tables/mine.toml"), Paper).tables[0].rows
