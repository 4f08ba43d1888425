"""Commands that take the flags of other programs and print what these print.

The programs are those of errant 3.0.2, ChERRANT (MuCGEC 3922193) and m2scorer cb874a7.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import click

from gecbench.api.options import Options, SchemeSpec
from gecbench.cli.command import argparse_command, command, getopt_command, refuse
from gecbench.cli.options import say, scheme_of, watch
from gecbench.core.case import Level
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.files import (
    STDIO,
    explain_errors,
    make_folder,
    read_bytes,
    write_files,
    write_text,
)
from gecbench.core.options import Argument, Option, Without
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.reports.official import Script, render_comparison

# What errant_compare and compare_m2_for_evaluation.py have in common.

NO_EDITS = (Rewrite(error_free=True, edit_sets=((),)),)
"""What the scripts take a block without lines for."""

Choose = Callable[[tuple[Rewrite, ...]], tuple[Rewrite, ...]]
"""Which of the coders of a sentence take part."""

SCORE_FROM = "gecbench score --from"
"""What the advice of readers calls the option that these commands do not have."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags of both scripts."""

    hypothesis: Annotated[Path, Option("-hyp", "M2 file of a system.")]
    reference: Annotated[Path, Option("-ref", "M2 file with the references.")]
    beta: Annotated[float, Option("--beta", "Weight of recall in F.", short="-b")] = 0.5
    verbose: Annotated[bool, Option("--verbose", "Show each sentence.", short="-v")] = False
    tokens: Annotated[bool, Option("-dt", "Detection, by tokens.")] = False
    spans: Annotated[bool, Option("-ds", "Detection, by spans.")] = False
    corrections: Annotated[bool, Option("-cs", "Correction, by spans (the default).")] = False
    types: Annotated[bool, Option("-cse", "Correction, by spans and types.")] = False
    single: Annotated[bool, Option("-single", "Only edits of up to one token.")] = False
    multi: Annotated[bool, Option("-multi", "Only longer edits.")] = False
    exclude: Annotated[
        tuple[str, ...],
        Option("-filt", "Types of edits to leave out.", metavar="TYPE [TYPE...]", greedy=True),
    ] = ()
    tier: Annotated[
        Literal[1, 2, 3] | None,
        Option("-cat", "Counts by type: operation (1), category (2), whole type (3)."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse flags that exclude each other."""
        chosen = [name for name, is_chosen in self._levels if is_chosen]
        if len(chosen) > 1:
            raise UsageError(f"{' and '.join(chosen)} exclude each other; give one of them")
        if self.single and self.multi:
            raise UsageError("-single and -multi together leave no edit; give one of them")

    @property
    def _levels(self) -> Sequence[tuple[str, bool]]:
        return (
            ("-dt", self.tokens),
            ("-ds", self.spans),
            ("-cs", self.corrections),
            ("-cse", self.types),
        )

    @property
    def level(self) -> Level:
        """What has to agree."""
        if self.tokens or self.spans:
            return "detection-token" if self.tokens else "detection-span"
        return "correction-type" if self.types else "correction"

    @property
    def size(self) -> Literal["any", "single", "multi"]:
        """Which edits take part."""
        if self.single:
            return "single"
        return "multi" if self.multi else "any"


def compare(
    flags: Flags,
    script: Script,
    metric: str,
    lang: str,
    *,
    part: tuple[int, int] | None = None,
    references_exactly: int | None = None,
    choose_coders: Choose | None = None,
) -> None:
    """Score a file and print the script's block.

    Args:
        flags: Of the script.
        script: Whose block.
        metric: Which counts as the script does.
        lang: Code of the language, "xx" for any.
        part: Only the sentences from the first place to before the second, if there are as many.
        references_exactly: Only sentences with this many references.
        choose_coders: Gives those of a sentence that take part, on both sides; None means all.
    """
    from gecbench.api.files import load, load_system
    from gecbench.api.score import collect_stats

    try:
        corpus = load(flags.reference, format="m2", lang=lang)
        system = load_system(flags.hypothesis, corpus, format="m2")
    except FormatError as error:
        raise error.with_option(SCORE_FROM) from error
    corpus, system = _as_scripts_do(corpus, system, choose_coders or tuple)
    if part is not None:
        part = part[0], min(part[1], len(corpus.samples))
    options = Options(
        metrics=(metric,),
        level=flags.level,
        beta=flags.beta,
        size=flags.size,
        exclude=flags.exclude,
        part=part,
        references_exactly=references_exactly,
        re_extract=False,
    )
    text = render_comparison(
        collect_stats(corpus, system, options=options),
        script,
        tier=flags.tier,
        verbose=flags.verbose,
        first_number=part[0] if part else 0,
    )
    write_text(Path(STDIO), text)


def _as_scripts_do(
    corpus: Corpus, system: SystemOutput, choose: Choose
) -> tuple[Corpus, SystemOutput]:
    """A corpus and a system with the coders that take part, and edits of type Um as corrections.

    The scripts leave out UNK alone; CoNLL-2014's own M2 has 54 edits of NUCLE's type Um.
    """

    def correction(edit: Edit, tokens: tuple[str, ...]) -> Edit:
        if edit.label != "Um":
            return edit
        texts = (*edit.alternatives, tokens[edit.start : edit.end])
        return replace(edit, replacement=texts[0], alternatives=())

    def convert_rewrites(
        rewrites: tuple[Rewrite, ...], tokens: tuple[str, ...]
    ) -> tuple[Rewrite, ...]:
        return tuple(
            replace(
                r, edit_sets=tuple(tuple(correction(e, tokens) for e in s) for s in r.edit_sets)
            )
            for r in choose(rewrites)
        )

    samples = [
        replace(s, references=convert_rewrites(s.references, s.tokens)) for s in corpus.samples
    ]
    hypotheses = {
        name: convert_rewrites(rewrites, system.tokens.get(name, ()))
        for name, rewrites in system.hypotheses.items()
    }
    return replace(corpus, samples=tuple(samples)), replace(system, hypotheses=hypotheses)


# ERRANT.

_PIPELINE = "en_core_web_sm"
"""What ERRANT loads."""

Strategy = Literal["rules", "all-split", "all-merge", "all-equal"]

Pipeline = Annotated[
    SchemeSpec,
    Without("name", "strategy", "simplify", "merging", "levenshtein", "settings", "places"),
]
Out = Annotated[Path, Option("-out", "The M2 file to write.", writes=("",))]
Levenshtein = Annotated[bool, Option("-lev", "Align by plain edit distance.")]
Merging = Annotated[
    Strategy,
    Option("-merge", "How steps of the alignment become edits."),
]


@argparse_command
def errant_parallel(
    original: Annotated[Path, Option("-orig", "The original text, a sentence a line.")],
    corrected: Annotated[
        tuple[Path, ...],
        Option("-cor", "The corrected texts.", metavar="FILE [FILE...]", greedy=True),
    ],
    output: Out,
    pipeline: Pipeline,
    tokenise: Annotated[bool, Option("-tok", "Refused: divide the texts before.")] = False,
    levenshtein: Levenshtein = False,
    merging: Merging = "rules",
) -> None:
    """ERRANT's errant_parallel: the edits between parallel texts, as M2.

    The texts are parsed by en_core_web_sm where it is installed, as by ERRANT, else by gecbench's
    own small pipeline, which a note says; --spacy-model names another.

    \b
    gecbench errant-parallel -orig source.txt -cor t5.txt -out t5.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load
    from gecbench.api.schemes import extract

    if tokenise:
        raise UsageError(
            "-tok is not offered: divide the texts into words before, and leave it out"
        )
    click.echo("Loading resources...")
    click.echo("Processing parallel files...")
    corpus = load(original, format="lines", references=corrected, lang="en")
    _note_language(corpus)
    blank = [sample.id for sample in corpus.samples if not sample.source.strip()]
    if blank:
        say(f"note: lines without a source are left out, as by ERRANT: {', '.join(blank)}")
    samples = tuple(_pair(sample) for sample in corpus.samples if sample.id not in blank)
    scheme = _scheme(pipeline, merging, levenshtein=levenshtein)
    _write(extract(replace(corpus, samples=samples), scheme, watch=watch), output)


def _pair(sample: Sample) -> Sample:
    """A sentence whose references have numbers and say where they are the source."""
    source = " ".join(sample.source.split())

    def number_annotators(k: int, rewrite: Rewrite) -> Rewrite:
        if (rewrite.text or "").strip() == source:
            return Rewrite(error_free=True, edit_sets=((),), annotator=str(k))
        return replace(rewrite, annotator=str(k))

    references = [number_annotators(k, rewrite) for k, rewrite in enumerate(sample.references)]
    return replace(sample, references=tuple(references))


@argparse_command
def errant_m2(
    file: Annotated[Path, Argument("M2_FILE")],
    output: Out,
    pipeline: Pipeline,
    auto: Annotated[bool, Option("-auto", "Find the edits again.")] = False,
    gold: Annotated[bool, Option("-gold", "Keep the spans of the edits.")] = False,
    no_minimise: Annotated[bool, Option("-no_min", "-gold: do not shorten edits.")] = False,
    old_types: Annotated[bool, Option("-old_cats", "-gold: keep the given types.")] = False,
    levenshtein: Levenshtein = False,
    merging: Merging = "rules",
) -> None:
    """ERRANT's errant_m2: the edits of an M2 file found again, or given ERRANT's types.

    The texts are parsed as by errant-parallel.

    \b
    gecbench errant-m2 -gold conll14.m2 -out conll14.errant.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load
    from gecbench.api.schemes import extract

    if auto == gold:
        raise UsageError("give one of -auto and -gold")
    if auto:
        refuse("-auto finds edits again", "no_min", "old_cats")
    else:
        refuse("-gold keeps edits as they are", "lev", "merge")
    click.echo("Loading resources...")
    click.echo("Processing M2 file...")
    try:
        corpus = load(file, format="m2", lang="en")
    except FormatError as error:
        raise error.with_option(SCORE_FROM) from error
    _note_language(corpus)
    scheme = _scheme(pipeline, merging, levenshtein=levenshtein)
    extracted = extract(
        corpus, scheme, keep=gold, minimise=not no_minimise, relabel=not old_types, watch=watch
    )
    _write(extracted, output)


def _note_language(corpus: Corpus) -> None:
    """Say so where texts are in another language than ERRANT is for."""
    from gecbench.lang.detection import detect

    code = detect(corpus.sources)
    if code not in (None, corpus.lang):
        say(
            f"note: {corpus.name}: the texts look like {code!r} and are read as English, as by "
            "ERRANT; gecbench edits finds edits of other languages"
        )


def _scheme(pipeline: SchemeSpec, merging: Strategy, *, levenshtein: bool) -> SchemeSpec:
    """The scheme as ERRANT has it; a note says which pipeline parses if it is not ERRANT's."""
    from gecbench.api.schemes import load_scheme

    model = pipeline.spacy_model or (_PIPELINE if find_spec(_PIPELINE) else None)
    scheme = load_scheme(
        "en-errant",
        spacy_model=model,
        merging=merging,
        levenshtein=levenshtein,
        parse_cache=pipeline.parse_cache,
        say=say,
        progress=watch,
    )
    for note in scheme.notes:
        say(f"note: {note}")
    return replace(SchemeSpec.of(scheme), say=say, watch=watch)


def _write(extracted: Corpus, output: Path) -> None:
    """Write M2 as ERRANT does.

    Coders stand in the order of their names, and one has no line whose edits change nothing but
    who does not say so.
    """
    from gecbench.api.files import save

    def order_references(references: tuple[Rewrite, ...]) -> tuple[Rewrite, ...]:
        with_lines = [r for r in references if r.error_free or r.unannotatable or any(r.edit_sets)]
        return tuple(sorted(with_lines, key=lambda r: r.annotator or "")) or NO_EDITS

    samples = tuple(
        replace(s, references=order_references(s.references)) for s in extracted.samples
    )
    save(replace(extracted, samples=samples), output, format="m2")


@argparse_command
def errant_compare(flags: Flags) -> None:
    """ERRANT's errant_compare: how a system's M2 file agrees with the references'.

    \b
    gecbench errant-compare -hyp t5.m2 -ref conll14.m2 -cat 2
    """  # noqa: D301 - \b keeps click from joining lines
    compare(flags, "errant", "edits", "xx")


# ChERRANT.


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


# m2scorer.


@getopt_command
def m2scorer(
    hypotheses: Annotated[Path, Argument("SYSTEM")],
    gold: Annotated[Path, Argument("SOURCE_GOLD")],
    unchanged: Annotated[
        int, Option("--max_unchanged_words", "Unchanged words that an edit may cover.")
    ] = 2,
    beta: Annotated[float, Option("--beta", "Weight of recall in F.")] = 0.5,
    ignore_casing: Annotated[
        bool,
        Option("--ignore_whitespace_casing", "Leave out edits of white space and case alone."),
    ] = False,
    verbose: Annotated[bool, Option("--verbose", "Refused.", short="-v")] = False,
    very_verbose: Annotated[bool, Option("--very_verbose", "Refused.")] = False,
) -> None:
    """m2scorer: MaxMatch of a system's sentences and a gold M2 file.

    \b
    gecbench m2scorer system.txt conll14.gold
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load, load_system
    from gecbench.api.score import collect_stats
    from gecbench.reports.official import render_m2scorer
    from gecbench.scoring.cases import SPACES, segmentation_notes, token_shares

    for name, is_given in (("-v", verbose), ("--very_verbose", very_verbose)):
        if is_given:
            raise UsageError(
                f"{name} is not offered; what is found in each sentence is written by: gecbench "
                "score GOLD SYSTEM --metric m2 --from m2-maxmatch --per-sentence FILE"
            )
    corpus = load(gold, format="m2-maxmatch", lang="xx")
    options = Options(
        metrics=("m2",),
        beta=beta,
        segmenter=SPACES.name,
        settings={
            "m2.max_unchanged_words": str(unchanged),
            "m2.ignore_whitespace_casing": "yes" if ignore_casing else "no",
        },
    )
    run = collect_stats(corpus, load_system(hypotheses, corpus, format="lines"), options=options)
    metric = run.metrics["m2"]
    for note in segmentation_notes(
        {name: token_shares(cases) for name, cases in run.cases.items()}
    ):
        say(f"note: {note} of gecbench score")
    (rows,) = run.rows.values()
    pairs = zip(corpus.samples, rows, strict=True)
    if names := [sample.id for sample, row in pairs if metric.is_approximate(row)]:
        say(f"note: {metric.approximation}: {', '.join(names)}")
    write_text(Path(STDIO), render_m2scorer(metric.aggregate(rows), beta))


# Launchers under the names of the original programs.

COMMANDS = {
    "errant_parallel": "errant-parallel",
    "errant_m2": "errant-m2",
    "errant_compare": "errant-compare",
    "parallel_to_m2.py": "cherrant-parallel",
    "compare_m2_for_evaluation.py": "cherrant-compare",
    "m2scorer": "m2scorer",
    "m2scorer.py": "m2scorer",
}
"""The command of gecbench by the name of the original."""

_MARK = "written by gecbench install-aliases"

_SHELL = """\
#!/bin/sh
# {mark}
exec {python} -P -m gecbench {command} "$@"
"""

_PYTHON = """\
#!/usr/bin/env python3
# {mark}
import os
import subprocess
import sys

arguments = [{python!r}, "-P", "-m", "gecbench", {command!r}, *sys.argv[1:]]
{run}
"""

_IN_EXE = """\
# {mark}
import sys

from gecbench.cli import main

main([{command!r}, *sys.argv[1:]])
"""


@command
def install_aliases(folder: Annotated[Path, Argument("DIR")]) -> None:
    """Write launchers under the names of ERRANT's, ChERRANT's and m2scorer's programs.

    Scripts that call these programs run gecbench where DIR stands first in PATH; those that end in
    .py are also run by `python DIR/parallel_to_m2.py`. On Windows the others are .exe files.
    Nothing that gecbench has not written is replaced.

    \b
    gecbench install-aliases ~/bin/gec
    """  # noqa: D301 - \b keeps click from joining lines
    names = {folder / file_name(name, windows=_ON_WINDOWS): name for name in COMMANDS}
    for path in names:
        if path.is_symlink() or (path.exists() and _MARK.encode() not in read_bytes(path)):
            raise GecbenchError(
                f"{path}: is not {_MARK} and stays as it is; nothing was written; name another "
                "folder"
            )
    make_folder(folder)
    write_files({path: launcher(name, windows=_ON_WINDOWS) for path, name in names.items()})
    for path, name in names.items():
        with explain_errors(path):
            path.chmod(0o755)
        click.echo(f"{path}: gecbench {COMMANDS[name]}")
    say(f"note: put {folder} first in PATH, so that scripts find them")


_ON_WINDOWS = sys.platform == "win32"


def file_name(name: str, *, windows: bool) -> str:
    """The file of a launcher: Windows finds programs by their ending."""
    return f"{name}.exe" if windows and not name.endswith(".py") else name


def launcher(name: str, *, windows: bool) -> bytes:
    """What a launcher consists of.

    Where its name ends in .py it is of Python: on Windows it waits for gecbench, as there a
    program cannot take the place of another. The others are of the shell, or for Windows what pip
    writes there, too: a program of distlib, the path of Python, and a zip of what it is to run.
    """
    values = {"mark": _MARK, "command": COMMANDS[name]}
    if name.endswith(".py"):
        run = (
            "sys.exit(subprocess.call(arguments))"
            if windows
            else "os.execv(arguments[0], arguments)"
        )
        return _PYTHON.format(**values, python=sys.executable, run=run).encode()
    if not windows:
        return _SHELL.format(**values, python=shlex.quote(sys.executable)).encode()
    from importlib.resources import files
    from io import BytesIO
    from platform import machine
    from zipfile import ZipFile

    program = "t64-arm.exe" if machine() == "ARM64" else "t64.exe"
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    with BytesIO() as stream:
        with ZipFile(stream, "w") as archive:
            archive.writestr("__main__.py", _IN_EXE.format(**values))
        return b"".join(
            [(files("distlib") / program).read_bytes(), f"#!{python}\n".encode(), stream.getvalue()]
        )
