"""Word lists: those inside other packages, read without importing these, and the user's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from gecbench.core.errors import FormatError, MissingExtraError, ResourceError
from gecbench.core.files import read_bytes, read_lines

_EXTRA = "spelling"


@dataclass(frozen=True, slots=True)
class WordList:
    """Words and how often they were seen.

    Args:
        name: Package, version and hash of the list: equal names are equal lists.
        words: Each once.
        counts: As many as words, each at least 1.
        people: Those of the words that are names of people; () where the list does not say.
    """

    name: str
    words: tuple[str, ...]
    counts: tuple[int, ...]
    people: tuple[str, ...] = ()


def jieba_words() -> WordList:
    """Read jieba's packaged dictionary: 349,045 Chinese words with counts in version 0.42.1.

    Raises:
        MissingExtraError: jieba is not installed.
        ResourceError: Its dictionary is not where it was, or reads differently.
    """
    what = "jieba, whose dictionary zh-homophone looks words up in,"
    name, fields = _read("jieba", "dict.txt", 3, what)
    words = _word_list(name, fields[0::3], fields[1::3])
    tagged = zip(words.words, fields[2::3], strict=True)
    return replace(words, people=tuple(word for word, tag in tagged if tag.startswith("nr")))


def symspell_words() -> WordList:
    """Read symspellpy's packaged dictionary: 82,834 English words in version 6.10.1.

    Raises:
        MissingExtraError: symspellpy is not installed.
        ResourceError: Its dictionary is not where it was, or reads differently.
    """
    what = "symspellpy, whose dictionary en-rules looks words up in,"
    file = "frequency_dictionary_en_82_765.txt"
    name, fields = _read("symspellpy", file, 2, what)
    return _word_list(name, fields[0::2], fields[1::2])


def symspell_pairs() -> WordList:
    """Read symspellpy's packaged pairs of words: 243,342 in version 6.10.1, a blank between.

    Raises:
        MissingExtraError: symspellpy is not installed.
        ResourceError: Its list is not where it was, or reads differently.
    """
    what = "symspellpy, whose pairs of words en-rules looks up,"
    file = "frequency_bigramdictionary_en_243_342.txt"
    name, fields = _read("symspellpy", file, 3, what)
    pairs = [f"{first} {second}" for first, second in zip(fields[0::3], fields[1::3], strict=True)]
    return _word_list(name, pairs, fields[2::3])


def _read(package: str, file: str, width: int, what: str) -> tuple[str, list[str]]:
    """Read a list: its name and its fields, `width` of them a word.

    The package is found, not imported: jieba's import warns, logs, and keeps a cache in the
    folder for temporary files; symspellpy's index takes three seconds to build.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(what, _EXTRA)
    path = Path(spec.submodule_search_locations[0]) / file
    if not path.is_file():
        raise ResourceError(f"{path}: this version of {package} has no such word list; get another")
    content = read_bytes(path)
    fields = content.decode("utf-8-sig", "replace").split()
    if not fields or len(fields) % width:
        raise ResourceError(f"{path}: not {width} fields a word; install {package} again")
    digest = hashlib.sha256(content).hexdigest()[:12]
    return f"{package} {version(package)} {digest}", fields


def _word_list(name: str, words: list[str], counts: list[str]) -> WordList:
    try:
        # Some words of jieba stand there with a count of 0, for which there is no logarithm.
        numbers = tuple(max(1, int(count)) for count in counts)
    except ValueError as error:
        raise ResourceError(f"{name}: a count is no number: {error}; install it again") from error
    return WordList(name, tuple(words), numbers)


def read_words(path: Path) -> tuple[str, ...]:
    """Read the user's words, one a line: names and terms that are right in every dictionary.

    Returns:
        The words, sorted, each once.

    Raises:
        FormatError: A line has several words, or the file is not UTF-8.
        GecbenchError: It cannot be read.
    """
    words = set()
    for number, line in enumerate(read_lines(path), 1):
        word = line.strip()
        if len(word.split()) > 1:
            raise FormatError(f"{path}:{number}: {word!r} has blanks; write one word a line")
        words.add(word)
    return tuple(sorted(words - {""}))
