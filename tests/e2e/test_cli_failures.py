"""What goes wrong, as a user sees it: one line, the right exit code, and nothing half done."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHAR = ("--scheme", "zh-char")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["score", "no.txt", "no.txt"], "no.txt: no such file; check the path"),
        (["score", "{zh}/corpus.jsonl", "{zh}"], "{zh}: is a folder; name a file in it"),
        (
            ["score", "{zh}/corpus.jsonl", "{zh}/../en/eager.txt", "--by", "x", *CHAR],
            "zh-samples: ",
        ),
        (["score", "{zh}/corpus.jsonl", "gbk.txt"], "gbk.txt:2: byte 0xc4 is not UTF-8; save the"),
        (["score", "{zh}/eager.txt", "{zh}/eager.txt", *CHAR], "eager: sentence '1' has no refer"),
        (["edits", "no.txt"], "no.txt: no such file; check the path"),
        (
            ["edits", "{zh}/corpus.jsonl", *CHAR, "-o", "no/x.m2"],
            "no/x.m2: the folder no does not exist; make it first",
        ),
        (["convert", "no.txt", "--to", "m2"], "no.txt: no such file; check the path"),
        (["convert", "gbk.txt", "--to", "m2"], "gbk.txt:2: byte 0xc4 is not UTF-8; save the file"),
        (
            ["data", "where", "mucgec"],
            "MuCGEC_dev.txt of the data set 'mucgec' is not here; run: g",
        ),
        (["data", "get", "mucgec", "--mirror", "."], ""),
    ],
)
def test_a_failed_run_is_one_line_and_exit_code_1(bad, zh: Path, tmp_path: Path, words, line: str):
    (tmp_path / "gbk.txt").write_bytes(b"a\n" + "你好\n".encode("gbk"))
    words = [word.format(zh=zh) for word in words]
    assert bad(1, *words).startswith(line.format(zh=zh))
    assert [path.name for path in tmp_path.iterdir()] == ["gbk.txt"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["scor"], "unknown command 'scor'; did you mean score"),
        (["score"], "Missing argument 'CORPUS'."),
        (["score", "x"], "Missing argument 'SYSTEM...'."),
        (["score", "x", "y", "--level", "z"], "Invalid value for '--level': 'z' is not one of"),
        (["score", "x", "y", "--beta", "0"], "beta is 0; it must be a number from 0.001 to 1000"),
        (["score", "x", "y", "--what"], "No such option"),
        (["convert", "x"], "the new format is not known; name it by --to"),
        (["convert", "x", "--to", "y"], "unknown format 'y'; known: "),
        (["convert", "x", "--to", "m2", "--from", "y"], "unknown format 'y'; known: "),
        (["edits", "x", "--to", "lines"], "Invalid value for '--to': 'lines' is not one of"),
        (["edits", "{zh}/corpus.jsonl", "--scheme", "zh-cha"], "unknown scheme 'zh-cha'; did you"),
        (
            ["edits", "{zh}/../en/corpus.jsonl", "--spacy-model", "en_no_such"],
            "there is no folder and no installed spaCy pipeline 'en_no_such'; for one of",
        ),
        (
            ["edits", "{zh}/corpus.jsonl", "--no-relabel"],
            "--no-relabel has no effect without --keep-edits",
        ),
        (["data", "get"], "data get wants either names or --all; see: gecbench data list"),
        (["data", "get", "mucgek"], "unknown data set 'mucgek'; did you mean mucgec?"),
        (["data", "where", "samples", "x"], "unknown sample 'x'; known: "),
        (["doctor", "x"], "Got unexpected extra argument (x)"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(bad, zh: Path, tmp_path: Path, words, line: str):
    (tmp_path / "x").write_text("我\n", encoding="utf-8")
    assert bad(2, *(word.format(zh=zh) for word in words)).startswith(line)


def test_a_traceback_is_for_those_who_debug(run, bad):
    for words in (["score", "no.txt", "x", "--debug"], ["--debug", "score", "no.txt", "x"]):
        ended = run(*words)
        assert ended.returncode == 1
        assert ended.stderr.startswith("Traceback (most recent call last):\n")
        assert ended.stderr.endswith("GecbenchError: no.txt: no such file; check the path\n")
    assert "Traceback" not in bad(1, "score", "no.txt", "x")


def test_a_missing_resource_names_the_command_that_gets_it(bad, zh: Path):
    line = bad(1, "score", zh / "corpus.jsonl", zh / "eager.txt")
    assert line.startswith("cilin.txt of the data set 'cherrant' is not here; ")
    assert "run: gecbench data get cherrant (or set GECBENCH_DATA_MIRROR to a folder" in line
    assert "--scheme zh-char" in line


def test_a_resource_of_other_content_is_refused_by_its_hash(bad, zh: Path, tmp_path: Path):
    from gecbench.datasets.catalog import data_set

    folder = tmp_path / "mirror" / "cherrant"
    folder.mkdir(parents=True)
    for file in data_set("cherrant").files:
        (folder / file.name).write_bytes(b"\n" * file.size)
    words = (zh / "corpus.jsonl", zh / "eager.txt", "--mirror", tmp_path / "mirror")
    assert bad(1, "score", *words).startswith(
        f"{folder}/cilin.txt: its content is not what the catalogue promises (sha256 differs); "
        "run: gecbench data get cherrant"
    )
    (folder / "cilin.txt").write_bytes(b"\n")
    assert "has 1 bytes, but the catalogue says 678557" in bad(1, "score", *words)


@pytest.mark.slow
def test_without_a_cache_scores_are_the_same_and_that_is_said(
    run, zh: Path, shared: Path, tmp_path: Path
):
    (tmp_path / "file").touch()
    mirror = {"GECBENCH_DATA_MIRROR": str(shared / "data")}
    words = ("score", zh / "corpus.jsonl", zh / "eager.txt")
    ended = run(*words, **mirror, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert ended.returncode == 0
    assert ended.stderr.splitlines()[-1].startswith("note: not kept for the next time: ")
    assert ended.stdout == run(*words, **mirror).stdout


def test_a_scheme_nobody_knows_is_refused_even_where_none_is_needed(bad, run, zh: Path):
    assert run("edits", zh / "corpus.jsonl", *CHAR, "-o", "ref.m2").returncode == 0
    assert bad(2, "score", "ref.m2", "ref.m2", "--scheme", "zh-chor").startswith("unknown scheme")


def test_a_failed_score_leaves_no_file(bad, zh: Path, tmp_path: Path):
    words = (zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--per-sentence", "rows.jsonl")
    bad(1, "score", *words, "--by", "nothing")
    assert list(tmp_path.iterdir()) == []


LONG = {
    "score": "gecbench score {zh}/corpus.jsonl {zh}/eager.txt --scheme zh-char",
    "convert": "gecbench convert {zh}/corpus.jsonl --to jsonl",
    "edits": "gecbench edits {zh}/corpus.jsonl --scheme zh-char --to jsonl",
    "help": "gecbench score --help",
    "data": "gecbench data list",
    "doctor": "gecbench doctor",
}


@pytest.mark.parametrize("name", list(LONG))
def test_a_reader_that_goes_away_is_no_failure(name: str, zh: Path, tmp_path: Path):
    command = LONG[name].format(zh=zh).replace("gecbench", f"{sys.executable} -m gecbench", 1)
    script = f"{command} | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("name", list(LONG))
def test_a_reader_that_never_was_is_no_failure(name: str, zh: Path, tmp_path: Path):
    words = LONG[name].format(zh=zh).split()[1:]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        ended = subprocess.run(
            [sys.executable, "-m", "gecbench", *words],
            cwd=tmp_path,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("name", ["score", "convert", "help"])
def test_a_full_disk_is_said_in_one_line(name: str, zh: Path, tmp_path: Path):
    words = LONG[name].format(zh=zh).split()[1:]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "gecbench", *words],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("gecbench: ")
    assert "No space left on device" in ended.stderr
    assert "mistake in gecbench" not in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_output_is_utf_8_whatever_the_terminal_speaks(run, run_process, zh: Path):
    """Files are UTF-8 everywhere; a redirected result is a file, too."""
    ended = run_process("convert", zh / "corpus.jsonl", "--to", "jsonl", PYTHONIOENCODING="ascii")
    assert ended.stderr == ""
    assert ended.stdout == run("convert", zh / "corpus.jsonl", "--to", "jsonl").stdout


def test_a_file_name_may_be_any_bytes(zh: Path, tmp_path: Path):
    name = b"x\xff.txt"
    (tmp_path / os.fsdecode(name)).write_bytes((zh / "eager.txt").read_bytes())
    start = [sys.executable, "-m", "gecbench", "score", str(zh / "corpus.jsonl")]
    for file in (name, b"y\xff.txt"):
        words = [*start, file, *CHAR]
        ended = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
        assert b"Error" not in ended.stderr
        assert ended.returncode == (file != name)
        assert ended.stderr.count(b"\n") == (file != name)


@pytest.mark.parametrize("name", ["score", "convert", "doctor"])
def test_standard_output_that_is_closed_is_said(name: str, zh: Path, tmp_path: Path):
    command = LONG[name].format(zh=zh).replace("gecbench", f"{sys.executable} -m gecbench", 1)
    ended = subprocess.run(
        ["bash", "-c", f"{command} >&-"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "mistake in gecbench" not in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("how", ["<&-", "0>nothing"])
def test_standard_input_that_cannot_be_read_is_said(how: str, zh: Path, tmp_path: Path):
    script = f"{sys.executable} -m gecbench score - {zh}/eager.txt {how}"
    ended = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "mistake in gecbench" not in ended.stderr
    assert "standard input" in ended.stderr


def long_work(folder: Path) -> list[str]:
    """Words of a score that takes longer than two seconds, after which a count is shown."""
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 5500)))
    sources = [letters[at : at + 4000] for at in range(1500)]
    (folder / "x.src").write_text("\n".join(sources), encoding="utf-8")
    (folder / "x.ref").write_text("\n".join(text[::-1] for text in sources), encoding="utf-8")
    words = ["score", "x.src", "x.ref", "--reference", "x.ref", *CHAR, "--level", "detection-span"]
    return [sys.executable, "-m", "gecbench", *words, "--per-sentence", "rows.jsonl"]


def read_until(terminal: int, text: bytes | None) -> bytes:
    """Read until a text has come, or all there is."""
    shown = b""
    while text is None or text not in shown:
        try:
            shown += os.read(terminal, 1000)
        except OSError:  # how Linux tells the end of a terminal
            break
    return shown


def test_ctrl_c_on_a_terminal_stops_long_work_and_leaves_nothing(tmp_path: Path):
    """The terminal's progress tells that work has begun, so no clock is needed."""
    ours, theirs = os.openpty()
    command = long_work(tmp_path)
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = read_until(ours, b"edits: ")
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    shown += read_until(ours, None)
    os.close(ours)
    assert (child.returncode, out) == (130, b"")
    assert shown.decode().splitlines()[-1] == "\033[Kgecbench: interrupted"
    assert b"Traceback" not in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.ref", "x.src"]


