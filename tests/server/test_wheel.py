"""The wheel that `python -m build` makes carries all that the site needs, and speaks Chinese."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from gecbench import __version__

ROOT = Path(__file__).parents[2]
PARTS = {
    "server/web/templates": "*.html",
    "server/web/static": "*.*",
    "server/guidelines": "*.md",
    "server/migrations": "*.py",
}


CHINESE = """
import django, gecbench
from django.utils.translation import gettext, override

django.setup()
with override("zh-hans"):
    print(gecbench.__file__, gettext("Sign in"), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made of an sdist, which is made of the checkout without what lies built there."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    unwanted = shutil.ignore_patterns("*.mo", "*.so", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=unwanted)
    build(source, "--outdir", folder)
    return next(folder.glob("*.whl"))


def build(source: Path, *words: object) -> None:
    """Build what a folder holds, without a compiler: kernels are optional, and slow."""
    command = [sys.executable, "-m", "build", "--no-isolation", *words, source]
    uncompiled = {**os.environ, "CC": "false", "CXX": "false"}
    subprocess.run(command, check=True, capture_output=True, env=uncompiled)


@pytest.fixture(scope="module")
def files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return set(file.namelist())


@pytest.mark.parametrize("part", PARTS)
def test_every_file_of_a_part_is_in_it(files, part):
    package = ROOT / "src" / "gecbench"
    there = [path for path in (package / part).rglob(PARTS[part]) if path.is_file()]
    assert len(there) > 1
    expected = {str(path.relative_to(package.parent)) for path in there if path.suffix != ".pyc"}
    assert expected - files == set()


def test_translations_are_compiled_for_it(files):
    assert "gecbench/server/locale/zh_Hans/LC_MESSAGES/django.mo" in files
    assert not [name for name in files if name.endswith(".po")]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, which finds what gecbench needs in that of the tests."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    options = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", *options, wheel]
    subprocess.run(pip, check=True, capture_output=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # Paths of a .pth file stand behind the wheel's, and .pth files there, as of a checkout's
    # gecbench, are not read.
    (packages / "needs.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    return folder


def run(folder: Path, name: str, *words: object, **variables: str) -> str:
    """Run a program of an environment from outside the checkout; what it prints."""
    outer = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
    command = [folder / "bin" / name, *words]
    ended = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=folder, env={**outer, **variables}
    )
    return ended.stdout


def test_what_is_installed_from_it_speaks_chinese(installed):
    settings = {"DJANGO_SETTINGS_MODULE": "gecbench.server.settings"}
    place, word = run(installed, "python", "-c", CHINESE, **settings).splitlines()
    assert Path(place).is_relative_to(installed)
    assert word == "登录"


def test_what_is_installed_from_it_scores_its_own_samples(installed):
    assert run(installed, "gecbench", "--version") == f"gecbench {__version__}\n"
    samples = Path(run(installed, "gecbench", "data", "where", "samples").strip())
    assert samples.is_relative_to(installed)
    files = (samples / "zh" / "corpus.jsonl", samples / "zh" / "eager.txt")
    result = run(installed, "gecbench", "score", *files, "--scheme", "zh-char")
    assert "cherrant" in result


def test_a_wheel_without_compiled_kernels_is_for_every_system(wheel, files):
    assert wheel.name.endswith("-py3-none-any.whl")
    (metadata,) = [name for name in files if name.endswith(".dist-info/WHEEL")]
    with zipfile.ZipFile(wheel) as file:
        lines = file.read(metadata).decode().splitlines()
    assert {"Root-Is-Purelib: true", "Tag: py3-none-any"} <= set(lines)


def test_a_wheel_with_one_compiled_kernel_is_for_one_system_and_later_pythons(wheel, tmp_path):
    source = wheel.parent / "source"
    system = f"{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    name = "_kernel.abi3.so"
    kernel = source / "build" / f"lib.{system}" / "gecbench" / "edits" / name
    kernel.parent.mkdir(parents=True)
    kernel.write_bytes(b"")  # newer than its source, so that nothing compiles it again
    build(source, "--wheel", "--outdir", tmp_path)
    (wheel_path,) = tmp_path.iterdir()
    assert "-cp311-abi3-" in wheel_path.name
    assert not wheel_path.name.endswith("-any.whl")
    with zipfile.ZipFile(wheel_path) as file:
        assert f"gecbench/edits/{name}" in file.namelist()
