"""The command line without a process of its own: what a terminal sees, and every refusal."""

from __future__ import annotations

import itertools
import json
import os
import runpy
import sys
from pathlib import Path

import click
import pytest
from messages import assert_is_line, expect_error

from gecbench import __version__, cli
from gecbench.api.files import sample
from gecbench.api.options import read_range
from gecbench.cli import options
from gecbench.cli.command import split_name
from gecbench.core.errors import UsageError
from gecbench.core.sample import Corpus, Sample
from gecbench.metrics import METRICS

CORPUS = str(sample("zh", "corpus.jsonl"))
SYSTEM = str(sample("zh", "eager.txt"))
ENGLISH = str(sample("en", "corpus.jsonl"))
SCORE = ["score", CORPUS, SYSTEM, "--scheme", "zh-char"]


def test_scores_go_to_standard_output(run):
    code, out, err = run(*SCORE)
    assert (code, err) == (0, "")
    assert out.startswith("system  TP  FP  FN      P      R   F0.5\neager   81  68  34")


@pytest.mark.parametrize("form", ["text", "json", "csv", "latex", "markdown"])
def test_every_form_is_printed(run, form: str):
    code, out, err = run(*SCORE, "--format", form, "--by-type", "2", "--by", "origin")
    assert (code, err) == (0, "")
    assert out.count("signature") + out.count("gecbench:0.1.0") > 1


def test_each_sentence_is_written_where_it_is_asked_for(run, tmp_path: Path):
    assert run(*SCORE, "--per-sentence", tmp_path / "x.jsonl")[0] == 0
    header, *rows = map(json.loads, (tmp_path / "x.jsonl").read_text("utf-8").splitlines())
    assert header["corpus"] == "zh-samples"
    assert len(rows) == 76


def test_a_range_and_a_table_of_facts(run, tmp_path: Path):
    table = tmp_path / "meta.tsv"
    rows = [f"zh-{n:03}\t{'one' if n < 4 else 'two'}" for n in range(1, 77)]
    table.write_text("\n".join(["id\tpart", *rows]), encoding="utf-8")
    words = [*SCORE, "--range", ":6", "--meta", table, "--by", "part", "--format", "csv"]
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert [line.split(",")[3:6] for line in out.splitlines()[1:]] == [
        ["(all)", "", "6"],
        ["one", "", "3"],
        ["two", "", "3"],
    ]


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--level", "x"], ("--level", "'x'", "'correction'")),
        (["--choice", "x"], ("--choice", "'x'")),
        (["--by-type", "4"], ("--by-type", "'4'", "'1'", "'2'", "'3'")),
        (["--edits", "x"], ("--edits", "'x'")),
        (["--format", "xml"], ("--format", "'xml'")),
        (["--beta", "x"], ("--beta", "'x'", "float")),
        (["--beta", "0"], ("beta", "0", "0.001", "1000")),
        (["--max-references", "0"], ("max-references", "0", "1")),
        (["--references-exactly", "0"], ("references-exactly", "0", "1")),
        (["--exclude", "noop"], ("'noop'", "type")),
        (["--exclude", "M,,S"], ("''", "type")),
        (["--metric", "f"], ("metric", "'f'", *METRICS)),
        (["--scheme", "zh-chars"], ("scheme", "'zh-chars'", "zh-char")),
        (["--strategy", "all"], ("zh-samples", "zh-char", "strategy")),
        (["--no-simplify"], ("zh-samples", "zh-char", "simplify")),
        (["--from", "m3"], ("format", "'m3'", "m2")),
        (["--reference", SYSTEM, "--from", "m2"], ("reference", "m2", "lines", "multigec")),
        (["--what"], ("--what",)),
        (["--range", "5"], ("range", "'5'", "0:500")),
        ([SYSTEM], ("systems", "eager", "NAME=FILE")),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(run, words: list[str], facts: tuple[str, ...]):
    code, out, err = run(*SCORE, *words)
    assert (code, out) == (2, "")
    assert_is_line(err, *facts)


