"""What ERRANT's types of English read: a word list and a stemmer, from the installed errant."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import Message, MissingExtraError, ResourceError
from gecbench.core.files import read_bytes

_WORDS = "en/resources/en_GB-large.txt"
_STEMMER = "en/lancaster.py"


class Resources(NamedTuple):
    """The resources of one installed version of ERRANT.

    Args:
        dictionary: British words in the case in which they are listed (170,565 in 3.0.2).
        stem: The Lancaster stem of a word; it lower-cases first.
    """

    dictionary: frozenset[str]
    stem: Callable[[str], str]


@cache
def digest() -> str:
    """The SHA-256 of the installed word list, which a signature needs without the words.

    Raises:
        MissingExtraError: errant is not installed.
        ResourceError: The installed errant has other files than 3.0.2.
    """
    return hashlib.sha256(read_bytes(_folder() / _WORDS)).hexdigest()


@cache
def load() -> Resources:
    """Load the resources of the installed errant, read once in a process.

    Neither errant nor spaCy is imported, which would take a second: the word list is a file of
    the package, and its copy of NLTK's Lancaster stemmer a module that needs nothing else and
    loads in half a millisecond.

    Raises:
        MissingExtraError: errant is not installed.
        ResourceError: The installed errant has other files than 3.0.2.
    """
    folder = _folder()
    words = read_bytes(folder / _WORDS).decode("utf-8").split()
    return Resources(frozenset(words), cache(_stemmer(folder / _STEMMER)))


def _folder() -> Path:
    spec = find_spec("errant")
    if spec is None or spec.origin is None:
        raise MissingExtraError(
            Message("errant, whose word list en-errant finds misspellings by,"), "en"
        )
    folder = Path(spec.origin).parent
    for name in (_WORDS, _STEMMER):
        if not (folder / name).is_file():
            raise ResourceError("no such file; install errant 3.0.2", at=folder / name)
    return folder


def _stemmer(path: Path) -> Callable[[str], str]:
    spec = spec_from_file_location("_errant_lancaster", path)
    if spec is None or spec.loader is None:
        raise ResourceError("not a Python module; install errant 3.0.2", at=path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    stem: Callable[[str], str] = module.LancasterStemmer().stem
    return stem
