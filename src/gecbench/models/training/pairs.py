"""The pairs of a run, from the files that its configuration names."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

import gecbench
from gecbench.core import seeding
from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import read_bytes
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.perturbed import is_perturbed, read_perturbed
from gecbench.formats.reading import read
from gecbench.formats.sources import stream_lines
from gecbench.formats.texts import text_of
from gecbench.models.pairs import Pair
from gecbench.models.training.config import Data

Item = TypeVar("Item")

_SAMPLE, ALL = "sample:", "train"
_LOOKED_AT = 200
"""Lines that tell whether a file holds perturbed cases: as many as `formats.sources` takes."""


@dataclass(frozen=True, slots=True)
class Given(Generic[Item]):
    """What a run learns from.

    Args:
        train: Pairs to learn, or twins of them (`robust.comparable`).
        dev: Sentences with references, to stop by.
        dev_pairs: Their pairs or twins, whose loss is watched.
        counts: What was read, kept and left out, in words a user understands.
        files: SHA-256 of each file, by its name in the configuration.
    """

    train: tuple[Item, ...]
    dev: Corpus
    dev_pairs: tuple[Item, ...]
    counts: Mapping[str, int]
    files: Mapping[str, str]


def read_given(data: Data, home: Path, *, language: str, seed: int) -> Given[Pair]:
    """Return the pairs that a configuration names.

    Args:
        data: Names the files.
        home: The folder that relative paths count from.
        language: Of all of them, where they do not say.
        seed: Chooses the dev sentences and the pairs without errors that stay.

    Raises:
        CorpusError: Nothing is left to learn from, or to stop by.
        GecbenchError: A file cannot be read.
    """
    counts: Counter[str] = Counter()
    paths = [path_of(home, name) for name in data.train]
    if not paths:
        raise CorpusError("data.train names no file; nothing can be learnt from nothing")
    read_ones = [(path, corpus_at(path)) for path in paths]
    files = {name: digest(path) for name, path in zip(data.train, paths, strict=True)}
    samples = [(sample, corpus) for _, corpus in read_ones for sample in corpus.samples]
    counts["sentences read"] = len(samples)
    if data.dev == ALL:
        dev = numbered([sample for sample, _ in samples], samples)
    elif data.dev:
        path = path_of(home, data.dev)
        dev = corpus_at(path)
        files[data.dev] = digest(path)
        samples = _without(samples, dev, counts)
    else:
        samples, dev = _divided(samples, data.dev_share, seed)
    found = [each for s, corpus in samples for each in pairs_of(s, corpus, language, counts)]
    train = _kept(found, data, seed, counts)
    if not train:
        left = ", ".join(f"{name}: {n}" for name, n in counts.items())
        named = ", ".join(map(str, paths))
        raise CorpusError(f"{named}: no pair is left to learn from ({left})")
    counts["dev sentences"] = len(dev.samples)
    held = held_pairs(dev, language, counts)
    return Given(tuple(train), dev, held, dict(counts), files)


def held_pairs(dev: Corpus, language: str, counts: Counter[str]) -> tuple[Pair, ...]:
    """Return the pairs of the dev sentences; what is left out goes into the counts.

    Raises:
        CorpusError: There is none.
    """
    if not dev.samples:
        raise CorpusError("there is no dev sentence; name a corpus as data.dev, or a larger share")
    left_out = Counter[str]()
    held = [pair for sample in dev.samples for pair in pairs_of(sample, dev, language, left_out)]
    counts.update({f"dev pairs {name}": count for name, count in left_out.items()})
    if not held:
        raise CorpusError(f"{dev.name}: no dev sentence has a reference that can be learnt from")
    return tuple(held)


def path_of(home: Path, name: str) -> Path:
    """Return the file that a configuration names; "sample:zh/corpus.jsonl" is a bundled one."""
    if name.startswith(_SAMPLE):
        return Path(gecbench.__file__).parent / "samples" / name.removeprefix(_SAMPLE)
    return home / name


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def corpus_at(path: Path) -> Corpus:
    """Return the corpus in a file; of perturbed cases it is all their sentences.

    Raises:
        FormatError: No sentence has a reference.
    """
    first = [*islice(stream_lines(path), _LOOKED_AT)]
    corpus = read_perturbed(path).corpus() if is_perturbed(first) else read(path)
    if not any(sample.references for sample in corpus.samples):
        raise FormatError(
            f"{path}:1: no sentence has a reference; a training corpus has a column of corrected "
            "sentences (id TAB source TAB target), as `gecbench data prepare` writes it"
        )
    return corpus


def _without(
    samples: list[tuple[Sample, Corpus]], dev: Corpus, counts: Counter[str]
) -> list[tuple[Sample, Corpus]]:
    """Return the samples whose source is no dev sentence."""
    held = {"".join(sample.source.split()) for sample in dev.samples}
    kept = [each for each in samples if "".join(each[0].source.split()) not in held]
    counts["left out: also in dev"] = len(samples) - len(kept)
    return kept


def _divided(
    samples: list[tuple[Sample, Corpus]], share: float, seed: int
) -> tuple[list[tuple[Sample, Corpus]], Corpus]:
    """Return samples for training, and a dev corpus of other sources."""
    sources = sorted({sample.source for sample, _ in samples})
    count = max(1, round(share * len(sources))) if share else 0
    chosen = set(random.Random(seeding.number(seed, "dev")).sample(sources, count))
    dev = [sample for sample, _ in samples if sample.source in chosen]
    train = [each for each in samples if each[0].source not in chosen]
    return train, numbered(dev, samples)


def numbered(dev: Sequence[Sample], samples: Sequence[tuple[Sample, Corpus]]) -> Corpus:
    """Return samples of several corpora, numbered anew, as one."""
    numbered = (replace(sample, id=str(n)) for n, sample in enumerate(dev, 1))
    return Corpus("dev", tuple(numbered), samples[0][1].lang if samples else None)


def pairs_of(sample: Sample, corpus: Corpus, language: str, counts: Counter[str]) -> list[Pair]:
    """Return a pair for each reference of a sentence."""
    if not sample.references:
        counts["left out: no reference"] += 1
    pairs = []
    for reference in sample.references:
        target = _target(sample, reference, corpus.lang or language)
        if target is None:
            counts["left out: unannotatable"] += 1
        elif not sample.source.strip() or not target.strip():
            counts["left out: empty"] += 1
        else:
            pairs.append(Pair(sample.source, target, corpus.name))
    return pairs


def _target(sample: Sample, reference: Rewrite, language: str) -> str | None:
    if reference.unannotatable:
        return None
    if reference.error_free:
        return sample.source
    return text_of(sample, reference, language)


def _kept(pairs: Sequence[Pair], data: Data, seed: int, counts: Counter[str]) -> list[Pair]:
    """Return the pairs with errors, and the share of others that stays."""
    chance = random.Random(seeding.number(seed, "correct"))
    kept = [
        pair for pair in pairs if pair.source != pair.target or chance.random() < data.keep_correct
    ]
    counts["left out: no error"] = len(pairs) - len(kept)
    if data.limit and len(kept) > data.limit:
        counts["left out: beyond the limit"] = len(kept) - data.limit
        kept = kept[: data.limit]
    counts["pairs"] = len(kept)
    counts["pairs without errors"] = sum(pair.source == pair.target for pair in kept)
    return kept