MISSING = ("cilin.txt", "'cherrant'", "gecbench data get cherrant")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["score", "no.txt", SYSTEM], ("no.txt:", "no such file")),
        (["score", CORPUS, "no.txt"], ("no.txt:", "no such file")),
        (["score", CORPUS, ENGLISH], (str(ENGLISH), "76", "'zh-001'")),
        (["score", CORPUS, SYSTEM, "--by", "x", "--scheme", "zh-char"], ("zh-samples", "'zh-001'")),
        (["score", CORPUS, SYSTEM], MISSING),
        (["edits", CORPUS], MISSING),
        (["convert", CORPUS, "--to", "m2", "--strict"], ("nothing written", "--strict")),
        (["data", "where", "mucgec"], ("MuCGEC_dev.txt", "'mucgec'", "gecbench data get mucgec")),
    ],
)
def test_a_failed_run_is_one_line_and_exit_code_1(run, words: list[str], facts: tuple[str, ...]):
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert_is_line(err, *facts)


def test_debug_shows_where_it_failed(run):
    from gecbench.core.errors import GecbenchError

    with pytest.raises(GecbenchError, match="no such file"):
        run("score", "no.txt", SYSTEM, "--debug")
    # behind "--" it is a file name
    code, _, err = run("score", CORPUS, "--", "--debug")
    assert code == 1
    assert_is_line(err, "--debug: no such file")


def test_help_and_version_are_no_failures(run):
    assert run("--version") == (0, f"gecbench {__version__}\n", "")
    for words in (["--help"], ["-h"], ["score", "--help"], ["data", "get", "-h"]):
        code, out, err = run(*words)
        assert (code, err) == (0, "")
        assert out.startswith("Usage: gecbench")


def test_without_a_command_help_is_shown_and_nothing_done(run):
    code, out, err = run()
    assert (code, out) == (2, "")
    assert "Commands:" in err


def test_an_unknown_command_is_answered_with_the_nearest(run):
    code, out, err = run("conver", CORPUS)
    assert (code, out) == (2, "")
    assert err.startswith("gecbench: unknown command 'conver'; did you mean convert or combine")
    assert err.endswith(" See: gecbench --help\n")


def test_an_unknown_command_that_a_group_has_is_answered_with_the_whole(run):
    for words, whole in (
        (["robustness", CORPUS], "gecbench analyse robustness"),
        (["divide"], "gecbench data divide"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert_is_line(err, words[0], f"did you mean {whole}?")


def test_what_to_see_begins_a_new_sentence(run):
    for words in (["xyzzy"], ["analyse", "xyzzy"]):
        _, _, err = run(*words)
        assert ". See: gecbench" in err


def test_a_fault_names_the_package_outside_in_which_it_arose(run, monkeypatch):
    def fail(_: object) -> None:
        json.loads("{")

    monkeypatch.setattr(cli.gecbench, "invoke", fail)
    assert_is_line(run("doctor")[2], "JSONDecodeError", __name__)
    monkeypatch.setattr(cli.gecbench, "invoke", json.loads)
    assert "in gecbench, " in run("doctor")[2]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, click.Abort])
def test_ctrl_c_is_one_line(run, monkeypatch, stop: type[BaseException]):
    def interrupt(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr(cli.gecbench, "invoke", interrupt)
    assert run("doctor") == (130, "", "gecbench: interrupted\n")


class _Closed:
    """A standard output whose reader is gone, or whose disk is full."""

    def __init__(self, failure: OSError) -> None:
        self.failure = failure

    def write(self, _: str) -> int:
        raise self.failure

    def flush(self) -> None:
        """Nothing was written."""


@pytest.mark.parametrize(
    ("failure", "code", "line"),
    [
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (
            OSError(28, "No space left on device"),
            1,
            "gecbench: standard output cannot be written: No space left on device\n",
        ),
        (OSError(98, "Address already in use"), 1, "gecbench: Address already in use\n"),
        (
            OSError(2, "No such file or directory", "x"),
            1,
            f"gecbench: a mistake in gecbench or {__name__}, FileNotFoundError: [Errno 2] No such "
            "file or directory: 'x'; run again with --debug and report it\n",
        ),
    ],
)
def test_what_cannot_be_printed_is_forgotten(run, monkeypatch, failure, code: int, line: str):
    forgotten = []
    monkeypatch.setattr(cli, "_forget_output", lambda: forgotten.append(1))
    monkeypatch.setattr(sys, "stdout", _Closed(failure))
    assert run("data", "where", "samples")[::2] == (code, line)
    assert len(forgotten) == (failure.errno in (28, 32))


def test_what_is_forgotten_goes_nowhere(monkeypatch):
    duplicates = []
    monkeypatch.setattr("gecbench.cli.os.dup2", lambda *pair: duplicates.append(pair))
    cli._forget_output()
    ((nowhere, output),) = duplicates
    assert output == 1
    assert str(Path(f"/proc/self/fd/{nowhere}").readlink()) == os.devnull
    os.close(nowhere)


def test_a_command_may_end_with_a_code_of_its_own(run, monkeypatch):
    def end(_: object) -> None:
        raise click.exceptions.Exit(3)

    monkeypatch.setattr(cli.gecbench, "invoke", end)
    assert run("doctor") == (3, "", "")


def test_the_package_can_be_run(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gecbench", "--version"])
    runpy.run_module("gecbench", run_name="__main__")
    assert capsys.readouterr().out == f"gecbench {__version__}\n"


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (MemoryError(), "out of memory: aligning takes memory as the product of two lengths; are"),
        (ValueError("a\nb\rc"), "ValueError: a b c; run again with --debug"),
    ],
)
def test_what_nobody_foresaw_is_one_line_too(run, monkeypatch, failure, line: str):
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(cli.gecbench, "invoke", fail)
    code, out, err = run("doctor")
    assert (code, out) == (1, "")
    assert line in err
    assert err.count("\n") == 1
    with pytest.raises(type(failure)):
        run("doctor", "--debug")


