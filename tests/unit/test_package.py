"""The package: what an index shows, what its wheels are tested with, and systems without Unix."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import gecbench
from gecbench.api.files import sample

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ZH = [sample("zh", name) for name in ("corpus.jsonl", "eager.txt")]
EN = [sample("en", name) for name in ("corpus.jsonl", "eager.txt")]

WITHOUT_UNIX = """
import io, os, signal, sys, warnings

for name in ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None  # importing it fails, as on Windows
for name in ("fork", "getpgrp", "sched_getaffinity", "tcgetpgrp"):
    delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)
# Texts are in the code page of the system unless somebody says otherwise, and lines end with two.
warnings.filterwarnings("error", category=EncodingWarning, module="gecbench")
for name in ("stdout", "stderr"):
    stream = getattr(sys, name).detach()
    setattr(sys, name, io.TextIOWrapper(stream, encoding="cp1252", newline="\\r\\n"))

import gecbench.cli

gecbench.cli.main(["--debug", *sys.argv[1:]])
"""


@pytest.mark.parametrize(
    "words",
    [
        ("score", *ZH, "--scheme", "zh-char", "--ci"),
        ("score", *EN, "--metric", "gleu,green,sentence-accuracy"),
        pytest.param(("score", *EN, "--metric", "errant,m2"), marks=pytest.mark.slow),
        ("compare", *ZH, sample("zh", "fluent.txt"), "--scheme", "zh-char", "--resamples", "100"),
        ("edits", *ZH[:1], "--scheme", "zh-char"),
        ("convert", *ZH[:1], "--to", "mucgec"),
        ("convert", *ZH[:1], "--to", "jsonl", "-o", "{folder}/corpus.jsonl"),
        ("corrupt", *ZH[:1], "--seed", "1", "--jobs", "2", "-o", "{folder}/made.jsonl"),
        ("correct", "en-rules", "He recieved a email yesterday ."),
        ("m2scorer", "--help"),
        ("data", "list"),
        ("train", "--list"),
        ("doctor",),
        ("annotate", "--help"),
    ],
    ids=lambda words: words[0],
)
def test_commands_need_nothing_that_only_unix_has(tmp_path: Path, words: tuple[object, ...]):
    arguments = [str(word).replace("{folder}", str(tmp_path)) for word in words]
    command = [sys.executable, "-X", "warn_default_encoding", "-c", WITHOUT_UNIX, *arguments]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    results = [ended.stdout, *(path.read_bytes() for path in tmp_path.iterdir())]
    assert any(result.decode("utf-8") for result in results)
    assert not any(b"\r" in result for result in results)


def test_wheels_are_tested_with_every_compiled_kernel():
    kernels = {kernel["name"] for kernel in PYPROJECT["tool"]["setuptools"]["ext-modules"]}
    imports, *_ = PYPROJECT["tool"]["cibuildwheel"]["test-command"]
    assert set(imports.split('"')[1].removeprefix("import ").split(", ")) == kernels


def test_wheels_are_built_for_every_python_that_is_promised():
    texts = [
        f"cp{line.rpartition(' ')[2].replace('.', '')}-*"
        for line in PYPROJECT["project"]["classifiers"]
        if line.startswith("Programming Language :: Python :: 3.")
    ]
    assert texts
    assert set(texts) <= set(PYPROJECT["tool"]["cibuildwheel"]["build"])


def package_of(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


EXTRAS = {
    name: {package_of(requirement) for requirement in requirements}
    for name, requirements in PYPROJECT["project"]["optional-dependencies"].items()
    if name != "dev"
}


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_docs_have_what_each_extra_brings(extra: str):
    (row,) = re.findall(rf"^\| `{extra}` .*$", (ROOT / "docs/extras.md").read_text("utf-8"), re.M)
    assert [name for name in EXTRAS[extra] - {"gecbench"} if name not in row] == []


OF_USERS = frozenset(("datasets", "evaluate", "ltp"))
"""Libraries that import gecbench, and LTP, which its users install."""


def test_the_base_or_an_extra_brings_every_package_that_is_imported():
    declared = set().union(*EXTRAS.values(), map(package_of, PYPROJECT["project"]["dependencies"]))
    queue = sorted(declared - {"gecbench"})
    while queue:  # what a package needs always, as pydantic of django-ninja
        try:
            needs = metadata.requires(queue.pop()) or []
        except metadata.PackageNotFoundError:
            continue
        new = {package_of(need) for need in needs if "extra ==" not in need} - declared
        declared |= new
        queue += new
    packages_of = metadata.packages_distributions()
    missing = set()
    for path in (ROOT / "src/gecbench").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in {name.partition(".")[0] for name in names} - sys.stdlib_module_names:
                if declared.isdisjoint(map(package_of, packages_of.get(name, [name]))):
                    missing.add(name)
    of_types = {"_typeshed", "django_stubs_ext"}
    assert missing - OF_USERS - of_types <= {"gecbench"}


def test_the_citation_names_this_version():
    assert f"\nversion: {gecbench.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
