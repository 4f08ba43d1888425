"""yaclc: JSON objects of sentences with the corrections of many annotators, as YACLC is published.

A correction is minimal (grammaticality) or of fluency, too. `yaclc` reads both, `yaclc-minimal`
and `yaclc-fluency` those of one dimension.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError, Message, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows, begins
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.table import Row, json_objects, meta_of, name_in
from gecbench.formats.texts import CHINESE, error_place, not_kept
from gecbench.formats.validation import value_of

_ID, _TEXT, _ANNOTATIONS = "sentence_id", "sentence_text", "sentence_annos"
_NAMED = 5
_BEGINNING = re.compile(rf'\s*[{{\[].*?"{_TEXT}"', re.DOTALL)


class Annotation(NamedTuple):
    """A correction, and its attributes.

    Args:
        text: The corrected sentence.
        is_fluency: Whether it also makes the sentence fluent; else it is minimal.
        annotators: How many annotators wrote it; None where the file does not say.
    """

    text: str
    is_fluency: bool
    annotators: int | None


class Sentence(NamedTuple):
    """A sentence with its corrections; `meta` is all else that the file says of it."""

    id: str | None
    text: str
    annotations: tuple[Annotation, ...]
    meta: Mapping[str, str]


def is_sentence(row: Row) -> bool:
    """Whether an object is a sentence of YACLC."""
    return _TEXT in row


def sentence_of(row: Row) -> Sentence:
    """Read a sentence of YACLC.

    Raises:
        FormatError: A key is missing or of a wrong type.
    """
    rows = value_of(row, _ANNOTATIONS, tuple[Row, ...]) if _ANNOTATIONS in row else ()
    annotations = (
        Annotation(
            value_of(annotation, "correction", str),
            _is_fluency(annotation),
            value_of(annotation, "annotator_count", int)
            if "annotator_count" in annotation
            else None,
        )
        for annotation in rows
    )
    return Sentence(
        name_in(row, _ID),
        value_of(row, _TEXT, str),
        tuple(annotations),
        meta_of(row, {_ID, _TEXT, _ANNOTATIONS}),
    )


def _is_fluency(annotation: Row) -> bool:
    value = annotation.get("is_grammatical", 1)
    if value is not True and value is not False and value not in (0, 1):
        raise FormatError(
            "'is_grammatical' is {value}; it is 1 for a minimal correction, 0 for one of fluency",
            value=quote(value) if isinstance(value, str) else str(value)[:40],
        )
    return not value


def _stream(
    path: Path, lines: Iterable[str], *, keep: Callable[[Annotation], bool]
) -> tuple[Corpus, Rows]:
    """Read the sentences with the corrections of the chosen dimensions, each text once.

    A correction that stands in both dimensions is listed among what is not kept.

    Raises:
        FormatError: Names the line of a sentence with a key that is missing.
    """
    rows: list[tuple[int, Sample]] = []
    both: list[str] = []
    for line, row in json_objects(path, list(lines)):
        with error_place(Place(path, line)):
            sentence = sentence_of(row)
            if not sentence.text.strip():
                raise FormatError("the sentence is empty; fill it or remove the entry")
        name = sentence.id or str(len(rows) + 1)
        dimensions = Counter({a[:2] for a in sentence.annotations})
        texts = Counter(text for text, _ in dimensions)
        both += [name] if any(count > 1 for count in texts.values()) else []
        annotators: dict[str, int] = {}
        for annotation in filter(keep, sentence.annotations):
            count = annotators.get(annotation.text, 0)
            annotators[annotation.text] = count + (annotation.annotators or 0)
        meta = dict(sentence.meta)
        if any(annotators.values()):
            meta["annotator_count"] = " ".join(map(str, annotators.values()))
        rewrites = tuple(
            Rewrite(error_free=True) if text == sentence.text else Rewrite(text=text)
            for text in annotators
        )
        rows.append((line, Sample(name, sentence.text, rewrites, meta)))
    names = ", ".join(map(quote, both[:_NAMED])) + (", ..." if len(both) > _NAMED else "")
    what = Message(
        "the dimension of a correction that is both minimal and fluency ({ids})", ids=names
    )
    return Corpus(name_of(path), (), CHINESE, not_kept({what: len(both)})), iter(rows)


_ABOUT = "JSON with the corrections of many annotators, as YACLC is published"

FORMAT = Format(
    name="yaclc",
    title="YACLC",
    about=_ABOUT,
    sniff=partial(begins, pattern=_BEGINNING, count=20, length=5000),
    stream=partial(_stream, keep=lambda _: True),
)
MINIMAL = Format(
    name="yaclc-minimal",
    title="YACLC",
    about=f"{_ABOUT}: minimal ones alone",
    stream=partial(_stream, keep=lambda annotation: not annotation.is_fluency),
)
FLUENCY = Format(
    name="yaclc-fluency",
    title="YACLC",
    about=f"{_ABOUT}: those of fluency alone",
    stream=partial(_stream, keep=lambda annotation: annotation.is_fluency),
)
