"""Sets of perturbed cases: our JSONL of them, RobustGEC's blocks, and folders of subsets.

And how often words occur in a training text, which variants are made and told apart by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from gecbench.core.errors import CorpusError, FormatError, GecbenchError, Place, count_noun, quote
from gecbench.core.files import STDIO, is_folder, name_of, read_lines
from gecbench.core.perturbed import (
    PerturbedCase,
    PerturbedSet,
    Subset,
    Variant,
    marks,
    samples_of,
)
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, SystemOutput
from gecbench.formats.jsonl import is_json, read_header, write_rows
from gecbench.formats.reading import read_system
from gecbench.formats.texts import blocks as text_blocks
from gecbench.formats.texts import error_place, parse_rows
from gecbench.formats.validation import convert, parse_json
from gecbench.lang import language_of
from gecbench.lang.detection import is_chinese

# RobustGEC's blocks: O-S, O-T, A1-S, A1-T, ..., with O-P, A1-P, ... where a system answered.
#
# The format of para.txt and of what convert.py makes of it (HillZhang1999/RobustGEC 1c5787b): a
# case is a block of lines, each with what it is in front; blank lines divide blocks.


_HINT = "a block is O-S, O-T, A1-S, A1-T, ..., with -P after each -T where a system answered"


class Block(NamedTuple):
    """One case as it stands in a file.

    Args:
        line: Of its O-S.
        case: Its id is the number of the block, from 1.
        predictions: What a system made of the original and each variant; () without -P lines.
    """

    line: int
    case: PerturbedCase
    predictions: tuple[str, ...] = ()


def sniff(lines: Sequence[str]) -> bool:
    """Whether the first line that is not blank begins a block."""
    return _mark(next((line for line in lines if line.strip()), "")) == "O-S"


def read_blocks(path: Path, lines: Sequence[str]) -> tuple[Block, ...]:
    """Read the blocks of a file; all have as many variants as the first.

    Raises:
        FormatError: Names the first line that is missing, too many, or out of order, or whose
            source is empty.
    """
    rows = list(text_blocks(lines))
    if not rows:
        raise FormatError(f"{path}:1: there is no block; {_HINT}")
    first = [_mark(line) for _, line in rows[0]]
    kinds = "STP" if first[2:3] == ["O-P"] else "ST"
    width = max(2, -(-len(first) // len(kinds)))
    expected = [f"{mark}-{kind}" for mark in marks(width) for kind in kinds]
    return tuple(
        _block(path, str(number), block, expected, len(kinds))
        for number, block in enumerate(rows, 1)
    )


def _block(
    path: Path, name: str, rows: Sequence[tuple[int, str]], expected: Sequence[str], kinds: int
) -> Block:
    texts: list[str] = []
    for (n, line), mark in zip(rows, expected, strict=False):  # lengths are looked at below
        if _mark(line) != mark:
            raise FormatError(
                f"{path}:{n}: the line begins with {quote(_mark(line))}, expected {mark}; {_HINT}"
            )
        text = line.lstrip()[len(mark) + 1 :]
        if mark.endswith("S") and not text.strip():
            raise FormatError(f"{path}:{n}: the source {mark} is empty; fill it")
        texts.append(text)
    width = count_noun(len(expected) // kinds - 1, "variant")
    if len(rows) < len(expected):
        raise FormatError(
            f"{path}:{rows[-1][0]}: the block ends here, {expected[len(rows)]} is missing; "
            f"every block has {width}, as the first"
        )
    if len(rows) > len(expected):
        raise FormatError(
            f"{path}:{rows[len(expected)][0]}: the block goes on after {expected[-1]}; every "
            f"block has {width}, as the first, and a blank line after it"
        )
    original, *variants = map(Variant, texts[::kinds], texts[1::kinds])
    case = PerturbedCase(name, original, tuple(variants))
    return Block(rows[0][0], case, tuple(texts[2::kinds]) if kinds == 3 else ())


def _mark(line: str) -> str:
    return line.split(None, 1)[0] if line.strip() else ""


# Our JSONL, and folders of subsets.


_FORMAT = "gecbench-perturbed"
_BLOCKS = "para.txt"
_SOURCES = "input.txt"
_ENDINGS = (".txt", ".jsonl")


class _Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    reference: str


class _Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    subset: str
    id: str
    original: _Variant
    variants: tuple[_Variant, ...]


def is_perturbed(lines: Sequence[str]) -> bool:
    """Whether a file that begins with these lines holds perturbed cases.

    >>> is_perturbed(["O-S He go home .", "O-T He goes home ."])
    True
    """
    header = f'"format": "{_FORMAT}"'
    return sniff(lines) or (is_json(lines) and header in lines[0])


def holds_perturbed(path: Path) -> bool:
    """Whether a file or folder holds perturbed cases."""
    return path.is_dir() or is_perturbed(read_lines(path))


def read_perturbed(path: Path) -> PerturbedSet:
    """Read the perturbed cases in a file or folder.

    Args:
        path: A file of blocks, our JSONL, a folder with para.txt, or a folder of subsets: each a
            folder with para.txt or a file, named after the subset, in the order of their names.

    Raises:
        FormatError: A file breaks a rule of its format; begins with path:line.
        CorpusError: Numbers of variants differ, or input.txt is of other sentences.
        GecbenchError: There is nothing of the kind.
    """
    if not is_folder(path):
        # A file of the published name is called after its folder, as "conll14".
        name = folder_name(path.parent) if path.name == _BLOCKS else name_of(path)
        return parse_perturbed(path, read_lines(path), name)
    if (path / _BLOCKS).is_file():
        return _set(folder_name(path), [_read_folder(path)])
    parts = sorted(part for part in path.iterdir() if not part.name.startswith("."))
    if not parts:
        raise GecbenchError(f"{path}: the folder is empty; it should hold subsets of cases")
    return _set(folder_name(path), [subset for part in parts for subset in _read_part(part)])


def parse_perturbed(path: Path, lines: Sequence[str], name: str) -> PerturbedSet:
    """Read the perturbed cases of a file of blocks or of our JSONL, whose lines are here.

    Args:
        path: What errors name.
        lines: Without their ends.
        name: Of the set, where the file has none.

    Raises:
        FormatError: A line breaks a rule of the format; begins with path:line.
    """
    if is_json(lines):
        return _read_jsonl(path, lines)
    return _set(name, [_subset(path, lines, name)])


def case_lines(lines: Sequence[str]) -> list[int]:
    """The numbers of the lines with which the cases of such a file begin."""
    if is_json(lines):
        return list(range(2, 1 + len(lines)))
    return [rows[0][0] for rows in text_blocks(lines)]


def write_blocks(cases: Iterable[PerturbedCase]) -> str:
    """Write cases as RobustGEC's blocks, byte for byte as the published files."""
    return "".join(
        "".join(
            f"{mark}-S {variant.source}\n{mark}-T {variant.reference}\n"
            for mark, variant in zip(marks(len(case.all)), case.all, strict=True)
        )
        + "\n"
        for case in cases
    )


