"""Corpora and system outputs, from files and back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gecbench.backends import hash_folder
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError, printed_path, quote
from gecbench.core.files import (
    STDIO,
    encode_pieces,
    file_exists,
    name_of,
    path_of,
    read_bytes,
    write_files,
    write_text,
)
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.formats import FORMATS, load_format, load_writer
from gecbench.formats.reading import check_plain, read, read_parallel, read_system, read_systems
from gecbench.lang import language_of

if TYPE_CHECKING:
    from gecbench.core.perturbed import PerturbedSet
    from gecbench.formats.table import Columns

Texts = TypeVar("Texts", bound="Corpus | PerturbedSet")


def load(
    path: Path | str,
    *,
    format: str | None = None,
    references: Sequence[Path | str] = (),
    lang: str | None = None,
    columns: Columns | None = None,
    in_memory: bool = True,
) -> Corpus:
    """Load a corpus from a file.

    Args:
        path: The file; "-" is standard input.
        format: Name of its format; None means find out.
        references: Parallel text files with the references, where `path` is one of sources.
        lang: Code of the language, as "de"; None takes the file's, and where it names none,
            whatever needs it finds out. "xx" is any language.
        columns: Of CSV, TSV and JSON: the names of the columns, or keys, of `source`, `references`
            (one name or several) and `id`, as {"source": "text", "references": ["a", "b"]}.
        in_memory: False keeps the sentences of a corpus of more than 20,000 in a temporary file,
            and what systems make of them, too. Going through them in order takes a little longer,
            any other order much longer.

    Raises:
        GecbenchError: The file cannot be read, or is not what its format promises.
    """
    path, targets = path_of(path), [path_of(reference) for reference in references]
    if not targets:
        corpus = read(path, format=format, columns=columns, in_memory=in_memory)
        return in_language(corpus, lang)
    if columns:
        raise UsageError("columns are those of one file; leave out the files of references")
    if format is not None and not load_format(format).is_text:
        texts = ", ".join(name for name in FORMATS if load_format(name).is_text)
        raise UsageError(f"reference files go with one of {texts}, not with {format}")
    if format is None:
        check_plain(path, targets)
    corpus = read_parallel(path, targets, format=format, in_memory=in_memory)
    return in_language(corpus, lang)


def in_language(texts: Texts, lang: str | None) -> Texts:
    """Put a corpus or perturbed cases into the language that a caller names.

    Args:
        texts: Returned as they are where nothing is named.
        lang: Code of the language, in place of what the texts say; "xx" is any language.

    Raises:
        UsageError: It is no code, or what should be a corpus is none.
    """
    if not isinstance(texts, Corpus):
        from gecbench.core.perturbed import PerturbedSet  # few commands need it

        if not isinstance(texts, PerturbedSet):  # a caller's, whose types nobody has checked
            raise UsageError(f"{quote(str(texts))} is no corpus; load it: gecbench.load(PATH)")
    return texts if lang is None else replace(texts, lang=language_of(lang).code)


def load_system(
    path: Path | str,
    corpus: Corpus,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: Columns | None = None,
    subset: bool = False,
) -> SystemOutput:
    """Load what a system made of the sentences of a corpus.

    Args:
        path: The file, in any format.
        corpus: What the system was run on.
        name: Of the system; None takes the file's name without its ending.
        format: Name of the file's format; None means find out.
        columns: Of CSV, TSV and JSON: the names of the columns, or keys, of `text`, which is what
            the system wrote, of `id`, and of `source`, if it is there to be compared.
        subset: Whether the corpus is a part of what the system was run on: sentences of the
            file that the corpus has not are left out.

    Raises:
        GecbenchError: The file cannot be read, or does not fit the corpus.
    """
    return read_system(
        path_of(path), corpus, name=name, format=format, columns=columns, subset=subset
    )


def load_systems(
    path: Path | str,
    corpus: Corpus,
    *,
    names: Sequence[str] = (),
    format: str | None = None,
    subset: bool = False,
) -> list[SystemOutput]:
    """Load what several systems made of the sentences of a corpus, each an annotator of a file.

    Args:
        path: The file, usually M2.
        corpus: What the systems were run on.
        names: Of the systems, in the order of the annotators' numbers from 0; one without any
            line changes nothing. () takes the annotators that the file has.
        format: Name of the file's format; None means find out.
        subset: Whether sentences of the file that the corpus has not are left out.

    Raises:
        GecbenchError: The file cannot be read, or does not fit the corpus or the names.
    """
    return read_systems(path_of(path), corpus, names=names, format=format, subset=subset)


def save(corpus: Corpus, path: Path | str, *, format: str) -> list[str]:
    """Write a corpus and return what the format could not hold, a sentence each.

    Args:
        corpus: What to write.
        path: File to write, whole or not at all; "-" is standard output. A format of several
            files appends its endings to this name (x.md becomes x-orig.md), and replaces no file.
        format: Name of the format.

    Raises:
        GecbenchError: The format cannot hold a text at all, or the file cannot be written.
    """
    write(corpus, path, format=format)
    return load_writer(format).losses(corpus)


def write(corpus: Corpus, path: Path | str, *, format: str) -> None:
    """Write a corpus as `save` does, and leave open what the format could not hold."""
    path, contents = path_of(path), load_writer(format).pieces(corpus)
    if str(path) == "-" and len(contents) > 1:
        raise UsageError(f"format {format} writes {len(contents)} files; name them by --output")
    if len(contents) == 1:
        (pieces,) = contents.values()
        write_text(path, pieces)
        return
    files = {_file_of(path, ending): pieces for ending, pieces in contents.items()}
    existing = [file for file in files if file_exists(file)]
    if existing:
        raise GecbenchError(
            f"{printed_path(existing[0])}: already exists and would be replaced; remove it, or "
            "write to another name"
        )
    stale = [old for old in Path(f"{path}.ref0").parent.glob("*.ref*") if _stale(old, files, path)]
    if stale:
        raise GecbenchError(
            f"{min(stale)}: would stay beside the new files as if it belonged to them; remove it"
        )
    write_files({file: encode_pieces(file, pieces) for file, pieces in files.items()})


def _file_of(path: Path, ending: str) -> Path:
    """One of several files: what the path and the ending both end in stands there once."""
    return Path(str(path).removesuffix(Path(ending).suffix) + ending)


def _stale(old: Path, files: Collection[Path], path: Path) -> bool:
    """Say whether a file is a reference of an earlier corpus of the same name."""
    name, _, number = old.name.rpartition(".ref")
    return name == path.name and number.isdecimal() and old not in files


def sample(language: str, name: str) -> Path:
    """The path of a bundled sample file.

    Raises:
        UnknownNameError: There is none of this language or name.

    Examples:
        >>> sample("zh", "corpus.jsonl").name
        'corpus.jsonl'
    """
    samples = Path(__file__).parent.parent / "samples"
    path = samples / language / name
    if not path.is_file():
        known = [file.relative_to(samples).as_posix() for file in samples.glob("??/*")]
        raise UnknownNameError("sample", f"{language}/{name}", known)
    return path


# What an output says of the files that it was made from.


def fingerprint_of(path: Path) -> str:
    """The name of a file or folder with a hash of its content; the name alone of standard input.

    A folder's hash is of the names and hashes of its files, hidden ones aside.
    """
    import hashlib

    if str(path) == STDIO:
        return name_of(path)
    if path.is_dir():
        return f"{path.resolve().name} sha256 {hash_folder(path)}"
    return f"{path.name} sha256 {hashlib.sha256(read_bytes(path)).hexdigest()}"
