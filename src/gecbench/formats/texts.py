"""What the formats share that hold nothing but texts: cells, and whole files of them."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.errors import CorpusError, EditError
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample
from gecbench.edits.apply import apply

_SHOWN = 40
_BOM = "\ufeff"
_LINE_ENDS = {"\n": "a line end", "\r": "a line end"}


def shown(text: str) -> str:
    """Return a text as an error message quotes it: at most 40 characters, then an ellipsis.

    >>> shown("你好")
    "'你好'"
    """
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def text_of(sample: Sample, rewrite: Rewrite, lang: str | None) -> str:
    """Return the text of a rewrite that is neither error free nor unannotatable.

    One that is known only by edits is what its first edit set makes of the tokens; errors that
    are detected and not corrected stay.

    Raises:
        CorpusError: The edits cannot be applied; names the sample.
    """
    if rewrite.text is not None:
        return rewrite.text
    return ("" if lang == "zh" else " ").join(made_of(sample, rewrite.edit_sets[0]))


def made_of(sample: Sample, edits: EditSet) -> tuple[str, ...]:
    """Return the tokens that edits make of those of a sample.

    Raises:
        CorpusError: The edits cannot be applied; names the sample.
    """
    try:
        return apply(edits, sample.tokens)
    except EditError as error:
        raise CorpusError(f"sample {sample.id!r}: {error}") from error


def check_cell(
    text: str, sample: Sample, what: str, name: str, *, tab_divides: bool = False
) -> None:
    """Refuse a text that would not be read back as one cell of the format `name`.

    Raises:
        CorpusError: Names the sample and the format that can hold the text.
    """
    divides = {**_LINE_ENDS, "\t": "a TAB"} if tab_divides else _LINE_ENDS
    for mark, in_words in divides.items():
        if mark in text:
            raise CorpusError(
                f"sample {sample.id!r}: {what} holds {in_words}, which {name} cannot; "
                "write it as jsonl"
            )


def file_of(rows: Sequence[str], corpus: Corpus, name: str) -> str:
    """Return rows as the content of a file.

    Raises:
        CorpusError: There is no row, or the first begins with what reading takes for a
            byte-order mark.
    """
    if not rows:
        raise CorpusError(f"corpus {corpus.name!r} has no sentences; write it as jsonl")
    if rows[0].startswith(_BOM):
        raise CorpusError(
            f"sample {corpus.samples[0].id!r}: the file would begin with U+FEFF, which reading "
            f"{name} drops; write it as jsonl"
        )
    return "\n".join(rows) + "\n"
