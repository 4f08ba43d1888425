"""What is written and read back is the same, or was refused, or was said to be lost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NASTY, corpora, edited_corpora, plain_corpora

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import write_text
from gecbench.core.sample import Corpus
from gecbench.formats import load_format
from gecbench.formats.reading import read, read_parallel

ANY = st.one_of(corpora(), plain_corpora(), edited_corpora())
LOSING = ("mucgec", "lines", "m2", "m2-maxmatch", "multigec")
"""Formats that cannot hold every corpus."""


def there_and_back(corpus: Corpus, name: str) -> Corpus:
    """The corpus through real files; its name is theirs, so it is put back."""
    with TemporaryDirectory() as folder:
        paths = []
        for ending, content in load_format(name).write(corpus).items():
            paths.append(Path(folder, f"x{ending}"))
            write_text(paths[-1], content)
        if load_format(name).is_text:
            corpus_read = read_parallel(paths[0], paths[1:], format=name)
        else:
            corpus_read = read(paths[0], format=name)
    return corpus_read if name == "jsonl" else replace(corpus_read, name=corpus.name)


@given(corpora())
def test_jsonl_keeps_every_corpus(corpus: Corpus) -> None:
    assert there_and_back(corpus, "jsonl") == corpus


# Corpora take longest to draw: each goes through all formats.
@given(corpus=ANY)
def test_what_is_neither_refused_nor_lost_comes_back_the_same(corpus: Corpus) -> None:
    for name in LOSING:
        with suppress(CorpusError):
            lost = load_format(name).losses(corpus)
            corpus_read = there_and_back(corpus, name)
            assert lost or corpus_read == corpus, name


@given(corpus=ANY)
def test_what_is_written_can_be_read_and_then_nothing_more_is_lost(corpus: Corpus) -> None:
    for name in LOSING:
        try:
            corpus_read = there_and_back(corpus, name)
        except CorpusError:
            continue
        assert load_format(name).losses(corpus_read) == [], name
        assert there_and_back(corpus_read, name) == corpus_read, name


PIECES = [
    *NASTY,
    *["S a b\n", "S 好\n", "A 0 1|||", "A -1 -1|||noop|||", "S|||c", "|||REQUIRED|||-NONE-|||0\n"],
    *["T0-A0 ", "T0 没有错误\n", "T1 ", "\n\n", "1\t", '"id": "1", ', "[", "]", "}\n", "9" * 5000],
    *['{"format": "gecbench-corpus", "schema": 1, "name": "n"}\n', '{"id": "1", "source": "a", '],
    *['"references": []', '"references": [{"text": "a", "edit_sets": [[{"start": 0, "end": 1, '],
]


@pytest.mark.parametrize("name", [None, "jsonl", "m2", "m2-maxmatch", "mucgec", "lines"])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_every_file_is_a_corpus_or_one_line_of_what_is_wrong(
    name: str | None, pieces: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "x")
        path.write_bytes("".join(pieces).encode())
        wrong = ""
        try:
            read(path, format=name)
        except FormatError as error:
            wrong = str(error)
    assert not wrong or (wrong.startswith(f"{path}:") and len(wrong.splitlines()) == 1)


@pytest.mark.parametrize(
    ("names", "strategy"),
    [(("mucgec", "lines"), plain_corpora()), (("m2", "m2-maxmatch"), edited_corpora())],
    ids=["texts", "edits"],
)
def test_formats_do_hold_something(
    names: tuple[str, ...], strategy: st.SearchStrategy[Corpus]
) -> None:
    """The tests above would pass if everything were refused."""
    lossless: dict[str, list[bool]] = {name: [] for name in names}

    @given(strategy)
    def keep(corpus: Corpus) -> None:
        for name in names:
            with suppress(CorpusError):
                load_format(name).write(corpus)
                lossless[name].append(load_format(name).losses(corpus) == [])

    keep()
    assert [name for name in names if sum(lossless[name]) <= len(lossless[name]) / 10] == []
