"""What a pipeline said of sentences, kept on disk by their content."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.backends.spacy import Pipeline, Tokens
from gecbench.core.errors import ResourceError
from gecbench.core.sentence import Words

if TYPE_CHECKING:
    import sqlite3

_AT_ONCE = 500


@dataclass
class KeptPipeline:
    """A pipeline whose results are kept: spaCy is not even imported where all are known.

    The file's name holds a hash of the pipeline's content and the version of spaCy, and a
    sentence's key is a hash of its tokens, so a stale result is never found.

    Args:
        pipeline: Asked for what is not there yet.
        folder: Made if need be.

    Raises:
        ResourceError: The folder or file cannot be used; names it.
    """

    pipeline: Pipeline
    folder: Path

    @property
    def version(self) -> str:
        """Name and version of the pipeline."""
        return self.pipeline.version

    def forget(self) -> None:
        """Let go of documents that were kept for parsing."""
        self.pipeline.forget()

    def words(
        self, sentences: Sequence[Tokens], *, parsed: bool, again: bool = False
    ) -> Iterator[Words]:
        """Yield what the pipeline says of each sentence; see `Pipeline.words`."""
        import sqlite3

        try:
            known = dict(self._read(sentences, parsed=parsed))
            missing = [tokens for tokens in dict.fromkeys(sentences) if tokens not in known]
            made = zip(
                missing, self.pipeline.words(missing, parsed=parsed, again=again), strict=True
            )
            fresh: list[tuple[Tokens, Words]] = []
            for tokens in sentences:
                if tokens not in known:
                    new, words = next(made)
                    known[new] = words
                    fresh.append((new, words))
                yield known[tokens]
            self._write(fresh)
        except sqlite3.Error as error:
            raise ResourceError(
                f"{self.path}: the cache of parses cannot be used: {error}; remove the file"
            ) from error

    @property
    def path(self) -> Path:
        """The file that holds the results."""
        about = self.pipeline.about
        made = hashlib.sha256(f"{about.digest} {self.version}".encode()).hexdigest()
        return self.folder / f"{about.name}-{made[:16]}.sqlite"

    @property
    def _writable(self) -> bool:
        """Whether results can be added; a complete file on a read-only disk can still be used."""
        return not self.path.is_file() or os.access(self.folder, os.W_OK)

    @cached_property
    def _base(self) -> sqlite3.Connection:
        import sqlite3

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResourceError(
                f"{self.folder}: cannot be made to keep parses in: {error.strerror}"
            ) from error
        if not self._writable:
            return sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True)
        base = sqlite3.connect(self.path, timeout=60)
        base.execute(
            "CREATE TABLE IF NOT EXISTS parses (tokens BLOB, parsed INTEGER, words TEXT, "
            "PRIMARY KEY (tokens, parsed)) WITHOUT ROWID"
        )
        return base

    def _read(self, sentences: Iterable[Tokens], *, parsed: bool) -> Iterator[tuple[Tokens, Words]]:
        by_key = {_key(tokens): tokens for tokens in sentences}
        keys = list(by_key)
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self._base.execute(
                f"SELECT tokens, words FROM parses WHERE tokens IN ({marks}) "  # noqa: S608
                "AND parsed >= ? ORDER BY parsed",
                (*some, int(parsed)),
            )
            for key, text in rows:
                words = _words(text, by_key[key], parsed=parsed)
                if words is not None:
                    yield by_key[key], words

    def _write(self, fresh: Sequence[tuple[Tokens, Words]]) -> None:
        if not self._writable:
            return
        with self._base as base:
            base.executemany(
                "INSERT OR REPLACE INTO parses VALUES (?, ?, ?)",
                [(_key(tokens), int(bool(words.heads)), _text(words)) for tokens, words in fresh],
            )


def _key(tokens: Tokens) -> bytes:
    return hashlib.sha256(" ".join(tokens).encode("utf-8", "surrogatepass")).digest()


def _text(words: Words) -> str:
    return json.dumps([words.lemmas, words.pos, words.tags, words.deps, words.heads])


def _words(text: str, tokens: Tokens, *, parsed: bool) -> Words | None:
    """Return what was kept, None where it is damaged: then the pipeline is asked again."""
    try:
        lemmas, pos, tags, deps, heads = map(tuple, json.loads(text))
    except (ValueError, TypeError):
        return None
    columns = (lemmas, pos, tags, deps, heads) if parsed else (lemmas, pos, tags)
    if any(len(column) != len(tokens) for column in columns):
        return None
    return Words(lemmas, pos, tags, deps, heads) if parsed else Words(lemmas, pos, tags)
