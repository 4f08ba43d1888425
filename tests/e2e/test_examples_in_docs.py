"""The examples in both READMEs and docs work: `python` blocks, and `bash` blocks that are marked.

A bash block whose first line is `# tested` is run in the root of the project with a `gecbench` that
is this one; blocks that would write into the project must not be marked. What needs no shell is run
in this process.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import ModuleType

import pytest

from gecbench.api.files import load

from .conftest import call

ROOT = Path(__file__).parents[2]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]
PAGES = [*READMES, *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.M | re.S)
WRITES = re.compile(
    r"(?<![0-9&])>(?!&|/dev/null)|\s(-o|--output|--per-sentence|--figures|--heat-map)\b|data get"
)


LONG = ("docs/analysis/correlation", "docs/analysis/segmentation", "docs/compatibility")
"""Pages whose examples take seconds each."""


def blocks(kind: str) -> list:
    """Every block of a kind, named by the first page that has it, and its line there."""
    place_of = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in BLOCK.finditer(text):
            if block[1] == kind and (kind != "bash" or block[2].startswith("# tested\n")):
                line = text.count("\n", 0, block.start()) + 1
                place_of.setdefault(block[2], f"{page.relative_to(ROOT)}:{line}")
    return [
        pytest.param(code, id=place, marks=pytest.mark.slow if place.startswith(LONG) else ())
        for code, place in place_of.items()
    ]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path on which `gecbench` is this one and `python` is this interpreter."""
    for name, words in {"gecbench": "-m gecbench", "python": ""}.items():
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return f"{tmp_path}{os.pathsep}{os.environ['PATH']}"


def test_there_are_examples():
    assert blocks("bash")
    assert blocks("python")


SHELL = re.compile(r"\||<\(|\$\(|2>")
"""What only a shell does: pipes, files and words that are the output of commands."""
WORDS = 'gecbench() { printf "%s\\n" "${PWD@Q} ${*@Q}"; }; '


@pytest.fixture(scope="session")
def parses(common: Path) -> Path:
    """Analyses of the English samples, made once: processes that find them need no spaCy."""
    folder = common / "parses"
    en = ROOT / "src/gecbench/samples/en"
    sources = [sample.source for sample in load(en / "corpus.jsonl").samples]
    with NamedTemporaryFile("w", encoding="utf-8") as lines:
        lines.write("".join(f"{source}\n" for source in sources))
        lines.flush()
        texts = ("--from", "lines", lines.name, "--reference", en / "eager.txt")
        for words in ((en / "corpus.jsonl",), texts):
            assert call("edits", *words, "--parse-cache", folder).returncode == 0
    return folder


def in_a_shell(script: str, path: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in the root of the project."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", blocks("bash"))
def test_marked_commands_work(
    script: str, path: str, parses: Path, monkeypatch: pytest.MonkeyPatch
):
    assert not WRITES.search(script), "an example that writes must not be marked"
    if SHELL.search(script):
        runs = [in_a_shell(script, path, GECBENCH_PARSE_CACHE=str(parses))]
    else:  # the shell only expands the words
        runs = []
        for line in in_a_shell(WORDS + script, path).stdout.splitlines():
            folder, *words = shlex.split(line)
            monkeypatch.chdir(folder)
            runs.append(call(*words))
    assert runs
    for ended in runs:
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout
        assert not any(line.startswith("gecbench: ") for line in ended.stderr.splitlines())


LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def test_links_of_first_pages_lead_somewhere():
    for page in (*READMES, ROOT / "CONTRIBUTING.md", ROOT / "docs" / "README.md"):
        targets = [link for link in LINK.findall(page.read_text("utf-8")) if ":" not in link]
        assert targets
        assert [link for link in targets if not (page.parent / link).exists()] == []


NEEDS = re.compile(r"# needs (\w+)\n")
"""The first line of an example for a library that is not installed with the others."""


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_work(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    need: Callable[[str], ModuleType],
):
    library = NEEDS.match(code)
    if library:
        need(library[1])
    others_warn = library or find_spec("gec_metrics")
    monkeypatch.chdir(tmp_path)
    Path("example.py").write_text(code, "utf-8")
    with warnings.catch_warnings(action="ignore" if others_warn else "error"):
        runpy.run_path("example.py", run_name="__main__")
    assert library or capfd.readouterr().err == ""


def test_both_readmes_have_the_same_examples():
    english, chinese = (
        [
            block[2]
            for block in BLOCK.finditer(page.read_text("utf-8"))
            if block[1] in ("python", "text") or block[2].startswith("# tested\n")
        ]
        for page in READMES
    )
    assert english == chinese


def test_the_output_that_the_readme_shows_is_what_comes():
    """What `make demo` runs, and the block in the README."""
    zh = ROOT / "src/gecbench/samples/zh"
    systems = [str(zh / f"{name}.txt") for name in ("cautious", "eager", "fluent")]
    words = ["score", str(zh / "corpus.jsonl"), *systems, "--scheme", "zh-char", "--by", "origin"]
    ended = call(*words)
    assert (ended.returncode, ended.stderr) == (0, "")
    texts = BLOCK.finditer(READMES[0].read_text("utf-8"))
    assert ended.stdout in [block[2] for block in texts if block[1] == "text"]


def test_the_english_table_that_the_readme_shows_is_what_comes():
    en = ROOT / "src/gecbench/samples/en"
    files = [en / name for name in ("corpus.jsonl", "cautious.txt", "eager.txt")]
    metrics = "errant,m2,gleu,sentence-accuracy"
    ended = call("score", *files, "--metric", metrics, "--ci")
    assert ended.returncode == 0
    table, _, rest = ended.stdout.partition("\n\n")
    assert f"```text\n{table}\n```" in READMES[0].read_text("utf-8")
    assert rest.count("published ERRANT figures were made with en_core_web_sm") == 1
    assert ended.stderr == ""
