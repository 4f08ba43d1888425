"""What no linter checks: that all names are documented, and what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import gecbench
from gecbench.api.files import sample
from gecbench.api.train import recipes
from gecbench.backends import SEGMENTERS
from gecbench.cli import gecbench as commands
from gecbench.formats import FORMATS
from gecbench.lang import LANGUAGES, SCHEMES
from gecbench.metrics import METRICS
from gecbench.models import CORRECTORS
from gecbench.models.training.task import KINDS
from gecbench.text import NORMALISATIONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "kind",
    [
        *("METRICS", "SCHEMES", "LANGUAGES", "FORMATS", "SEGMENTERS", "NORMALISATIONS"),
        *("commands", "CORRECTORS", "KINDS", "recipes"),
    ],
)
def test_every_name_is_in_the_documentation(kind: str):
    tables = {
        "METRICS": METRICS,
        "SCHEMES": SCHEMES,
        "LANGUAGES": LANGUAGES,
        "FORMATS": FORMATS,
        "SEGMENTERS": SEGMENTERS,
        "NORMALISATIONS": NORMALISATIONS,
        "CORRECTORS": CORRECTORS,
        "KINDS": KINDS,
        "recipes": recipes(),
    }
    names = list(tables[kind]) if kind in tables else commands.list_commands(None)
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    texts = [f"gecbench {name}" if kind == "commands" else f"`{name}`" for name in names]
    assert [name for name in texts if name not in pages] == []


def test_the_version_is_the_newest_of_the_changelog():
    headings = re.findall(
        r"^## \[?(\S+?)\]?(?:\s|$)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )
    assert headings[0] == gecbench.__version__


NOT_LANGUAGES = {
    "models/scratch/encoding.py",  # kinds of tokens
    "reports/page/sentences.py",  # the language of a page
    "reports/report.py",  # the language of a page
    "text/tokens.py",  # kinds of tokens
}
"""Modules where "zh" and "en" in a decision are something else than the language of texts."""


def decides_by_code(node: ast.AST) -> bool:
    """Whether code compares with "zh" or "en", or takes one of them where nothing else is said."""
    values: list[ast.expr] = []
    if isinstance(node, ast.Compare):
        values = [node.left, *node.comparators]
    elif isinstance(node, ast.BoolOp):
        values = node.values
    elif isinstance(node, ast.IfExp):
        values = [node.body, node.orelse]
    values += [item for value in values if isinstance(value, ast.Tuple) for item in value.elts]
    return any(isinstance(v, ast.Constant) and v.value in ("zh", "en") for v in values)


def test_only_lang_decides_by_the_code_of_a_language():
    """Elsewhere a `Language` says what it needs; the languages of pages are another matter."""
    package = ROOT / "src" / "gecbench"
    deciding = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in ("lang", "server")
        and any(map(decides_by_code, ast.walk(ast.parse(path.read_text("utf-8")))))
    }
    assert deciding == NOT_LANGUAGES


OF_ALL = {
    "test_benchmarks.py",
    "test_chinese_pages.py",
    "test_doctests.py",
    "test_house_rules.py",
    "test_package.py",
}
"""Tests of the whole package, which stand above its folders."""


def test_unit_tests_stand_where_their_module_does():
    """A file is called after a module of its folder, or after the folder: test_MODULE_TOPIC.py."""
    tests, package = ROOT / "tests" / "unit", ROOT / "src" / "gecbench"
    lost = []
    for path in tests.rglob("test_*.py"):
        folder = package / path.parent.relative_to(tests)
        names = {entry.stem.lstrip("_") for entry in folder.glob("*")} | {folder.name}
        topic = path.stem.removeprefix("test_")
        if not any(topic == name or topic.startswith(f"{name}_") for name in names):
            lost.append(path.name)
    assert {*lost} == OF_ALL


LOADED = "import sys; before = set(sys.modules); {}; print(*(set(sys.modules) - before), sep='\\n')"


def loaded_by(code: str) -> set[str]:
    """Names of the top-level modules that some code imports in a fresh interpreter."""
    command = [sys.executable, "-c", LOADED.format(code)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        line.split(".")[0]
        for line in result.stdout.splitlines()
        if line.isidentifier() or "." in line
    }


def run_main(*words: object) -> str:
    """Code that runs a command line and goes on."""
    texts = [str(word) for word in words]
    return (
        "import contextlib, io, gecbench.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    gecbench.cli.main({texts!r})\n"
    )


def loaded_by_command(*words: object) -> set[str]:
    """Names of the top-level modules that a command line imports."""
    code = f"import sys\n{run_main(*words)}\nprint(*sys.modules, sep='\\n')"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in result.stdout.splitlines()}


def test_importing_the_package_imports_only_lazy_loader_of_others():
    result = loaded_by("import gecbench")
    assert "gecbench" in result
    assert result - set(sys.stdlib_module_names) == {"gecbench", "lazy_loader"}


def test_scoring_without_resources_imports_only_what_it_needs():
    corpus, system = sample("zh", "corpus.jsonl"), sample("zh", "eager.txt")
    result = loaded_by_command("score", corpus, system, "--scheme", "zh-char")
    assert "gecbench" in result
    heavy = {"pooch", "requests", "opencc", "pypinyin", "tomllib", "platformdirs", "py3langid"}
    reporting = {"matplotlib", "scipy", "jinja2", "PIL"}
    networks = {"torch", "transformers", "httpx", "anyio"}
    assert result & (heavy | reporting | networks) == set()


@pytest.mark.parametrize("package", ["gecbench.server", "gecbench.models.tagger"])
def test_no_module_is_imported_in_a_circle(package: str):
    graph = grimp.build_graph("gecbench")
    modules = {module for module in graph.modules if module.startswith(package)}
    assert len(modules) > 1
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}
    ).prepare()
