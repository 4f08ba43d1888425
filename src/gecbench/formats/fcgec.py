"""fcgec: one JSON object, sentences by id, each with the operations that correct it.

As FCGEC is published (xlxwalex/FCGEC ee4b6cc). An operation is applied in two steps: `Switch`
puts the characters in another order, then `Delete`, `Insert` and `Modify` change what stands at
places of that order. Several labels are alternatives; each combination of them is a reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import name_of
from gecbench.core.format import Format
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.edits.changes import changes
from gecbench.formats.fields import Fields
from gecbench.formats.losses import counted, lost, text_losses
from gecbench.formats.texts import shown, text_of

_NAME = "fcgec"
_META = ("error_type", "version")
_KEYS = ("sentence", "error_flag", "operation", *_META)
_MOST = 1000
_TAG = re.compile(r"INS_.*|MOD_(\d{1,4})(?:\+(?:INS|DEL)_\d+)?", re.DOTALL)
_REPEATED = "a reference that repeats another of its sentence"
_OVERRULED = "a change inside what the same operation replaces"
_UNCORRECTED = "the mark of an error that nobody corrected"


@dataclass(frozen=True, slots=True)
class _Place:
    """What an operation does at one place.

    Args:
        start: First character, in the order that `Switch` gives; -1 is before the first.
        width: How many characters are replaced; 0 inserts behind the place.
        labels: What is put there; alternatives.
    """

    start: int
    width: int
    labels: tuple[str, ...]


def sniff(lines: Sequence[str]) -> bool:
    """Return whether the file begins as an object of objects with a sentence does."""
    head = "".join(lines[:3])[:2000]
    return re.match(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"sentence"\s*:', head) is not None


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return the sentences with their references, made by applying the operations.

    Differs from FCGEC's own converter (convert_fcgec_to_seq2seq.py), which loses `Delete` and
    `Switch` where an operation has alternatives, applies a second `Switch` to what the first one
    made, and keeps a deleted character behind which something is inserted. As there, a change
    inside what the same operation replaces is left out, and a `Switch` that names fewer
    characters than there are leaves the others out.

    Raises:
        FormatError: Names the sentence with an operation that cannot be applied to it.
    """
    table = _whole(path, lines)
    left_out: Counter[str] = Counter()
    starts = _starts(lines)
    samples = []
    for key, value in table.values.items():
        at = f"{path}:{starts.get(key, 1)}: {shown(key)}"
        if not isinstance(value, dict):
            raise FormatError(f"{at}: is no object; an entry has a sentence and an operation")
        sample, lacking = _sample(key, Fields(at, value))
        samples.append(sample)
        left_out.update(lacking)
    if not samples:
        raise FormatError(f"{path}:1: the object is empty; a corpus has at least one sentence")
    note = "; ".join(f"{counted(n, 'time')} {what}" for what, n in sorted(left_out.items()) if n)
    return Corpus(name_of(path), tuple(samples), "zh", {NOT_KEPT: note} if note else {})


def write(corpus: Corpus) -> Mapping[str, str]:
    """Return the sentences with operations that change as few characters as can be.

    Raises:
        CorpusError: Names the sample with an empty source.
    """
    import json  # 2 ms that readers of other formats need not pay

    table = {sample.id: _entry(sample, corpus.lang) for sample in corpus.samples}
    if not table:
        raise CorpusError(f"corpus {corpus.name!r} has no sentences; write it as jsonl")
    return {"": json.dumps(table, ensure_ascii=False, indent=4) + "\n"}


def losses(corpus: Corpus) -> list[str]:
    """Return what is lost beside the name, which is the file's."""
    plain = [
        replace(sample, meta={key: value for key, value in sample.meta.items() if key not in _META})
        for sample in corpus.samples
    ]
    found = text_losses(_NAME, replace(corpus, samples=tuple(plain)))
    states = [sample.references for sample in corpus.samples]
    undone = sum(rewrite.unannotatable for row in states for rewrite in row)
    found += lost(_NAME, "references that say unannotatable, which are left out", undone)
    mixed = sum(r.error_free for row in states if len(_kept(row)) > 1 for r in row)
    if mixed:
        found.append(
            f"{_NAME} has error-free sentences only: {counted(mixed, 'reference')} beside others "
            "become the source as a text"
        )
    repeated = sum(_repeated(sample, corpus.lang) for sample in corpus.samples)
    found += lost(_NAME, "reference twice", repeated)
    if corpus.lang != "zh":
        found.append(f"{_NAME} is Chinese: the language {corpus.lang!r} becomes 'zh'")
    return found


