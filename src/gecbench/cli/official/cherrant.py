"""gecbench cherrant-parallel and cherrant-compare: ChERRANT's command lines (MuCGEC 3922193)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import argparse_command
from gecbench.cli.official.comparison import NO_EDITS, Flags, compare
from gecbench.cli.options import say, scheme_of, watch
from gecbench.core.errors import UsageError
from gecbench.core.options import Option, Without
from gecbench.core.sample import Rewrite


@dataclass(frozen=True, slots=True)
class Equal:
    """Flags of parallel_to_m2.py that change no edit at character level, there as here."""

    batch_size: Annotated[int, Option("--batch_size", "Changes no edit.", short="-b")] = 128
    device: Annotated[int, Option("--device", "Changes no edit.", short="-d")] = 0
    workers: Annotated[int, Option("--worker_num", "Changes no edit.", short="-w")] = 16
    merge: Annotated[bool, Option("--merge", "Changes no edit.", short="-m")] = False


@dataclass(frozen=True, slots=True)
class Best:
    """A flag of compare_m2_for_evaluation.py that asks for what is done anyway."""

    best: Annotated[
        bool, Option("-multi_hyp_max", "Changes nothing: the best hypothesis counts anyway.")
    ] = False


@argparse_command
def cherrant_parallel(
    file: Annotated[Path, Option("--file", "Rows of id TAB source TAB targets.", short="-f")],
    output: Annotated[Path, Option("--output", "The M2 file to write.", short="-o", writes=("",))],
    resources: Annotated[
        SchemeSpec,
        Without(
            *("name", "strategy", "simplify", "spacy_model", "merging", "levenshtein"),
            *("parse_cache", "settings"),
        ),
    ],
    strategy: Annotated[
        Literal["all", "first"],
        Option("--multi_cheapest_strategy", "All edit sets, or the first.", short="-s"),
    ] = "all",
    granularity: Annotated[
        str, Option("--granularity", "char; word is refused.", short="-g", metavar="char")
    ] = "char",
    as_they_are: Annotated[
        bool, Option("--no_simplified", "Do not turn targets into simplified characters.")
    ] = False,
    segmented: Annotated[bool, Option("--segmented", "Refused.")] = False,
    pieces: Annotated[bool, Option("--bpe", "Refused.")] = False,
    _unused: Equal = Equal(),
) -> None:
    """ChERRANT's parallel_to_m2.py: the edits of MuCGEC's rows, as M2, at character level.

    \b
    gecbench cherrant-parallel -f output.para -o output.m2 -g char
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load, save
    from gecbench.api.schemes import extract
    from gecbench.scoring.extractor import edit_set_limit_note

    if granularity != "char":
        raise UsageError(
            f"-g {granularity} is not offered: edits are found at character level; give -g char"
        )
    for name, is_given in (("--segmented", segmented), ("--bpe", pieces)):
        if is_given:
            raise UsageError(f"{name} is not offered: edits are found at character level")
    spec = replace(
        scheme_of(resources), name="zh-cherrant", strategy=strategy, simplify=not as_they_are
    )
    corpus = load(file, format="mucgec")
    extracted = extract(corpus, spec, watch=watch)
    save(extracted, output, format="m2")
    capped = [s.id for s in extracted.samples if any(r.capped for r in s.references)]
    if capped:
        say(f"note: {edit_set_limit_note(capped)}")


@argparse_command
def cherrant_compare(
    flags: Flags,
    start: Annotated[
        int | None, Option("--start", "With --end: from this sentence on, from 0.")
    ] = None,
    end: Annotated[int | None, Option("--end", "With --start: to before this sentence.")] = None,
    coders: Annotated[
        int | None, Option("--max_answer_num", "Only coders below this number: 1, 2 or 3.")
    ] = None,
    references: Annotated[
        int | None, Option("--reference_num", "Only sentences with just this many references.")
    ] = None,
    _unused: Best = Best(),
    average: Annotated[
        bool, Option("-multi_hyp_avg", "Refused: ChERRANT accepts it and takes the best.")
    ] = False,
) -> None:
    """ChERRANT's compare_m2_for_evaluation.py: how two M2 files agree.

    \b
    gecbench cherrant-compare -hyp output.m2 -ref dev.m2 -cat 1
    """  # noqa: D301 - \b keeps click from joining lines
    if average:
        raise UsageError(
            "-multi_hyp_avg is not offered: ChERRANT accepts it and takes the best hypothesis all "
            "the same, which is what is counted without it"
        )
    if (start is None) != (end is None):
        raise UsageError("--start and --end act only together; give both, or neither")
    if coders not in (None, 1, 2, 3):
        raise UsageError(
            f"--max_answer_num is {coders}; give 1, 2 or 3 (ChERRANT drops every edit at others)"
        )

    def below_limit(rewrites: tuple[Rewrite, ...]) -> tuple[Rewrite, ...]:
        return tuple(r for r in rewrites if int(r.annotator or 0) < (coders or 0)) or NO_EDITS

    compare(
        flags,
        "cherrant",
        "cherrant",
        "zh",
        part=None if start is None or end is None else (start, end),
        references_exactly=references,
        choose_coders=below_limit if coders else None,
    )