def write_sources(cases: Iterable[PerturbedCase]) -> str:
    """Write the sources of cases, a line each, as RobustGEC's input.txt."""
    return "".join(f"{variant.source}\n" for case in cases for variant in case.all)


def write_perturbed(cases: PerturbedSet) -> str:
    """Write our JSONL of the cases, which holds all of them."""
    rows = [
        {
            "subset": subset.name,
            "id": case.id,
            "original": _values(case.original),
            "variants": [_values(variant) for variant in case.variants],
        }
        for subset in cases.subsets
        for case in subset.cases
    ]
    return "".join(write_rows(_FORMAT, cases.name, cases.lang, cases.provenance, rows))


def _values(variant: Variant) -> dict[str, str]:
    return {"source": variant.source, "reference": variant.reference}


def _set(name: str, subsets: Sequence[tuple[Subset, bool]]) -> PerturbedSet:
    names = [subset.name for subset, has_predictions in subsets if has_predictions]
    provenance = {NOT_KEPT: f"predictions in {', '.join(names)}"} if names else {}
    return PerturbedSet(name, tuple(subset for subset, _ in subsets), provenance=provenance)


def _read_part(part: Path) -> list[tuple[Subset, bool]]:
    """Read the subsets that one entry of a folder holds."""
    if part.is_dir():
        return [_read_folder(part)]
    if part.suffix not in _ENDINGS:
        raise GecbenchError(
            f"{part}: a folder of subsets holds folders with {_BLOCKS}, or files that end in "
            f"{' or '.join(_ENDINGS)}; move it away"
        )
    lines = read_lines(part)
    if is_json(lines):
        return [(subset, False) for subset in _read_jsonl(part, lines).subsets]
    return [_subset(part, lines, name_of(part))]