def test_the_format_of_systems_can_be_named(run):
    assert run(*SCORE, "--system-from", "lines")[0] == 0
    code, _, err = run(*SCORE, "--system-from", "m2")
    assert code == 1
    assert err.startswith(f"gecbench: {SYSTEM}:1: ")


def test_one_sentence_is_no_sentences(run, tmp_path: Path):
    corpus, system = tmp_path / "one.tsv", tmp_path / "one.txt"
    corpus.write_text("1\t我去学校了\t我去学校\n", "utf-8")
    system.write_text("我去学校\n", "utf-8")
    code, out, _ = run("score", corpus, system, "--scheme", "zh-char")
    assert code == 0
    assert "one: 1 sentence, 1 scored\n" in out


def test_edits_are_written_and_nothing_is_said(run, tmp_path: Path):
    code, out, err = run("edits", CORPUS, "--scheme", "zh-char")
    assert (code, err) == (0, "")
    assert out.startswith("S 我 在 图 书 馆")
    code, out, err = run(
        "edits", CORPUS, "--scheme", "zh-char", "--to", "jsonl", "-o", tmp_path / "x"
    )
    assert (code, out, err) == (0, "", "")
    assert '"edit_sets"' in (tmp_path / "x").read_text("utf-8")


def test_capped_sentences_are_said(run, monkeypatch, make_cherrant):
    monkeypatch.setattr("gecbench.api.schemes._load", lambda *_, **__: make_cherrant())
    monkeypatch.setattr("gecbench.edits.alignment.SET_LIMIT", 1)
    monkeypatch.setattr("gecbench.edits.alignment.edit_sets.__kwdefaults__", {"limit": 1})
    code, _, err = run("edits", CORPUS)
    assert code == 0
    assert (
        " more than 1 different edit sets, of which the first was kept, as by strategy first: zh-"
        in err
    )


def test_converting_says_what_is_lost(run):
    code, out, err = run("convert", CORPUS, "--to", "mucgec")
    assert code == 0
    assert out.count("\n") == 76
    assert "note: mucgec holds no metadata: 76" in err
    assert run("convert", CORPUS, "--to", "jsonl", "--strict")[::2] == (0, "")


