"""Weight files in the official format of GoToScorer: how many systems are right on each chunk.

The first line is the number of systems, each further one the numbers of a sentence's chunks. A
file fits only the reference that it was made with. The official format has no place to say which,
and its reader takes every line for numbers, so the fingerprint of the reference stands in a label
beside it, FILE.json.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gecbench.core.errors import FormatError, Place, count_noun
from gecbench.core.files import read_lines
from gecbench.formats.texts import error_place, is_number, parse_rows
from gecbench.formats.validation import convert, parse_json


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a weight file.

    Args:
        corpus: Name of the corpus.
        reference: Name of the reference.
        fingerprint: Digest of the reference.
        weights: Digest of the weight file; `format_weights` fills it.
        systems: Names of the systems that made the weights.
        chosen: By id of a sentence, the number of its reference, from 1, where the reference was
            chosen sentence by sentence; else None.
    """

    format: Literal["gecbench-weights"] = "gecbench-weights"
    schema: Literal[1] = 1
    corpus: str
    reference: str
    fingerprint: str = msgspec.field(name="reference_sha256")
    weights: str = msgspec.field(name="weights_sha256", default="")
    systems: tuple[str, ...]
    chosen: Mapping[str, Annotated[int, msgspec.Meta(ge=1)]] | None = None


@dataclass(frozen=True, slots=True)
class WeightFile:
    """What a weight file holds.

    Args:
        path: Where it lies.
        systems: How many systems it was made with.
        right: How many of them are right on each chunk of each sentence.
        label: What lies beside it; None where nothing does.
    """

    path: Path
    systems: int
    right: tuple[tuple[int, ...], ...]
    label: Label | None = None


def label_path(path: Path) -> Path:
    """Where the label of a weight file lies."""
    return path.with_name(f"{path.name}.json")


def digest(text: str) -> str:
    """The SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def read_weights(path: Path) -> WeightFile:
    """Read what a weight file and the label beside it say.

    Raises:
        FormatError: One of them is something else, or the weights were changed since the label
            was written; begins with the path.
        GecbenchError: A file cannot be read.
    """
    lines = read_lines(path)
    systems, right = _weights(path, lines)
    if not label_path(path).exists():
        return WeightFile(path, systems, right)
    content = "".join(f"{line}\n" for line in lines)
    return WeightFile(path, systems, right, _label(path, content))


def format_weights(
    path: Path, systems: int, right: Sequence[Sequence[int]], label: Label
) -> dict[Path, str]:
    """A weight file, as the official program writes it, and its label, by their paths.

    Args:
        path: Of the weight file.
        systems: How many systems voted.
        right: How many of them are right on each chunk of each sentence.
        label: What the weights are of.
    """
    content = "".join(f"{row}\n" for row in (systems, *(" ".join(map(str, row)) for row in right)))
    about = msgspec.to_builtins(msgspec.structs.replace(label, weights=digest(content)))
    if label.chosen is None:
        del about["chosen"]
    return {path: content, label_path(path): json.dumps(about, ensure_ascii=False, indent=1) + "\n"}


def _weights(path: Path, lines: Sequence[str]) -> tuple[int, tuple[tuple[int, ...], ...]]:
    first = lines[0] if lines else ""
    if not is_number(first.strip()) or int(first) < 1:
        raise FormatError(
            f"{path}:1: {first[:20]!r} is not the number of systems, with which a weight file "
            "begins"
        )
    systems = int(first)
    rows = parse_rows(path, enumerate(lines[1:], 2), partial(_row, systems=systems))
    return systems, tuple(row for _, row in rows)


def _row(line: str, systems: int) -> tuple[int, ...]:
    words = line.split()
    if not words:
        raise FormatError("the line is blank; each sentence has a number for each chunk")
    for word in words:
        if not is_number(word):
            raise FormatError(f"{word[:20]!r} is not a whole number; a line holds numbers only")
    numbers = tuple(map(int, words))
    if max(numbers) > systems:
        raise FormatError(
            f"{count_noun(max(numbers), 'system', ' is', ' are')} right on a chunk, but the "
            f"first line says that there are {systems}"
        )
    return numbers


def _label(path: Path, content: str) -> Label:
    at = label_path(path)
    hint = "remove the file to go by counts of chunks alone, or write the weights again"
    with error_place(Place(at, 1)):
        value = parse_json("\n".join(read_lines(at)), hint=hint)
        try:
            label = convert(None, value, Label)
        except FormatError as error:
            raise FormatError(
                f"{error.message} (gecbench-weights, as --write-weights puts it there); {hint}"
            ) from error
    if label.weights != digest(content):
        raise FormatError(
            f"{path}: was changed after its fingerprint {at.name} was written; write both again by "
            "--write-weights"
        )
    return label