def _read_folder(folder: Path) -> tuple[Subset, bool]:
    path = folder / _BLOCKS
    if not path.is_file():
        raise GecbenchError(
            f"{folder}: there is no {_BLOCKS} in it, so it is no subset of perturbed cases; name a "
            "file, or a folder of such cases"
        )
    subset, has_predictions = _subset(path, read_lines(path), folder_name(folder))
    sources = folder / _SOURCES
    if sources.is_file():
        _check_sources(sources, subset)
    return subset, has_predictions


def _check_sources(path: Path, subset: Subset) -> None:
    """Refuse an input.txt that is not the sources of the blocks beside it."""
    lines = read_lines(path)
    sources = [sentence.source for case in subset.cases for sentence in case.all]
    for n, (line, source) in enumerate(zip(lines, sources, strict=False), 1):  # counted below
        if line.split() != source.split():
            raise CorpusError(
                f"{path}:{n}: the sentence is {quote(line)}, but {_BLOCKS} has {quote(source)}; "
                "these two files belong together"
            )
    if len(lines) != len(sources):
        raise CorpusError(
            f"{path}: {count_noun(len(lines), 'line')}, but {_BLOCKS} has "
            f"{count_noun(len(sources), 'source')}"
        )


def _subset(path: Path, lines: Sequence[str], name: str) -> tuple[Subset, bool]:
    """A file of blocks, and whether it holds predictions too."""
    if not sniff(lines):
        first = next((line for line in lines if line.strip()), "")
        raise FormatError(
            f"{path}:1: these are no perturbed cases: a file of them begins with 'O-S ' or with "
            f"the header of our JSONL, this one with {quote(first)}"
            if first
            else f"{path}:1: the file is empty; perturbed cases begin with 'O-S ' or with the "
            "header of our JSONL"
        )
    blocks = read_blocks(path, lines)
    return Subset(name, tuple(block.case for block in blocks)), bool(blocks[0].predictions)


def folder_name(folder: Path) -> str:
    """What a folder calls what is in it, however its path is written."""
    return name_of(Path(folder.resolve().name))


def _read_jsonl(path: Path, lines: Sequence[str]) -> PerturbedSet:
    header = read_header(path, lines[0], _FORMAT)
    cases: dict[str, list[PerturbedCase]] = {}
    first: dict[tuple[str, str], int] = {}
    last = ""
    for n, (name, case) in parse_rows(path, enumerate(lines[1:], 2), _case):
        with error_place(Place(path, n)):
            if name in cases and last != name:
                raise FormatError(
                    f"subset {name!r} goes on after {last!r}; cases of one subset stand together"
                )
            if first.setdefault((name, case.id), n) != n:
                raise FormatError(
                    f"case {case.id!r} of subset {name!r} stands in line {first[name, case.id]} "
                    "already; ids are unique in a subset, so give it another"
                )
            last = name
            cases.setdefault(name, []).append(case)
            width = len(next(iter(cases.values()))[0].variants)
            if len(case.variants) != width:
                raise FormatError(
                    f"case {case.id!r} has {count_noun(len(case.variants), 'variant')}, the first "
                    f"case has {width}; give all cases the same number"
                )
    with error_place(path):
        subsets = tuple(Subset(name, tuple(rows)) for name, rows in cases.items())
        return PerturbedSet(header.name, subsets, header.lang or None, header.provenance or {})


def _case(line: str) -> tuple[str, PerturbedCase]:
    """The name of a case's subset, and the case."""
    row = convert(None, parse_json(line), _Case)
    original, *variants = (Variant(v.source, v.reference) for v in (row.original, *row.variants))
    case = PerturbedCase(row.id, original, tuple(variants))
    if not all(variant.source.strip() for variant in case.all):
        raise FormatError("a source is empty; fill it")
    return row.subset, case


