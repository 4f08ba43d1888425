"""The twins of a run, from the perturbed cases or the corpora that its configuration names."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gecbench.core import seeding
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import read_lines
from gecbench.core.perturbed import PerturbedCase, Subset, Variant, samples_of
from gecbench.core.sample import Corpus
from gecbench.formats.perturbed import is_perturbed, read_perturbed
from gecbench.models.pairs import Pair
from gecbench.models.robust.comparable import Twin
from gecbench.models.training import pairs
from gecbench.models.training.config import Data, Robust, RunConfig
from gecbench.models.training.kinds import Kind
from gecbench.models.training.pairs import Given

SAME = "left out: perturbed source is the original"
EMPTY = "left out: empty"


class _Case(NamedTuple):
    """A case, the subset that it comes from, and the language, where somebody has said it."""

    case: PerturbedCase
    subset: str
    lang: str | None


def check_robust(config: RunConfig, kind: Kind) -> None:
    """Refuse a `[robust]` table that goes with neither the other tables nor the kind.

    Raises:
        UsageError: Names what contradicts it.
    """
    if (robust := config.robust) is None:
        return
    if kind.check_robust is None:
        raise UsageError(
            f"[robust] is not for kind {config.kind}, whose predictions are not compared yet; "
            "leave it out"
        )
    if robust.method == "cpr":
        _check_cases(config.data)
    else:
        _check_same(robust)
    kind.check_robust(config)


def _check_cases(data: Data) -> None:
    if data.train:
        raise UsageError(
            'data.train: robust.method "cpr" learns from robust.cases alone; leave data.train out, '
            'or say robust.method = "r-drop"'
        )
    if data.keep_correct:
        raise UsageError(
            "data.keep_correct chooses among the pairs of data.train; cases of robust.cases all "
            "stay, with or without errors, so leave it out"
        )


def _check_same(robust: Robust) -> None:
    if not robust.alpha:
        raise UsageError(
            'robust.alpha 0 with robust.method "r-drop" reads everything twice and compares '
            "nothing; leave [robust] out"
        )
    usual = Robust(method="r-drop")
    for name in ("disagreeing", "skip_after", "sources_too"):
        if getattr(robust, name) != getattr(usual, name):
            raise UsageError(
                f'robust.{name} is about sentences that were perturbed; robust.method "r-drop" '
                "compares each with itself, so leave it out"
            )


def read_twins(config: RunConfig, robust: Robust, home: Path) -> Given[Twin]:
    """Return the twins that a configuration names.

    Args:
        config: Names the files.
        robust: Its `[robust]` table.
        home: The folder that relative paths count from.

    Raises:
        CorpusError: Nothing is left to learn from, or to stop by.
        GecbenchError: A file cannot be read, or holds no perturbed cases.
    """
    if robust.method == "cpr":
        return _of_cases(config, robust, home)
    seed = config.training.seed
    given = pairs.read_given(config.data, home, language=config.language, seed=seed)
    return Given(_same(given.train), given.dev, _same(given.dev_pairs), given.counts, given.files)


def sides(twins: Sequence[Twin]) -> tuple[Pair, ...]:
    """Return the pairs of twins, each once, in their order; vocabularies are made from them."""
    return tuple(dict.fromkeys(side for twin in twins for side in twin))


def _same(each: Sequence[Pair]) -> tuple[Twin, ...]:
    return tuple(Twin(pair, pair) for pair in each)


def _of_cases(config: RunConfig, robust: Robust, home: Path) -> Given[Twin]:
    """Return the twins of perturbed cases."""
    data, counts = config.data, Counter[str]()
    paths = [pairs.path_of(home, name) for name in robust.cases]
    files = {name: digest(path) for name, path in zip(robust.cases, paths, strict=True)}
    cases = [each for path in paths for each in _cases_in(path, config.language)]
    counts["cases read"] = len(cases)
    if data.dev not in ("", pairs.ALL):
        path = pairs.path_of(home, data.dev)
        files[data.dev] = digest(path)
        dev, dev_twins = _dev_at(path, config.language, counts)
        cases = _without(cases, dev, counts)
    else:
        held = cases if data.dev == pairs.ALL else _drawn(cases, data.dev_share, config)
        dev, dev_twins = _corpus_of(held), _dev_twins(held, counts)
        cases = _without(cases, dev, counts) if data.dev == "" else cases
    train = _twins(cases, counts)
    if data.limit and len(train) > data.limit:
        counts["left out: beyond the limit"] = len(train) - data.limit
        train = train[: data.limit]
    counts["pairs"] = len(train)
    counts["dev sentences"] = len(dev.samples)
    _check(train, paths, counts)
    _check_dev(dev, dev_twins, data.dev, paths)
    return Given(tuple(train), dev, tuple(dev_twins), dict(counts), files)


def _check(train: Sequence[Twin], paths: Sequence[Path], counts: Mapping[str, int]) -> None:
    if not train:
        named = ", ".join(map(str, paths))
        left = ", ".join(f"{name}: {n}" for name, n in counts.items())
        raise CorpusError(f"{named}: no perturbed pair is left to learn from ({left})")


def _check_dev(dev: Corpus, twins: Sequence[Twin], name: str, paths: Sequence[Path]) -> None:
    if twins:
        return
    held = name if name not in ("", pairs.ALL) else ", ".join(map(str, paths))
    if dev.samples:
        raise CorpusError(
            f"{held}: no perturbed pair is there to stop by: in all {len(dev.samples)} dev "
            "sentences the perturbed source is the original, or a side is empty; name other cases "
            "or a corpus as data.dev, or a larger share"
        )
    raise CorpusError(
        f"{held}: there is no dev case; name cases or a corpus as data.dev, or a larger share"
    )


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of a folder's files.

    Hidden ones, which are not read either, do not count.
    """
    if not path.is_dir():
        return pairs.digest(path)
    inside = ((each.relative_to(path), each) for each in sorted(path.rglob("*")) if each.is_file())
    rows = (
        f"{name.as_posix()} {pairs.digest(each)}\n"
        for name, each in inside
        if not any(part.startswith(".") for part in name.parts)
    )
    return hashlib.sha256("".join(rows).encode("utf-8", errors="surrogateescape")).hexdigest()


