"""fcgec: one JSON object, sentences by id, each with the operations that correct it.

As FCGEC is published (xlxwalex/FCGEC ee4b6cc). An operation is applied in two steps: `Switch`
puts the characters in another order, then `Delete`, `Insert` and `Modify` change what stands at
places of that order. Several labels are alternatives; each combination of them is a reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError, Message, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows, begins
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.edits.alignment import changes
from gecbench.formats.texts import (
    CHINESE,
    chinese_loss,
    error_place,
    loss,
    loss_of,
    not_kept,
    text_losses,
    text_of,
)
from gecbench.formats.validation import convert, parse_json

_NAME = "fcgec"
_META = ("error_type", "version")
_MOST = 1000
_TAG = re.compile(r"INS_.*|MOD_(\d{1,4})(?:\+(?:INS|DEL)_\d+)?", re.DOTALL)
_DUPLICATE = Message("a reference that repeats another of its sentence")
_OVERRULED = Message("a change inside what the same operation replaces")
_UNCORRECTED = Message("the mark of an error that nobody corrected")


class _Sentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sentence: str
    error_flag: int | UnsetType = UNSET
    operation: str | UnsetType = UNSET
    error_type: str | UnsetType = UNSET
    version: str | UnsetType = UNSET


class _Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an operation does at one place.

    Args:
        pos: First character, in the order that `Switch` gives; -1 is before the first.
        tag: How many characters are replaced, as MOD_2; INS_k inserts behind the place.
        label: What is put there; a list has alternatives.
    """

    pos: int
    tag: str
    label: str | tuple[str, ...]

    @property
    def width(self) -> int:
        """How many characters are replaced."""
        match = _TAG.fullmatch(self.tag)
        return int(match[1] or 0) if match else 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The alternatives."""
        return (self.label,) if isinstance(self.label, str) else self.label


class _Operation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="pascal"):
    switch: tuple[int, ...] | UnsetType = UNSET
    delete: tuple[int, ...] = ()
    insert: tuple[_Change, ...] = ()
    modify: tuple[_Change, ...] = ()


_BEGINNING = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"sentence"\s*:')
"""An object of objects with a sentence."""


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the sentences; the operations, applied, make their references.

    Differs from FCGEC's own converter (convert_fcgec_to_seq2seq.py), which loses `Delete` and
    `Switch` where an operation has alternatives, applies a second `Switch` to what the first one
    made, and keeps a deleted character behind which something is inserted. As there, a change
    inside what the same operation replaces is left out, and a `Switch` that names fewer
    characters than there are leaves the others out.

    Raises:
        FormatError: Names the sentence with an operation that cannot be applied to it.
    """
    left_out: Counter[str] = Counter()
    rows = []
    for n, key, value in entries(path, lines):
        with error_place(f"{path}:{n}: {quote(key)}"):
            rows.append((n, sample_of(key, value, left_out)))
    return Corpus(name_of(path), (), CHINESE, not_kept(left_out)), iter(rows)


def entries(path: Path, lines: Iterable[str]) -> list[tuple[int, str, object]]:
    """Read the object: the line of each sentence, its id, and what stands under it.

    Raises:
        FormatError: It is no object, or empty.
    """
    lines = list(lines)
    hint = Message("the file is one object, sentences by id")
    with error_place(Place(path, 1)):
        document = parse_json("\n".join(lines), hint=hint, path=path)
        table = convert(None, document, dict[str, object])
        if not table:
            raise FormatError("the object is empty; a corpus has at least one sentence")
    starts: dict[str, int] = {}  # a file in one line has none
    for n, line in enumerate(lines, 1):
        if (match := re.match(r'\s*\{?\s*"([^"\\]*)"\s*:\s*\{', line)) is not None:
            starts.setdefault(match.group(1), n)
    return [(starts.get(key, 1), key, value) for key, value in table.items()]