# How often words occur in a training text: a table of counts, or the text itself.


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often words occur.

    Args:
        of: Each word that was asked for.
        note: What the file was taken for, for people.
    """

    of: Mapping[str, int]
    note: str


def read_frequencies(path: Path, words: Collection[str], *, has_spaces: bool) -> Frequencies:
    """Read how often words occur; upper and lower case are one.

    Args:
        path: Lines of a word, TAB and a count; or a text. The first line says which it is.
        words: What to count, in lower case.
        has_spaces: White space divides the words of the text; without, any run of characters that
            is the word counts, as in Chinese.

    Raises:
        FormatError: The file is empty, or a line of a table is none, as a header.
    """
    lines = read_lines(path)
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; give a text, or words TAB counts")
    if is_count(lines[0]):
        counts = dict.fromkeys(words, 0)
        for word, count in read_counts(path, lines):
            if word.lower() in counts:
                counts[word.lower()] += count
        return Frequencies(counts, f"{name_of(path)}: read as a table of {len(lines):,} words")
    if len(lines) > 1 and is_count(lines[1]):
        raise FormatError(
            f"{path}:1: expected a word, TAB and a count, as in line 2, not {quote(lines[0])}; "
            "remove the line if it is a header"
        )
    text_counts, size = _count(lines, frozenset(words), has_spaces=has_spaces)
    unit = "words" if has_spaces else "characters"
    note = f"{name_of(path)}: read as a text of {size:,} {unit}"
    return Frequencies({word: text_counts[word] for word in words}, note)


def is_count(line: str) -> bool:
    """Whether a line is a word, TAB and a count."""
    word, _, count = line.partition("\t")
    return bool(word) and count.isascii() and count.isdecimal()


def read_counts(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the words of a table with their counts.

    Raises:
        FormatError: A line is something else.
    """
    for _, pair in parse_rows(path, enumerate(lines, 1), _parse_count):
        yield pair


def _parse_count(line: str) -> tuple[str, int]:
    if not is_count(line):
        raise FormatError(f"expected a word, TAB and a count, as in line 1, not {quote(line)}")
    word, _, count = line.partition("\t")
    return word, int(count)


def _count(
    lines: Sequence[str], words: frozenset[str], *, has_spaces: bool
) -> tuple[Counter[str], int]:
    """Count how often words occur in a text, and how long it is."""
    counts: Counter[str] = Counter()
    if has_spaces:
        for line in lines:
            counts.update(line.lower().split())
        return counts, counts.total()
    for length in sorted({len(word) for word in words}):
        for line in map(str.lower, lines):
            runs = (line[at : at + length] for at in range(len(line) - length + 1))
            counts.update(run for run in runs if run in words)
    return counts, sum(map(len, lines))


# What systems made of perturbed cases: a line for each sentence, or blocks with -P lines.


def read_outputs(path: Path, cases: PerturbedSet, *, name: str | None = None) -> SystemOutput:
    """Read what a system made of every sentence of perturbed cases.

    Args:
        path: A file with a line for each sentence in the order of input.txt, one of blocks with
            -P lines, or one in any format of corpora (by the ids of `PerturbedSet.corpus` where
            it has ids); or a folder with a file for each subset, named after it.
        cases: What the system was run on.
        name: Of the system; None takes the name of the file or folder.

    Raises:
        FormatError: A file breaks a rule of its format; begins with path:line.
        CorpusError: Sentences are missing or too many, or are not of these cases.
    """
    if is_folder(path):
        outputs = [
            _read_output(file, Corpus(subset.name, samples_of(subset), cases.lang), (subset,))
            for file, subset in _files(path, cases)
        ]
    else:
        outputs = [_read_output(path, cases.corpus(), cases.subsets)]
    if name is None:
        name = folder_name(path) if is_folder(path) else name_of(path)
    hypotheses: dict[str, tuple[Rewrite, ...]] = {}
    tokens: dict[str, tuple[str, ...]] = {}
    for output in outputs:
        hypotheses |= output.hypotheses
        tokens |= output.tokens
    return SystemOutput(name, hypotheses, tokens)


