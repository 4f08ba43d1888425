"""Pairs of contexts: read from what a configuration names, and where both are corrected alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.perturbed import Subset, samples_of
from gecbench.core.sample import Corpus
from gecbench.edits.alignment import changes
from gecbench.formats.perturbed import holds_perturbed, read_perturbed
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.training.config import RobustTable, RunConfig
from gecbench.models.training.data import (
    ALL,
    TrainingData,
    apply_limit,
    draw_dev,
    hash_file,
    locate_file,
    read_corpus,
    read_dev_pairs,
    read_pairs,
    without_blanks,
)
from gecbench.models.training.task import TrainingKind
from gecbench.text.tokens import Token, tokens_of

Span = tuple[int, int]
PlacePairs = tuple[tuple[int, int], ...]
"""Pairs of places in two examples, ascending in both."""


class DecoderTarget(NamedTuple):
    """A target as a decoder writes it, token by token.

    Args:
        text: The target.
        ids: Of its tokens, without what opens and closes it.
        spans: Where they stand in the text: half-open character spans, perhaps with white space.
        first: The place of the first of them, as `ComparableTask.matches` counts places.
        end: The place of the end; a truncated example has none and stops there.
        complete: Whether the end stands there because the text ends.
        opening: Places right before the first that hold what every target begins with.
    """

    text: str
    ids: Sequence[int]
    spans: Sequence[Span]
    first: int
    end: int
    complete: bool
    opening: int = 0


def align_tokens(
    original: Sequence[str], perturbed: Sequence[str], *, skip_after: int = 0
) -> PlacePairs:
    """Find the places of equal tokens in a least-cost alignment, ascending.

    Args:
        original: Tokens of the original.
        perturbed: Tokens of the perturbed sentence.
        skip_after: So many equal tokens right after each change are left out.

    >>> align_tokens("I go to school".split(), "I often go to work".split())
    ((0, 0), (1, 2), (2, 3))
    >>> align_tokens("他去学校了", "我去学校了", skip_after=1)
    ((2, 2), (3, 3), (4, 4))
    """
    matches: list[tuple[int, int]] = []
    start = shift = 0
    for edit in changes(original, perturbed):
        matches += ((i, i + shift) for i in range(start, edit.start))
        shift += len(edit.replacement or ()) - (edit.end - edit.start)
        start = edit.end + skip_after
    matches += ((i, i + shift) for i in range(start, len(original)))
    return tuple(matches)


def align_targets(
    pair: ContextPair,
    original: DecoderTarget,
    perturbed: DecoderTarget,
    robust: RobustTable,
    kind: str,
) -> PlacePairs:
    """Find the places at which two targets are to be predicted alike.

    A token is compared where the words that it belongs to stand in both targets and consist of
    the same tokens there, white space before them included; the end always is, and so is what
    every target begins with.

    Args:
        pair: Where the targets come from.
        original: The target of the original.
        perturbed: The target of the perturbed one.
        robust: Says which places to leave out.
        kind: Of words, a name of `text.tokens`.
    """
    words, others = tokens_of(original.text, kind), tokens_of(perturbed.text, kind)
    same = _equal_words(words, others, robust.skip_after)
    if robust.sources_too:
        same = _with_equal_sources(pair, words, others, same, kind)
    tokens_in = dict(_group_words(others, perturbed.spans))
    matches: list[tuple[int, int]] = []
    for (start, end), (first, last) in _group_words(words, original.spans):
        images = [same[word] for word in range(start, end) if word in same]
        if len(images) < end - start or images[-1] - images[0] != end - 1 - start:
            continue
        other_first, other_last = tokens_in.get((images[0], images[-1] + 1), (0, 0))
        if [*original.ids[first:last]] == [*perturbed.ids[other_first:other_last]]:
            matches += zip(range(first, last), range(other_first, other_last), strict=True)
    matches = [(original.first + i, perturbed.first + j) for i, j in matches]
    matches = [(i, j) for i, j in matches if i < original.end and j < perturbed.end]
    if original.complete and perturbed.complete:
        matches.append((original.end, perturbed.end))
    opening = ((original.first - k, perturbed.first - k) for k in range(original.opening, 0, -1))
    return (*opening, *matches)


def check_decoder(robust: RobustTable | None) -> None:
    """Refuse what the predictions of a decoder cannot honour of a `[robust]` table.

    Raises:
        UsageError: Names the option.
    """
    if robust is not None and robust.heads != "labels":
        raise UsageError(
            f'robust.heads "{robust.heads}": only a tagger detects; a decoder says tokens alone, '
            "so leave it out"
        )
    if robust is not None and robust.disagreeing != "skip":
        raise UsageError(
            f'robust.disagreeing "{robust.disagreeing}": a decoder is compared where it is to say '
            "the same token, so nothing disagrees; leave it out"
        )


def check_dropout(
    robust: RobustTable | None, settings: Mapping[str, object], *others: float
) -> None:
    """Refuse R-Drop of a network that says the same twice: there is nothing to bring together.

    Args:
        robust: The table, if there is one.
        settings: Of the network, by the names of transformers.
        others: Shares that are dropped beside those of the settings.

    Raises:
        UsageError: Nothing is dropped.
    """
    if robust is None or robust.method != "r-drop":
        return
    # "classifier_" and "summary_" are heads for classes: there are none here, so nothing drops.
    shares = [
        share
        for name, share in settings.items()
        if "drop" in name and not name.startswith(("classifier_", "summary_"))
    ]
    if not any(isinstance(share, float) and share > 0 for share in (*shares, *others)):
        raise UsageError(
            'robust.method "r-drop" compares two passes under different dropouts, and nothing is '
            "dropped; raise model.dropout"
        )


def _equal_words(
    words: Sequence[Token], others: Sequence[Token], skip_after: int = 0
) -> dict[int, int]:
    """Map words to the equal ones of another text."""
    texts = [word.text for word in words], [word.text for word in others]
    return dict(align_tokens(*texts, skip_after=skip_after))


def _with_equal_sources(
    pair: ContextPair,
    words: Sequence[Token],
    others: Sequence[Token],
    same: Mapping[int, int],
    kind: str,
) -> dict[int, int]:
    """Select the words that come from source words which are equal, too."""
    source, perturbed = (tokens_of(side.source, kind) for side in pair)
    between = _equal_words(source, perturbed)
    origins, other_origins = _origins(source, words), _origins(perturbed, others)
    return {
        word: image
        for word, image in same.items()
        if [between.get(origin) for origin in origins[word]] == [*other_origins[image]]
    }


def _origins(source: Sequence[Token], target: Sequence[Token]) -> list[range]:
    """Find the source words that each target word comes from; none for what was inserted."""
    origins: list[range] = []
    start = 0
    for edit in changes([word.text for word in source], [word.text for word in target]):
        origins += (range(k, k + 1) for k in range(start, edit.start))
        origins += [range(edit.start, edit.end)] * len(edit.replacement or ())
        start = edit.end
    return [*origins, *(range(k, k + 1) for k in range(start, len(source)))]


def _group_words(words: Sequence[Token], spans: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Yield spans of words with the span of their tokens, together where they share a token.

    A token without a character of a word, as the blank of a byte-level vocabulary may be, belongs
    to the word after it; tokens after the last word belong to none.
    """
    first = low = high = last = 0  # `first` is the group's first token; `last` follows its last
    start = -1  # the group's first word; -1 before there is one
    for token, (begin, end) in enumerate(spans):
        while low < len(words) and words[low].end <= begin:
            low += 1
        until = low
        while until < len(words) and words[until].start < end:
            until += 1
        if until == low:
            continue
        if low >= high:
            if start >= 0:
                yield (start, high), (first, last)
            start, first = low, last
        high, last = max(high, until), token + 1
    if start >= 0:
        yield (start, high), (first, last)


