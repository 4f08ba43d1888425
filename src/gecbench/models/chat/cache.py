"""Answers that are kept: what was paid for once is not asked again."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from gecbench.backends.chat import Reply
from gecbench.core.errors import GecbenchError
from gecbench.core.files import make_folder

_FILE = "answers.sqlite"
_PATIENCE = 60.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    question TEXT PRIMARY KEY,
    answer TEXT NOT NULL,
    tokens_in INTEGER,
    tokens_out INTEGER,
    kept_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""


def key_of(question: Mapping[str, object]) -> str:
    """Return the key of a question: a hash of all that its answer depends on."""
    text = json.dumps(question, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class AnswerCache:
    """Whole answers by question, in one SQLite file; several processes may share it.

    Answers are kept as the model gave them, so that other bounds can judge them anew. Sources
    are not kept, but answers hold most of their words.
    """

    def __init__(self, folder: Path) -> None:
        """Open the cache in a folder; both are made where they are missing.

        Raises:
            GecbenchError: The folder cannot be made, or its file is no cache.
        """
        make_folder(folder)
        self.path = folder / _FILE
        try:
            # Answers hold what people have written: a new file is its owner's alone.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            # Opened by one thread and used by another, but never by both at once.
            self._rows = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._rows.execute(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error) from error

    def get(self, question: str) -> Reply | None:
        """Return the answer to a question by its key; None where none is kept."""
        try:
            row = self._rows.execute(
                "SELECT answer, tokens_in, tokens_out FROM answers WHERE question = ?", (question,)
            ).fetchone()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        return row and Reply(row[0], "stop", row[1], row[2])

    def put(self, question: str, reply: Reply) -> None:
        """Keep an answer; it is on the disk when this returns. The first one kept stays."""
        try:
            self._rows.execute(
                "INSERT OR IGNORE INTO answers (question, answer, tokens_in, tokens_out) "
                "VALUES (?, ?, ?, ?)",
                (question, reply.text, reply.tokens_in, reply.tokens_out),
            )
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()

    def _failure(self, error: Exception) -> GecbenchError:
        return GecbenchError(
            f"{self.path}: the cache of answers cannot be used: {error}; name another folder in "
            "cache, or cache=none to keep no answers"
        )