def _files(folder: Path, cases: PerturbedSet) -> list[tuple[Path, Subset]]:
    """The file of each subset in a system's folder."""
    by_name: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("."):
            by_name.setdefault(path.stem, []).append(path)
    names = [subset.name for subset in cases.subsets]
    missing = [name for name in names if name not in by_name]
    unknown = [name for name in by_name if name not in names]
    if missing or unknown:
        problems = [f"no file for subset {', '.join(missing)}"] if missing else []
        problems += [f"files of unknown subsets: {', '.join(unknown)}"] if unknown else []
        raise GecbenchError(
            f"{folder}: {'; '.join(problems)}; a system's folder has a file for each subset of "
            f"{cases.name!r}, named after it: {', '.join(f'{name}.txt' for name in names)}"
        )
    for paths in by_name.values():
        if len(paths) > 1:
            raise GecbenchError(
                f"{folder}: {' and '.join(path.name for path in paths)} are both of one subset; "
                "leave one"
            )
    return [(by_name[subset.name][0], subset) for subset in cases.subsets]


def _read_output(path: Path, corpus: Corpus, subsets: Sequence[Subset]) -> SystemOutput:
    # Standard input can be read once only, so it holds lines.
    lines = [] if str(path) == STDIO else read_lines(path)
    if sniff(lines):
        blocks = read_blocks(path, lines)
        _check_blocks(path, blocks, subsets)
        texts = [text for block in blocks for text in block.predictions]
        pairs = zip(corpus.samples, texts, strict=True)
        return SystemOutput("", {sample.id: (Rewrite(text=text),) for sample, text in pairs})
    output = read_system(path, corpus)
    _check_likeness(path, output, corpus)
    return output


def _check_blocks(path: Path, blocks: Sequence[Block], subsets: Sequence[Subset]) -> None:
    """Refuse blocks without predictions, or of other cases."""
    cases = [case for subset in subsets for case in subset.cases]
    if not blocks[0].predictions:
        raise CorpusError(
            f"{path}: the blocks have no -P lines, so there is nothing that a system made; "
            "give its outputs, a line for each sentence of input.txt"
        )
    if len(blocks) != len(cases):
        raise CorpusError(
            f"{path}: {count_noun(len(blocks), 'block')}, but there "
            f"{'is' if len(cases) == 1 else 'are'} {count_noun(len(cases), 'case')} in "
            f"{', '.join(subset.name for subset in subsets)}; give one for each, in their order"
        )
    for block, case in zip(blocks, cases, strict=True):
        if len(block.case.variants) != len(case.variants):
            raise CorpusError(
                f"{path}:{block.line}: the block has "
                f"{count_noun(len(block.case.variants), 'variant')}, "
                f"case {case.id!r} has {len(case.variants)}; these are other cases"
            )
        names = marks(len(case.all))
        for k, (mark, here, there) in enumerate(zip(names, block.case.all, case.all, strict=True)):
            for kind, text, expected in (
                ("S", here.source, there.source),
                ("T", here.reference, there.reference),
            ):
                if text.split() != expected.split():
                    line = block.line + 3 * k + (kind == "T")
                    raise CorpusError(
                        f"{path}:{line}: {mark}-{kind} is {quote(text)}, but case {case.id!r} has "
                        f"{quote(expected)}; these blocks are of other cases"
                    )


def _check_likeness(path: Path, output: SystemOutput, corpus: Corpus) -> None:
    """Refuse outputs of which most share almost no word with the sentence they stand for."""
    has_spaces = (
        language_of(corpus.lang).joiner == " "
        if corpus.lang
        else not is_chinese(sample.source for sample in corpus.samples)
    )
    unlike = [
        sample.id
        for sample in corpus.samples
        if any(
            rewrite.text and not _alike(sample.source, rewrite.text, has_spaces=has_spaces)
            for rewrite in output.hypotheses[sample.id]
        )
    ]
    if 2 * len(unlike) > len(corpus.samples):
        raise CorpusError(
            f"{path}: {len(unlike)} of {len(corpus.samples)} outputs share almost no word with "
            f"their sentence (first: {unlike[0]}); give the outputs for {corpus.name!r}, in the "
            "order of its sentences"
        )


def _alike(source: str, text: str, *, has_spaces: bool) -> bool:
    """Whether two texts share a third of their words; else of their characters.

    In Chinese white space says nothing: one side may be segmented and the other not.
    """
    if source == text:
        return True
    left, right = (
        set(words) if has_spaces else set("".join(words))
        for words in (source.split(), text.split())
    )
    return 3 * len(left & right) >= min(len(left), len(right))
