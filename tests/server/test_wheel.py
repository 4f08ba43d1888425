"""The wheel carries all that the site needs: pages, scripts, words, guidelines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = {
    "server/web/templates": "*.html",
    "server/web/static": "*.*",
    "server/guide": "*.md",
    "server/migrations": "*.py",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files of a wheel, built of the checkout without what lies built there."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    unwanted = shutil.ignore_patterns("*.mo", "*.so", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=unwanted)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet"]
    uncompiled = {**os.environ, "CC": "false", "CXX": "false"}  # kernels are optional, and slow
    subprocess.run(
        [*command, "--wheel-dir", folder, source], check=True, capture_output=True, env=uncompiled
    )
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as file:
        return set(file.namelist())


@pytest.mark.parametrize("part", PARTS)
def test_every_file_of_a_part_is_in_it(wheel, part):
    package = ROOT / "src" / "gecbench"
    files = [one for one in (package / part).rglob(PARTS[part]) if one.is_file()]
    assert len(files) > 1
    wanted = {str(one.relative_to(package.parent)) for one in files if one.suffix != ".pyc"}
    assert wanted - wheel == set()


def test_translations_are_compiled_for_it(wheel):
    assert "gecbench/server/locale/zh_Hans/LC_MESSAGES/django.mo" in wheel