def _cases_in(path: Path, language: str) -> Iterator[_Case]:
    """Yield the cases in a file or folder.

    Raises:
        CorpusError: It is a corpus without perturbations, or says that it is in another language.
        GecbenchError: It cannot be read as cases.
    """
    if not path.is_dir() and not is_perturbed(read_lines(path)):
        raise CorpusError(
            f"{path}: holds no perturbed cases (blocks of O-S, O-T, A1-S, A1-T, ..., or what "
            "`gecbench perturb` writes); make them with `gecbench perturb`, or say robust.method = "
            '"r-drop", which needs none'
        )
    found = read_perturbed(path)
    if found.lang not in (None, language):
        raise CorpusError(
            f"{path}: its cases are in {found.lang!r}, but the configuration says language = "
            f'"{language}"; name other cases, or the language of these'
        )
    for subset in found.subsets:
        yield from (_Case(case, subset.name, found.lang) for case in subset.cases)


def _dev_at(path: Path, language: str, counts: Counter[str]) -> tuple[Corpus, list[Twin]]:
    """Return the dev sentences in a file of cases, or in a corpus that nobody has perturbed."""
    if path.is_dir() or is_perturbed(read_lines(path)):
        held = list(_cases_in(path, language))
        return _corpus_of(held), _dev_twins(held, counts)
    dev = pairs.corpus_at(path)
    return dev, list(_same(pairs.held_pairs(dev, language, counts)))


def _drawn(cases: Sequence[_Case], share: float, config: RunConfig) -> list[_Case]:
    """Return the cases that are held back: by their originals, all variants together."""
    originals = sorted({each.case.original.source for each in cases})
    count = max(1, round(share * len(originals))) if share else 0
    seed = seeding.number(config.training.seed, "dev")
    chosen = set(random.Random(seed).sample(originals, count))
    return [each for each in cases if each.case.original.source in chosen]


def _without(cases: Sequence[_Case], dev: Corpus, counts: Counter[str]) -> list[_Case]:
    """Return the cases none of whose sentences is a dev sentence."""
    held = {_bare(sample.source) for sample in dev.samples}
    kept = [each for each in cases if held.isdisjoint(_bare(one.source) for one in each.case.all)]
    counts["left out: cases in dev"] = len(cases) - len(kept)
    return kept


def _corpus_of(cases: Sequence[_Case]) -> Corpus:
    """Return all sentences of cases, originals and variants, as one corpus."""
    samples = [
        replace(sample, id=f"{n}/{sample.id}")
        for n, each in enumerate(cases, 1)
        for sample in samples_of(Subset(each.subset, (each.case,)))
    ]
    return Corpus("dev", tuple(samples), cases[0].lang if cases else None)


def _twins(cases: Sequence[_Case], counts: Counter[str]) -> list[Twin]:
    """Return each original with each of its variants; what is left out goes into the counts."""
    return [twin for each in cases for twin in _twins_of(each, counts)]


def _dev_twins(cases: Sequence[_Case], counts: Counter[str]) -> list[Twin]:
    """Return the twins of dev cases; in the counts they have names of their own."""
    left_out = Counter[str]()
    twins = _twins(cases, left_out)
    counts.update({f"dev pairs {name}": count for name, count in left_out.items()})
    return twins


def _twins_of(each: _Case, counts: Counter[str]) -> Iterator[Twin]:
    original = _pair(each.case.original, each.subset)
    for variant in each.case.variants:
        perturbed = _pair(variant, each.subset)
        if original is None or perturbed is None:
            counts[EMPTY] += 1
        elif variant.source.split() == each.case.original.source.split():
            counts[SAME] += 1
        else:
            yield Twin(original, perturbed)


def _pair(variant: Variant, subset: str) -> Pair | None:
    """Return the pair of a sentence; None where a side is empty."""
    if not variant.source.strip() or not variant.reference.strip():
        return None
    return Pair(variant.source, variant.reference, subset)


def _bare(text: str) -> str:
    return "".join(text.split())
