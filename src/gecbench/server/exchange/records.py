"""Lines to records, in every format that is imported; a broken line is told, not the end.

The formats of `gecbench.formats` stop at the first thing that is wrong. Somebody who mends a file
wants to know of all of them, so each line (or block of lines) is read on its own here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError
from gecbench.core.sample import Rewrite, Sample
from gecbench.formats import load_format
from gecbench.formats.m2 import is_target
from gecbench.formats.texts import text_of
from gecbench.server.exchange import foreign
from gecbench.server.exchange.content import Content
from gecbench.server.exchange.found import Found, Record, Trouble

_SOURCE = "source"
"""Key of metadata that names where a sentence comes from."""


def records(content: Content, format: str | None = None) -> tuple[str, Iterator[Found]]:
    """Return the name of a file's format, and what its lines hold, in order.

    Args:
        content: The file.
        format: Name of its format; None means find out.

    Raises:
        FormatError: Nothing of it can be read, as without the header that the format demands.
        UnknownNameError: There is no such format.
    """
    chosen = format or sniffed(content)
    if chosen not in READERS:
        raise UnknownNameError("format", chosen, READERS)
    if chosen == "mucgec" and format is None:
        load_format(chosen).check(Path(content.name), content.lines)
    return chosen, READERS[chosen](content)


def parallel(sources: Content, references: Sequence[Content]) -> Iterator[Found]:
    """Yield the sentences of a file with those of further files, line by line.

    Raises:
        FormatError: A file has another number of lines.
    """
    for each in references:
        if len(each.lines) != len(sources.lines):
            raise FormatError(
                f"{each.name}:{min(len(each.lines), len(sources.lines)) + 1}: the file has "
                f"{len(each.lines)} lines, but {sources.name} has {len(sources.lines)}; line k "
                "of each file belongs to sentence k"
            )
    for n, line in enumerate(sources.lines, 1):
        texts = [each.lines[n - 1] for each in references]
        if not line.strip():
            yield Trouble(n, "the line is blank, but files of references go with it; fill it")
        elif not all(text.strip() for text in texts):
            which = next(k for k, text in enumerate(texts) if not text.strip())
            yield Trouble(n, f"the line is blank in {references[which].name}; fill it")
        else:
            yield Record(n, None, line, tuple(Rewrite(text=text) for text in texts))


def sniffed(content: Content) -> str:
    """Return the name of the format that a file seems to be in."""
    first = next((line for line in content.lines if line.strip()), "").lstrip()
    if first.startswith(("{", "[")):
        return foreign.sniffed(content, first)
    named = ("mucgec", "m2")
    return next((name for name in named if load_format(name).sniff(content.lines)), "lines")


def _lines(content: Content) -> Iterator[Found]:
    for n, line in enumerate(content.lines, 1):
        yield Record(n, None, line)


def _mucgec(content: Content) -> Iterator[Found]:
    yield from _one_by_one(content, "mucgec", range(len(content.lines)), lambda n: (n,))


def _jsonl(content: Content) -> Iterator[Found]:
    header = _told(content, load_format("jsonl").read, content.lines[:1], 1, 1)
    if isinstance(header, Trouble):
        yield header
        return
    places = range(1, len(content.lines))
    yield from _one_by_one(content, "jsonl", places, lambda n: (0, n))


def _one_by_one(
    content: Content, format: str, places: Sequence[int], together: Callable[[int], Sequence[int]]
) -> Iterator[Found]:
    """Yield a record for each line; `together` says which lines make it readable."""
    read = load_format(format).read
    for place in places:
        rows = [content.lines[n] for n in together(place)]
        found = _told(content, read, rows, place + 1, place + 1)
        if isinstance(found, Trouble):
            yield found
        else:
            yield _record(place + 1, found[0], "zh", numbered=False)


def _m2(content: Content) -> Iterator[Found]:
    read = load_format("m2").read
    targets = any(map(is_target, content.lines))
    for start, block in _blocks(content.lines):
        if targets and not any(map(is_target, block)):
            yield Trouble(
                start,
                "the block has no T line; in a file with T lines every block has one "
                "(T0 没有错误 if it is error free)",
            )
            continue
        found = _told(content, read, block, start, None)
        if isinstance(found, Trouble):
            yield found
        else:
            yield _record(start, found[0], "zh" if targets else "en", numbered=True)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    block: list[str] = []
    for n, line in enumerate(lines, 1):
        if line.strip():
            block.append(line)
        elif block:
            yield n - len(block), block
            block = []
    if block:
        yield len(lines) + 1 - len(block), block


def _told(
    content: Content,
    read: Callable[..., object],
    rows: Sequence[str],
    start: int,
    line: int | None,
) -> tuple[Sample, ...] | Trouble:
    """Return what some lines hold, or what is wrong with them.

    Args:
        content: The file.
        read: Of the format.
        rows: The lines to read.
        start: Line number of the first of them in the file.
        line: Where trouble is told; None counts on from the start.
    """
    try:
        corpus = read(Path(content.name), rows)
    except GecbenchError as error:
        # Every error of a reader begins with path:line.
        place, _, message = str(error).removeprefix(f"{content.name}:").partition(": ")
        return Trouble(line or start + int(place) - 1, message)
    return corpus.samples  # type: ignore[attr-defined,no-any-return]  # each reads a Corpus


def _record(line: int, sample: Sample, lang: str, *, numbered: bool) -> Record:
    meta = {key: value for key, value in sample.meta.items() if key != _SOURCE}
    return Record(
        line,
        None if numbered else sample.id,
        sample.source,
        tuple(_as_text(sample, one, lang) for one in sample.references),
        meta,
        sample.meta.get(_SOURCE, ""),
    )


def _as_text(sample: Sample, rewrite: Rewrite, lang: str) -> Rewrite:
    """Return a reference without edits: they are found anew when they are wanted."""
    if rewrite.error_free or rewrite.unannotatable:
        return Rewrite(error_free=rewrite.error_free, unannotatable=rewrite.unannotatable)
    return Rewrite(text=text_of(sample, rewrite, lang))


READERS: Mapping[str, Callable[[Content], Iterator[Found]]] = {
    "lines": _lines,
    "mucgec": _mucgec,
    "m2": _m2,
    "jsonl": _jsonl,
    **foreign.READERS,
}
"""Name of a format to its reader."""
