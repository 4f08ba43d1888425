"""The training and dev pairs of a run, from the files that its configuration names."""

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
from gecbench.backends import hash_folder
from gecbench.core import seeding
from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import read_bytes, stream_lines
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.perturbed import is_perturbed, read_perturbed
from gecbench.formats.reading import read
from gecbench.formats.texts import advise_conversion, text_of
from gecbench.models.batches import SentencePair
from gecbench.models.training.config import RunConfig

Item = TypeVar("Item")

ALL = "train"
"""As data.dev: the training sentences themselves."""

_HEAD = 200
"""Lines that tell whether a file holds perturbed cases, as many as `formats.reading` takes."""


@dataclass(frozen=True, slots=True)
class TrainingData(Generic[Item]):
    """What a run learns from.

    Args:
        train: Pairs to learn, or pairs of contexts (`robust.pairs.ContextPair`).
        dev: Sentences with references, to stop by.
        dev_pairs: Their pairs, whose loss is computed.
        counts: What was read, kept and left out, in words a user understands.
        files: SHA-256 of each file, by its name in the configuration.
    """

    train: tuple[Item, ...]
    dev: Corpus
    dev_pairs: tuple[Item, ...]
    counts: Mapping[str, int]
    files: Mapping[str, str]


def read_pairs(config: RunConfig, home: Path) -> TrainingData[SentencePair]:
    """Read the pairs that a configuration names.

    Args:
        config: Names the files; its seed chooses the dev sentences and the pairs without errors
            that stay.
        home: The folder that relative paths count from.

    Raises:
        CorpusError: Nothing is left to learn from, or to stop by.
        GecbenchError: A file cannot be read.
    """
    data, language, counts = config.data, config.language, Counter[str]()
    paths = [locate_file(home, name) for name in data.train]
    if not paths:
        raise CorpusError("data.train names no file; nothing can be learnt from nothing")
    corpora = [read_corpus(path) for path in paths]
    files = {name: hash_file(path) for name, path in zip(data.train, paths, strict=True)}
    samples = [(sample, corpus) for corpus in corpora for sample in corpus.samples]
    counts["sentences read"] = len(samples)
    if data.dev not in ("", ALL):
        path = locate_file(home, data.dev)
        dev = read_corpus(path)
        files[data.dev] = hash_file(path)
        dev_texts = {without_blanks(sample.source) for sample in dev.samples}
        remaining = [item for item in samples if without_blanks(item[0].source) not in dev_texts]
        counts["left out: also in dev"] = len(samples) - len(remaining)
        samples = remaining
    else:
        sources = [sample.source for sample, _ in samples]
        dev_sources = set(sources) if data.dev == ALL else draw_dev(sources, config)
        numbers = enumerate((s for s, _ in samples if s.source in dev_sources), 1)
        renumbered = tuple(replace(sample, id=str(n)) for n, sample in numbers)
        dev = Corpus("dev", renumbered, samples[0][1].lang if samples else None)
        if data.dev != ALL:
            samples = [item for item in samples if item[0].source not in dev_sources]
    pairs = [pair for s, corpus in samples for pair in _pairs_of(s, corpus, language, counts)]
    chance = random.Random(seeding.number(config.training.seed, "correct"))
    train = [p for p in pairs if p.source != p.target or chance.random() < data.keep_correct]
    counts["left out: no error"] = len(pairs) - len(train)
    train = apply_limit(train, config, counts, paths, "pair")
    counts["pairs without errors"] = sum(pair.source == pair.target for pair in train)
    counts["dev sentences"] = len(dev.samples)
    dev_pairs = read_dev_pairs(dev, language, counts)
    return TrainingData(tuple(train), dev, dev_pairs, dict(counts), files)


def read_dev_pairs(dev: Corpus, language: str, counts: Counter[str]) -> tuple[SentencePair, ...]:
    """Collect the pairs of the dev sentences; what is left out is added to the counts.

    Raises:
        CorpusError: There is none.
    """
    if not dev.samples:
        raise CorpusError("there is no dev sentence; name a corpus as data.dev, or a larger share")
    left_out = Counter[str]()
    pairs = [pair for sample in dev.samples for pair in _pairs_of(sample, dev, language, left_out)]
    counts.update({f"dev pairs {name}": count for name, count in left_out.items()})
    if not pairs:
        raise CorpusError(f"{dev.name}: no dev sentence has a reference that can be learnt from")
    return tuple(pairs)


def locate_file(home: Path, name: str) -> Path:
    """Find the file that a configuration names; "sample:zh/corpus.jsonl" is a bundled one."""
    if name.startswith("sample:"):
        return Path(gecbench.__file__).parent / "samples" / name.removeprefix("sample:")
    return home / name


def hash_file(path: Path) -> str:
    """Hash a file (SHA-256), or the names and contents of a folder's files but hidden ones."""
    return hash_folder(path) if path.is_dir() else hashlib.sha256(read_bytes(path)).hexdigest()


def read_corpus(path: Path) -> Corpus:
    """Read the corpus in a file; of perturbed cases it is all their sentences.

    Raises:
        FormatError: No sentence has a reference.
    """
    head = [*islice(stream_lines(path), _HEAD)]
    try:
        corpus = read_perturbed(path).corpus() if is_perturbed(head) else read(path)
    except FormatError as error:
        raise advise_conversion(error) from error
    if not any(sample.references for sample in corpus.samples):
        raise FormatError(
            f"{path}:1: no sentence has a reference; a training corpus has a column of corrected "
            "sentences (id TAB source TAB target), as `gecbench data prepare` writes it"
        )
    return corpus


def draw_dev(sources: Sequence[str], config: RunConfig) -> set[str]:
    """Draw the share of the sources that is held back as dev sentences."""
    share, distinct = config.data.dev_share, sorted(set(sources))
    count = max(1, round(share * len(distinct))) if share else 0
    return set(random.Random(seeding.number(config.training.seed, "dev")).sample(distinct, count))


def apply_limit(
    train: list[Item], config: RunConfig, counts: Counter[str], paths: Sequence[Path], what: str
) -> list[Item]:
    """Cut training pairs to the limit of the configuration; the counts say how many.

    Raises:
        CorpusError: There is none.
    """
    limit = config.data.limit
    if limit and len(train) > limit:
        counts["left out: beyond the limit"] = len(train) - limit
        train = train[:limit]
    counts["pairs"] = len(train)
    if not train:
        reasons = ", ".join(f"{name}: {n}" for name, n in counts.items())
        names = ", ".join(map(str, paths))
        raise CorpusError(f"{names}: no {what} is left to learn from ({reasons})")
    return train


def without_blanks(text: str) -> str:
    """Remove all white space: sentences that differ in it alone are the same."""
    return "".join(text.split())


def _pairs_of(
    sample: Sample, corpus: Corpus, language: str, counts: Counter[str]
) -> list[SentencePair]:
    """Collect a pair for each reference of a sentence; the counts say what is left out."""
    if not sample.references:
        counts["left out: no reference"] += 1
    pairs = []
    for reference in sample.references:
        if reference.unannotatable:
            counts["left out: unannotatable"] += 1
            continue
        target = (
            sample.source
            if reference.error_free
            else text_of(sample, reference, corpus.lang or language)
        )
        if not sample.source.strip() or not target.strip():
            counts["left out: empty"] += 1
        else:
            pairs.append(SentencePair(sample.source, target))
    return pairs
