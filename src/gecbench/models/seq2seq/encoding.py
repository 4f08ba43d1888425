"""Between texts and token ids; needs `tokenizers` alone, so that every runtime shares it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from gecbench.core.errors import GecbenchError
from gecbench.models.seq2seq.surface import surfaces_of
from gecbench.models.seq2seq.units import Unit, read_units, written_units

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Specials(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What stands around texts, in token ids.

    Args:
        before: What opens a source, as <s>, [CLS] or a language.
        after: What closes it, as </s> or [SEP].
        start: What the decoder begins with.
        forced: What every answer begins with, as <s>, [CLS] or a language; () where the decoder
            says such by itself.
        end: What ends an answer.
        pad: What fills batches.
        unknown: What unknown characters become; None where there are none, as in byte-level
            vocabularies.
        dropped: Special tokens that may occur in answers and mean nothing there.
        prefix: Text before every source (T5).
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    start: int
    forced: tuple[int, ...] = ()
    end: int
    pad: int
    unknown: int | None
    dropped: tuple[int, ...] = ()
    prefix: str = ""


class Source(NamedTuple):
    """A source as the encoder reads it.

    Args:
        ids: Specials included.
        units: What the model sees of the text, character by character, with its place there.
    """

    ids: tuple[int, ...]
    units: tuple[Unit, ...]


class Reading(Protocol):
    """What correctors and tasks ask of an encoding, whatever its units are."""

    @property
    def specials(self) -> Specials:
        """What stands around texts."""
        ...

    def source(self, text: str) -> Source:
        """Return a source as the encoder reads it, however long it is."""
        ...

    def source_ids(self, text: str) -> tuple[int, ...]:
        """Return the ids of that alone, which is less work."""
        ...

    def target(self, text: str) -> tuple[int, ...]:
        """Return what the decoder is to say for a text, the end included."""
        ...

    def answer(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        """Return what an answer says; ids that mean nothing there are left out."""
        ...


class Encoding:
    """Turns sources into ids and answers into units."""

    def __init__(self, tokenizer: Tokenizer, specials: Specials, *, name: str) -> None:
        """Read how the tokenizer writes its tokens.

        Args:
            tokenizer: Of the `tokenizers` library; it neither pads nor truncates from now on.
            specials: What stands around texts.
            name: What the model is called in failures.

        Raises:
            GecbenchError: The tokenizer joins tokens to text in a way that is not known.
        """
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # A text may hold "</s>" or "[MASK]": there they are characters like others.
        tokenizer.encode_special_tokens = True
        self.tokenizer = tokenizer
        self.specials = specials
        description: Mapping[str, Any] = json.loads(tokenizer.to_str())
        special = {each["id"] for each in description["added_tokens"] if each["special"]}
        if specials.unknown is not None:
            special.discard(specials.unknown)
        self._dropped = special | set(specials.dropped)
        added = {each["id"] for each in description["added_tokens"]}
        self._surface = surfaces_of(description, name)
        self._added = added

    def source(self, text: str) -> Source:
        """Return a source as the encoder reads it, however long it is."""
        prefix = self.specials.prefix
        found = self.tokenizer.encode(prefix + text, add_special_tokens=False)
        plain = self._plain(found.ids)
        pieces = [
            (self._piece(each), start - len(prefix), end - len(prefix))
            for each, (start, end) in zip(plain, found.offsets, strict=True)
            if end > len(prefix)
        ]
        return Source(self._surrounded(plain), read_units(text, pieces))

    def source_ids(self, text: str) -> tuple[int, ...]:
        """Return the ids of that alone, which is less work."""
        found = self.tokenizer.encode(self.specials.prefix + text, add_special_tokens=False)
        return self._surrounded(self._plain(found.ids))

    def _surrounded(self, ids: Sequence[int]) -> tuple[int, ...]:
        return (*self.specials.before, *ids, *self.specials.after)

    def target(self, text: str) -> tuple[int, ...]:
        """Return what the decoder is to say for a text; what is forced it learns, too."""
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return (*self.specials.forced, *self._plain(ids), self.specials.end)

    def _plain(self, ids: Sequence[int]) -> list[int]:
        """Return the ids of a text; a special one, which SentencePiece may find, is unknown."""
        unknown = self.specials.unknown
        if unknown is None:
            return list(ids)
        return [unknown if each in self._dropped else each for each in ids]

    def answer(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        """Return what an answer says; ids that mean nothing there are left out."""
        size = self.tokenizer.get_vocab_size(with_added_tokens=True)
        return written_units(
            [self._piece(each) for each in ids if each not in self._dropped and each < size]
        )

    def _piece(self, token: int) -> tuple[bytes | None, str]:
        """Return the bytes of a token and how it joins what is before it; no bytes are unknown."""
        if token == self.specials.unknown:
            return None, "?"
        text = self.tokenizer.id_to_token(token)
        if text is None:
            raise GecbenchError(f"token {token} is not in the vocabulary")
        return (text.encode(), "?") if token in self._added else self._surface(text)
