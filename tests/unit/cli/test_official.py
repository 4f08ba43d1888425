"""The command lines of ERRANT, ChERRANT and m2scorer: what they print and refuse; launchers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gecbench.cli import official

NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
REFERENCE = f"""\
S This are a test .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||trial|||REQUIRED|||-NONE-|||1

S It works .
{NOOP}
"""
HYPOTHESIS = f"""\
S This are a test .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0

S It works .
{NOOP}
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "hyp.m2").write_text(HYPOTHESIS, "utf-8")
    (tmp_path / "ref.m2").write_text(REFERENCE, "utf-8")
    return ["-hyp", str(tmp_path / "hyp.m2"), "-ref", str(tmp_path / "ref.m2")]


@pytest.mark.parametrize("script", ["errant-compare", "cherrant-compare"])
def test_the_block_is_that_of_the_scripts(run, files: list[str], script: str):
    assert run(script, *files, "-cat", 2) == (
        0,
        "\n"
        "===================== Span-Based Correction ======================\n"
        "Category       TP       FP       FN       P        R        F0.5\n"
        "DET            0        1        0        0.0      1.0      0.0\n"
        "VERB:SVA       1        0        0        1.0      1.0      1.0\n"
        "\n"
        "=========== Span-Based Correction ============\n"
        "TP\tFP\tFN\tPrec\tRec\tF0.5\n"
        "1\t1\t0\t0.5\t1.0\t0.5556\n"
        "==============================================\n"
        "\n",
        "",
    )


def test_cherrant_shows_sentences_in_its_own_way(run, files: list[str]):
    """Without types, with -NONE- for a deletion, the sentence before each pair."""
    code, printed, _ = run("cherrant-compare", *files, "-v")
    rule = "-" * 40
    first, _, rest = printed.partition(f"{rule}\nSENTENCE 0 This are a test .\n{rule}\n")
    assert (code, first) == (0, "")
    assert rest.startswith(
        "SENTENCE 0 - HYP 0 - REF 0\n"
        "HYPOTHESIS EDITS : [(1, 2, 'is'), (2, 3, '-NONE-')]\n"
        "REFERENCE EDITS  : [(1, 2, 'is')]\n"
        "Local TP/FP/FN   : 1 1 0\n"
        "Local P/R/F0.5  : 0.5 1.0 0.5556\n"
        "Global TP/FP/FN  : 1 1 0\n"
        "Global P/R/F0.5  : 0.5 1.0 0.5556\n"
        f"{rule}\nSENTENCE 0 This are a test .\n{rule}\n"
        "SENTENCE 0 - HYP 0 - REF 1\n"
    )
    assert f"{rule}\n^^ HYP 0, REF 0 chosen for sentence 0\n{rule}\nSENTENCE 1 It works .\n" in rest


@pytest.mark.parametrize("script", ["errant-compare", "cherrant-compare"])
def test_edits_of_type_um_are_corrections_to_the_scripts(run, tmp_path: Path, script: str):
    """They leave out UNK alone; CoNLL-2014's own M2 has both corrected and bare Um."""
    reference = "S a b c\nA 0 1|||Um|||x|||{0}\nA 1 2|||Um|||b|||{0}\nA 2 3|||UNK|||y|||{0}\n"
    fields = "REQUIRED|||-NONE-|||0"
    (tmp_path / "ref.m2").write_text(reference.format(fields), "utf-8")
    (tmp_path / "hyp.m2").write_text(f"S a b c\nA 0 1|||R:NOUN|||x|||{fields}\n", "utf-8")
    code, printed, _ = run(script, "-hyp", tmp_path / "hyp.m2", "-ref", tmp_path / "ref.m2", "-v")
    assert (code, "\n1\t0\t1\t" in printed) == (0, True)
    assert "REFERENCE EDITS  : [(0, 1, 'x'" in printed
    assert "(1, 2, 'b'" in printed


def test_an_edit_that_corrects_nothing_is_as_long_as_the_text_beside_it(run, tmp_path: Path):
    edit = "A 1 1|||UNK|||x y|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "ref.m2").write_text(f"S a b c\n{edit}", "utf-8")
    (tmp_path / "hyp.m2").write_text(f"S a b c\n{NOOP}", "utf-8")
    files = ["-hyp", tmp_path / "hyp.m2", "-ref", tmp_path / "ref.m2", "-ds"]
    assert "\n0\t0\t0\t" in run("errant-compare", *files, "-single")[1]
    assert "\n0\t0\t1\t" in run("errant-compare", *files, "-multi")[1]


