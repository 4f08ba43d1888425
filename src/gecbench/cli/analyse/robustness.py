"""gecbench analyse robustness: corrections of the same errors in other contexts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gecbench.api.options import LEVEL, NORMALISE, SchemeSpec
from gecbench.cli.command import command, named_files, refuse, split
from gecbench.cli.options import Lang, note_language, note_losses, say, scheme_of, watch
from gecbench.cli.output import FigureOptions, Output, show
from gecbench.core.case import Level
from gecbench.core.errors import UsageError
from gecbench.core.options import Argument, Option

if TYPE_CHECKING:
    from gecbench.core.sample import Corpus, SystemOutput

_PARSED_A_SECOND = 1000
"""Sentences that gecbench's own pipeline parses in a second on one core, roughly."""

_WORTH_A_NOTE = 5
"""Seconds of parsing from which on the user is told how long it takes."""


def _numbers(text: str) -> tuple[float, ...]:
    """Read the numbers of a text, which commas divide."""
    try:
        return tuple(map(float, split(text)))
    except ValueError:
        raise UsageError(f"--beta {text!r} is no number, nor several with commas") from None


@command
def robustness(
    cases: Annotated[Path, Argument()],
    scheme: SchemeSpec,
    output: Output,
    systems: Annotated[tuple[Path, ...], Argument("SYSTEM...")] = (),
    betas: Annotated[
        tuple[float, ...],
        Option(
            "--beta",
            "Weight of recall in F; several with commas add a table of scores each, as 0.5,1.",
            metavar="NUMBERS",
            default="0.5",
            read=_numbers,
        ),
    ] = (0.5,),
    level: Annotated[Level, LEVEL] = "correction",
    normalise: Annotated[tuple[str, ...], NORMALISE] = (),
    frequency: Annotated[
        Path | None,
        Option(
            "--frequency",
            "A training text, or lines of word TAB count: adds P-CRS by frequency.",
        ),
    ] = None,
    orders: Annotated[
        int,
        Option(
            "--orders",
            "Try the official rule in this many orders of the cases; 0 for none.",
        ),
    ] = 10,
    seed: Annotated[int, Option("--seed", "Seed of --orders.", needs=("--orders",))] = 0,
    lang: Lang = None,
    check: Annotated[
        bool, Option("--check", "Look for problems in CASES; without systems.")
    ] = False,
) -> None:
    """Say how far corrections depend on the context of errors, as RobustGEC does.

    CASES is RobustGEC's para.txt, JSONL of cases, or a folder of subsets. A SYSTEM has a line for
    each sentence in the order of input.txt, or is RobustGEC's combined file with -P lines, or a
    folder with such a file for each subset; NAME=PATH gives it a name.

    \b
    gecbench analyse robustness benchmark/conll14 t5.txt gector=out.txt
    gecbench analyse robustness benchmark/ t5/ --frequency train.txt --figures figures
    gecbench analyse robustness benchmark/ --check
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.robustness import check_perturbed, load_perturbed
    from gecbench.api.robustness import robustness as measure_robustness
    from gecbench.formats.perturbed import read_outputs

    if check:
        refuse(
            "--check looks at the cases alone",
            all_but=("cases", "--check", "--lang", Output, FigureOptions),
        )
    elif not systems:
        raise UsageError("give the outputs of a system, or --check to look at the cases alone")
    loaded = load_perturbed(cases, lang=lang)
    note_losses(loaded.name, loaded.provenance)
    if check:
        note_language(loaded.corpus())
        from gecbench.reports.robustness import build_check_report

        show(build_check_report(check_perturbed(loaded)), output)
        return
    from gecbench.reports.robustness import build_report

    outputs = [read_outputs(file, loaded, name=name) for name, file in named_files(systems)]
    _say_how_long(loaded.corpus(), outputs, scheme)
    result = measure_robustness(
        loaded,
        outputs,
        scheme=scheme_of(scheme),
        beta=betas,
        level=level,
        normalise=normalise,
        orders=orders,
        seed=seed,
        frequency=frequency,
        watch=watch,
    )
    show(build_report(result), output)


def _say_how_long(corpus: Corpus, outputs: Sequence[SystemOutput], scheme: SchemeSpec) -> None:
    """Say how long parsing will take, where sentences are parsed and nothing keeps the parses."""
    from gecbench.api.schemes import uses_pipeline

    if scheme.parse_cache or not uses_pipeline(scheme, corpus):
        return
    texts = {sample.source for sample in corpus.samples}
    texts |= {reference.text or "" for sample in corpus.samples for reference in sample.references}
    texts |= {
        rewrite.text or ""
        for output in outputs
        for rewrites in output.hypotheses.values()
        for rewrite in rewrites
    }
    seconds = len(texts) / _PARSED_A_SECOND
    if seconds >= _WORTH_A_NOTE:
        say(
            f"note: parsing {len(texts):,} sentences takes about {seconds:.0f} seconds, more with "
            "a large pipeline; keep the parses for the next time: --parse-cache FOLDER"
        )
