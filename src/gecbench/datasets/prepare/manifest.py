"""What a preparation took in, dropped for which reason, and put out."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

SCHEMA = 1


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read.

    Args:
        path: As it was given.
        size: In bytes.
        sha256: Of its content.
    """

    path: str
    size: int
    sha256: str


class CorpusCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a corpus.

    `pairs` + `pieces` = the sum of `dropped` + `kept`, where a pair that was split counts as its
    first piece and `pieces` are the others.

    Args:
        name: In the recipe.
        files: Its own, then those of its references.
        notes: What its reader could not keep.
        weight: How often each of its pairs is written.
        sentences: Read.
        without_reference: Sentences that have no pair, because nobody corrected them.
        unannotatable: References that say so, which make no pair.
        inapplicable: References that are edits that overlap, which make no pair.
        pairs: One for each other reference.
        split: Pairs that were divided into their sentences.
        pieces: That came of it, beyond the first of each.
        cut: Pairs of which only the first sentences stay.
        dropped: Pairs by reason, in the order of the steps.
        kept: Pairs that passed all steps.
        dev: Of these, how many were put aside.
        written: Lines for training: the others, each as often as the weight says.
    """

    name: str
    files: tuple[Source, ...]
    notes: tuple[str, ...]
    weight: int
    sentences: int
    without_reference: int
    unannotatable: int
    inapplicable: int
    pairs: int
    split: int
    pieces: int
    cut: int
    dropped: Mapping[str, int]
    kept: int
    dev: int
    written: int


class EvaluationCounts(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation set that was filtered by.

    Args:
        file: That was read.
        sentences: Distinct ones in it, references included.
    """

    file: Source
    sentences: int


class NearExample(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that was dropped because it is like an evaluation sentence.

    Args:
        corpus: It is of.
        side: source or target.
        text: Of this side.
        evaluation: The sentence it is like, without white space, in NFKC.
        similarity: Jaccard's of their character n-grams, not rounded.
    """

    corpus: str
    side: str
    text: str
    evaluation: str
    similarity: float


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written.

    Args:
        path: As it was given.
        format: jsonl, mucgec or pairs.
        sentences: Lines, a header aside.
        references: In all of them.
        sha256: Of its content.
    """

    path: str
    format: str
    sentences: int
    references: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A preparation. The same inputs, recipe and version give the same files.

    Args:
        schema: Of the file that this is written to.
        gecbench: Version.
        unicode: Version of the tables that texts were compared by.
        recipe: All its keys, defaults included, but for the corpora.
        normalise: The changes with the versions of what makes them.
        evaluation: Sets that were filtered by.
        evaluation_sentences: Distinct ones in all of them.
        corpora: In the order of the recipe.
        near_examples: The first pairs that were dropped for being like an evaluation sentence.
        outputs: Training data, then the sentences put aside, if any.
    """

    schema: int = SCHEMA
    gecbench: str
    unicode: str
    recipe: Mapping[str, object]
    normalise: tuple[str, ...]
    evaluation: tuple[EvaluationCounts, ...]
    evaluation_sentences: int
    corpora: tuple[CorpusCounts, ...]
    near_examples: tuple[NearExample, ...]
    outputs: tuple[Output, ...]


def encode_manifest(manifest: Manifest) -> bytes:
    """Encode the manifest as JSON."""
    import json

    text = json.dumps(msgspec.to_builtins(manifest), ensure_ascii=False, indent=2)
    return f"{text}\n".encode()