def _whole(path: Path, lines: Sequence[str]) -> Fields:
    """Return the object that the file is."""
    text = "\n".join(lines)
    try:
        return Fields.parse(f"{path}:1", text)
    except FormatError:
        import json

        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            raise FormatError(
                f"{path}:{error.lineno}: not JSON at column {error.colno}: {error.msg}; the file "
                "is one object, sentences by id"
            ) from error
        except (ValueError, RecursionError):
            pass  # the first failure says it
        raise


def _starts(lines: Sequence[str]) -> dict[str, int]:
    """Return the line of each id; of a file in one line, none."""
    found: dict[str, int] = {}
    for n, line in enumerate(lines, 1):
        if (match := re.match(r'\s*\{?\s*"([^"\\]*)"\s*:\s*\{', line)) is not None:
            found.setdefault(match.group(1), n)
    return found


def _sample(key: str, entry: Fields) -> tuple[Sample, Mapping[str, int]]:
    """Return a sentence, and how often what of it could not be kept."""
    entry.only(*_KEYS)
    source = entry.text("sentence")
    if not source:
        raise FormatError(f"{entry.at}: the sentence is empty; fill it or remove the entry")
    meta = {name: entry.text(name) for name in _META if entry.has(name)}
    if not entry.has("operation"):
        return Sample(key, source, (), meta), {}
    nested = Fields.parse(f"{entry.at}: operation", f'{{"list": {entry.text("operation")}}}')
    nested.only("list")
    operations = nested.rows("list")
    flag = entry.number("error_flag")
    if flag not in (0, 1) or (operations and not flag):
        raise FormatError(
            f"{entry.at}: error_flag is {flag} with {counted(len(operations), 'operation')}; 0 is "
            "free of error, 1 has operations"
        )
    if not flag:
        return Sample(key, source, (Rewrite(error_free=True),), meta), {}
    made = [_texts(operation, source) for operation in operations]
    texts = [text for several, _ in made for text in several]
    distinct = dict.fromkeys(texts)
    lacking = {
        _OVERRULED: sum(overruled for _, overruled in made),
        _REPEATED: len(texts) - len(distinct),
        _UNCORRECTED: int(not texts),
    }
    return Sample(key, source, tuple(Rewrite(text=text) for text in distinct), meta), lacking


def _texts(operation: Fields, source: str) -> tuple[list[str], int]:
    """Return the texts that an operation makes of a sentence, and how many changes it overrules.

    There is one text for each choice of labels.
    """
    operation.only("Switch", "Delete", "Insert", "Modify")
    characters = source
    if operation.has("Switch"):
        order = _numbers(operation, "Switch", len(source))
        characters = "".join(source[i] for i in order)
    deleted = frozenset(_numbers(operation, "Delete", len(characters)))
    places = [
        _place(row, len(characters))
        for key in ("Insert", "Modify")
        if operation.has(key)
        for row in operation.rows(key)
    ]
    replaced = {place.start: place for place in places if place.width}
    kept = [place for place in places if not _overruled(place, replaced)]
    many = prod(len(place.labels) for place in kept)
    if many > _MOST:
        raise FormatError(
            f"{operation.at}: the labels make {many} references of one operation; at most {_MOST}"
        )
    texts = [
        _applied(characters, deleted, list(zip(kept, chosen, strict=True)))
        for chosen in product(*(place.labels for place in kept))
    ]
    return texts, len(places) - len(kept)


def _overruled(place: _Place, replaced: Mapping[int, _Place]) -> bool:
    """Say whether a change stands inside what another one replaces."""
    return any(
        other is not place and other.start <= place.start < other.start + other.width
        for other in replaced.values()
    )