def sample_of(key: str, value: object, left_out: Counter[str]) -> Sample:
    """Apply the operations of a sentence; count what of it cannot be kept.

    Raises:
        FormatError: An operation cannot be applied to it.
    """
    entry = convert(None, value, _Sentence)
    source = entry.sentence
    if not source:
        raise FormatError("the sentence is empty; fill it or remove the entry")
    meta = {name: text for name in _META if isinstance(text := getattr(entry, name), str)}
    if entry.operation is UNSET:
        return Sample(key, source, (), meta)
    operations = _operations(entry.operation)
    flag = entry.error_flag
    if flag not in (0, 1) or (operations and not flag):
        raise FormatError(
            "error_flag is {flag}, number of operations {count}; 0 is free of error, "
            "1 has operations",
            flag=Message("missing") if flag is UNSET else flag,
            count=len(operations),
        )
    if not flag:
        return Sample(key, source, (Rewrite(error_free=True),), meta)
    texts = []
    for operation in operations:
        results, conflicts = _texts(operation, source)
        texts += results
        left_out[_OVERRULED] += conflicts
    distinct = dict.fromkeys(texts)
    left_out[_DUPLICATE] += len(texts) - len(distinct)
    left_out[_UNCORRECTED] += not texts
    return Sample(key, source, tuple(Rewrite(text=text) for text in distinct), meta)


def _operations(text: str) -> tuple[_Operation, ...]:
    try:
        rows = parse_json(text, hint=Message("it is a list of objects"))
        return convert(None, rows, tuple[_Operation, ...])
    except FormatError as error:
        raise FormatError("operation: {message}", message=error.message) from error


def _texts(operation: _Operation, source: str) -> tuple[list[str], int]:
    """The texts that an operation makes of a sentence, and how many changes it overrules.

    There is one text for each choice of labels.
    """
    characters = source
    if operation.switch is not UNSET:
        _check_numbers("Switch", operation.switch, len(source))
        characters = "".join([source[i] for i in operation.switch])
    _check_numbers("Delete", operation.delete, len(characters))
    changes = (*operation.insert, *operation.modify)
    for change in changes:
        _check_change(change, len(characters))
    replacements = {change.pos: change for change in changes if change.width}.values()
    effective = [
        change
        for change in changes
        if not any(
            other is not change and other.pos <= change.pos < other.pos + other.width
            for other in replacements
        )
    ]
    count = prod(len(change.labels) for change in effective)
    if count > _MOST:
        raise FormatError(
            "the labels make {count} references of one operation; at most {most}",
            count=count,
            most=_MOST,
        )
    texts = [
        _apply(characters, operation.delete, zip(effective, labels, strict=True))
        for labels in product(*(change.labels for change in effective))
    ]
    return texts, len(changes) - len(effective)


def _apply(characters: str, deletions: Sequence[int], labels: Iterable[tuple[_Change, str]]) -> str:
    """What an operation makes of a sentence whose characters are in the order of `Switch`."""
    pieces = ["", *characters]  # piece k + 1 stands at place k
    insertions = [""] * len(pieces)
    for k in deletions:
        pieces[k + 1] = ""
    for change, label in labels:
        at = change.pos + 1
        if change.width:
            pieces[at : at + change.width] = [label, *[""] * (change.width - 1)]
        else:
            insertions[at] += label
    return "".join(map(str.__add__, pieces, insertions))


def _check_numbers(key: str, numbers: Sequence[int], length: int) -> None:
    """Refuse a list of an operation that does not name different characters."""
    if len(set(numbers)) < len(numbers) or not all(0 <= number < length for number in numbers):
        raise FormatError(
            "{key} is {numbers}; expected a list of different numbers of characters, 0 to {last}",
            key=key,
            numbers=quote(str(list(numbers))),
            last=length - 1,
        )


