"""Reading corpora, whole or sample by sample, and what systems made of them, in any format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import (
    CorpusError,
    FormatError,
    Place,
    UsageError,
    count_noun,
    printed_path,
    quote,
)
from gecbench.core.files import (
    STDIO,
    is_folder,
    is_parquet,
    name_of,
    read_lines,
    stream_lines,
)
from gecbench.core.format import Format, unique
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample, SystemOutput
from gecbench.formats import COLUMNS_OPTION, FIRST_CHARACTERS, FORMATS, load_format
from gecbench.formats.lines import MarkdownOrCsvError
from gecbench.formats.stored import (
    Rewrites,
    StoredItems,
    StoredOutputs,
    store,
    store_samples,
)
from gecbench.formats.texts import OR_LINES, error_place

if TYPE_CHECKING:
    from gecbench.formats.table import Columns

_NAMED = 5
_CONTEXT = 12
_FIRST = 200
"""Lines that show the format of a file that is not held in memory."""


def read(
    path: Path,
    *,
    format: str | None = None,
    columns: Columns | None = None,
    in_memory: bool = True,
) -> Corpus:
    """Read the corpus in a file.

    Args:
        path: The file, or "-" for standard input.
        format: Name of a format; None tries them in the order of FORMATS.
        columns: Of a table: what a column holds to its name.
        in_memory: Whether the sentences of a large corpus are held in memory, too.

    Raises:
        FormatError: The file is empty or breaks a rule of its format; begins with path:line.
        UnknownNameError: There is no such format.
    """
    lines = stream_lines(path)
    first = list(islice(lines, _FIRST))
    reader = _format_of(path, first, format, columns)
    about, rows = reader.stream(path, chain(first, lines))
    samples = (sample for _, sample in unique(path, rows))
    return replace(about, samples=tuple(samples) if in_memory else store_samples(samples))


def stream_corpus(
    path: Path, *, format: str | None = None, columns: Columns | None = None
) -> tuple[Corpus, Iterator[Sample]]:
    """Read what a corpus says of itself, and its samples while they are asked for.

    Unlike `read`, this does not look whether ids are unique, and holds no more in memory than
    the format needs: a line of jsonl, mucgec, lang8 and lines. What lang8 does not keep is
    counted in the provenance while the samples are asked for.

    Args:
        path: The file, or "-" for standard input.
        format: Name of a format; None tries them in the order of FORMATS.
        columns: Of a table: what a column holds to its name.

    Raises:
        FormatError: The file is empty or breaks a rule of its format; begins with path:line.
            Of what stands further on, it is raised while the samples are asked for.
    """
    lines = stream_lines(path)
    first = list(islice(lines, _FIRST))
    reader = _format_of(path, first, format, columns)
    about, rows = reader.stream(path, chain(first, lines))
    return about, (sample for _, sample in rows)


def _format_of(
    path: Path,
    lines: Sequence[str],
    name: str | None,
    columns: Columns | None = None,
    *,
    to_show: bool = False,
) -> Format:
    """The format to read a file with.

    Args:
        path: The file.
        lines: The first, or all of them.
        name: Of the format; None finds out in which one the lines are. Every text file is lines.
        columns: Of a table.
        to_show: Whether people are told its name, which is that of what these lines show, and
            not of what may stand further on (`Format.later`).
    """
    if not lines:
        raise _empty(path)
    if columns:
        from gecbench.formats.table import with_columns  # few files are tables

        _check_table(path, name, lines)
        return with_columns(columns)
    if name is not None:
        reader = load_format(name)
        _check_text(path, reader)
        return reader
    first = next(filter(str.strip, lines), "").lstrip()[:1]
    names = [name for name in FORMATS if first in FIRST_CHARACTERS.get(name, first)]
    formats = map(load_format, names)
    reader = next((f for f in formats if f.matches(lines)), None) or load_format("lines")
    reader.check(path, lines)
    return load_format(reader.later) if reader.later and not to_show else reader


def _check_text(path: Path, reader: Format) -> None:
    """Refuse the rows of Parquet, which are lines of JSON, as sentences.

    Raises:
        UsageError: They would be.
    """
    if is_parquet(path) and reader.is_text:
        raise UsageError(
            f"{printed_path(path)}: Parquet is no {reader.name}; leave the format out, or name its "
            f"columns: {COLUMNS_OPTION}"
        )


def _check_table(path: Path, name: str | None, lines: Sequence[str]) -> None:
    """Refuse columns where they are not those of a table.

    Raises:
        UsageError: Another format is named, or the file begins as gecbench's own.
    """
    from gecbench.formats.jsonl import is_ours  # few files are tables

    if is_ours(lines):
        raise UsageError(
            f"{printed_path(path)}: is a corpus of gecbench, which needs no columns named; leave "
            "the columns out"
        )
    if name not in (None, "table"):
        raise UsageError("columns are those of format table alone, not of {format}", format=name)


def _empty(path: Path) -> FormatError:
    return FormatError(f"{path}:1: the file is empty; at least one sentence is needed")


def read_parallel(
    source: Path,
    references: Sequence[Path],
    *,
    format: str | None = "lines",
    in_memory: bool = True,
) -> Corpus:
    """Read a corpus from files of texts: lines, as `stream_parallel` yields them, or by id.

    Args:
        source: The file of sources.
        references: Files of references.
        format: Name of the format of all; None finds it out by the sources.
        in_memory: Whether the sentences of large files are held in memory, too; those with ids are.

    Raises:
        FormatError: A file breaks a rule of the format.
        CorpusError: Two files have different numbers of lines, or not the same ids.
    """
    reader = load_format(format or "lines")
    if format is None and str(source) != STDIO:
        reader = _format_of(source, list(islice(stream_lines(source), _FIRST)), None)
    if not reader.has_ids:
        samples = stream_parallel(source, references)
        return Corpus(name_of(source), tuple(samples) if in_memory else store_samples(samples))
    corpus = read(source, format=reader.name)
    columns = [_references(path, reader, corpus) for path in references]
    with_references = (
        replace(sample, references=tuple(column[sample.id][0] for column in columns))
        for sample in corpus.samples
    )
    return replace(corpus, samples=tuple(with_references))


def _references(path: Path, reader: Format, corpus: Corpus) -> Mapping[str, Rewrites]:
    """References in a file of the same format as the sources, by their ids."""
    lines = read_lines(path)
    if not lines:
        raise _empty(path)
    rows, _ = _rewrites(path, reader, lines, corpus)
    return _join(path, reader, rows, corpus)[0]


def _rewrites(
    path: Path, reader: Format, lines: Iterable[str], corpus: Corpus
) -> tuple[Sequence[tuple[int, Sample]], dict[str, str]]:
    """What somebody made of a corpus, and what the file says of that."""
    if reader.rewrites:
        sources = {sample.id: sample.source for sample in corpus.samples}
        return list(unique(path, reader.rewrites(path, lines, sources))), {}
    about, stream = reader.stream(path, lines)
    if isinstance(corpus.samples, StoredItems):
        return store(unique(path, stream), tuple[int, Sample]), dict(about.provenance)
    rows: list[tuple[int, Sample]] = []
    samples = iter(corpus.samples)
    for n, row in unique(path, stream):
        sample = next(samples, row)
        if sample is not row and sample.source == row.source:  # a text is not held twice
            name = sample.id if sample.id == row.id else row.id
            row = Sample(name, sample.source, row.references, row.meta or _NOTHING, row.tokens)
        rows.append((n, row))
    return rows, dict(about.provenance)


_NOTHING: Mapping[str, str] = {}


def stream_parallel(source: Path, references: Sequence[Path]) -> Iterator[Sample]:
    """Yield the sentences of files of lines: line k of each belongs to sentence k.

    Raises:
        FormatError: A file is empty.
        CorpusError: Two files have different numbers of lines.
    """
    files = (source, *references)
    for path in files:
        _check_text(path, load_format("lines"))
    columns = [stream_lines(path) for path in files]
    n = 0
    for n, row in enumerate(zip_longest(*columns), 1):
        if None in row:
            pairs = zip(row, columns, strict=True)
            counts = [n - 1 if text is None else n + sum(1 for _ in rest) for text, rest in pairs]
            raise _unequal(files, counts)
        yield Sample(str(n), row[0], tuple([Rewrite(text=text) for text in row[1:]]))
    if not n:
        raise _empty(source)


def _unequal(files: Sequence[Path], counts: Sequence[int]) -> FormatError | CorpusError:
    if 0 in counts:
        return _empty(files[counts.index(0)])
    path, count = next(pair for pair in zip(files, counts, strict=True) if pair[1] != counts[0])
    return CorpusError(
        f"{path}: {count_noun(count, 'line')}, but {files[0]} has {counts[0]}; "
        "line k of each file belongs to sentence k"
    )


def check_plain(source: Path, references: Sequence[Path]) -> None:
    """Refuse files that look like another format where lines of text belong.

    A reference of as many lines as the source may look like Markdown or CSV.

    Raises:
        FormatError: A file looks like another format, or is empty.
    """
    count = _check_plain(source)
    for path in references:
        _check_plain(path, count)


def _check_plain(path: Path, expected: int | None = None) -> int | None:
    """Count the lines of a text; None for standard input, which can be read once only."""
    if str(path) == STDIO:
        return None
    lines = stream_lines(path)
    first = list(islice(lines, _FIRST))
    count = len(first) + sum(1 for _ in lines)
    try:
        reader = _format_of(path, first, None, to_show=True)
    except MarkdownOrCsvError:
        if count != expected:
            raise
        return expected
    if not reader.is_text:
        raise FormatError(
            f"{path}:1: this is {reader.name}, not plain text; --reference goes with text files "
            "of one sentence a line; leave it out for a corpus that has its own references, or say "
            "--from lines"
        )
    return count


@dataclass(frozen=True, slots=True)
class Sources:
    """What a corrector is given.

    Args:
        path: The file that they are in.
        texts: The sources in order; to be gone through once.
        format: Name of the format they came in.
        corpus: All of the file, where its format has more than texts.
        lang: What the file says that they are in, not what its format implies.
    """

    path: Path
    texts: Iterable[str]
    format: str
    corpus: Corpus | None = None
    lang: str | None = None


def sources(path: Path, *, format: str | None = None, columns: Columns | None = None) -> Sources:
    """The sources in a file; those of a text file are read while they are asked for.

    Perturbed cases, in a file or a folder of subsets, are the lines of RobustGEC's input.txt:
    originals and variants in the order that `analyse robustness` asks for.

    Raises:
        GecbenchError: The file cannot be read, is empty, or breaks a rule of its format.
    """
    # Perturbed cases are read by few commands.
    from gecbench.formats.perturbed import is_perturbed, read_perturbed

    folder = format is None and not columns and is_folder(path)
    lines = iter(()) if folder else stream_lines(path)
    first = list(islice(lines, _FIRST))
    # Standard input and pipes cannot be read again.
    can_reread = str(path) != STDIO and path.is_file()
    if folder or (format is None and not columns and can_reread and is_perturbed(first)):
        cases = read_perturbed(path)
        texts = [sample.source for sample in cases.corpus().samples]
        return Sources(path, texts, "lines", lang=cases.lang)
    reader = _format_of(path, first, format, columns, to_show=True)
    if reader.is_text and not reader.has_ids:
        rows = reader.stream(path, chain(first, lines))[1]
        return Sources(path, (sample.source for _, sample in rows), reader.name)
    whole = _format_of(path, first, format, columns)
    about, rows = whole.stream(path, chain(first, lines))
    samples = store_samples(sample for _, sample in unique(path, rows))
    corpus = replace(about, samples=samples)
    lang = corpus.lang if reader.has_lang else None
    return Sources(path, corpus.sources, reader.name, corpus, lang)


# What systems made of a corpus.


def read_system(
    path: Path,
    corpus: Corpus,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: Columns | None = None,
    subset: bool = False,
) -> SystemOutput:
    """Read what a system made of the sentences of a corpus.

    Lines, M2 and formats without ids are joined by position, the others by id. Where the file
    holds sources they must be those of the corpus, white space aside.

    Args:
        path: The file, in any format.
        corpus: What the system was run on.
        name: Of the system; None takes the file's name without its ending.
        format: Name of a format; None tries them in the order of FORMATS.
        columns: Of a table: what a column holds, a key of SYSTEM_ROLES, to its name.
        subset: Whether the corpus is a part of what the system was run on: sentences of the
            file with other ids are left out, and the provenance has how many.

    Raises:
        FormatError: The file is empty or breaks a rule of its format; begins with path:line.
        CorpusError: Sentences are missing, too many, without a rewrite, or have another source.
    """
    lines = stream_lines(path)
    first = list(islice(lines, _FIRST))
    if columns and first:
        from gecbench.formats.table import has_short_rows, of_system

        first += () if has_short_rows(first) else lines
        _check_table(path, format, first)
        reader = of_system(columns, path, first)
    else:
        try:
            reader = _format_of(path, first, format)
        except MarkdownOrCsvError:
            first += lines
            if len(first) != len(corpus.samples):
                raise
            reader = load_format("lines")
        if format is None and reader.name == "lines":
            _check_texts(path, first, corpus)
    rows, provenance = _rewrites(path, reader, chain(first, lines), corpus)
    if subset:
        if not reader.has_ids:
            raise CorpusError(
                f"{path}: --subset joins by id, but the sentences of {reader.name} have none; "
                "leave it out, or give a format with ids"
            )
        ids = {sample.id for sample in corpus.samples}
        others = sum(row.id not in ids for _, row in rows)
        rows = [(n, row) for n, row in rows if row.id in ids]
        if others:
            notes = [provenance[NOT_KEPT]] if NOT_KEPT in provenance else []
            note = f"{count_noun(others, 'sentence')} that corpus {corpus.name!r} has not"
            provenance[NOT_KEPT] = "; ".join([*notes, note])
    hypotheses, tokens = _join(path, reader, rows, corpus, _SUBSET)
    system = name_of(path) if name is None else name
    return SystemOutput(system, hypotheses, tokens, provenance)


_WITH_ID = re.compile(r"\s*(?:pid=)?([\w-]+)\s*[,，]")
_LOOKED_AT = 5


def _check_texts(path: Path, lines: Sequence[str], corpus: Corpus) -> None:
    """Refuse answers by id that do not parse, which would be the texts of a system.

    Raises:
        FormatError: Half of the first lines begin with an id of the corpus and a comma: two
            different ones, or one in an answer that is whole.
    """
    first = [(n, line) for n, line in enumerate(lines, 1) if line.strip()][:_LOOKED_AT]
    matches = [(n, match) for n, line in first if (match := _WITH_ID.match(line))]
    names = {match[1] for _, match in matches}
    names &= {s.id for n, s in enumerate(corpus.samples, 1) if s.id != str(n)} if names else set()
    if 2 * len(names) < len(first):
        return
    for n, match in matches:
        if match[1] in names and (len(names) > 1 or _is_answer(match.string)):
            raise FormatError(
                "{text} begins with the id of a sentence, as answers of a spelling task do: in all "
                "lines an id, a comma, and places with their corrections{option}",
                at=Place(path, n),
                text=quote(match.string),
                option=OR_LINES,
            )


def _is_answer(line: str) -> bool:
    return any(load_format(name).matches([line]) for name in ("sighan-test", "ctc2021"))


_SUBSET = (
    "; if the system was run on more sentences than this corpus has, give its output with ids and "
    "add --subset"
)


def _join(
    path: Path,
    reader: Format,
    rows: Sequence[tuple[int, Sample]],
    corpus: Corpus,
    advice: str = "",
) -> tuple[Mapping[str, tuple[Rewrite, ...]], dict[str, tuple[str, ...]]]:
    """Rewrites and tokens by the ids of the corpus; `advice` ends errors of too many rows."""
    samples = corpus.samples
    in_order = True
    if reader.has_ids:
        ids = [sample.id for _, sample in rows]
        _check_ids(path, ids, corpus, advice)
        in_order = all(sample.id == name for sample, name in zip(samples, ids, strict=True))
        if not in_order:
            by_id = {sample.id: sample for sample in samples}
            samples = [by_id[name] for name in ids]
    elif len(rows) != len(samples):
        has_ids = any(sample.id != str(n) for n, sample in enumerate(samples, 1))
        raise CorpusError(
            f"{path}: {count_noun(len(rows), 'sentence')}, but corpus {corpus.name!r} has "
            f"{len(samples)}; give one for each, in the same order (it was read as {reader.name})"
            f"{advice if has_ids and len(rows) > len(samples) else ''}"
        )
    tokens: dict[str, tuple[str, ...]] = {}
    plain = True

    def rewrites() -> Iterator[tuple[Rewrite, ...]]:
        nonlocal plain
        if reader.is_text and not reader.rewrites:
            for _, row in rows:
                yield (Rewrite(text=row.source),)
            return
        for sample, (n, row) in zip(samples, rows, strict=True):
            with error_place(Place(path, n), CorpusError):
                _check_row(row, sample, corpus.name, has_source=reader.has_sources)
            if row.tokens:
                tokens[sample.id] = row.tokens
            plain = plain and not any(rewrite.edit_sets for rewrite in row.references)
            yield row.references

    if isinstance(samples, StoredItems) and in_order:
        outputs = store(rewrites(), tuple[Rewrite, ...])
        return StoredOutputs(samples.ids, outputs, plain=plain), tokens
    names = (sample.id for sample in samples)
    return dict(zip(names, rewrites(), strict=True)), tokens


def _check_ids(path: Path, ids: Sequence[str], corpus: Corpus, advice: str) -> None:
    expected = [sample.id for sample in corpus.samples]
    problems = _differences(ids, expected, "{} missing", "{} too many")
    if problems:
        raise CorpusError(
            f"{path}: {'; '.join(problems)}; give the ids of corpus {corpus.name!r}, each once "
            f"(in M2 and text lines the ids are 1, 2, ...)"
            f"{advice if set(ids) > set(expected) else ''}"
        )


def _differences(
    ids: Iterable[str], expected: Sequence[str], missing: str, extra: str
) -> list[str]:
    """Sentences on ids that are missing and that are too many, with the first of them."""
    present, known = dict.fromkeys(ids), frozenset(expected)
    pairs = (
        (missing, [name for name in expected if name not in present]),
        (extra, [name for name in present if name not in known]),
    )
    return [
        f"{what.format(count_noun(len(names), 'id'))}: {', '.join(map(repr, names[:_NAMED]))}"
        f"{', ...' if len(names) > _NAMED else ''}"
        for what, names in pairs
        if names
    ]


def _check_row(row: Sample, sample: Sample, corpus: str, *, has_source: bool) -> None:
    """Refuse a row without a rewrite or with another source than the corpus has."""
    if not row.references:
        raise CorpusError(
            f"id {row.id!r} has no rewrite; a system's output has one for each sentence, behind "
            "its source"
        )
    if not has_source:
        return
    source, expected = row.source, sample.source
    if source != expected and "".join(source.split()) != "".join(expected.split()):
        raise CorpusError(
            f"id {sample.id!r} has the source {_from_difference(source, expected)}, but corpus "
            f"{corpus!r} has {_from_difference(expected, source)}; run the system on this corpus"
        )


def _from_difference(text: str, other: str) -> str:
    """A text as an error quotes it, from shortly before where it differs from another."""
    from gecbench.edits.alignment import common_prefix

    start = max(0, common_prefix(text, other) - _CONTEXT)
    return quote(f"…{text[start:]}" if start else text)


_UNCHANGED = Rewrite(error_free=True, edit_sets=((),))


def read_systems(
    path: Path,
    corpus: Corpus,
    *,
    names: Sequence[str] = (),
    format: str | None = None,
    subset: bool = False,
) -> list[SystemOutput]:
    """Read what the annotators of a file made of the sentences of a corpus.

    A sentence without a line of a system is one that it leaves as it is. With names, annotators
    are the numbers from 0, as many as there are names, and one without any line at all is a system
    that changes nothing (the official program would read neither it nor those after it).

    Args:
        path: The file, in any format; usually M2.
        corpus: What the systems were run on.
        names: Of the systems, in the order of the annotators' numbers; () takes the numbers or
            names that the file has.
        format: Name of the file's format; None means find out.
        subset: Whether sentences that the corpus has not are left out, as `read_system` does.

    Raises:
        FormatError: The file breaks a rule of its format; begins with path:line.
        CorpusError: It does not fit the corpus, or the names.
        UsageError: A name stands twice.
    """
    whole = read_system(path, corpus, format=format, subset=subset)
    annotators = _annotators(path, whole)
    if names:
        order = [str(number) for number in range(len(names))]
        for name in annotators:
            if name not in order:
                raise CorpusError(
                    f"{path}: has annotator {name}, but the {len(names)} names given are of "
                    f"annotators 0 to {len(names) - 1}; name as many systems as there are"
                )
        if len(set(names)) < len(names):
            raise UsageError(f"a system is named twice in {','.join(names)}; name them apart")
    else:
        order = _in_order(path, annotators)
    return [
        SystemOutput(
            name,
            {
                key: tuple(r for r in versions if r.annotator == annotator) or (_UNCHANGED,)
                for key, versions in whole.hypotheses.items()
            },
            whole.tokens,
        )
        for annotator, name in zip(order, names or order, strict=True)
    ]


def _annotators(path: Path, whole: SystemOutput) -> list[str]:
    annotators: dict[str, None] = {}
    for key, versions in whole.hypotheses.items():
        for version in versions:
            if version.annotator is not None:
                annotators[version.annotator] = None
            elif not version.error_free:
                raise CorpusError(
                    f"{path}: sentence {key!r} has a rewrite that does not say whose it is; a "
                    "file of several systems names an annotator with each"
                )
    return list(annotators)


def _in_order(path: Path, annotators: Sequence[str]) -> list[str]:
    """The annotators, numbers in order; refuse a gap, which may be a system."""
    if not annotators:
        raise CorpusError(f"{path}: has no annotator; say by --names how many systems it has")
    if not all(name.isdecimal() for name in annotators):
        return list(annotators)
    names = sorted(annotators, key=int)
    for expected, name in enumerate(names):
        if int(name) > expected:
            raise CorpusError(
                f"{path}: has annotator {names[-1]} but no line of annotator {expected}; say by "
                "--names how many systems there are: one without a line changes nothing"
            )
    return names


# Metadata beside a corpus: a table with a header line, joined by id.


def read_meta(path: Path) -> dict[str, dict[str, str]]:
    """Read facts by sample id from a tab-separated table whose first column is "id".

    Raises:
        FormatError: No header, a ragged row, a repeated id, or an empty field name.
    """
    lines = read_lines(path)
    fields = lines[0].split("\t") if lines else []
    if len(fields) < 2 or fields[0] != "id" or not all(fields) or len(set(fields)) < len(fields):
        raise FormatError(
            f"{path}:1: the header must be 'id' and at least one more different field name, "
            "with tabs between"
        )
    table: dict[str, dict[str, str]] = {}
    for n, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        with error_place(Place(path, n)):
            if len(cells) != len(fields):
                raise FormatError(
                    f"{len(cells)} cells where the header has {len(fields)}; give every row a "
                    "cell for each field"
                )
            if cells[0] in table:
                raise FormatError(f"id {cells[0]!r} occurs twice; ids are unique")
        table[cells[0]] = dict(zip(fields[1:], cells[1:], strict=True))
    return table


def with_meta(corpus: Corpus, path: Path, table: Mapping[str, Mapping[str, str]]) -> Corpus:
    """The corpus with facts from a table added to its sentences.

    Raises:
        CorpusError: The table lacks a sentence, or has one that the corpus has not.
    """
    problems = _differences(
        sorted(table),
        [sample.id for sample in corpus.samples],
        f"{{}} of corpus {corpus.name!r} missing",
        f"{{}} not in corpus {corpus.name!r}",
    )
    if problems:
        raise CorpusError(f"{path}: {'; '.join(problems)}")
    samples = (replace(s, meta={**s.meta, **table[s.id]}) for s in corpus.samples)
    is_stored = isinstance(corpus.samples, StoredItems)
    return replace(corpus, samples=store_samples(samples) if is_stored else tuple(samples))
