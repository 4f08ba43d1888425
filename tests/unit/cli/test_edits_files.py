"""No command writes over a file that it reads, or over one that nobody named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gecbench.api.files import sample


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(sample("zh", "corpus.jsonl"), "c.jsonl")
    Path("s.src").write_text("我今天很高心。\n", "utf-8")
    Path("s.ref0").write_text("我今天很高兴。\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "file"),
    [
        ("edits c.jsonl --scheme zh-char -o c.jsonl", "c.jsonl"),
        ("edits s.src --reference s.ref0 --scheme zh-char -o s.ref0", "s.ref0"),
        ("convert s.src --reference s.ref0 --to jsonl -o s.ref0", "s.ref0"),
        ("convert s.src --reference s.ref0 --to lines -o s", "s.src"),
        ("convert c.jsonl --to lines -o s", "s.src"),
        ("corrupt s.src -o s.src", "s.src"),
        ("corrupt s.src -o pairs.jsonl --report s.src", "s.src"),
        ("combine c.jsonl a=s.ref0 -o s.ref0", "s.ref0"),
        ("correct zh-homophone s.src -o s.src", "s.src"),
        ("data prepare --corpus a=c.jsonl -o c.jsonl", "c.jsonl"),
        ("score c.jsonl s.ref0 --per-sentence c.jsonl", "c.jsonl"),
    ],
)
def test_nothing_is_lost(run, folder: Path, words: str, file: str):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(*words.split())
    assert code in (1, 2)
    assert out == ""
    assert file in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_system_that_cannot_be_read_names_the_option_of_systems(run, folder: Path):
    (folder / "c.txt").write_text("a b c\n", "utf-8")
    edits = "".join(f"A {span}|||R|||x|||REQUIRED|||-NONE-|||0\n" for span in ("0 2", "1 3"))
    (folder / "gold.m2").write_text(f"S a b c\n{edits}\n", "utf-8")
    words = ("--reference", "c.txt", "--lang", "en", "--metric", "m2")
    code, _, err = run("score", "c.txt", "gold.m2", *words)
    assert code == 1
    assert "gold.m2:3" in err
    assert " --system-from m2-maxmatch" in err
    (folder / "broken.txt").write_text("A 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n", "utf-8")
    code, _, err = run("score", "gold.m2", "broken.txt", "--from", "m2-maxmatch", "--metric", "m2")
    assert code == 1
    assert "broken.txt:1: " in err
    assert " --system-from lines" in err