def _applied(characters: str, deleted: frozenset[int], chosen: Sequence[tuple[_Place, str]]) -> str:
    behind: dict[int, str] = {}
    instead: dict[int, tuple[int, str]] = {}
    for place, label in chosen:
        if place.width:
            instead[place.start] = place.width, label
        else:
            behind[place.start] = behind.get(place.start, "") + label
    made = [behind.get(-1, "")]
    i = 0
    while i < len(characters):
        if i in instead:
            width, label = instead[i]
            made.append(label)
            i += width
            continue
        if i not in deleted:
            made.append(characters[i])
        made.append(behind.get(i, ""))
        i += 1
    return "".join(made)


def _numbers(operation: Fields, key: str, length: int) -> list[int]:
    """Return the characters that a list of an operation names."""
    values = operation.values.get(key, [])
    if (
        not isinstance(values, list)
        or len(set(map(str, values))) != len(values)
        or not all(type(value) is int and 0 <= value < length for value in values)
    ):
        raise FormatError(
            f"{operation.at}: {key} is {shown(str(values))}; expected a list of different numbers "
            f"of characters, 0 to {length - 1}"
        )
    return values


def _place(row: Fields, length: int) -> _Place:
    row.only("pos", "tag", "label")
    start, tag = row.number("pos"), row.text("tag")
    match = _TAG.fullmatch(tag)
    if match is None:
        raise FormatError(
            f"{row.at}: the tag is {shown(tag)}; expected INS_k, MOD_k or MOD_k+INS_m"
        )
    width = int(match.group(1) or 0)
    if not (0 <= start <= length - width if width else -1 <= start < length):
        raise FormatError(
            f"{row.at}: {tag} at {start} lies outside the sentence, which has {length} characters"
        )
    if tag.startswith("MOD") and not width:
        raise FormatError(f"{row.at}: the tag {tag} replaces nothing; write INS_k to insert")
    labels = (
        (row.text("label"),) if isinstance(row.values.get("label"), str) else row.words("label")
    )
    if not labels:
        raise FormatError(f"{row.at}: there is no label for {tag}; write what is put there")
    return _Place(start, width, labels)


def _kept(references: Sequence[Rewrite]) -> list[Rewrite]:
    return [rewrite for rewrite in references if not rewrite.unannotatable]


def _text(sample: Sample, rewrite: Rewrite, lang: str | None) -> str:
    return sample.source if rewrite.error_free else text_of(sample, rewrite, lang)


def _repeated(sample: Sample, lang: str | None) -> int:
    texts = [_text(sample, rewrite, lang) for rewrite in _kept(sample.references)]
    return len(texts) - len(set(texts))


def _entry(sample: Sample, lang: str | None) -> dict[str, object]:
    import json

    if not sample.source:
        raise CorpusError(
            f"sample {sample.id!r}: the source is empty; fill it or leave the sentence out"
        )
    entry: dict[str, object] = {"sentence": sample.source}
    references = _kept(sample.references)
    if references:
        free = all(rewrite.error_free for rewrite in references)
        made = [] if free else [_text(sample, rewrite, lang) for rewrite in references]
        operations = [_operation(sample.source, text) for text in dict.fromkeys(made)]
        entry["error_flag"] = int(not free)
        entry["operation"] = json.dumps(operations, ensure_ascii=False)
    return entry | {key: sample.meta[key] for key in _META if key in sample.meta}


def _operation(source: str, text: str) -> dict[str, list[object]]:
    """Return the operation that makes a text of a sentence; `Switch` is never needed."""
    found: dict[str, list[object]] = {}
    for edit in changes(source, text):
        label = "".join(edit.replacement or ())
        if not label:
            found.setdefault("Delete", []).extend(range(edit.start, edit.end))
        elif edit.start == edit.end:
            row = {"pos": edit.start - 1, "tag": f"INS_{len(label)}", "label": label}
            found.setdefault("Insert", []).append(row)
        else:
            row = {"pos": edit.start, "tag": _modification(edit, label), "label": label}
            found.setdefault("Modify", []).append(row)
    return found


def _modification(edit: Edit, label: str) -> str:
    width = edit.end - edit.start
    more = len(label) - width
    if not more:
        return f"MOD_{width}"
    return f"MOD_{width}+INS_{more}" if more > 0 else f"MOD_{width}+DEL_{-more}"


FORMAT = Format(
    name=_NAME,
    about="JSON with operations, as FCGEC is published",
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