def _check_change(change: _Change, length: int) -> None:
    start, tag, width = change.pos, change.tag, change.width
    if _TAG.fullmatch(tag) is None:
        raise FormatError("the tag is {tag}; expected INS_k, MOD_k or MOD_k+INS_m", tag=quote(tag))
    if not (0 <= start <= length - width if width else -1 <= start < length):
        raise FormatError(
            "{tag} at {start} lies outside the sentence, which has {length} characters",
            tag=tag,
            start=start,
            length=length,
        )
    if tag.startswith("MOD") and not width:
        raise FormatError("the tag {tag} replaces nothing; write INS_k to insert", tag=tag)
    if not change.labels:
        raise FormatError("there is no label for {tag}; write what is put there", tag=tag)


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write the sentences with operations that change as few characters as possible.

    Raises:
        CorpusError: Names the sample with an empty source.
    """
    return {"": _entries(corpus)}


def _entries(corpus: Corpus) -> Iterator[str]:
    import json  # 2 ms that readers of other formats need not pay

    if not corpus.samples:
        raise CorpusError(f"corpus {corpus.name!r} has no sentences; write it as jsonl")
    before = "{\n"
    for sample in corpus.samples:
        if not sample.source:
            raise CorpusError(
                f"sample {sample.id!r}: the source is empty; fill it or leave the sentence out"
            )
        entry: dict[str, object] = {"sentence": sample.source}
        texts = _reference_texts(sample, corpus.lang)
        if texts:
            is_free = all(rewrite.error_free for rewrite in _annotatable(sample))
            distinct = () if is_free else dict.fromkeys(texts)
            operations = [_operation(sample.source, text) for text in distinct]
            entry["error_flag"] = int(not is_free)
            entry["operation"] = json.dumps(operations, ensure_ascii=False)
        entry |= {key: sample.meta[key] for key in _META if key in sample.meta}
        table = json.dumps({sample.id: entry}, ensure_ascii=False, indent=4)
        yield before + table[len("{\n") : -len("\n}")]
        before = ",\n"
    yield "\n}\n"


def _annotatable(sample: Sample) -> list[Rewrite]:
    return [rewrite for rewrite in sample.references if not rewrite.unannotatable]


def _reference_texts(sample: Sample, lang: str | None) -> list[str]:
    return [text_of(sample, rewrite, lang) for rewrite in _annotatable(sample)]


def _operation(source: str, text: str) -> dict[str, list[object]]:
    """The operation that makes a text of a sentence; `Switch` is never needed."""
    operation: dict[str, list[object]] = {}
    for edit in changes(source, text):
        label = "".join(edit.replacement or ())
        if not label:
            operation.setdefault("Delete", []).extend(range(edit.start, edit.end))
        elif edit.start == edit.end:
            row = {"pos": edit.start - 1, "tag": f"INS_{len(label)}", "label": label}
            operation.setdefault("Insert", []).append(row)
        else:
            row = {"pos": edit.start, "tag": _modification(edit, label), "label": label}
            operation.setdefault("Modify", []).append(row)
    return operation


def _modification(edit: Edit, label: str) -> str:
    width = edit.end - edit.start
    more = len(label) - width
    if not more:
        return f"MOD_{width}"
    return f"MOD_{width}+INS_{more}" if more > 0 else f"MOD_{width}+DEL_{-more}"


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's."""
    samples = [
        replace(sample, meta={key: value for key, value in sample.meta.items() if key not in _META})
        for sample in corpus.samples
    ]
    unannotatable_count = sum(rewrite.unannotatable for s in samples for rewrite in s.references)
    beside_others = sum(
        rewrite.error_free for row in map(_annotatable, samples) for rewrite in row if len(row) > 1
    )
    texts = [_reference_texts(sample, corpus.lang) for sample in samples]
    repetitions = sum(len(row) - len(set(row)) for row in texts)
    return [
        *text_losses(_NAME, replace(corpus, samples=tuple(samples))),
        *loss_of(
            _NAME, "references that say unannotatable, which are left out", unannotatable_count
        ),
        *loss(
            beside_others,
            "reference",
            f"{_NAME} has error-free sentences only: {{}} beside others become the source as a "
            "text",
        ),
        *loss_of(_NAME, "reference twice", repetitions),
        *chinese_loss(_NAME, corpus),
    ]


FORMAT = Format(
    name=_NAME,
    title="FCGEC",
    about="JSON with operations, as FCGEC is published",
    sniff=partial(begins, pattern=_BEGINNING, count=3, length=2000),
    stream=stream,
    pieces=pieces,
    losses=losses,
)