# The pairs of a run, from perturbed cases or corpora that its configuration names.


SAME = "left out: perturbed source is the original"
EMPTY = "left out: empty"


def check_robust_table(config: RunConfig, kind: TrainingKind) -> None:
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
    defaults = RobustTable(method="r-drop")
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


def distinct_pairs(pairs: Sequence[ContextPair]) -> tuple[SentencePair, ...]:
    """Collect the sides of pairs of contexts, each once; vocabularies are built from them."""
    return tuple(dict.fromkeys(chain.from_iterable(pairs)))


def _with_themselves(pairs: Sequence[SentencePair]) -> tuple[ContextPair, ...]:
    return tuple(ContextPair(pair, pair) for pair in pairs)


def _read_cases(config: RunConfig, names: Sequence[str], home: Path) -> TrainingData[ContextPair]:
    """Read perturbed cases: each original goes with each of its variants."""
    data, language, counts = config.data, config.language, Counter[str]()
    paths = [locate_file(home, name) for name in names]
    files = {name: hash_file(path) for name, path in zip(names, paths, strict=True)}
    cases = [case for path in paths for case in _cases_in(path, language)]
    counts["cases read"] = len(cases)
    if data.dev not in ("", ALL):
        path = locate_file(home, data.dev)
        files[data.dev] = hash_file(path)
        if holds_perturbed(path):
            dev, dev_pairs = _dev_of(list(_cases_in(path, language)), language, counts)
        else:
            dev = read_corpus(path)
            dev_pairs = _with_themselves(read_dev_pairs(dev, language, counts))
    else:
        sources = [case.cases[0].original.source for case in cases]
        dev_sources = set(sources) if data.dev == ALL else draw_dev(sources, config)
        # All variants of an original stay together.
        dev_cases = [
            case for case, source in zip(cases, sources, strict=True) if source in dev_sources
        ]
        dev, dev_pairs = _dev_of(dev_cases, language, counts)
    if data.dev != ALL:
        dev_texts = {without_blanks(sample.source) for sample in dev.samples}
        remaining = [
            case
            for case in cases
            if dev_texts.isdisjoint(without_blanks(v.source) for v in case.cases[0].all)
        ]
        counts["left out: cases in dev"] = len(cases) - len(remaining)
        cases = remaining
    train = apply_limit(list(_pair_up(cases, counts)), config, counts, paths, "perturbed pair")
    counts["dev sentences"] = len(dev.samples)
    if not dev_pairs:
        where = data.dev if data.dev not in ("", ALL) else ", ".join(map(str, paths))
        raise CorpusError(
            f"{where}: no perturbed pair is there to stop by: in all {len(dev.samples)} dev "
            "sentences the perturbed source is the original, or a side is empty; name other cases "
            "or a corpus as data.dev, or a larger share"
            if dev.samples
            else f"{where}: there is no dev case; name cases or a corpus as data.dev, or a larger "
            "share"
        )
    return TrainingData(tuple(train), dev, dev_pairs, dict(counts), files)


