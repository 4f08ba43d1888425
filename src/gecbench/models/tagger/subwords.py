"""The subwords of a pretrained encoder, cut by the library `tokenizers` alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import FormatError, MissingExtraError
from gecbench.core.files import read_bytes, write_bytes

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_FILE = "tokenizer.json"


class Subwords:
    """Cuts tokens as a fast tokenizer does."""

    def __init__(self, content: str) -> None:
        """Take the JSON of a tokenizer.

        Raises:
            MissingExtraError: `tokenizers` is not installed.
            ValueError: It is no tokenizer.
        """
        if find_spec("tokenizers") is None:
            raise MissingExtraError("tokenizers", "onnx")
        from tokenizers import Tokenizer

        self._content = _with_leading_space(content)
        try:
            self._tokenizer: Tokenizer = Tokenizer.from_str(self._content)
        except Exception as error:  # tokenizers raises nothing narrower
            raise ValueError(str(error).splitlines()[0]) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # "[SEP]" in a learner's text is four tokens of text, never an end.
        self._tokenizer.encode_special_tokens = True

    @property
    def size(self) -> int:
        """One more than the highest id."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    def cut(self, tokens: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the ids of each token's subwords; () where the tokenizer drops it."""
        encoded = self._tokenizer.encode_batch_fast(
            [[token.encode(errors="replace").decode()] for token in tokens],
            is_pretokenized=True,
            add_special_tokens=False,
        )
        return [tuple(each.ids) for each in encoded]

    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the ids that open and close a sentence, as [CLS] and [SEP]."""
        found = self._tokenizer.encode(["a"], is_pretokenized=True, add_special_tokens=True)
        inside = [place for place, word in enumerate(found.word_ids) if word is not None]
        if not inside:
            return (), ()
        return tuple(found.ids[: inside[0]]), tuple(found.ids[inside[-1] + 1 :])

    def save(self, folder: Path) -> None:
        """Write the tokenizer."""
        write_bytes(folder / _FILE, self._content.encode())


def subwords_in(folder: Path) -> Subwords:
    """Return the tokenizer that a model's folder holds.

    Raises:
        FormatError: The file is no tokenizer.
    """
    path = folder / _FILE
    content = read_bytes(path)
    try:
        return Subwords(content.decode())
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are such
        raise FormatError(f"{path}: is no tokenizer: {error}; make the folder again") from error


def _with_leading_space(content: str) -> str:
    """Return a tokenizer's JSON that takes every token for one behind a blank.

    RoBERTa's pieces tell "a word after a blank" from "a word inside"; tokens come one by one.
    """
    tables = json.loads(content)
    if not isinstance(tables, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - as of any other content
    pending = [tables.get("pre_tokenizer")]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            if part.get("type") == "ByteLevel":
                part["add_prefix_space"] = True
            pending += part.get("pretokenizers") or []
    return json.dumps(tables, ensure_ascii=False)