def test_types_to_leave_out_end_at_the_next_flag(run, files: list[str]):
    printed = run("errant-compare", "-filt", "U:DET", "R:NOUN", *files)[1]
    assert "1\t0\t0\t1.0\t1.0\t1.0\n" in printed


@pytest.mark.parametrize(
    "words", ["-b=1", "-b1", "--bet 1", "--beta=1", "-single -b 1", "-sing -b 1"]
)
def test_names_of_options_are_shortened_as_argparse_allows(run, files: list[str], words: str):
    whole = ["-single"] * words.startswith("-s") + ["--beta", "1"]
    assert run("errant-compare", *files, *words.split()) == run("errant-compare", *files, *whole)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("errant-compare", "-dt", "-cs"), "-dt and -cs"),
        (("errant-compare", "-single", "-multi"), "-single and -multi"),
        (("errant-compare", "-cat", 4), "-cat"),
        (("errant-compare", "-filt", "X", "-filt", "Y"), "-filt"),
        (("errant-compare", "-b", "much"), "-b"),
        (("errant-compare", "-c", 1), "-c"),
        (("cherrant-compare", "-multi_hyp_avg"), "-multi_hyp_avg"),
        (("cherrant-compare", "--start", 1), "--end"),
        (("cherrant-compare", "--max_answer_num", 4), "--max_answer_num"),
    ],
)
def test_what_cannot_be_honoured_is_refused(run, files: list[str], words: tuple, named: str):
    code, printed, error = run(*words, *files)
    assert (code, printed, len(error.splitlines())) == (2, "", 1)
    assert named in error


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("errant-parallel -orig a.txt -cor b.txt c.txt -out x.m2 -tok", "-tok"),
        ("errant-parallel -orig a.txt -cor b.txt -out x.m2 -merge some", "-merge"),
        ("errant-m2 a.m2 -out x.m2", "-auto"),
        ("errant-m2 -auto -gold a.m2 -out x.m2", "-gold"),
        ("errant-m2 -auto -no_min a.m2 -out x.m2", "-no_min"),
        ("errant-m2 -gold -lev a.m2 -out x.m2", "-lev"),
        ("cherrant-parallel -f a.txt -o x.m2 -g word", "word"),
        ("cherrant-parallel -f a.txt -o x.m2 --segmented", "--segmented"),
        ("cherrant-parallel -f a.txt -o x.m2 --bpe", "--bpe"),
        ("m2scorer -v a.txt a.m2", "-v"),
        ("m2scorer --very_verbose a.txt a.m2", "--very_verbose"),
    ],
)
def test_wrong_use_is_refused_before_files_are_read(run, line: str, named: str):
    code, printed, error = run(*line.split())
    assert (code, printed, len(error.splitlines())) == (2, "", 1)
    assert named in error


@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        ("m2scorer a.txt", 255, "SOURCE_GOLD"),
        ("m2scorer", 255, "SYSTEM"),
        ("m2scorer a.txt b.txt a.m2", 255, "a.m2"),
        ("m2scorer --nope a.txt a.m2", 1, "--nope"),
        ("m2scorer --beta a.txt a.m2", 1, "--beta"),
        ("m2scorer --max_unchanged_words many a.txt a.m2", 1, "many"),
        ("m2scorer a.txt a.m2 --beta", 1, "--beta"),
    ],
)
def test_m2scorer_ends_with_the_exit_codes_of_the_original(run, line: str, code: int, named: str):
    ended, printed, error = run(*line.split())
    assert (ended, printed, len(error.splitlines())) == (code, "", 1)
    assert named in error


def test_texts_of_another_language_are_noted(run, tmp_path: Path):
    """ERRANT's commands take English alone; what they write stays theirs."""
    source, corrected = tmp_path / "de.txt", tmp_path / "de.cor"
    source.write_text("Ich habe gestern ein Buch gelest .\n", "utf-8")
    corrected.write_text("Ich habe gestern ein Buch gelesen .\n", "utf-8")
    written = tmp_path / "de.m2"
    words = ("-orig", source, "-cor", corrected, "-out", written)
    code, _, notes = run("errant-parallel", *words)
    assert code == 0
    assert len([line for line in notes.splitlines() if "'de'" in line]) == 1
    code, _, notes = run("errant-m2", "-auto", written, "-out", tmp_path / "again.m2")
    assert code == 0
    assert len([line for line in notes.splitlines() if "'de'" in line]) == 1
    source.write_text("He go to school every day .\n", "utf-8")
    corrected.write_text("He goes to school every day .\n", "utf-8")
    assert "look like" not in run("errant-parallel", *words)[2]