SEVERAL = {
    "compare": "compare x.tsv one=x.txt two=x.txt --scheme xx-word",
    "correct": "correct en-rules x.txt -o out.txt",
    "corrupt": "corrupt x.txt -o out.jsonl",
    "edits": "edits x.tsv --scheme xx-word -o out.m2",
    "perturb": "perturb x.tsv -o out.jsonl --no-pos --lang en",
    "prepare": "data prepare --corpus x=x.tsv --lang en -o out.jsonl",
    "report": "report x.tsv x.txt --scheme xx-word -o out.html",
    "score": "score x.tsv x.txt --scheme xx-word",
}
"""Work of several processes on 3,000 sentences."""


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("name", SEVERAL)
def test_several_processes_all_end_with_one_line(tmp_path: Path, name: str, ending: int):
    """Ctrl-C is sent to all of them, as terminals do; a kill ends one at its work."""
    texts = [f"He go to the school number {n} every day ." for n in range(3000)]
    rows = [f"{n}\t{text}\t{text.replace('go', 'goes')}" for n, text in enumerate(texts)]
    for file, lines in (("x.txt", texts), ("x.tsv", rows)):
        (tmp_path / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [sys.executable, "-m", "gecbench", *SEVERAL[name].split(), "--jobs", "2"]
    with subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as starter:
        while len(workers := workers_of(starter.pid)) < 2 and starter.poll() is None:
            time.sleep(0.01)
        if ending == signal.SIGINT:
            os.killpg(starter.pid, ending)
        else:
            os.kill(workers[0], ending)
        out, err = starter.communicate(timeout=60)
    last = err.decode().splitlines()[-1]
    assert not out
    assert b"Traceback" not in err
    if ending == signal.SIGINT:
        assert starter.returncode == 130
        assert last == "gecbench: interrupted"
    else:
        assert starter.returncode == 1
        assert re.search(r"a process died while it worked on sentences \S+ to \S+", last)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    journal = {"out.txt.part"} if name == "correct" else set()  # of what was done
    assert {path.name for path in tmp_path.iterdir()} - journal == {"x.tsv", "x.txt"}


def workers_of(process: int) -> list[int]:
    """The processes that another has started for work."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return [
            n
            for n in map(int, children)
            if b"spawn_main" in Path(f"/proc/{n}/cmdline").read_bytes()
        ]
    except FileNotFoundError:
        return []


def test_ctrl_c_elsewhere_is_one_line(tmp_path: Path):
    """The child waits for its corpus, of which it has read a part; so no clock is needed."""
    command = [sys.executable, "-m", "gecbench", "score", "pipe", "x", "--per-sentence", "rows"]
    os.mkfifo(tmp_path / "pipe")
    child = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with (tmp_path / "pipe").open("wb"):  # opens when the other side does
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, "", "gecbench: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
