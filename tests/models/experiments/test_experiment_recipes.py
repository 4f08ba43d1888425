"""The papers' experiments: their commands are commands, and their figures the papers'."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest

from gecbench.api.experiment.reading import experiments, read_experiment
from gecbench.api.experiment.recipe import Experiment
from gecbench.api.experiment.run import planned
from gecbench.cli import gecbench as commands

NAMES = sorted(experiments())
PAPERS = [
    *("mucgec-table-5", "mucgec-table-6", "mucgec-table-7"),
    *("robustgec-table-4", "robustgec-table-5", "robustgec-figure-4"),
    *("cgec-table-3", "cgec-table-4"),
]


def test_each_table_of_the_issue_has_its_experiment() -> None:
    assert set(PAPERS) | {"robust-from-scratch"} == set(NAMES)


def command_and_rest(words: tuple[str, ...]) -> tuple[click.Command, list[str]]:
    """Return the command that words name, and what stands behind its name."""
    command: click.Command = commands
    rest = list(words)
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), rest.pop(0))
        assert found is not None, words
        command = found
    return command, rest


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_its_words_are_those_of_real_commands(name: str, small: bool, tmp_path) -> None:
    made = planned(read_experiment(name), tmp_path / "out", small=small)
    assert made.tasks
    for task in made.tasks.values():
        command, rest = command_and_rest(task.words)
        context = command.make_context(task.words[0], rest, resilient_parsing=True)
        assert not context.args, task.words
        assert "{" not in "".join(word for word in task.words if "set" not in word), task.words


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_its_training_configurations_are_whole(name: str, small: bool, tmp_path) -> None:
    from gecbench.api.train import read_settings

    made = planned(read_experiment(name), tmp_path / "out", small=small)
    for task in made.tasks.values():
        if task.words[0] == "train":
            words = list(task.words)
            changes = [b for a, b in pairwise(words) if a == "--set"]
            read_settings(None, recipe=words[words.index("--recipe") + 1], changes=changes)


@pytest.mark.parametrize("name", NAMES)
def test_the_plan_says_how_to_get_what_is_missing(
    name: str, tmp_path, monkeypatch, gecbench
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = gecbench("experiment", name, "-o", "out", "--plan")
    assert code == 0, err
    assert out.count("# MISSING") >= 2
    for line in out.splitlines():
        if line.startswith("$ gecbench "):
            assert shlex.split(line)
    code, _, err = gecbench("experiment", name, "-o", "out")
    assert code == 1
    assert "of the inputs are not there" in err
    assert len(err.splitlines()) == 1


def numbers(text: str) -> list[float]:
    """Return the numbers of a line of the papers' tables, without what stands in brackets."""
    return [float(each) for each in re.findall(r"-?\d+\.\d+", re.sub(r"\(.*?\)", "", text))]


def lines_under(text: str, head: str) -> list[str]:
    """Return the lines of the first block of code after a heading."""
    return text.split(head, 1)[1].split("```", 2)[1].strip().splitlines()


def stored(name: str, *tables: str) -> list[list[float]]:
    """Return the paper's figures that an experiment holds, row by row."""
    found: Experiment = read_experiment(name)
    chosen = [t for t in found.recipe.tables if not tables or t.name in tables]
    return [list(row.paper) for table in chosen for row in table.rows]


@pytest.fixture(scope="module")
def paper(shared) -> str:
    return (shared / "specs" / "paper_tables.md").read_text("utf-8")


@pytest.mark.golden
def test_the_figures_of_mucgec_are_the_papers(paper: str) -> None:
    five = [n for line in lines_under(paper, "Table 5, original") if (n := numbers(line))]
    assert stored("mucgec-table-5") == five
    six = [numbers(line) for line in lines_under(paper, "Table 6, MuCGEC")]
    assert stored("mucgec-table-6", "table-6") == [row[:9] for row in six]
    assert stored("mucgec-table-6", "table-6-all") == [row[9:] for row in six]
    seven = [numbers(line) for line in lines_under(paper, "Table 7, F0.5")]
    assert [list(row) for row in zip(*stored("mucgec-table-7"), strict=True)] == seven


