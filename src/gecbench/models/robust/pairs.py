"""The pairs of contexts of a run, from perturbed cases or corpora that its configuration names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import read_lines
from gecbench.core.perturbed import PerturbedCase, Subset, Variant, samples_of
from gecbench.core.sample import Corpus
from gecbench.formats.perturbed import is_perturbed, read_perturbed
from gecbench.models.batches import Pair
from gecbench.models.robust.alignment import ContextPair
from gecbench.models.training.config import Kind, Robust, RunConfig
from gecbench.models.training.data import (
    ALL,
    TrainingData,
    draw_dev,
    file_hash,
    limit,
    read_corpus,
    read_dev_pairs,
    read_pairs,
    resolve,
    without_blanks,
)

SAME = "left out: perturbed source is the original"
EMPTY = "left out: empty"


class _Case(NamedTuple):
    """A case, the subset that it comes from, and the language, where the file has it."""

    case: PerturbedCase
    subset: str
    lang: str | None


def check_robust(config: RunConfig, kind: Kind) -> None:
    """Refuse a `[robust]` table that goes with neither the other tables nor the kind.

    Raises:
        UsageError: Names what contradicts it.
    """
    robust, data = config.robust, config.data
    if robust is None:
        return
    if kind.check_robust is None:
        raise UsageError(
            f"[robust] is not for kind {config.kind}, whose predictions are not compared yet; "
            "leave it out"
        )
    if robust.method == "cpr" and data.train:
        raise UsageError(
            'data.train: robust.method "cpr" learns from robust.cases alone; leave data.train out, '
            'or say robust.method = "r-drop"'
        )
    if robust.method == "cpr" and data.keep_correct:
        raise UsageError(
            "data.keep_correct chooses among the pairs of data.train; cases of robust.cases all "
            "stay, with or without errors, so leave it out"
        )
    if robust.method == "r-drop" and not robust.alpha:
        raise UsageError(
            'robust.alpha 0 with robust.method "r-drop" reads everything twice and compares '
            "nothing; leave [robust] out"
        )
    defaults = Robust(method="r-drop")
    for name in ("disagreeing", "skip_after", "sources_too") if robust.method == "r-drop" else ():
        if getattr(robust, name) != getattr(defaults, name):
            raise UsageError(
                f'robust.{name} is about sentences that were perturbed; robust.method "r-drop" '
                "compares each with itself, so leave it out"
            )
    kind.check_robust(config)


def read_context_pairs(config: RunConfig, home: Path) -> TrainingData[ContextPair]:
    """Read the pairs of contexts that a configuration with a `[robust]` table names.

    Args:
        config: Names the files.
        home: The folder that relative paths count from.

    Raises:
        CorpusError: Nothing is left to learn from, or to stop by.
        GecbenchError: A file cannot be read, or holds no perturbed cases.
    """
    if config.robust is None or config.robust.method == "r-drop":
        data = read_pairs(config, home)
        train, dev_pairs = _with_themselves(data.train), _with_themselves(data.dev_pairs)
        return TrainingData(train, data.dev, dev_pairs, data.counts, data.files)
    return _read_cases(config, config.robust.cases, home)


def distinct_pairs(pairs: Sequence[ContextPair]) -> tuple[Pair, ...]:
    """Collect the sides of pairs of contexts, each once; vocabularies are built from them."""
    return tuple(dict.fromkeys(chain.from_iterable(pairs)))


def _with_themselves(pairs: Sequence[Pair]) -> tuple[ContextPair, ...]:
    return tuple(ContextPair(pair, pair) for pair in pairs)


def _read_cases(config: RunConfig, names: Sequence[str], home: Path) -> TrainingData[ContextPair]:
    """Read perturbed cases: each original goes with each of its variants."""
    data, language, counts = config.data, config.language, Counter[str]()
    paths = [resolve(home, name) for name in names]
    files = {name: file_hash(path) for name, path in zip(names, paths, strict=True)}
    cases = [case for path in paths for case in _cases_in(path, language)]
    counts["cases read"] = len(cases)
    held = cases  # all variants of an original together
    if data.dev not in ("", ALL):
        path = resolve(home, data.dev)
        files[data.dev] = file_hash(path)
        dev, dev_pairs = _read_dev(path, language, counts)
    else:
        if not data.dev:
            chosen = draw_dev([case.case.original.source for case in cases], config)
            held = [case for case in cases if case.case.original.source in chosen]
        dev, dev_pairs = _dev_of(held, counts)
    if data.dev != ALL:
        bare = {without_blanks(sample.source) for sample in dev.samples}
        rest = [
            case
            for case in cases
            if bare.isdisjoint(without_blanks(variant.source) for variant in case.case.all)
        ]
        counts["left out: cases in dev"] = len(cases) - len(rest)
        cases = rest
    train = limit(list(_pair_up(cases, counts)), config, counts, paths, "perturbed pair")
    counts["dev sentences"] = len(dev.samples)
    if not dev_pairs:
        named = data.dev if data.dev not in ("", ALL) else ", ".join(map(str, paths))
        raise CorpusError(
            f"{named}: no perturbed pair is there to stop by: in all {len(dev.samples)} dev "
            "sentences the perturbed source is the original, or a side is empty; name other cases "
            "or a corpus as data.dev, or a larger share"
            if dev.samples
            else f"{named}: there is no dev case; name cases or a corpus as data.dev, or a larger "
            "share"
        )
    return TrainingData(tuple(train), dev, dev_pairs, dict(counts), files)


def _cases_in(path: Path, language: str) -> Iterator[_Case]:
    """Yield the cases in a file or folder.

    Raises:
        CorpusError: It is a corpus without perturbations, or of another language.
        GecbenchError: It cannot be read as cases.
    """
    if not path.is_dir() and not is_perturbed(read_lines(path)):
        raise CorpusError(
            f"{path}: holds no perturbed cases (blocks of O-S, O-T, A1-S, A1-T, ..., or what "
            "`gecbench perturb` writes); make them with `gecbench perturb`, or say robust.method = "
            '"r-drop", which needs none'
        )
    perturbed = read_perturbed(path)
    if perturbed.lang not in (None, language):
        raise CorpusError(
            f"{path}: its cases are in {perturbed.lang!r}, but the configuration says language = "
            f'"{language}"; name other cases, or the language of these'
        )
    for subset in perturbed.subsets:
        yield from (_Case(case, subset.name, perturbed.lang) for case in subset.cases)


def _read_dev(
    path: Path, language: str, counts: Counter[str]
) -> tuple[Corpus, tuple[ContextPair, ...]]:
    """Read the dev sentences in a file of cases, or in a corpus without perturbations."""
    if path.is_dir() or is_perturbed(read_lines(path)):
        return _dev_of(list(_cases_in(path, language)), counts)
    dev = read_corpus(path)
    return dev, _with_themselves(read_dev_pairs(dev, language, counts))


def _dev_of(cases: Sequence[_Case], counts: Counter[str]) -> tuple[Corpus, tuple[ContextPair, ...]]:
    """Return all sentences of cases as one corpus, and their pairs."""
    samples = tuple(
        replace(sample, id=f"{n}/{sample.id}")
        for n, case in enumerate(cases, 1)
        for sample in samples_of(Subset(case.subset, (case.case,)))
    )
    left_out = Counter[str]()
    pairs = tuple(_pair_up(cases, left_out))
    counts.update({f"dev pairs {name}": count for name, count in left_out.items()})
    return Corpus("dev", samples, cases[0].lang if cases else None), pairs


def _pair_up(cases: Sequence[_Case], counts: Counter[str]) -> Iterator[ContextPair]:
    """Yield each original with each of its variants; the counts say what is left out."""
    for case, subset, _ in cases:
        original = _pair(case.original, subset)
        for variant in case.variants:
            perturbed = _pair(variant, subset)
            if original is None or perturbed is None:
                counts[EMPTY] += 1
            elif variant.source.split() == case.original.source.split():
                counts[SAME] += 1
            else:
                yield ContextPair(original, perturbed)


def _pair(variant: Variant, subset: str) -> Pair | None:
    """Return the pair of a sentence; None where a side is empty."""
    if not variant.source.strip() or not variant.reference.strip():
        return None
    return Pair(variant.source, variant.reference, subset)
