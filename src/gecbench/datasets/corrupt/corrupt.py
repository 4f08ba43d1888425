"""Corrupting the correct texts of a corpus by a profile, and writing the pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, cast

import msgspec

from gecbench import __version__
from gecbench.core.errors import CorpusError, count_noun
from gecbench.core.files import (
    STDIO,
    check_target,
    encode_text,
    explain_errors,
    name_of,
    temporary_file,
    write_stream,
)
from gecbench.core.options import Workers, check_jobs
from gecbench.core.processes import cores, map_in_processes
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus, Sample
from gecbench.datasets.corrupt.profile import FittedType, Profile, check_profile, digest_of, kind_of
from gecbench.edits.corruption import (
    AnyOf,
    CorruptedText,
    Corruption,
    Draw,
    ErrorSampler,
    Rule,
    draws,
    key_of,
)
from gecbench.formats.reading import stream_corpus
from gecbench.formats.table import Columns
from gecbench.formats.texts import text_of
from gecbench.lang import CORRUPTIONS
from gecbench.lang.zh.char import PLACEHOLDER

# A corruptor of a profile.


TOO_SHORT, TOO_LONG, PLACEHOLDERS = (
    "shorter than shortest",
    "longer than longest",
    "has a placeholder",
)


class Outcome(NamedTuple):
    """What became of a sentence.

    Args:
        corrupted: With its errors; None where it is left as it is.
        goal: Errors that were drawn.
        units: Characters or tokens of the correct text.
        dropped: Why it is left out; "" where it is not.
    """

    corrupted: CorruptedText | None
    goal: int
    units: int
    dropped: str = ""


Corruptor = Callable[[str, Draw], Outcome]
"""Corrupts a text, by the random numbers of its own."""


def load_corruption(profile: Profile, cherrant_shapes: Callable[[], bytes]) -> Corruption[Any]:
    """How texts in the language of a profile are corrupted.

    Args:
        profile: For the language, and what its rules depend on.
        cherrant_shapes: Reads the table of shapes of ChERRANT's data set.

    Raises:
        UsageError: The profile sets a key that is for another language.
        MissingExtraError: A segmenter is not installed.
    """
    load = resolve("language", profile.language, CORRUPTIONS)
    return cast("Callable[..., Corruption[Any]]", load)(profile, cherrant_shapes)


def load_corruptor(
    profile: Profile, origin: str, cherrant_shapes: Callable[[], bytes]
) -> Corruptor:
    """A function that corrupts texts as a profile says.

    Args:
        profile: How.
        origin: What it is called in failures.
        cherrant_shapes: Reads the table of shapes of ChERRANT's data set.

    Raises:
        UnknownNameError: The profile names a type that there is not.
        UsageError: It sets a key that is for another language.
        FormatError: It cannot be followed.
        MissingExtraError: A type needs what is not installed.
    """
    corruption = load_corruption(profile, cherrant_shapes)
    check_profile(profile, corruption, origin)
    fitted = {type_.name: type_ for type_ in profile.fitted}
    rules = {
        name: _rule_of_type(fitted[name], corruption)
        if name in fitted
        else corruption.types[name]()
        for name, weight in profile.types.items()
        if weight
    }
    view_of, size, apply = corruption.view, corruption.size, corruption.apply
    shortest, longest = profile.shortest, profile.longest
    sampler = ErrorSampler(rules, profile.types, profile.errors, profile.correct)

    def corrupt(text: str, draw: Draw) -> Outcome:
        view = view_of(text)
        units = size(view)
        if not shortest <= units <= longest:
            return Outcome(None, 0, units, TOO_SHORT if units < shortest else TOO_LONG)
        if PLACEHOLDER in text:
            return Outcome(None, 0, units, PLACEHOLDERS)
        goal, errors = sampler.sample(view, draw)
        while errors:
            corrupted = apply(view, errors)
            if corrupted.text != text:
                return Outcome(corrupted, goal, units)
            # The last two errors undo one another, as in a row of equal characters.
            errors = errors[:-1]
        return Outcome(None, goal, units)

    return corrupt


Numbered = tuple[int, "Text"]
"""The place of a sentence in its file, from 1, with what stands there."""


@dataclass(frozen=True)
class TextCorruptor:
    """Corrupts the texts of a file, in any process, by a profile and random numbers of each place.

    Args:
        profile: How.
        name: What the profile is called.
        cherrant_shapes: Reads the table of shapes of ChERRANT's data set.
        seed: Of all that is random.
    """

    profile: Profile
    name: str
    cherrant_shapes: Callable[[], bytes]
    seed: int

    def check(self) -> None:
        """Refuse a profile before anything is read and written; see `load_corruptor`."""
        _ = self._corrupt

    @cached_property
    def _corrupt(self) -> Corruptor:
        return load_corruptor(self.profile, self.name, self.cherrant_shapes)

    def __call__(self, texts: Sequence[Numbered]) -> list[tuple[Text, Outcome | None]]:
        """Corrupt texts; there is no outcome of one that is empty or not there."""
        key = key_of(self.seed, "corrupt")
        return [
            (row, self._corrupt(row[1], draws(key, number)) if row[1] and row[1].strip() else None)
            for number, row in texts
        ]


def _rule_of_type(fitted: FittedType, corruption: Corruption[Any]) -> Rule[Any]:
    """The rule of a fitted type: its confusions, and general rules for the rest of its edits."""
    rules: list[Rule[Any]] = []
    table = _by_right(fitted)
    anywhere = table.pop("", None)
    if table:
        rules.append(corruption.confusions(table))
    if anywhere:
        rules.append(corruption.insertions(anywhere[0]))
    share = max(1 - fitted.rest, _LEAST)
    weights = [share / len(rules)] * len(rules) if rules else []
    if fitted.moves:
        rules.append(corruption.exchange({(left, right): n for left, right, n in fitted.moves}))
        weights.append(sum(n for _, _, n in fitted.moves) / max(1, fitted.edits))
    rest = [corruption.types[name]() for name in fitted.by]
    kind = kind_of(fitted.lengths)
    if kind == "omission":
        rest.append(corruption.omission({(w, r): n for w, r, n in fitted.lengths if not w}))
    elif kind == "repetition":
        rest.append(corruption.repetition({(w, r): n for w, r, n in fitted.lengths if not r}))
    if rest and (fitted.rest or not rules):
        rules += rest
        weights += [max(fitted.rest, _LEAST) / len(rest)] * len(rest)
    return AnyOf(rules, weights)


_LEAST = 1e-6


def _by_right(fitted: FittedType) -> dict[str, tuple[dict[str, float], float]]:
    """What is right to what was written instead with counts, and the rate of errors."""
    table: dict[str, tuple[dict[str, float], float]] = {}
    for right, wrong, count, occurrences in fitted.confusions:
        counts, rate = table.get(right, ({}, 0.0))
        counts[wrong] = counts.get(wrong, 0) + count
        table[right] = counts, rate + count / max(1, occurrences)
    return table


# What became of the sentences of a file.


EMPTY, UNANNOTATABLE = "empty", "no corrected text"
UNMADE = "no place for any error"


class Counts(msgspec.Struct):
    """What was made, in numbers.

    Attributes:
        sentences: Correct texts that were read.
        written: Pairs.
        with_errors: Pairs whose source has at least one.
        left_correct: Pairs that were drawn to be left as they are.
        unmade: Sentences that were to get errors and have no place for any.
        left_out: Sentences that are not written, by reason.
        drawn: Errors that were drawn.
        made: Errors that were made.
        types: Errors by type, the most frequent first.
        shares: What the profile asks for, by type, as a share of all errors.
        errors: Pairs by number of errors.
        units: Characters (Chinese) or tokens (English) of the correct texts that are written.
        changed: Of these, how many the errors replace or leave out.
        added: Characters or tokens that stand in their place, or are too much.
        of_errors: Errors by length, as "1>0": units in the text with errors > in the correct one.
    """

    sentences: int = 0
    written: int = 0
    with_errors: int = 0
    left_correct: int = 0
    unmade: int = 0
    left_out: dict[str, int] = {}
    drawn: int = 0
    made: int = 0
    types: dict[str, int] = {}
    shares: dict[str, float] = {}
    errors: dict[int, int] = {}
    units: int = 0
    changed: int = 0
    added: int = 0
    of_errors: dict[str, int] = {}

    @property
    def impossible(self) -> int:
        """Errors that were drawn and could not be made."""
        return self.drawn - self.made


class Tally:
    """Counts one sentence after another."""

    def __init__(self, shares: dict[str, float]) -> None:
        self._shares = shares
        self._totals: Counter[str] = Counter()
        self._types: Counter[str] = Counter()
        self._errors: Counter[int] = Counter()
        self._reasons: Counter[str] = Counter()
        self._lengths: Counter[tuple[int, int]] = Counter()

    def leave_out(self, why: str) -> None:
        """Count a sentence that is not written."""
        self._totals["sentences"] += 1
        self._reasons[why] += 1

    def add(self, outcome: Outcome, *, keep_unmade: bool) -> None:
        """Count a sentence; `keep_unmade` writes those without a place for errors."""
        totals = self._totals
        totals["drawn"] += outcome.goal
        if outcome.corrupted is None and outcome.goal:
            totals["unmade"] += 1
            if not keep_unmade:
                self.leave_out(UNMADE)
                return
        totals["sentences"] += 1
        totals["written"] += 1
        totals["units"] += outcome.units
        if outcome.corrupted is None:
            totals["left_correct"] += not outcome.goal
            self._errors[0] += 1
            return
        edits = outcome.corrupted.edits
        self._errors[len(edits)] += 1
        for start, end, replacement, label in edits:
            self._types[label] += 1
            self._lengths[end - start, len(replacement)] += 1

    def counts(self) -> Counts:
        """The numbers so far."""
        lengths = sorted(self._lengths.items(), key=lambda item: (-item[1], item[0]))
        return Counts(
            **self._totals,
            shares=self._shares,
            left_out=dict(sorted(self._reasons.items())),
            types=dict(self._types.most_common()),
            errors=dict(sorted(self._errors.items())),
            made=self._types.total(),
            with_errors=self._totals["written"] - self._errors[0],
            changed=sum(right * n for (_, right), n in lengths),
            added=sum(wrong * n for (wrong, _), n in lengths),
            of_errors={f"{wrong}>{right}": n for (wrong, right), n in lengths},
        )


# Corrupting a file: texts are read, corrupted and written one after another.


To = Literal["jsonl", "pairs"]
Labels = Callable[[str, str], tuple[Sequence[str], Sequence[Sequence[str]]]]
"""From a text with errors and the correct one to the tokens of the first and their labels."""

LABELS = "gecbench-labels"
_BATCH = 500
_PAYS = 50_000
"""Texts after which several processes are quicker than one, which need not be started."""
_BLOCK = 1 << 20

Text = tuple[str, str | None]
"""The id of a sentence and its correct text, None where the corpus has none."""


class LabelFile(NamedTuple):
    """The labels of a tagger beside the pairs, JSON lines.

    Args:
        path: Of the file.
        labels: Makes them.
        about: What its header says of them.
    """

    path: Path
    labels: Labels
    about: Mapping[str, object]


def texts_of(
    path: Path, *, format: str | None = None, columns: Columns | None = None
) -> tuple[Corpus, Iterator[Text]]:
    """What a corpus in a file of any format says of itself, and its correct texts.

    Where a sentence has references, the first that is usable is its correct text; a corpus
    without references, as a file of lines, is taken for correct.

    Raises:
        GecbenchError: The file cannot be read, is empty, or breaks a rule of its format.
    """
    about, samples = stream_corpus(path, format=format, columns=columns)
    about = replace(about, name=about.name or name_of(path))
    return about, (_text(sample, about.lang) for sample in samples)


def _text(sample: Sample, lang: str | None) -> Text:
    if not sample.references:
        return sample.id, sample.source
    for rewrite in sample.references:
        if not rewrite.unannotatable:
            return sample.id, text_of(sample, rewrite, lang)
    return sample.id, None


def corrupt(
    corpus: str,
    texts: Iterable[Text],
    output: Path,
    corruptor: TextCorruptor,
    *,
    jobs: Workers = 1,
    to: To = "jsonl",
    label_file: LabelFile | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> Counts:
    """Corrupt texts, write the pairs, and return what they came to.

    What becomes of a sentence depends on the profile, the seed and its place alone. Files appear
    whole or not at all: the labels first, then the pairs.

    Args:
        corpus: Name of the corpus.
        texts: The correct texts; gone through once.
        output: File for the pairs; "-" is standard output.
        corruptor: Makes the errors.
        jobs: Processes, or a cluster; None takes one for each processor from the 50,000th text on.
        to: jsonl, or pairs: text with errors TAB correct text.
        label_file: Labels that are written beside the pairs.
        progress: Called now and then with how many sentences were read.

    Raises:
        CorpusError: A text has a TAB or a line end, which pairs cannot hold; or no text became a
            pair.
        GecbenchError: A file cannot be read or written.
    """
    check_target(output)
    check_jobs(jobs)
    corruptor.check()
    profile, name, seed = corruptor.profile, corruptor.name, corruptor.seed
    weight = sum(profile.types.values())
    tally = Tally({name: share / weight for name, share in profile.types.items() if share})
    outcomes = _outcomes(texts, corruptor, jobs, progress)
    pairs = _pairs(outcomes, tally, keep_unmade=profile.unmade == "keep")
    header = {
        "format": "gecbench-corpus",
        "schema": 1,
        "name": corpus,
        "lang": profile.language,
        "provenance": {
            "corrupted": f"gecbench {__version__}",
            "profile": f"{name} {digest_of(profile)}",
            "seed": str(seed),
        },
    }
    row = partial(_pair_row, output) if to == "pairs" else _json_row
    first = b"" if to == "pairs" else _line(header)

    def content(labels: IO[bytes] | None) -> Iterator[bytes]:
        """Yield the file of pairs; write the labels when the last pair is known."""
        yield first
        while batch := list(islice(pairs, _BATCH)):
            yield b"".join([row(*pair) for pair in batch])
            if label_file is not None and labels is not None:
                _add_labels(label_file, labels, batch)
        _check_counts(output, tally.counts())
        if label_file is not None and labels is not None:
            write_stream(label_file.path, _label_lines(label_file, labels))

    if label_file is None:
        write_stream(output, content(None))
        return tally.counts()
    check_target(label_file.path)
    folder = None if str(label_file.path) == STDIO else label_file.path.parent
    with temporary_file(folder) as labels:
        write_stream(output, content(labels))
    return tally.counts()


def _outcomes(
    texts: Iterable[Text],
    corruptor: TextCorruptor,
    jobs: Workers,
    progress: Callable[[int], None],
) -> Iterator[tuple[Text, Outcome | None]]:
    """Yield what becomes of each text, in their order."""
    numbered = enumerate(texts, 1)
    batches = iter(lambda: list(islice(numbered, _BATCH)), [])
    results: Iterator[list[tuple[Text, Outcome | None]]] = iter(())
    if jobs is None:  # nobody knows how many there are before they are read
        results, jobs = map(corruptor, islice(batches, _PAYS // _BATCH)), cores()
    done = 0
    with closing(map_in_processes(replace(corruptor), batches, jobs, _describe)) as others:
        for result in chain(results, others):
            yield from result
            done += len(result)
            progress(done)


def _describe(batch: Sequence[Numbered]) -> str:
    return f"sentences {batch[0][0]:,} to {batch[-1][0]:,}"


def _pairs(
    outcomes: Iterable[tuple[Text, Outcome | None]], tally: Tally, *, keep_unmade: bool
) -> Iterator[tuple[str, str, CorruptedText | None]]:
    """Yield the id, the correct text and the corrupted one, if it has errors, of each pair."""
    for (id_, text), outcome in outcomes:
        if text is None or outcome is None:
            tally.leave_out(UNANNOTATABLE if text is None else EMPTY)
        elif outcome.dropped:
            tally.leave_out(outcome.dropped)
        else:
            tally.add(outcome, keep_unmade=keep_unmade)
            if outcome.corrupted is not None or not outcome.goal or keep_unmade:
                yield id_, text, outcome.corrupted


def _check_counts(path: Path, counts: Counts) -> None:
    """Refuse to write a file without a pair, which nothing could read."""
    if not counts.written:
        why = ", ".join(f"{n:,} {reason}" for reason, n in counts.left_out.items())
        raise CorpusError(
            f"{path}: no pair came of "
            f"{count_noun(counts.sentences, 'sentence', spec=',')} ({why or 'there is none'}); "
            "give correct texts in the language of the profile"
        )


_encode = msgspec.json.Encoder().encode


def _line(row: Mapping[str, object]) -> bytes:
    return _encode(row) + b"\n"


def _json_row(id_: str, text: str, corrupted: CorruptedText | None) -> bytes:
    if corrupted is None:
        return _line({"id": id_, "source": text, "references": [{"error_free": True}]})
    source, tokens, edits = corrupted
    corrections = [
        {"start": start, "end": end, "replacement": replacement, "label": label}
        for start, end, replacement, label in edits
    ]
    references = [{"text": text, "edit_sets": [corrections]}]
    return _line({"id": id_, "source": source, "references": references, "tokens": tokens})


def _pair_row(path: Path, id_: str, text: str, corrupted: CorruptedText | None) -> bytes:
    row = f"{text if corrupted is None else corrupted.text}\t{text}\n"
    if row.count("\t") > 1 or row.count("\n") > 1 or "\r" in row:
        raise CorpusError(
            f"sentence {id_!r} holds a TAB or a line end, which pairs cannot; write --to jsonl"
        )
    return encode_text(path, row)


def _add_labels(
    file: LabelFile,
    temporary: IO[bytes],
    batch: Sequence[tuple[str, str, CorruptedText | None]],
) -> None:
    rows = []
    for id_, text, corrupted in batch:
        tokens, labels = file.labels(text if corrupted is None else corrupted.text, text)
        rows.append(_line({"id": id_, "tokens": tokens, "labels": labels}))
    with explain_errors(file.path):
        temporary.writelines(rows)


def _label_lines(file: LabelFile, temporary: IO[bytes]) -> Iterator[bytes]:
    yield _line({"format": LABELS, "schema": 1, **file.about})
    temporary.seek(0)
    while block := temporary.read(_BLOCK):
        yield block