@pytest.mark.golden
def test_the_figures_of_robustgec_are_the_papers(paper: str) -> None:
    four = [n for line in lines_under(paper, "Table 4 (Original") if (n := numbers(line))]
    assert stored("robustgec-table-4") == four
    five = [numbers(line) for line in lines_under(paper, "Table 5, test split")]
    assert stored("robustgec-table-5") == five


@pytest.mark.golden
def test_the_figures_of_the_chinese_metrics_paper_are_the_papers(paper: str) -> None:
    lines = lines_under(paper, "Table 3 with the columns")
    names = [row.name for row in read_experiment("cgec-table-3").recipe.tables[0].rows]
    assert names == [line.split("\t")[0] for line in lines]
    three = [[float(each) for each in line.split("\t")[1:]] for line in lines]
    assert stored("cgec-table-3") == three
    said = paper.split("Table 4, Pearson (p): ", 1)[1].split("\n")[0]
    pairs = re.findall(r"(\S+?)-(\S+) ([\d.]+) \(([\d.]+)\)", said)
    assert stored("cgec-table-4") == [[float(r), float(p)] for _, _, r, p in pairs]
    rows = [row.name for row in read_experiment("cgec-table-4").recipe.tables[0].rows]
    assert rows == [f"{one} - {two}" for one, two, _, _ in pairs]


def test_a_wrong_file_is_one_line(tmp_path: Path, gecbench) -> None:
    base = """
about = "x"
[[steps]]
name = "copy"
run = ["correct", "copying", "{given}", "-o", "{out}"]
out = "a.txt"
[[tables]]
name = "t"
title = "t"
zh = "表"
columns = [{ name = "n", get = "n" }]
rows = [{ name = "r", step = "copy" }]
"""
    given = '[[inputs]]\nname = "given"\nwhat = "w"\nget = "g"\n'
    cases = [
        (base, "step copy: '{given}': unknown name 'given'"),
        (base.replace("about", "abuot"), "unknown key of"),
        (
            base + given + given.replace("given", "copy"),
            "'copy' is an input already and a step, too",
        ),
        (base + given + given.replace("given", "Given"), "'Given' is no name"),
        (base + given + base.split("\n", 2)[2].split("[[tables]]")[0], "is a step already"),
        (base.replace('step = "copy"', 'step = "cpoy"') + given, "unknown step 'cpoy'"),
        (base.replace('step = "copy"', 'step = "copy", paper = [1, 2]') + given, "2 figures of"),
        (base.replace(', step = "copy"', "") + given, "a row has a step, or a status"),
        (
            base.replace("\nout =", '\neach = { s = "seeds" }\nout =') + given,
            "'seeds', which is no",
        ),
        (base.replace("\nout =", "\noat =") + given, "unknown key of"),
        ("small = { x = 1 }" + base + given, "small.x is no parameter"),
        (base.replace('step = "copy"', 'step = "copy", each = { s = "x" }') + given, "'x' is no p"),
        (base + given + "[", "is not TOML"),
        ('extends = "none"\n' + base, "_none.toml: no such file"),
    ]
    path = tmp_path / "mine.toml"
    for text, why in cases:
        path.write_text(text, "utf-8")
        code, _, err = gecbench("experiment", path, "-o", tmp_path / "out", "--plan")
        assert code == 1, (why, err)
        assert why in err
        assert len(err.splitlines()) == 1


def test_the_example_of_the_page_is_one(tmp_path) -> None:
    page = Path(__file__).parents[3] / "docs" / "correct" / "experiments.md"
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    made = planned(read_experiment(str(tmp_path / "mine.toml")), tmp_path / "out")
    assert [task.name for task in made.chosen(())][-1] == "score"
    assert made.tasks["score"].words[2] == f"bias-0.0={tmp_path / 'out' / 'bias-0.0.txt'}"


def test_every_experiment_and_parameter_is_on_the_page() -> None:
    page = Path(__file__).parents[3] / "docs" / "correct" / "experiments.md"
    assert [name for name in NAMES if f"`{name}`" not in page.read_text("utf-8")] == []
