"""gecbench doctor: what is missing, and how to get it."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

import pytest

import gecbench
from gecbench.cli import doctor as doctor_module


def test_doctor_names_what_is_missing(run, monkeypatch, shared: Path):
    code, out, _ = run("doctor", "--mirror", shared / "data")
    assert code == 0
    assert f"cilin.txt           {shared}/data/cherrant/cilin.txt\n" in out
    monkeypatch.setattr(doctor_module, "find_spec", lambda _: None)
    monkeypatch.setattr("gecbench.edits.alignment.compiled", None)
    monkeypatch.setattr("gecbench.lang.zh.char.compiled", None)
    out = run("doctor")[1]
    for package, extra in {
        "opencc": "zh",
        "scipy": "statistics",
        "matplotlib": "report",
        "jinja2": "report",
        "django": "annotate",
        "gunicorn": "annotate",
        "psycopg": "postgres",
    }.items():
        install = f"pip install 'gecbench[{extra}]' (in a checkout: pip install -e '.[{extra}]')"
        assert f"{package:18}  missing; run: {install}\n" in out
    assert "kernel              python for Chinese, zh-char (install a C++ compiler and" in out
    assert "run: gecbench data get cherrant" in out


def test_doctor_names_a_kernel_that_is_older_than_its_source(run, monkeypatch, tmp_path: Path):
    extension, source = tmp_path / "_char.abi3.so", tmp_path / "_char.cpp"
    extension.touch()
    source.touch()
    monkeypatch.setattr("gecbench.lang.zh.char.compiled.__file__", str(extension))
    os.utime(source, (0, 0))
    assert re.search("^kernel +compiled$", run("doctor")[1], re.MULTILINE)
    os.utime(extension, (0, 0))
    os.utime(source, (9, 9))
    assert re.search(
        r"^kernel +compiled, but older .* zh-char.* build_ext", run("doctor")[1], re.MULTILINE
    )


def test_doctor_names_every_package_of_the_extras(run, monkeypatch):
    pyproject = Path(__file__).parents[3] / "pyproject.toml"
    extras = tomllib.loads(pyproject.read_text("utf-8"))["project"]["optional-dependencies"]
    monkeypatch.setattr(doctor_module, "find_spec", lambda _: None)
    missing = re.compile(r"^(\S+) .*'gecbench\[(.+)\]' \(in a", re.MULTILINE)
    extra_of = dict(missing.findall(run("doctor")[1]))
    assert not [extra for extra in extra_of.values() if extra not in extras]
    for extra, requirements in extras.items():
        names = [re.match(r"[\w-]+", requirement)[0] for requirement in requirements]
        if extra not in ("site", "dev"):
            assert [name for name in names if name not in (*extra_of, "gecbench")] == []
    for package, extra in extra_of.items():
        assert any(re.match(rf"{package}(?![\w-])", text) for text in extras[extra]), package


@pytest.mark.parametrize("ending", [".json", ".csv", ".tex", ".md", ".txt"])
def test_what_is_installed_is_written_in_the_format_of_the_ending(run, tmp_path: Path, ending: str):
    path = tmp_path / f"e{ending}"
    assert run("doctor", "-o", path) == (0, "", "")
    text = path.read_text("utf-8")
    starts = {".json": "{", ".csv": "NAME,VALUE", ".tex": r"\begin{tabular}", ".md": "| NAME |"}
    assert text.startswith(starts.get(ending, "gecbench "))
    if ending == ".json":
        assert json.loads(text)["parts"]["gecbench"] == gecbench.__version__


def test_doctor_bears_a_package_without_version(run, monkeypatch):
    def unknown(name: str) -> str:
        raise doctor_module.PackageNotFoundError(name)

    monkeypatch.setattr(doctor_module, "find_spec", lambda _: object())
    monkeypatch.setattr(doctor_module, "version", unknown)
    assert "pypinyin            present, version unknown\n" in run("doctor")[1]
