"""Commands made of annotated functions, their refusals, and completion in shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner

from gecbench.cli import gecbench, main
from gecbench.cli.command import command, explicit_options, refuse
from gecbench.core.errors import UsageError
from gecbench.core.options import Argument, Option, Without, pairs


@dataclass(frozen=True)
class Place:
    folder: Annotated[Path | None, Option("--folder", "Where.", envvar="TRIAL_FOLDER")] = None
    cache: Path | None = None


@dataclass(frozen=True)
class Trial:
    names: Annotated[tuple[str, ...], Option("--names", "With commas.", commas=True)] = ("a",)
    files: Annotated[tuple[Path, ...], Option("--file", "Repeatable.")] = ()
    levels: Annotated[Literal[1, 2] | None, Option("--level", "Which.")] = None
    beta: Annotated[float, Option("--beta", "Weight.")] = 0.5
    simplify: Annotated[bool | None, Option("--simplify/--no-simplify", "Or not.")] = None
    weights: Annotated[
        Mapping[str, str], Option("--weight", "Of one.", read=pairs("--weight", "NAME=W"))
    ] = field(default_factory=dict)
    size: Annotated[
        tuple[int, int],
        Option("--size", "A:B.", read=lambda text: tuple(map(int, text.split(":")))),
    ] = (0, 1)
    drawn: Annotated[bool, Option("--drawn", "Is it?")] = False
    echo: Annotated[bool, Option("--echo/--no-echo", "Or not.", needs=("--drawn",))] = True
    seed: Annotated[int, Option("--seed", "Of --drawn.", needs=("--drawn", "--other"))] = 0
    place: Place = field(default_factory=Place)


SEEN: list[object] = []


@command
def trial(
    source: Annotated[str, Argument()],
    options: Trial,
    files: Annotated[tuple[Path, ...], Argument("FILE...")] = (),
    note: Annotated[str, Option("--note", "Any.", short="-n")] = "none",
) -> None:
    """Try options."""
    if source == "refuse":
        refuse("they do nothing", "--beta", "files", Place)
    if source == "alone":
        refuse("the source is enough", all_but=("source", Place))
    SEEN[:] = [source, options, files, note, "--beta" in explicit_options()]


def run(*words: str, **environment: str) -> list[object]:
    result = CliRunner().invoke(trial, words, env=environment, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return SEEN


@command
def narrow(
    folder: Annotated[Path, Argument(), click.Path(path_type=Path, file_okay=False)],
    count: Annotated[int, Option("--count", "How many."), click.IntRange(1, 3)] = 1,
) -> None:
    """Take little."""


def test_a_type_of_click_stands_beside_a_declaration(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    assert CliRunner().invoke(narrow, [str(tmp_path), "--count", "3"]).exit_code == 0
    assert "1<=x<=3" in CliRunner().invoke(narrow, [str(tmp_path), "--count", "4"]).output
    assert "is a file" in CliRunner().invoke(narrow, [str(file)]).output


def test_defaults_are_those_of_the_fields():
    assert run("-") == ["-", Trial(), (), "none", False]


def test_every_type_of_value_is_read():
    words = "--names x,y --file 1 --file=- --level 2 --beta 1 --no-simplify --weight a=2 --size 3:4"
    _, options, files, note, flag = run("s", "f", "-", *words.split(), "-n", "t", "--folder", "d")
    assert options == Trial(
        names=("x", "y"),
        files=(Path("1"), Path("-")),
        levels=2,
        beta=1.0,
        simplify=False,
        weights={"a": "2"},
        size=(3, 4),
        place=Place(Path("d")),
    )
    assert (files, note, flag) == ((Path("f"), Path("-")), "t", True)


def test_the_environment_is_read_and_is_not_the_command_line():
    assert run("refuse", TRIAL_FOLDER="e")[1] == Trial(place=Place(Path("e")))


def test_fields_can_be_left_out():
    @command
    def small(options: Annotated[Trial, Without("beta", "place", "seed")]) -> None:
        assert options == Trial()

    assert {"--names", "--size"} < {name for parameter in small.params for name in parameter.opts}
    assert not {"--beta", "--folder", "--seed"} & {
        name for parameter in small.params for name in parameter.opts
    }
    CliRunner().invoke(small, [], catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("s", "--seed", "1"), ("--seed", "--drawn")),
        (("refuse", "--beta", "0.5"), ("they do nothing", "--beta")),
        (("refuse", "f", "--folder", "d"), ("FILE...", "--folder")),
        (("alone", "--beta", "1", "--note", "n"), ("the source is enough", "--beta", "--note")),
        (("s", "--weight", "a"), ("--weight", "'a'", "NAME=W")),
        (("s", "--no-echo"), ("--no-echo", "--drawn")),
        (("s", "--weight", "a=1", "--weight", "a=2"), ("--weight a", "twice")),
    ],
)
def test_what_has_no_effect_or_cannot_be_read_is_refused(words, facts):
    error = CliRunner().invoke(trial, words).exception
    assert isinstance(error, UsageError)
    assert all(fact in str(error) for fact in facts)


@pytest.mark.parametrize("words", [("s", "--seed", "1", "--drawn"), ("alone", "--folder", "d")])
def test_what_has_an_effect_is_not_refused(words):
    run(*words)


def test_an_argument_that_is_missing_is_named():
    result = CliRunner().invoke(trial, [])
    assert result.exit_code == 2
    assert "'SOURCE'" in result.output


def test_help_shows_defaults_choices_and_variables():
    text = CliRunner().invoke(trial, ["--help"]).output
    for fact in ("[default: 0.5]", "[1|2]", "TRIAL_FOLDER", "[default: a]", "SOURCE FILE..."):
        assert fact in text


def commands(group: click.Group, *before: str):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, *before, name)
        else:
            yield " ".join((*before, name)), command


def test_no_two_options_of_a_command_have_one_name():
    for name, tool in commands(gecbench):
        names = [
            option
            for parameter in tool.params
            for option in (*parameter.opts, *parameter.secondary_opts)
        ]
        assert len(set(names)) == len(names), name
        keys = [parameter.name for parameter in tool.params]
        assert len(set(keys)) == len(keys), name


def test_what_an_option_needs_is_an_option():
    for name, tool in commands(gecbench):
        names = {option for parameter in tool.params for option in parameter.opts}
        for parameter in tool.params:
            needs = getattr(getattr(parameter, "declaration", None), "needs", ())
            assert not needs or names & set(needs), (name, parameter.name)


def complete(*words: str) -> list[str]:
    """Complete the last word, as bash asks for it."""
    environment = {
        **os.environ,
        "_GECBENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": "\n".join(("gecbench", *words)),
        "COMP_CWORD": str(len(words)),
    }
    result = subprocess.run(
        [sys.executable, "-m", "gecbench"],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return [line.partition(",")[2] for line in result.stdout.splitlines()]


@pytest.mark.parametrize("request_", ["tcsh_source", "bash", "bash_scripts"])
def test_a_shell_without_completion_is_refused(request_, monkeypatch, capsys):
    monkeypatch.setenv("_GECBENCH_COMPLETE", request_)
    with pytest.raises(SystemExit) as ended:
        main([])
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    for text in (request_, "bash_source", "zsh_source", "fish_source"):
        assert text in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ana",), ["analyse"]),
        (("analyse", "d"), ["difficulty"]),
        (("data", "pre"), ["prepare"]),
        (("score", "c", "--level", "detection-s"), ["detection-span"]),
        (("score", "c", "--metric", "errant,gr"), ["errant,green"]),
        (("score", "c", "--simp"), ["--simplify"]),
        (("edits", "c", "--scheme", "zh-c"), ["zh-cherrant", "zh-char"]),
    ],
)
def test_names_options_and_values_are_completed(words, expected):
    assert [name for name in complete(*words) if name] == expected


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("correct", "zh-h"), "zh-homophone"),
        (("train", "--recipe", "ti"), "tiny"),
        (("data", "get", "cherr"), "cherrant"),
        (("data", "where", "sam"), "samples"),
        (("score", "--normalise", "lower,nf"), "lower,nfkc"),
        (("score", "--segmenter", "jie"), "jieba"),
        (("correct", "--from", "js"), "jsonl"),
        (("corrupt", "--from", "muc"), "mucgec"),
    ],
)
def test_values_of_options_and_arguments_are_completed(words, value):
    assert value in complete(*words)


def test_a_value_is_offered_once():
    assert complete("score", "--metric", "gleu,gleu-f") == ["gleu,gleu-frequency"]
    assert "gleu,gleu" not in complete("score", "--metric", "gleu,")


def test_an_unknown_command_is_no_failure_of_completion():
    assert "score" in complete("unknown", "")


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        (
            "bash",
            "source <(_GECBENCH_COMPLETE=bash_source gecbench); COMP_WORDS=(gecbench analyse dif); "
            'COMP_CWORD=2; _gecbench_completion gecbench; echo "${COMPREPLY[@]}"',
        ),
        (
            "fish",
            '_GECBENCH_COMPLETE=fish_source gecbench | source; complete -C"gecbench analyse dif"',
        ),
        (
            "zsh",
            "autoload -U compinit; compinit -D; "
            'eval "$(_GECBENCH_COMPLETE=zsh_source gecbench)"; echo $_comps[gecbench]; '
            "export COMP_WORDS='gecbench analyse dif' COMP_CWORD=2; "
            "_GECBENCH_COMPLETE=zsh_complete gecbench",
        ),
    ],
)
def test_shells_take_the_script(shell: str, script: str, tmp_path: Path):
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "gecbench").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gecbench "$@"\n')
    (tmp_path / "gecbench").chmod(0o755)
    environment = {**os.environ, "HOME": str(tmp_path)}
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    result = subprocess.run(
        [path, "-c", script], check=False, env=environment, capture_output=True, text=True
    )
    assert "difficulty" in result.stdout, result.stderr
    if shell == "zsh":
        assert "_gecbench_completion" in result.stdout


def test_formats_follow_the_ending_of_the_file(run_in, tmp_path: Path):
    table = {"json": '"results"', "csv": "corpus,system", "tex": r"\toprule", "md": "| --- |"}
    for ending, mark in {**table, "txt": "eager"}.items():
        path = tmp_path / f"scores.{ending}"
        assert run_in("-o", path) == ""
        assert mark in path.read_text("utf-8")
    assert "| --- |" in run_in("-o", "-", "--format", "markdown")
    assert run_in("-o", tmp_path / "x.json", "--format", "csv") == ""
    assert (tmp_path / "x.json").read_text("utf-8").startswith("corpus,")


@pytest.fixture
def run_in():
    from gecbench.api.files import sample

    words = [sample("zh", "corpus.jsonl"), sample("zh", "eager.txt"), "--scheme", "zh-char"]

    def run(*more: object) -> str:
        line = ["score", *map(str, words), *map(str, more)]
        result = CliRunner().invoke(gecbench, line, catch_exceptions=False)
        assert result.exit_code == 0
        return result.stdout

    return run
