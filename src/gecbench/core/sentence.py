"""A sentence and its tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenAttributes:
    """What a pipeline says of each token of a sentence; the tuples are as long as its tokens.

    Args:
        lemmas: Base forms, as the pipeline writes them.
        pos: Coarse parts of speech of Universal Dependencies, as "NOUN".
        tags: Fine tags, as "NNS"; of the Penn Treebank in English.
        deps: Dependency labels, as "nsubj"; () where the sentence was not parsed.
        heads: Place of each token's head, its own at a root; () where not parsed.
    """

    lemmas: tuple[str, ...]
    pos: tuple[str, ...]
    tags: tuple[str, ...]
    deps: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text and the tokens that its language found in it.

    Args:
        text: The text as it was read; it may hold white space that no token has.
        tokens: Surface forms in text order. Every token occurs in `text` after the one before
            it, with nothing but white space between them, so `text.tokens.spans` can find the
            character offsets again without their being stored: Chinese scoring makes some
            hundred thousand tokens and asks for the offsets of none.
        codes: The tokens as native 32-bit integers, equal exactly where the tokens are equal;
            what the Chinese alignment kernel reads. Empty where the scheme does not need it.
        words: What a pipeline says of the tokens, where the scheme asks one.
    """

    text: str
    tokens: tuple[str, ...]
    codes: bytes = b""
    words: TokenAttributes | None = None
