"""`gecbench combine`, as a user runs it."""

from __future__ import annotations

import contextlib
import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from messages import assert_is_line, missing_facts

from gecbench.api.files import sample
from gecbench.cli import main

ZH = sample("zh", "corpus.jsonl").parent
EN = sample("en", "corpus.jsonl").parent
SYSTEMS = [ZH / f"{name}.txt" for name in ("cautious", "eager", "fluent")]


def run(folder: Path, *words: object) -> tuple[int, str, str]:
    """Run a command in a folder; its exit code, output and messages."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.chdir(folder), redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(word) for word in words])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def good(folder: Path, *words: object) -> tuple[str, list[str]]:
    code, out, err = run(folder, *words)
    assert code == 0, err
    return out, err.splitlines()


def test_a_language_that_nobody_declared_is_noted(tmp_path: Path):
    """As by `score`."""
    (tmp_path / "de.txt").write_text("Ich habe gestern ein Buch gelest .\n", "utf-8")
    (tmp_path / "out.txt").write_text("Ich habe gestern ein Buch gelesen .\n", "utf-8")
    (tmp_path / "b.txt").write_text("Ich habe gestern das Buch gelesen .\n", "utf-8")
    words = ("combine", "de.txt", "out.txt", "b.txt")
    notes = [line for line in good(tmp_path, *words)[1] if "look like" in line]
    assert [("'de'" in note, "--lang" in note) for note in notes] == [(True, True)]
    assert not any("look like" in line for line in good(tmp_path, *words, "--lang", "de")[1])


def test_lines_go_to_the_terminal_and_the_report_beside(tmp_path: Path):
    words = ("combine", ZH / "corpus.jsonl", *SYSTEMS, "--scheme", "zh-char")
    out, body = good(tmp_path, *words)
    assert len(out.splitlines()) == 76
    assert body[0] == "votes: more than 1.5 of 3 votes"
    assert body[1].split() == ["proposed", "by", "edits", "kept", "too", "few", "votes"]
    rows = [line.split() for line in body[2:6]]
    assert [row[0] for row in rows] == ["3", "2", "1", "all"]
    assert sum(int(row[1]) for row in rows[:3]) == int(rows[3][1])
    assert rows[2][2] == "0"
    assert body[6].endswith("of 76 sentences changed")
    again, _ = good(tmp_path, *words[:2], *SYSTEMS[::-1], *words[5:])
    assert again == out


def test_every_format_holds_the_same_and_can_be_scored(tmp_path: Path):
    words = ("combine", ZH / "corpus.jsonl", *SYSTEMS, "--scheme", "zh-char")
    lines, _ = good(tmp_path, *words, "--m2", "beside.m2")
    for form in ("m2", "jsonl", "mucgec"):
        good(tmp_path, *words, "--to", form, "-o", f"both.{form}")
    (tmp_path / "both.txt").write_text(lines, encoding="utf-8")
    assert (tmp_path / "both.m2").read_text("utf-8") == (tmp_path / "beside.m2").read_text("utf-8")
    files = [f"{form}=both.{form}" for form in ("txt", "m2", "jsonl", "mucgec")]
    table, _ = good(
        tmp_path, "score", ZH / "corpus.jsonl", *files, "--scheme", "zh-char", "--format", "csv"
    )
    rows = [line.split(",")[2:] for line in table.splitlines()[1:]]
    assert len(rows) == 4
    assert all(row == rows[0] for row in rows)


def test_no_scheme_is_needed_in_any_language(tmp_path: Path):
    systems = [f"{name}={EN / name}.txt" for name in ("cautious", "eager", "fluent")]
    words = ("combine", EN / "corpus.jsonl", *systems, "--scheme", "none", "--weight", "eager=5")
    out, body = good(tmp_path, *words)
    assert out == (EN / "eager.txt").read_text("utf-8")
    assert body[0] == "votes: more than 3.5 of 7 votes"


@pytest.mark.golden
def test_the_official_rule_is_one_option_away(shared: Path, tmp_path: Path):
    folder = shared / "golden/cherrant/ensemble"
    systems = [folder / f"sys{k}.m2" for k in range(1, 7)]
    words = ("--rule", "mucgec-official", "--threshold", 4, "--mirror", shared / "data")
    good(tmp_path, "combine", folder / "sys1.para", *systems, *words, "-o", "o", "--m2", "m2")
    assert (tmp_path / "o").read_bytes() == (folder / "six.T4.output").read_bytes()
    assert (tmp_path / "m2").read_bytes() == (folder / "six.T4.m2").read_bytes()


def test_an_ensemble_corrects(tmp_path: Path):
    member = "[[members]]\ncorrector = 'copying'\n"
    plan = f"tokens = 'zh'\n{member}{member}name = 'b'\n"
    (tmp_path / "two.toml").write_text(plan, encoding="utf-8")
    out, _ = good(tmp_path, "correct", "ensemble:two.toml", "我今天很高心。")
    assert out == "我今天很高心。\n"


def failure(folder: Path, *words: object) -> tuple[int, str]:
    """Run a command in this process, as `main` does; return its exit code and its line."""
    from gecbench.cli.correct import combine
    from gecbench.core.errors import GecbenchError

    with pytest.raises(GecbenchError) as caught:
        combine.main([str(word) for word in words], standalone_mode=False)
    return caught.value.exit_code, str(caught.value)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--weight", "eager"], 2, "--weight 'eager' must be NAME=W"),
        (["--weight", "eager=1", "--weight", "eager=2"], 2, "--weight eager is given twice; give"),
        (["--weight", "eagre=1"], 2, "unknown system of a weight: 'eagre'; did you mean eager?"),
        (["--threshold", "4"], 2, "the threshold is 4, but all systems together have 3 votes"),
        (["--threshold-for", "R"], 2, "--threshold-for 'R' must be TYPE=T"),
        (["--relaxed", "much"], 2, "the relaxed threshold is 'much'"),
        (["--scheme", "none", "--strategy", "first"], 2, "--scheme none finds edits without a"),
        (["--scheme", "none", "--re-extract"], 2, "leave --re-extract out"),
        (["--scheme", "none", "--spelling", "sound"], 2, "spelling sound has no effect"),
        (["--scheme", "zh-chr"], 2, "unknown scheme 'zh-chr'; did you mean zh-char"),
        (["--rule", "mucgec-official"], 2, "mucgec-official needs a threshold"),
        (["-o", "x", "--m2", "x"], 2, "--output and --m2 both write x; name two files"),
        (["-o", "no/x"], 1, "no/x: the folder no does not exist; make it first"),
    ],
)
def test_wrong_options_are_one_line(tmp_path: Path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    failed = failure(tmp_path, ZH / "corpus.jsonl", *SYSTEMS, *words)
    assert failed[0] == code
    assert message in failed[1]
    assert "\n" not in failed[1]
    assert list(tmp_path.iterdir()) == []


def test_a_scheme_that_loses_the_blanks_of_texts_makes_no_texts(tmp_path: Path):
    words = (EN / "corpus.jsonl", EN / "eager.txt", EN / "fluent.txt", "--scheme", "xx-char")
    code, line = failure(tmp_path, *words)
    assert (code, line.partition(":")[0]) == (2, "en-samples")
    assert missing_facts(line, ("xx-char", "--scheme")) == []


def test_files_that_do_not_fit_are_one_line(tmp_path: Path):
    short = tmp_path / "short.txt"
    short.write_text("只有一句。\n", encoding="utf-8")
    code, line = failure(tmp_path, ZH / "corpus.jsonl", SYSTEMS[0], short)
    assert (code, line.partition(":")[0]) == (1, str(short))
    assert "1 sentence, but corpus 'zh-samples' has 76" in line
    code, line = failure(tmp_path, ZH / "corpus.jsonl", SYSTEMS[0], SYSTEMS[0])
    assert "two systems are both called cautious" in line
    code, line = failure(tmp_path, ZH / "corpus.jsonl", short, "-o", short)
    assert (code, line.partition(";")[0]) == (
        2,
        f"--output would write over {short}, which is read",
    )


def test_a_failure_has_one_line_and_no_traceback(tmp_path: Path):
    code, out, err = run(tmp_path, "combine", ZH / "corpus.jsonl", SYSTEMS[0], "--threshold", "x")
    assert (code, out) == (2, "")
    assert_is_line(err, "threshold", "'x'")