@pytest.mark.parametrize(
    ("words", "name", "file"),
    [
        ("x.txt", None, "x.txt"),
        ("mine=x.txt", "mine", "x.txt"),
        ("我的=a=b.txt", "我的", "a=b.txt"),
        ("=x.txt", None, "=x.txt"),
        ("s3://bucket/k=v.txt", None, "s3://bucket/k=v.txt"),
        ("mine=s3://bucket/k=v.txt", "mine", "s3://bucket/k=v.txt"),
        ("a=b", None, "a=b"),  # there is a file of that very name
    ],
)
def test_a_system_can_be_named(tmp_path: Path, monkeypatch, words: str, name, file: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b").touch()
    assert split_name(Path(words)) == (name, Path(file))


FIVE = Corpus("dev", tuple(Sample(str(n), "x") for n in range(1, 6)))


@pytest.mark.parametrize(
    ("span", "ids"), [("0:5", "12345"), (":", "12345"), ("1:3", "23"), ("3:", "45"), (":1", "1")]
)
def test_a_range_is_half_open_from_nought(span: str, ids: str):
    first, last = read_range(span)
    assert [sample.id for sample in FIVE.samples[first:last]] == list(ids)


@pytest.mark.parametrize("span", ["", "2", "-1:3", "a:b", "1:2:3", "1: 2"])
def test_what_is_no_range_is_refused(span: str):
    with expect_error(UsageError, repr(span), "A:B"):
        read_range(span)


def test_progress_is_shown_on_a_terminal_after_a_second(monkeypatch, capsys):
    samples = FIVE.samples
    assert list(options.watch("x", samples)) == list(samples)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    clock = itertools.chain([0.0, 0.5, 1.5, 1.6, 1.8, 1.9])
    monkeypatch.setattr("gecbench.cli.options.time.monotonic", lambda: next(clock))
    assert list(options.watch("x", samples)) == list(samples)
    assert capsys.readouterr().err == "x: 1 of 5\rx: 3 of 5\r\033[K"


def test_a_count_is_for_terminals_and_a_message_takes_its_place(monkeypatch, capsys):
    options.show_count("x: 20%")
    options.say("done")
    assert capsys.readouterr().err == "done\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    options.show_count("x: 20%")
    options.show_count("x: 100%")
    options.say("done")
    assert capsys.readouterr().err == "\033[Kx: 20%\r\033[Kx: 100%\r\033[Kdone\n"


def test_quick_work_shows_no_progress(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("gecbench.cli.options.time.monotonic", lambda: 0.0)
    assert list(options.watch("x", FIVE.samples)) == list(FIVE.samples)
    assert capsys.readouterr().err == ""


EAGER, CAUTIOUS = (str(sample("en", name)) for name in ("eager.txt", "cautious.txt"))
CASES = str(sample("en", "perturbed.txt"))
CHAR = ("--scheme", "zh-char")


@pytest.mark.parametrize(
    "words",
    [
        ("score", ENGLISH, EAGER, *CHAR),
        ("compare", ENGLISH, EAGER, CAUTIOUS, *CHAR),
        ("edits", ENGLISH, *CHAR),
        ("combine", ENGLISH, EAGER, CAUTIOUS, *CHAR, "-o", "out"),
        ("convert", ENGLISH, "--to", "jsonl", "-o", "out"),
        ("perturb", ENGLISH, "--no-pos", "-o", "out"),
        ("perturb", CASES, "--no-pos", "-o", "out"),
        ("corrupt", ENGLISH, "-o", "out"),
        ("corrupt", "--fit", ENGLISH, *CHAR, "-o", "out"),
        ("correct", "copying", ENGLISH, "-o", "out"),
        ("correct", "copying", "He goes to school every day ."),
        ("analyse", "robustness", CASES, "--check"),
        ("data", "prepare", "--corpus", f"a={ENGLISH}", "-o", "out"),
        ("data", "divide", CASES, "--test", "1", "--dev", "1", "-o", "out"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_command_notes_once_that_texts_contradict_their_language(
    run, monkeypatch, tmp_path, words
):
    monkeypatch.chdir(tmp_path)
    _, out, err = run(*words, "--lang", "zh")
    notes = [line for line in (out + err).splitlines() if "--lang" in line]
    assert len(notes) == 1, (out, err)
    assert notes[0].startswith("note: ")
    assert " zh" in notes[0]
    assert "hardly any Chinese characters" in notes[0]


@pytest.mark.parametrize(
    "words",
    [
        ("edits", "t", "--reference", "r"),
        ("combine", "t", "r", "--veto"),
        ("correct", "copying", "t", "--to", "m2"),
        ("corrupt", "--fit", "pairs", "-o", "profile"),
    ],
    ids=lambda words: words[0],
)
def test_commands_that_find_edits_note_traditional_characters(
    run, monkeypatch, tmp_path, shared, cache, words
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GECBENCH_DATA_MIRROR", str(shared / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    Path("t").write_text("我們昨天去學校的時候看見了一個朋友。\n", "utf-8")
    Path("r").write_text("我們昨天去學校的時候看見了朋友。\n", "utf-8")
    Path("pairs").write_text(f"1\t{Path('t').read_text()[:-1]}\t{Path('r').read_text()}", "utf-8")
    code, _, err = run(*words)
    assert code == 0
    assert err.count("--no-simplify") == 1


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (
            ("annotate", "release", "try"),
            "unknown command 'try'; known: export, list, make, verify",
        ),
        (("annotate", "user", "ad"), "unknown command 'ad'; did you mean add"),
        (("data", "lst"), "unknown command 'lst'; did you mean list"),
    ],
)
def test_a_group_names_its_commands(run, words: tuple[str, ...], hint: str):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert hint in err
