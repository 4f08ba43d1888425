"""The real command: gecbench analyse difficulty on the bundled samples."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

NAMES = ("cautious", "eager", "fluent")


def words(zh: Path) -> list[object]:
    systems = [zh / f"{name}.txt" for name in NAMES]
    return ["analyse", "difficulty", zh / "corpus.jsonl", *systems, "--scheme", "zh-char"]


def test_json_of_the_chinese_samples(good, zh: Path):
    data = json.loads(good(*words(zh), "--reference-number", "chosen", "--format", "json"))
    (result,) = data["results"]
    assert [system["system"] for system in result["systems"]] == list(NAMES)
    assert all(
        0 <= edit["weight"] <= 1 for sentence in result["difficulty"] for edit in sentence["edits"]
    )
    tallies = [system["weighted"] for system in result["systems"]]
    assert len({round(tally["tp"] + tally["fn"], 9) for tally in tallies}) == 1


def test_corpora_stand_beside_each_other(run, zh: Path):
    part = [zh / "corpus.jsonl", zh / "eager.txt"]
    ended = run(*words(zh), "+", *part, "--table", "across-f", "--format", "csv")
    assert ended.returncode == 0
    assert "\nsignature: " in ended.stderr
    head, *rows = ended.stdout.splitlines()
    assert head == "system,zh-samples,zh-samples rank,zh-samples (2),zh-samples (2) rank,mean,SD"
    assert sorted(row.split(",")[0] for row in rows) == list(NAMES)


def test_weights_of_other_sentences_are_refused_in_one_line(bad, zh: Path, tmp_path: Path):
    (tmp_path / "w.txt").write_text("2\n1 1 1\n", encoding="utf-8")
    line = bad(1, *words(zh), "--weights", tmp_path / "w.txt")
    assert line == (
        f"{tmp_path / 'w.txt'}: weights of 1 sentence, but corpus 'zh-samples' with reference 1 "
        "has 75 here; take the file of this reference, or make one by --write-weights"
    )


def test_scoring_by_weights_loads_nothing_heavy(zh: Path):
    arguments = [str(word) for word in words(zh)]
    code = (
        "import contextlib, io, sys, gecbench.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    gecbench.cli.main({arguments!r})\n"
        "print(*sys.modules, sep='\\n')"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in result.stdout.splitlines()}
    assert "gecbench" in loaded
    assert loaded & {"matplotlib", "jinja2", "scipy", "spacy", "pooch"} == set()


def test_the_worked_example_of_the_page_is_what_comes(run, tmp_path: Path):
    page = Path(__file__).parents[2] / "docs/analysis/difficulty.md"
    blocks = re.findall(r"^```text\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    reference, systems, shown, picture = blocks
    (tmp_path / "ref.m2").write_text(reference, encoding="utf-8")
    (tmp_path / "hyp.m2").write_text(systems, encoding="utf-8")
    arguments = ("--systems-in", "hyp.m2", "--names", "bold,careful,shy", "--by-type", 3)
    ended = run("analyse", "difficulty", "ref.m2", *arguments, "--chunks", "chunks.txt")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == shown
    assert (tmp_path / "chunks.txt").read_text("utf-8").split("\n\n")[0] == picture.rstrip("\n")
