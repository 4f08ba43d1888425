"""Weight files in the official format: how many systems are right on each chunk.

The first line is the number of systems, each further one the numbers of a sentence's chunks. A
file fits only the reference that it was made with. The official format has no place to say which,
and its reader takes every line for numbers, so the fingerprint of the reference stands in a file
beside it, FILE.json.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.analysis.difficulty.sheet import Sheet
from gecbench.core.errors import CorpusError, FormatError
from gecbench.formats.losses import counted

FORMAT = "gecbench-weights"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class WeightFile:
    """What a weight file holds.

    Args:
        path: Where it lies.
        systems: How many systems it was made with.
        right: How many of them are right on each chunk of each sentence.
    """

    path: Path
    systems: int
    right: tuple[tuple[int, ...], ...]


def written(sheet: Sheet) -> str:
    """Return the content of a weight file, as the official program writes it."""
    rows = [str(len(sheet.letters)), *(" ".join(map(str, row)) for row in sheet.right)]
    return "".join(f"{row}\n" for row in rows)


def parse(path: Path, lines: Sequence[str]) -> WeightFile:
    """Return what the lines of a weight file say.

    Raises:
        FormatError: Begins with path:line.
    """
    if not lines or not _is_number(lines[0].strip()) or int(lines[0]) < 1:
        seen = lines[0][:20] if lines else ""
        raise FormatError(
            f"{path}:1: {seen!r} is not the number of systems, with which a weight file begins"
        )
    systems = int(lines[0])
    rows = tuple(_row(f"{path}:{n}", line, systems) for n, line in enumerate(lines[1:], 2))
    return WeightFile(path, systems, rows)


def _row(at: str, line: str, systems: int) -> tuple[int, ...]:
    words = line.split()
    if not words:
        raise FormatError(f"{at}: the line is blank; each sentence has a number for each chunk")
    wrong = next((word for word in words if not _is_number(word)), None)
    if wrong is not None:
        raise FormatError(f"{at}: {wrong[:20]!r} is not a whole number; a line holds numbers only")
    numbers = tuple(map(int, words))
    if max(numbers) > systems:
        raise FormatError(
            f"{at}: {max(numbers)} systems are right on a chunk, but the first line says that "
            f"there are {systems}"
        )
    return numbers


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 10


def check_fits(file: WeightFile, sheet: Sheet, what: str) -> None:
    """Refuse a weight file that was made with another reference, as far as counts show it.

    Args:
        file: What was read.
        sheet: The chunks that it is to weigh.
        what: The corpus and its reference, for people.

    Raises:
        CorpusError: Names the first line with another number of chunks.
    """
    if len(file.right) != len(sheet.ids):
        raise CorpusError(
            f"{file.path}: weights of {counted(len(file.right), 'sentence')}, but {what} has "
            f"{len(sheet.ids)} here; take the file of this reference, or make one by "
            "--write-weights"
        )
    pairs = zip(file.right, sheet.chunks, strict=True)
    wrong = [at for at, (row, found) in enumerate(pairs) if len(row) != len(found)]
    if wrong:
        first = wrong[0]
        raise CorpusError(
            f"{file.path}:{first + 2}: {len(file.right[first])} numbers, but sentence "
            f"{sheet.ids[first]!r} of {what} has {len(sheet.chunks[first])} chunks "
            f"(so in {len(wrong)} of {len(sheet.ids)} sentences); the file was made with another "
            "reference or with other tokens"
        )


def fingerprint(sheet: Sheet) -> str:
    """Return what tells one reference from another: a digest of its tokens, spans and texts."""
    rows = [
        [
            list(reference.tokens),
            [
                [chunk.start, chunk.end, reference.edits[chunk.edit].replacement]
                for chunk in found
                if chunk.edit is not None
            ],
        ]
        for reference, found in zip(sheet.references, sheet.chunks, strict=True)
    ]
    return digest(json.dumps(rows, ensure_ascii=False))


def digest(text: str) -> str:
    """Return the SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def beside(path: Path) -> Path:
    """Return where the fingerprint of a weight file lies."""
    return path.with_name(f"{path.name}.json")


def label(sheet: Sheet, content: str, corpus: str, reference: str) -> str:
    """Return the content of the file with the fingerprint.

    Args:
        sheet: What the weights are of.
        content: Of the weight file.
        corpus: Name of the corpus.
        reference: Name of the reference.
    """
    said = {
        "format": FORMAT,
        "schema": SCHEMA,
        "corpus": corpus,
        "reference": reference,
        "reference_sha256": fingerprint(sheet),
        "weights_sha256": digest(content),
        "systems": list(sheet.letters),
    }
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def check_label(path: Path, text: str, content: str, sheet: Sheet, what: str) -> None:
    """Refuse a weight file whose fingerprint is of another reference.

    Args:
        path: Of the weight file.
        text: Content of the file with the fingerprint.
        content: Of the weight file, its lines ended by LF.
        sheet: The chunks that it is to weigh.
        what: The corpus and its reference, for people.

    Raises:
        FormatError: The file with the fingerprint is not one, or not of this weight file.
        CorpusError: The weights are of another reference.
    """
    at = beside(path)
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise FormatError(
            f"{at}:1: is not a fingerprint of weights ({FORMAT}), as --write-weights puts it "
            "there; remove the file to go by counts of chunks alone"
        )
    if said.get("schema") != SCHEMA:
        raise FormatError(
            f"{at}:1: schema {said.get('schema')!r} is not {SCHEMA}; write the weights again"
        )
    if said.get("weights_sha256") != digest(content):
        raise FormatError(
            f"{path}: was changed after its fingerprint {at.name} was written; write both again by "
            "--write-weights"
        )
    if said.get("reference_sha256") != fingerprint(sheet):
        raise CorpusError(
            f"{path}: its weights are of corpus {said.get('corpus')!r} with "
            f"{said.get('reference')}, not of {what}: tokens or edits differ; take the file of "
            "this reference, or make one by --write-weights"
        )
