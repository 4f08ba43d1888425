"""Segmenters, by name, and whether texts are divided as those that they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gecbench.backends import SEGMENTERS
from gecbench.core.case import Case
from gecbench.core.errors import Message, UnknownNameError, UsageError, quote
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus
from gecbench.lang.zh.char import parse
from gecbench.scoring.cases import split_at_spaces

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A way to divide texts.

    Args:
        name: With the version of what does it; stands in signatures.
        divide: The tokens of a text.
    """

    name: str
    divide: Callable[[str], tuple[str, ...]]


SPACES = Segmenter("spaces", split_at_spaces)
"""Divides texts at white space."""


def split_characters(text: str) -> Tokens:
    """The characters of a text, as the Chinese schemes of edits take it."""
    return parse(text).tokens


_BUILT_IN: Mapping[str, Callable[[str], Tokens]] = {
    "spaces": split_at_spaces,
    "characters": split_characters,
}


def segmenter(name: str | None, corpus: Corpus) -> Segmenter:
    """The segmenter of that name; None means as the corpus is divided.

    Args:
        name: As "spaces", "characters", "jieba"; with a model after a colon where the program
            has several, as "ltp:FOLDER".
        corpus: Whose tokens show how it is divided: at white space, or else into characters.

    Raises:
        UnknownNameError: There is no such segmenter.
        MissingExtraError: Its program is not installed.
        ResourceError: Its model is not here.
    """
    if name is None:
        return _segmenter_like(corpus)
    kind, colon, model = name.partition(":")
    if kind in _BUILT_IN:
        if colon:
            raise UsageError(f"segmenter {kind} takes no model, as {model!r}; write {kind} alone")
        return Segmenter(kind, _BUILT_IN[kind])
    if kind not in SEGMENTERS:
        raise UnknownNameError("segmenter", name, [*_BUILT_IN, *SEGMENTERS])
    make = resolve("segmenter", kind, SEGMENTERS)
    return Segmenter(*cast("Callable[[str], tuple[str, Callable[[str], Tokens]]]", make)(model))


def _segmenter_like(corpus: Corpus) -> Segmenter:
    samples = [sample for sample in corpus.samples if sample.tokens]
    if all(" ".join(sample.tokens) == sample.source for sample in samples):
        return SPACES
    odd = next((s for s in samples if split_characters(s.source) != s.tokens), None)
    if odd is None:
        return Segmenter("characters", split_characters)

    def refuse(_: str) -> Tokens:
        raise UsageError(
            f"{corpus.name}: the tokens of sample {odd.id!r} are neither what white space "
            f"divides nor characters ({quote(' '.join(odd.tokens))}), so texts cannot be "
            "divided alike; choose a segmenter, or give texts with spaces between the tokens"
        )

    # Not refused at once: where edits are given on both sides, no text is divided.
    return Segmenter("as given", refuse)


def token_shares(cases: Sequence[Case]) -> list[float]:
    """How many tokens each text of a system has for each token of its source."""
    return [
        len(version.tokens) / len(case.tokens)
        for case in cases
        for version in case.hypotheses
        if version.tokens and len(case.tokens) > 1
    ]


def segmentation_notes(shares_of: Mapping[str, Sequence[float]]) -> list[str]:
    """Notes on systems whose texts are divided otherwise than the sources.

    Args:
        shares_of: The `token_shares` of each system.
    """
    notes: list[str] = []
    for system, unsorted in shares_of.items():
        shares = sorted(unsorted)
        share = shares[len(shares) // 2] if shares else 1.0
        if share < 0.5:
            notes.append(
                Message(
                    "{system}: looks unsegmented: the median text has {share:.2f} tokens for each "
                    "of its source; choose --segmenter",
                    system=system,
                    share=share,
                )
            )
        elif share > 1.4:
            notes.append(
                Message(
                    "{system}: looks divided finer than the sources: the median text has "
                    "{share:.2f} tokens for each of its source; choose another --segmenter",
                    system=system,
                    share=share,
                )
            )
    return notes


def segmenter_notes(segmenter: Segmenter, corpus: Corpus) -> list[str]:
    """A note if the segmenter does not divide all sources into the corpus's tokens.

    All but "spaces" are asked to divide them as texts come that nothing has divided: without
    the white space between tokens.
    """
    samples = [sample for sample in corpus.samples if sample.tokens]
    texts = (s.source if segmenter.name == "spaces" else "".join(s.tokens) for s in samples)
    pairs = zip(map(segmenter.divide, texts), samples, strict=True)
    alike = sum(tokens == sample.tokens for tokens, sample in pairs)
    if alike == len(samples):
        return []
    return [
        Message(
            "segmenter {segmenter} divides {alike} of {number} sources as {corpus} does; in the "
            "others, words that a system left alone can count as edits",
            segmenter=segmenter.name,
            alike=alike,
            number=len(samples),
            corpus=corpus.name,
        )
    ]
