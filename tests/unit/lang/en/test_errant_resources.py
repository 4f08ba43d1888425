"""ERRANT's word list and stemmer, read from the installed package."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import MissingExtraError, ResourceError
from gecbench.lang.en import errant

LISTED = "colour\r\nParis\r\ncafé\r\n"
STEMMER = """
class LancasterStemmer:
    def stem(self, word):
        return word.lower()[:3]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that takes the place of the installed errant."""
    (tmp_path / "en" / "resources").mkdir(parents=True)
    (tmp_path / "en/resources/en_GB-large.txt").write_bytes(LISTED.encode())
    (tmp_path / "en/lancaster.py").write_text(STEMMER, "utf-8")
    spec = ModuleSpec("errant", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(errant, "find_spec", lambda _: spec)
    for read in (errant.load_resources, errant.dictionary_digest):
        read.cache_clear()
    yield tmp_path
    for read in (errant.load_resources, errant.dictionary_digest):
        read.cache_clear()


def test_the_files_of_the_package_are_read(package: Path):
    loaded = errant.load_resources()
    assert loaded.dictionary == {"colour", "Paris", "café"}
    assert loaded.stem("Colour") == "col"
    assert errant.dictionary_digest() == hashlib.sha256(LISTED.encode()).hexdigest()


def test_they_are_read_once_in_a_process(package: Path):
    first = errant.load_resources()
    (package / "en/resources/en_GB-large.txt").write_bytes(b"other\r\n")
    assert errant.load_resources() is first


@pytest.mark.parametrize("spec", [None, ModuleSpec("errant", None)])
def test_without_the_package_the_extra_is_named(package: Path, monkeypatch, spec):
    monkeypatch.setattr(errant, "find_spec", lambda _: spec)
    with expect_error(MissingExtraError, "errant", "gecbench[en]"):
        errant.load_resources()


@pytest.mark.parametrize("name", ["en/resources/en_GB-large.txt", "en/lancaster.py"])
def test_another_version_without_the_files_is_refused(package: Path, name: str):
    (package / name).unlink()
    with expect_error(ResourceError, "no such file", "errant 3.0.2"):
        errant.load_resources()


def test_a_stemmer_that_is_no_module_is_refused(package: Path, monkeypatch):
    monkeypatch.setattr(errant, "spec_from_file_location", lambda *_: None)
    with expect_error(ResourceError, "lancaster.py"):
        errant.load_resources()


def test_the_installed_errant_is_not_imported():
    if find_spec("errant") is None:
        pytest.skip("errant is not installed")
    code = (
        "import sys\nfrom gecbench.lang.en.errant import dictionary_digest, load_resources\n"
        "found = load_resources()\n"
        "print(len(found.dictionary), 'cafés' in found.dictionary, found.stem('Presumably'))\n"
        "print(dictionary_digest()[:16], {'errant', 'spacy', 'rapidfuzz'} & set(sys.modules))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout == "170565 True presum\n75e1851049bd45ee set()\n"
