"""What corrupts the texts of a language by a profile: rules by name, fitted tables, lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from inspect import unwrap
from itertools import islice
from pathlib import Path
from typing import IO, Literal, NamedTuple, TypeVar, cast

import msgspec

from gecbench import __version__
from gecbench.backends import SEGMENTERS
from gecbench.core.errors import CorpusError, GecbenchError, UsageError, counted
from gecbench.core.files import STDIO, check_target, encoded, name_of, temporary_file, write_stream
from gecbench.core.registry import resolve
from gecbench.core.sample import Sample
from gecbench.datasets.corrupt.errors import (
    AnyOf,
    Choices,
    Draw,
    Error,
    ErrorSampler,
    Rule,
    draws,
    key_of,
)
from gecbench.datasets.corrupt.profile import (
    CHERRANT_SHAPES,
    OWN_SHAPES,
    Fitted,
    Profile,
    check_profile,
    digest_of,
    kind_of,
)
from gecbench.datasets.corrupt.rules_en import (
    Phrases,
    Words,
    english_types,
    general_english,
    insertion_rule,
    is_closing,
    join_words,
    phrase_of,
    words_of,
)
from gecbench.datasets.corrupt.rules_zh import (
    Confusion,
    Confusions,
    Insertions,
    chinese_types,
    general_chinese,
)
from gecbench.formats.reading import stream_corpus
from gecbench.formats.texts import text_of
from gecbench.lang.zh.parse import PLACEHOLDER
from gecbench.lang.zh.sounds import homophones, shapes_of
from gecbench.text.tokens import split_tokens

# From a correct text and its errors to the text with errors, and the edits that lead back.


class Correction(NamedTuple):
    """An edit of the text with errors that makes it right again, as JSON has it.

    Args:
        start: First token that is replaced; half-open token span.
        end: Token after the last.
        replacement: Tokens of the correct text.
        label: The type of the error.
    """

    start: int
    end: int
    replacement: Sequence[str]
    label: str


class CorruptedText(NamedTuple):
    """A text with errors.

    Args:
        text: As it is written.
        tokens: What the edits count in.
        edits: Those that make it right, in its order.
    """

    text: str
    tokens: Sequence[str]
    edits: list[Correction]


def of_characters(text: str, errors: Sequence[tuple[Error, str]]) -> CorruptedText:
    """Return what errors make of a Chinese text; its tokens are its characters without blanks."""
    pieces: list[str] = []
    edits = []
    done = shift = 0
    for (start, end, wrong), name in errors:
        pieces.append(text[done:start])
        pieces += wrong
        begin = start + shift
        edits.append(Correction(begin, begin + len(wrong), list(text[start:end]), name))
        shift += len(wrong) - (end - start)
        done = end
    pieces.append(text[done:])
    source = "".join(pieces)
    tokens = list(source)
    if len(source.split(None, 1)) > 1 or source[:1].isspace() or source[-1:].isspace():
        return _without_blanks(source, edits)
    return CorruptedText(source, tokens, edits)


def _without_blanks(source: str, edits: Sequence[Correction]) -> CorruptedText:
    """Return the same with white space left out of the tokens; no edit holds any."""
    place = [0]
    for character in source:
        place.append(place[-1] + (not character.isspace()))
    moved = [edit._replace(start=place[edit.start], end=place[edit.end]) for edit in edits]
    return CorruptedText(source, [c for c in source if not c.isspace()], moved)


def of_words(view: Words, errors: Sequence[tuple[Error, str]]) -> CorruptedText:
    """Return what errors make of an English text, with its blanks made right."""
    words: list[str] = []
    gaps = [view.gaps[0]]
    edits = []
    done = 0
    for (start, end, wrong), name in errors:
        words += view.words[done:start]
        gaps += view.gaps[done + 1 : start + 1]
        begin = len(words)
        edits.append(Correction(begin, begin + len(wrong), list(view.words[start:end]), name))
        words += wrong
        _close(gaps, view, start, end, wrong)
        done = end
    words += view.words[done:]
    gaps += view.gaps[done + 1 :]
    return CorruptedText(join_words(words, gaps), words, edits)


def _close(gaps: list[str], view: Words, start: int, end: int, wrong: Sequence[str]) -> None:
    """Write the white space around what stands in the place of some tokens.

    The last of `gaps` is what stood before them; what stands behind the new ones is added.
    """
    behind = view.gaps[end]
    if not wrong:
        gaps[-1] = _between(gaps[-1], behind, view, start, end)
        return
    if start < end:
        gaps += (*[" "] * (len(wrong) - 1), behind)
    elif is_closing(wrong[0]):
        before = gaps[-1]
        gaps[-1] = " " if view.divided else ""
        gaps += (*[" "] * (len(wrong) - 1), before)
    else:
        gaps += [" "] * len(wrong)


def _between(before: str, behind: str, view: Words, start: int, end: int) -> str:
    """Return the white space between what stands around left-out tokens; words stay two."""
    if end == len(view.words):
        return behind
    # "so ,he" becomes "so he", but "(the cat" becomes "(cat".
    gap = behind or before if is_closing(view.words[start]) else before and behind
    if gap or not start:
        return gap
    left, right = view.words[start - 1][-1], view.words[end][0]
    return " " if left.isalnum() and (right.isalnum() or right in "'’") else ""


# A corruptor of a profile.


View = TypeVar("View")

TOO_SHORT, TOO_LONG, PLACEHOLDERS = (
    "shorter than shortest",
    "longer than longest",
    "has a placeholder",
)


class Outcome(NamedTuple):
    """What became of a sentence.

    Args:
        corrupted: With its errors; None where it is left as it is.
        wanted: Errors that were drawn.
        units: Characters or tokens of the correct text.
        dropped: Why it is left out; "" where it is not.
    """

    corrupted: CorruptedText | None
    wanted: int
    units: int
    dropped: str = ""


Corruptor = Callable[[str, Draw], Outcome]
"""Corrupts a text, by the random numbers of its own."""


def _corruptor(
    profile: Profile,
    rules: Mapping[str, Rule[View]],
    view_of: Callable[[str], View],
    size: Callable[[View], int],
    apply: Callable[[View, Sequence[tuple[Error, str]]], CorruptedText],
) -> Corruptor:
    """Return what corrupts the texts of a language.

    Args:
        profile: For distributions and the bounds of lengths.
        rules: By type.
        view_of: From a text to what the rules read.
        size: Of that, in units.
        apply: From that and errors to the text with errors.
    """
    shortest, longest = profile.shortest, profile.longest
    sampler = ErrorSampler(rules, profile.types, profile.errors, profile.correct)

    def corrupt(text: str, draw: Draw) -> Outcome:
        view = view_of(text)
        units = size(view)
        if not shortest <= units <= longest:
            return Outcome(None, 0, units, TOO_SHORT if units < shortest else TOO_LONG)
        if PLACEHOLDER in text:
            return Outcome(None, 0, units, PLACEHOLDERS)
        wanted, errors = sampler.sample(view, draw)
        while errors:
            corrupted = apply(view, errors)
            if corrupted.text != text:
                return Outcome(corrupted, wanted, units)
            errors = errors[
                :-1
            ]  # two errors that undo one another, as in a row of equal characters
        return Outcome(None, wanted, units)

    return corrupt


def load_corruptor(profile: Profile, origin: str, shapes_file: Callable[[], Path]) -> Corruptor:
    """Return what corrupts texts as a profile says.

    Args:
        profile: How.
        origin: What it is called in failures.
        shapes_file: Finds the table of shapes of ChERRANT's data set.

    Raises:
        UnknownNameError: The profile names a type that there is not.
        FormatError: It cannot be followed.
        MissingExtraError: A type needs what is not installed.
    """
    _check_keys(profile)
    if profile.language == "zh":
        types = _chinese(profile, shapes_file)
        check_profile(profile, types, origin)
        rules = _rules(profile, types, _fitted_chinese)
        return _corruptor(profile, rules, str, len, of_characters)
    english = english_types()
    check_profile(profile, english, origin)

    divided = profile.tokens == "space"

    def view(text: str) -> Words:
        return words_of(text, split_tokens(text, profile.tokens), divided=divided)

    english_rules = _rules(profile, english, _fitted_english)
    return _corruptor(profile, english_rules, view, lambda words: len(words.words), of_words)


def _check_keys(profile: Profile) -> None:
    """Refuse keys that say nothing in the language of the profile."""
    if profile.language == "zh":
        if profile.tokens != "en":
            raise UsageError("tokens is for English; those of Chinese are its characters")
        return
    if profile.segment:
        raise UsageError("segment is for Chinese; English has words already")
    if profile.shapes != OWN_SHAPES:
        raise UsageError("shapes is for Chinese; no type of English asks what letters look like")


def _chinese(
    profile: Profile, shapes_file: Callable[[], Path]
) -> dict[str, Callable[[], Rule[str]]]:
    shapes = None
    if profile.shapes != OWN_SHAPES:
        path = shapes_file() if profile.shapes == CHERRANT_SHAPES else Path(profile.shapes)
        shapes = shapes_of(path)
    divide = None
    if profile.segment:
        name, _, model = profile.segment.partition(":")
        start = cast(
            "Callable[[str], tuple[str, Callable[[str], tuple[str, ...]]]]",
            resolve("segmenter", name, SEGMENTERS),
        )
        # What it was asked is kept by its cache, which would grow with every text.
        divide = unwrap(start(model)[1])
    return chinese_types(homophones, shapes, divide)


def _rules(
    profile: Profile,
    types: Mapping[str, Callable[[], Rule[View]]],
    fitted: Callable[[Fitted, Mapping[str, Callable[[], Rule[View]]]], Rule[View]],
) -> dict[str, Rule[View]]:
    """Return the rules of the types that a profile weighs."""
    own = {each.name: each for each in profile.fitted}
    return {
        name: fitted(own[name], types) if name in own else types[name]()
        for name, weight in profile.types.items()
        if weight
    }


def _parts(
    fitted: Fitted,
    table: Sequence[Rule[View]],
    general: Mapping[str, Callable[[Mapping[tuple[int, int], float]], Rule[View]]],
    types: Mapping[str, Callable[[], Rule[View]]],
) -> Rule[View]:
    """Return what makes a fitted type: its confusions, and rules for the rest of its edits."""
    rules: list[Rule[View]] = list(table)
    share = max(1 - fitted.rest, _LEAST)
    weights: list[float] = [share / len(table)] * len(table) if table else []
    if fitted.moves:
        rules.append(general["exchange"]({(one, two): n for one, two, n in fitted.moves}))
        weights.append(sum(n for _, _, n in fitted.moves) / max(1, fitted.edits))
    rest = [types[name]() for name in fitted.by]
    kind = kind_of(fitted.lengths)
    if kind:
        side = 1 if kind == "omission" else 0
        counts = {(w, r): float(n) for w, r, n in fitted.lengths if (r, w)[side] == 0}
        rest.append(general[kind](counts))
    if rest and (fitted.rest or not rules):
        rules += rest
        weights += [max(fitted.rest, _LEAST) / len(rest)] * len(rest)
    return AnyOf(rules, weights)


_LEAST = 1e-6


def _by_right(fitted: Fitted) -> dict[str, tuple[dict[str, float], float]]:
    """Return what is right to what was written instead with counts, and the rate of errors."""
    found: dict[str, tuple[dict[str, float], float]] = {}
    for right, wrong, count, occurrences in fitted.confusions:
        known, rate = found.get(right, ({}, 0.0))
        known[wrong] = known.get(wrong, 0) + count
        found[right] = known, rate + count / max(1, occurrences)
    return found


def _fitted_chinese(fitted: Fitted, types: Mapping[str, Callable[[], Rule[str]]]) -> Rule[str]:
    found = _by_right(fitted)
    anywhere = found.pop("", None)
    table: list[Rule[str]] = []
    if found:
        table.append(
            Confusions(
                Confusion(right, tuple(wrong), tuple(wrong.values()), rate)
                for right, (wrong, rate) in found.items()
            )
        )
    if anywhere:
        table.append(Insertions(Choices(tuple(anywhere[0]), tuple(anywhere[0].values()))))
    return _parts(fitted, table, general_chinese(), types)


def _fitted_english(fitted: Fitted, types: Mapping[str, Callable[[], Rule[Words]]]) -> Rule[Words]:
    found = _by_right(fitted)
    anywhere = found.pop("", None)
    table: list[Rule[Words]] = []
    if found:
        table.append(
            Phrases(phrase_of(right, wrong, rate) for right, (wrong, rate) in found.items())
        )
    if anywhere:
        table.append(insertion_rule(anywhere[0]))
    return _parts(fitted, table, general_english(), types)


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
        self._left_out: Counter[str] = Counter()
        self._lengths: Counter[tuple[int, int]] = Counter()

    def leave_out(self, why: str) -> None:
        """Count a sentence that is not written."""
        self._totals["sentences"] += 1
        self._left_out[why] += 1

    def add(self, outcome: Outcome, *, keep_unmade: bool) -> None:
        """Count a sentence; `keep_unmade` writes those without a place for errors."""
        totals = self._totals
        totals["drawn"] += outcome.wanted
        if outcome.corrupted is None and outcome.wanted:
            totals["unmade"] += 1
            if not keep_unmade:
                self.leave_out(UNMADE)
                return
        totals["sentences"] += 1
        totals["written"] += 1
        totals["units"] += outcome.units
        if outcome.corrupted is None:
            totals["left_correct"] += not outcome.wanted
            self._errors[0] += 1
            return
        edits = outcome.corrupted.edits
        self._errors[len(edits)] += 1
        for start, end, replacement, label in edits:
            self._types[label] += 1
            self._lengths[end - start, len(replacement)] += 1

    def counts(self) -> Counts:
        """Return the numbers so far."""
        lengths = sorted(self._lengths.items(), key=lambda item: (-item[1], item[0]))
        return Counts(
            **self._totals,
            shares=self._shares,
            left_out=dict(sorted(self._left_out.items())),
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


def texts_of(path: Path, *, format: str | None = None) -> tuple[str, Iterator[Text]]:
    """Return the name and the correct texts of a corpus in a file of any format.

    Where a sentence has references, the first that is usable is its correct text; a corpus
    without references, as a file of lines, is taken for correct.

    Raises:
        GecbenchError: The file cannot be read, is empty, or breaks a rule of its format.
    """
    about, samples = stream_corpus(path, format=format)
    return about.name or name_of(path), (_text(sample, about.lang) for sample in samples)


def _text(sample: Sample, lang: str | None) -> Text:
    if not sample.references:
        return sample.id, sample.source
    for rewrite in sample.references:
        if rewrite.error_free:
            return sample.id, sample.source
        if not rewrite.unannotatable:
            return sample.id, text_of(sample, rewrite, lang)
    return sample.id, None


def corrupt(
    corpus: str,
    texts: Iterable[Text],
    output: Path,
    corruptor: Corruptor,
    profile: Profile,
    *,
    name: str,
    seed: int,
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
        corruptor: Of the profile.
        profile: How.
        name: What the profile is called.
        seed: Of all that is random.
        to: jsonl, or pairs: text with errors TAB correct text.
        label_file: Labels that are written beside the pairs.
        progress: Called now and then with how many sentences were read.

    Raises:
        CorpusError: A text has a TAB or a line end, which pairs cannot hold; or no text became a
            pair.
        GecbenchError: A file cannot be read or written.
    """
    check_target(output)
    weight = sum(profile.types.values())
    tally = Tally({name: share / weight for name, share in profile.types.items() if share})
    pairs = _pairs(texts, corruptor, tally, progress, seed, keep_unmade=profile.unmade == "keep")
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