def _cases_in(path: Path, language: str) -> Iterator[Subset]:
    """Yield the cases in a file or folder, each as a subset of one case.

    Raises:
        CorpusError: It is a corpus without perturbations, or of another language.
        GecbenchError: It cannot be read as cases.
    """
    if not holds_perturbed(path):
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
        yield from (Subset(subset.name, (case,)) for case in subset.cases)


def _dev_of(
    cases: Sequence[Subset], language: str, counts: Counter[str]
) -> tuple[Corpus, tuple[ContextPair, ...]]:
    """Collect all sentences of cases as one corpus, and their pairs."""
    samples = tuple(
        replace(sample, id=f"{n}/{sample.id}")
        for n, case in enumerate(cases, 1)
        for sample in samples_of(case)
    )
    left_out = Counter[str]()
    pairs = tuple(_pair_up(cases, left_out))
    counts.update({f"dev pairs {name}": count for name, count in left_out.items()})
    return Corpus("dev", samples, language), pairs


def _pair_up(cases: Sequence[Subset], counts: Counter[str]) -> Iterator[ContextPair]:
    """Yield each original with each of its variants; the counts say what is left out."""
    for subset in cases:
        (case,) = subset.cases
        for variant in case.variants:
            sides = (case.original, variant)
            pair = ContextPair(*(SentencePair(side.source, side.reference) for side in sides))
            if not all(text.strip() for side in pair for text in side):
                counts[EMPTY] += 1
            elif variant.source.split() == case.original.source.split():
                counts[SAME] += 1
            else:
                yield pair