def test_a_missing_file_is_a_failed_run(run, files: list[str]):
    assert run("errant-compare", *files[:3], "nowhere.m2")[0] == 1


def test_m2scorer_prints_three_lines(run, tmp_path: Path, files: list[str]):
    (tmp_path / "out.txt").write_text("This is a test .\nIt works fine .\n", "utf-8")
    gold = files[-1]
    assert run("m2scorer", "--beta", 1, tmp_path / "out.txt", gold) == (
        0,
        "Precision   : 0.5000\nRecall      : 1.0000\nF_1.0       : 0.6667\n",
        "",
    )


# Launchers.


def test_launchers_are_written_again_and_nothing_else_is_replaced(run, tmp_path: Path):
    folder = tmp_path / "bin" / "gec"
    code, printed, notes = run("install-aliases", folder)
    assert notes == f"note: put {folder} first in PATH, so that scripts find them\n"
    names = [Path(line.partition(": ")[0]).name for line in printed.splitlines()]
    assert (code, sorted(names)) == (0, sorted(path.name for path in folder.iterdir()))
    assert all(os.access(path, os.X_OK) for path in folder.iterdir())
    assert run("install-aliases", folder)[0] == 0
    (folder / "m2scorer").write_text("somebody's own", "utf-8")
    (folder / "errant_m2").unlink()
    code, _, error = run("install-aliases", folder)
    assert (code, len(error.splitlines())) == (1, 1)
    assert str(folder / "m2scorer") in error
    assert not (folder / "errant_m2").exists()
    assert (folder / "m2scorer").read_text("utf-8") == "somebody's own"


def test_scripts_go_on_with_the_launchers(run, tmp_path: Path, files: list[str]):
    """By name on the search path, and by `python FILE`; the block is parsed as scripts do."""
    folder = tmp_path / "with a space"
    run("install-aliases", folder)
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    script = str(folder / "compare_m2_for_evaluation.py")
    for command in (["errant_compare"], [sys.executable, script]):
        printed = subprocess.run(
            [*command, *files], env=env, check=True, capture_output=True, text=True
        ).stdout
        match = re.search(
            r"^TP\tFP\tFN\tPrec\tRec\tF0\.5\n(\d+)\t(\d+)\t(\d+)\t\S+\t\S+\t(\S+)$", printed, re.M
        )
        assert match is not None
        assert match.groups() == ("1", "1", "0", "0.5556")


def test_launchers_of_windows_are_programs_with_a_zip_that_python_runs(
    run, tmp_path: Path, files: list[str], monkeypatch: pytest.MonkeyPatch
):
    """Windows starts the program, which calls Python with itself; here Python is called."""
    monkeypatch.setattr(official, "_ON_WINDOWS", True)
    folder = tmp_path / "with a space"
    assert run("install-aliases", folder)[0] == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "compare_m2_for_evaluation.py",
        *("errant_compare.exe", "errant_m2.exe", "errant_parallel.exe", "m2scorer.exe"),
        *("m2scorer.py", "parallel_to_m2.py"),
    ]
    content = (folder / "errant_compare.exe").read_bytes()
    assert content.startswith(b"MZ")  # a program of Windows
    assert f"#!{sys.executable}\n".encode() in content
    printed = [
        subprocess.run(
            [sys.executable, folder / name, *files], check=True, capture_output=True, text=True
        ).stdout
        for name in ("errant_compare.exe", "compare_m2_for_evaluation.py")
    ]
    assert all("\n1\t1\t0\t" in block for block in printed)
    failed = subprocess.run([sys.executable, folder / "parallel_to_m2.py", "--bad"], check=False)
    assert failed.returncode == 2
    assert run("install-aliases", folder)[0] == 0  # they are known as its own
    (folder / "m2scorer.exe").write_bytes(b"MZ somebody's own")
    assert run("install-aliases", folder)[0] == 1


def test_a_launcher_of_windows_quotes_a_python_with_a_space(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", r"C:\Program Files\Python\python.exe")
    content = official.launcher("errant_m2", windows=True)
    assert b'\n"C:' not in content
    assert rb'#!"C:\Program Files\Python\python.exe"' in content


def test_launchers_are_not_written_where_a_file_is(run, tmp_path: Path):
    file = tmp_path / "bin"
    file.touch()
    assert run("install-aliases", file) == (
        1,
        "",
        f"gecbench: {file}: the folder cannot be made: {file} is no folder; name another\n",
    )
