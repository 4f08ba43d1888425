"""What no linter checks: sizes, names, documentation, and what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import gecbench
from gecbench.api.files import sample
from gecbench.api.train import recipes
from gecbench.backends import SEGMENTERS
from gecbench.cli import gecbench as commands
from gecbench.formats import FORMATS
from gecbench.lang import SCHEMES
from gecbench.metrics import METRICS
from gecbench.models import CORRECTORS
from gecbench.models.training.kinds import KINDS
from gecbench.text.normal import NORMALISATIONS

ROOT = Path(__file__).parents[2]
SOURCE = sorted(
    path
    for path in (ROOT / "src").rglob("*.py")
    if path.name != "0001_initial.py"  # generated
)
TESTS = sorted((ROOT / "tests").rglob("*.py"))
OURS = (
    SOURCE
    + TESTS
    + [p for room in ("benchmarks", "pipelines") for p in sorted((ROOT / room).rglob("*.py"))]
)
BAGS = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}


def named(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def lines_of(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_the_files_were_found():
    assert len(SOURCE) > 30
    assert len(TESTS) > 20


def test_no_file_has_more_than_400_lines():
    assert named([path for path in OURS if lines_of(path) > 400]) == []


def test_no_function_has_50_lines():
    long = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in OURS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno + 1 >= 50
    ]
    assert long == []


def test_every_module_says_what_it_is():
    bare = [path for path in OURS if not ast.get_docstring(tree_of(path))]
    assert named(bare) == []


def test_there_is_no_bag_of_things():
    parts = {part for path in OURS for part in path.relative_to(ROOT).with_suffix("").parts}
    assert parts & BAGS == set()


@pytest.mark.parametrize(
    "kind",
    [
        *("METRICS", "SCHEMES", "FORMATS", "SEGMENTERS", "NORMALISATIONS", "commands"),
        *("CORRECTORS", "KINDS", "recipes"),
    ],
)
def test_every_name_is_in_the_documentation(kind: str):
    tables = {
        "METRICS": METRICS,
        "SCHEMES": SCHEMES,
        "FORMATS": FORMATS,
        "SEGMENTERS": SEGMENTERS,
        "NORMALISATIONS": NORMALISATIONS,
        "CORRECTORS": CORRECTORS,
        "KINDS": KINDS,
        "recipes": recipes(),
    }
    names = list(tables[kind]) if kind in tables else commands.list_commands(None)
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    wanted = [f"gecbench {name}" if kind == "commands" else f"`{name}`" for name in names]
    assert [name for name in wanted if name not in pages] == []


def test_the_version_is_the_newest_of_the_changelog():
    headings = re.findall(
        r"^## \[?(\S+?)\]?(?:\s|$)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )
    assert headings[0] == gecbench.__version__


LOADED = "import sys; before = set(sys.modules); {}; print(*(set(sys.modules) - before), sep='\\n')"


def loaded_by(code: str) -> set[str]:
    """Names of the top-level modules that some code imports in a fresh interpreter."""
    command = [sys.executable, "-c", LOADED.format(code)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        line.split(".")[0]
        for line in told.stdout.splitlines()
        if line.isidentifier() or "." in line
    }


def run_main(*words: object) -> str:
    """Code that runs a command line and goes on."""
    given = [str(word) for word in words]
    return (
        "import contextlib, io, gecbench.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    gecbench.cli.main({given!r})\n"
    )


def loaded_by_command(*words: object) -> set[str]:
    """Names of the top-level modules that a command line imports."""
    code = f"import sys\n{run_main(*words)}\nprint(*sys.modules, sep='\\n')"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in told.stdout.splitlines()}


def test_importing_the_package_imports_nothing_of_others():
    found = loaded_by("import gecbench")
    assert "gecbench" in found
    assert found - set(sys.stdlib_module_names) == {"gecbench"}


def test_the_import_clock_says_so_too():
    command = [sys.executable, "-X", "importtime", "-c", "import gecbench"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert re.findall(r"\| +(click|pooch|requests|platformdirs|opencc|pypinyin)\b", told) == []
    assert re.search(r"\| +gecbench$", told, re.M)


REPORTING = {"matplotlib", "scipy", "jinja2", "PIL"}


def test_help_imports_only_what_it_needs():
    found = loaded_by_command("--help")
    assert "click" in found
    heavy = {"pooch", "requests", "opencc", "pypinyin", "tomllib", "platformdirs", "tempfile"}
    assert found & (heavy | REPORTING) == set()


def test_scoring_without_resources_imports_only_what_it_needs():
    corpus, system = sample("zh", "corpus.jsonl"), sample("zh", "eager.txt")
    found = loaded_by_command("score", corpus, system, "--scheme", "zh-char")
    assert "gecbench" in found
    heavy = {"pooch", "requests", "opencc", "pypinyin", "tomllib", "platformdirs"}
    assert found & (heavy | REPORTING) == set()


@pytest.mark.parametrize("words", [("analyse", "--help"), ("analyse", "difficulty", "--help")])
def test_help_of_analyses_imports_nothing_that_computes_or_draws(words: tuple[str, ...]):
    assert loaded_by_command(*words) & (REPORTING | {"numpy", "spacy"}) == set()


@pytest.mark.parametrize("command", ["score", "edits", "convert", "data", "doctor"])
def test_help_keeps_its_examples_on_lines_of_their_own(command: str):
    shown = subprocess.run(
        [sys.executable, "-m", "gecbench", command, "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "\\b" not in shown
    lines = [line for line in shown.splitlines() if line.startswith("  gecbench ")]
    assert all(line.count("gecbench ") == 1 for line in lines)
    assert bool(lines) == (command in ("score", "edits", "convert"))
