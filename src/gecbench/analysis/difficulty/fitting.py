"""Does a weight file fit the reference that it is to weigh?"""

from __future__ import annotations

import json

from gecbench.analysis.difficulty.sheet import Sheet
from gecbench.core.errors import CorpusError
from gecbench.formats.losses import counted
from gecbench.formats.weights import WeightFile, digest


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


def check_fits(file: WeightFile, sheet: Sheet, what: str) -> None:
    """Refuse a weight file that was made with another reference, as far as it can be known.

    By the fingerprint in its label, where it has one; by numbers of sentences and chunks.

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
    if file.label is not None and file.label.fingerprint != fingerprint(sheet):
        raise CorpusError(
            f"{file.path}: its weights are of corpus {file.label.corpus!r} with "
            f"{file.label.reference}, not of {what}: tokens or edits differ; take the file of "
            "this reference, or make one by --write-weights"
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
