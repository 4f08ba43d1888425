"""Corrupting a file: texts are read, made wrong and written one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal, NamedTuple

import msgspec

from gecbench import __version__
from gecbench.core.errors import CorpusError, GecbenchError
from gecbench.core.files import STDIO, check_target, encoded, name_of, write_stream
from gecbench.core.sample import Sample
from gecbench.datasets.corrupt.chance import draws, key_of
from gecbench.datasets.corrupt.counting import NO_TEXT, UNANNOTATABLE, Counts, Tally
from gecbench.datasets.corrupt.makers import Made, Maker
from gecbench.datasets.corrupt.profile import Profile, digest_of
from gecbench.formats.streaming import stream_corpus
from gecbench.formats.texts import text_of

To = Literal["jsonl", "pairs"]
Labels = Callable[[str, str], tuple[Sequence[str], Sequence[Sequence[str]]]]
"""From a text with errors and the correct one to the tokens of the first and their labels."""

LABELS = "gecbench-labels"
_AT_ONCE = 500
_COPIED = 1 << 20


class Text(NamedTuple):
    """A correct text.

    Args:
        id: Of its sentence.
        text: None where the corpus has no corrected text for it.
    """

    id: str
    text: str | None


class Texts(NamedTuple):
    """Correct texts, to be gone through once, and what their corpus is called."""

    name: str
    texts: Iterator[Text]


class Target(NamedTuple):
    """What is written.

    Args:
        path: The pairs; "-" is standard output.
        to: jsonl, or pairs: text with errors TAB correct text.
        labels: The labels of a tagger, JSON lines; None writes none.
        label: Makes them.
        about: What the header of the labels says of them.
    """

    path: Path
    to: To = "jsonl"
    labels: Path | None = None
    label: Labels | None = None
    about: dict[str, object] = {}  # noqa: RUF012 - a tuple's default is never changed


def texts_of(path: Path, *, format: str | None = None) -> Texts:
    """Return the correct texts of a file in any format.

    Where a sentence has references, the first that is usable is its correct text; a corpus
    without references, as a file of lines, is taken for correct.

    Raises:
        GecbenchError: The file cannot be read, is empty, or breaks a rule of its format.
    """
    about, samples = stream_corpus(path, format=format)
    return Texts(about.name or name_of(path), (_text(sample, about.lang) for sample in samples))


def _text(sample: Sample, lang: str | None) -> Text:
    if not sample.references:
        return Text(sample.id, sample.source)
    for rewrite in sample.references:
        if rewrite.error_free:
            return Text(sample.id, sample.source)
        if not rewrite.unannotatable:
            return Text(sample.id, text_of(sample, rewrite, lang))
    return Text(sample.id, None)


def corrupt(
    given: Texts,
    target: Target,
    maker: Maker,
    profile: Profile,
    *,
    name: str,
    seed: int,
    progress: Callable[[int], None] = lambda _done: None,
) -> Counts:
    """Corrupt texts, write the pairs, and return what they came to.

    What becomes of a sentence depends on the profile, the seed and its place alone. Files appear
    whole or not at all: the labels first, then the pairs.

    Args:
        given: The correct texts.
        target: What is written.
        maker: Of the profile.
        profile: How.
        name: What the profile is called.
        seed: Of all that is random.
        progress: Told now and then how many sentences were read.

    Raises:
        CorpusError: A text has a TAB or a line end, which pairs cannot hold; or no text became a
            pair.
        GecbenchError: A file cannot be read or written.
    """
    check_target(target.path)
    if target.labels is not None:
        check_target(target.labels)
    weight = sum(profile.types.values())
    tally = Tally({name: one / weight for name, one in profile.types.items() if one})
    run = _Run(target, maker, profile, seed, tally, progress)
    header = _header(given.name, profile, name, seed)
    if target.labels is None:
        write_stream(target.path, run.pairs(given.texts, header, None))
        return tally.result()
    with _spool(target.labels) as kept:
        write_stream(target.path, run.pairs(given.texts, header, kept))
    return tally.result()


def _header(corpus: str, profile: Profile, name: str, seed: int) -> dict[str, object]:
    """Return the first line of the pairs: all that they depend on, but the texts."""
    return {
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


def _spool(path: Path) -> IO[bytes]:
    folder = None if str(path) == STDIO else path.parent
    try:
        return TemporaryFile(dir=folder)
    except OSError as error:
        raise GecbenchError(f"{folder}: no file can be made there: {error.strerror}") from error


class _Run:
    """What a run over texts writes."""

    def __init__(
        self,
        target: Target,
        maker: Maker,
        profile: Profile,
        seed: int,
        tally: Tally,
        progress: Callable[[int], None],
    ) -> None:
        self._target = target
        self._maker = maker
        self._kept = profile.unmade == "keep"
        self._key = key_of(seed, "corrupt")
        self._tally = tally
        self._progress = progress
        self._encode = msgspec.json.Encoder().encode

    def pairs(
        self, texts: Iterable[Text], header: dict[str, object], kept: IO[bytes] | None
    ) -> Iterator[bytes]:
        """Yield the file of pairs; labels go into the other one, which is written at the end."""
        jsonl = self._target.to == "jsonl"
        row = self._row if jsonl else self._pair
        first = [self._encode(header) + b"\n"] if jsonl else []
        made = self._made(texts)
        while batch := list(islice(made, _AT_ONCE)):
            yield b"".join(chain(first, (row(*each) for each in batch)))
            first = []
            if kept is not None:
                self._keep_labels(kept, batch)
        self._check_written()
        if kept is not None and self._target.labels is not None:
            write_stream(self._target.labels, self._labels_of(kept))

    def _check_written(self) -> None:
        """Refuse to write a file without a pair, which nothing could read."""
        counts = self._tally.result()
        if not counts.written:
            why = ", ".join(f"{n:,} {reason}" for reason, n in counts.left_out.items())
            raise CorpusError(
                f"{self._target.path}: no pair came of {counts.sentences:,} sentences "
                f"({why or 'there is none'}); give correct texts in the language of the profile"
            )

    def _made(self, texts: Iterable[Text]) -> Iterator[tuple[str, str, Made]]:
        """Yield the id, the correct text and what became of it, for each pair."""
        tally, maker, key = self._tally, self._maker, self._key
        for number, (id_, text) in enumerate(texts, 1):
            if not number % _AT_ONCE:
                self._progress(number)
            if text is None or not text.strip():
                tally.leave_out(UNANNOTATABLE if text is None else NO_TEXT)
                continue
            made = maker(text, draws(key, number))
            if made.dropped:
                tally.leave_out(made.dropped)
                continue
            tally.add(made, kept=self._kept)
            if made.corrupted is not None or not made.wanted or self._kept:
                yield id_, text, made

    def _row(self, id_: str, text: str, made: Made) -> bytes:
        if made.corrupted is None:
            row: dict[str, object] = {
                "id": id_,
                "source": text,
                "references": [{"error_free": True}],
            }
            return self._coded(row)
        source, tokens, edits = made.corrupted
        undoing = [
            {"start": start, "end": end, "replacement": replacement, "label": label}
            for start, end, replacement, label in edits
        ]
        row = {
            "id": id_,
            "source": source,
            "references": [{"text": text, "edit_sets": [undoing]}],
            "tokens": tokens,
        }
        return self._coded(row)

    def _coded(self, row: dict[str, object]) -> bytes:
        return self._encode(row) + b"\n"

    def _pair(self, id_: str, text: str, made: Made) -> bytes:
        source = text if made.corrupted is None else made.corrupted.text
        row = f"{source}\t{text}\n"
        if row.count("\t") > 1 or row.count("\n") > 1 or "\r" in row:
            raise CorpusError(
                f"sentence {id_!r} holds a TAB or a line end, which pairs cannot; write --to jsonl"
            )
        return encoded(self._target.path, row)

    def _keep_labels(self, kept: IO[bytes], batch: Sequence[tuple[str, str, Made]]) -> None:
        label = self._target.label
        if label is None:
            return
        rows = []
        for id_, text, made in batch:
            source = text if made.corrupted is None else made.corrupted.text
            tokens, labels = label(source, text)
            rows.append(self._coded({"id": id_, "tokens": tokens, "labels": labels}))
        try:
            kept.writelines(rows)
        except OSError as error:
            raise GecbenchError(
                f"{self._target.labels}: cannot be written: {error.strerror}"
            ) from error

    def _labels_of(self, kept: IO[bytes]) -> Iterator[bytes]:
        yield self._encode({"format": LABELS, "schema": 1, **self._target.about}) + b"\n"
        kept.seek(0)
        while piece := kept.read(_COPIED):
            yield piece