def _pairs(
    texts: Iterable[Text],
    corruptor: Corruptor,
    tally: Tally,
    progress: Callable[[int], None],
    seed: int,
    *,
    keep_unmade: bool,
) -> Iterator[tuple[str, str, CorruptedText | None]]:
    """Yield the id, the correct text and the corrupted one, if it has errors, of each pair."""
    key = key_of(seed, "corrupt")
    for number, (id_, text) in enumerate(texts, 1):
        if not number % _BATCH:
            progress(number)
        if text is None or not text.strip():
            tally.leave_out(UNANNOTATABLE if text is None else EMPTY)
            continue
        outcome = corruptor(text, draws(key, number))
        if outcome.dropped:
            tally.leave_out(outcome.dropped)
            continue
        tally.add(outcome, keep_unmade=keep_unmade)
        if outcome.corrupted is not None or not outcome.wanted or keep_unmade:
            yield id_, text, outcome.corrupted


def _check_counts(path: Path, counts: Counts) -> None:
    """Refuse to write a file without a pair, which nothing could read."""
    if not counts.written:
        why = ", ".join(f"{n:,} {reason}" for reason, n in counts.left_out.items())
        raise CorpusError(
            f"{path}: no pair came of "
            f"{counted(counts.sentences, 'sentence', spec=',')} ({why or 'there is none'}); "
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
    return encoded(path, row)


def _add_labels(
    file: LabelFile,
    temporary: IO[bytes],
    batch: Sequence[tuple[str, str, CorruptedText | None]],
) -> None:
    rows = []
    for id_, text, corrupted in batch:
        tokens, labels = file.labels(text if corrupted is None else corrupted.text, text)
        rows.append(_line({"id": id_, "tokens": tokens, "labels": labels}))
    try:
        temporary.writelines(rows)
    except OSError as error:
        raise GecbenchError(f"{file.path}: cannot be written: {error.strerror}") from error


def _label_lines(file: LabelFile, temporary: IO[bytes]) -> Iterator[bytes]:
    yield _line({"format": LABELS, "schema": 1, **file.about})
    temporary.seek(0)
    while block := temporary.read(_BLOCK):
        yield block
