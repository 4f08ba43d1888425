"""gecbench combine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from gecbench.api.options import PLAIN, RE_EXTRACT, SchemeSpec, Voting
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    CorpusFile,
    Inputs,
    SystemFiles,
    load_corpus,
    load_systems,
    say,
    scheme_of,
    watch,
)
from gecbench.cli.output import CORPUS_ENDINGS, OutputFile, format_by_ending
from gecbench.core.errors import count_noun
from gecbench.core.files import STDIO, write_text
from gecbench.core.options import Option

if TYPE_CHECKING:
    from gecbench.api.combine import Combination
    from gecbench.models.combine.voting import VoteTally
    from gecbench.reports.report import Grid

_SCHEME = (
    *("--strategy", "--simplify", "--spacy-model", "--merging", "--lev", "--parse-cache"),
    *("--scheme-set", "--re-extract"),
)


@command
def combine(
    corpus: CorpusFile,
    systems: SystemFiles,
    voting: Voting,
    inputs: Inputs,
    chosen_format: Annotated[
        Literal["lines", "mucgec", "m2", "jsonl"] | None,
        Option(
            "--to",
            "Format to write; lines are the combined sentences alone.",
            show_default="by the ending of --output, else lines",
        ),
    ] = None,
    re_extract: Annotated[bool | None, RE_EXTRACT] = None,
    output: OutputFile = Path(STDIO),
    m2: Annotated[
        Path | None, Option("--m2", "Write the kept edits as M2 to this file, too.", writes=("",))
    ] = None,
) -> None:
    """Combine what systems wrote: keep the edits that enough of them propose.

    Each SYSTEM is a file in any format, or NAME=FILE. With --scheme none texts are aligned
    plainly, in any language, and white space counts too.

    \b
    gecbench combine dev.tsv a.txt b.txt c.txt -o combined.txt
    gecbench combine dev.tsv a.m2 b.m2 --weight a=2 --relaxed code --to m2 -o both.m2
    gecbench combine dev.tsv s?.m2 --rule mucgec-official --threshold 4 -o official.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.combine import combine as combine_systems

    target_format: str = chosen_format or format_by_ending(output, CORPUS_ENDINGS, "lines")
    data = load_corpus(corpus, inputs.corpus)
    combination = combine_systems(
        data,
        load_systems(systems, data, inputs),
        voting=voting,
        scheme=_scheme(inputs.scheme),
        re_extract=re_extract,
        places=inputs.scheme.places,
        watch=watch,
    )
    _write(combination, target_format, output, m2)
    _report(combination)


def _scheme(options: SchemeSpec) -> SchemeSpec | str:
    """The scheme, or the name of none."""
    if options.name == PLAIN:
        refuse(f"--scheme {PLAIN} finds edits without a scheme", *_SCHEME)
        return PLAIN
    return scheme_of(options, uses_places=True)


def _write(combination: Combination, target_format: str, output: Path, m2: Path | None) -> None:
    """Write what the systems make together, all files or none."""
    from gecbench.api.files import save

    edits = combination.m2() if m2 else ""
    if target_format == "m2":
        write_text(output, combination.m2())
    elif target_format == "lines":
        save(combination.lines(), output, format=target_format)
    else:
        for loss in save(combination.corpus, output, format=target_format):
            say(f"note: {loss}")
    if m2:
        write_text(m2, edits)


def _report(combination: Combination) -> None:
    """Say what became of the edits."""
    from gecbench.reports.report import as_text

    tally = combination.tally
    say(combination.about)
    say(as_text(_grid(tally)).rstrip("\n"))
    say(f"{tally.changed} of {count_noun(tally.sentences, 'sentence')} changed")
    for note in combination.notes:
        say(f"note: {note}")


def _grid(tally: VoteTally) -> Grid:
    """How many edits so many systems proposed, and what became of them."""
    from gecbench.models.combine.voting import OUTCOMES
    from gecbench.reports.report import Grid

    outcomes = [outcome for outcome in OUTCOMES if outcome == "kept" or tally.of(outcome)]
    rows = [
        (
            str(systems),
            str(sum(tally.counts[systems, outcome] for outcome in OUTCOMES)),
            *(str(tally.counts[systems, outcome]) for outcome in outcomes),
        )
        for systems in sorted({systems for systems, _ in tally.counts}, reverse=True)
    ]
    total = ("all", str(tally.counts.total()), *(str(tally.of(outcome)) for outcome in outcomes))
    return Grid(("proposed by", "edits", *outcomes), (*rows, total), 1)
