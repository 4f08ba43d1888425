"""gecbench analyse difficulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.api.verb_options import DifficultyOptions
from gecbench.cli.command import command
from gecbench.cli.options import (
    CorpusFile,
    Inputs,
    corpus_groups,
    measure_groups,
    say,
    watch,
)
from gecbench.cli.output import Output, show
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO
from gecbench.core.options import Argument, Option

if TYPE_CHECKING:
    from gecbench.analysis.difficulty import Difficulty
    from gecbench.core.sample import Corpus, SystemOutput

    Result = tuple[Difficulty, Mapping[str, str]]
    """What is found of a corpus and one of its references, with the texts of the corpus by id."""


@dataclass(frozen=True, slots=True)
class Files:
    """What is read and written beside the corpora and the results."""

    systems_in: Annotated[
        Path | None,
        Option("--systems-in", "M2 in which each annotator is a system.", metavar="FILE"),
    ] = None
    names: Annotated[
        tuple[str, ...],
        Option(
            "--names",
            "Names of the systems of --systems-in.",
            metavar="A,B,...",
            commas=True,
            needs=("--systems-in",),
        ),
    ] = ()
    weights: Annotated[
        tuple[Path, ...],
        Option(
            "--weights",
            "Take weights from a file of GoToScorer's; with several corpora one for each.",
            metavar="FILE",
        ),
    ] = ()
    new_weights: Annotated[
        Path | None,
        Option(
            "--write-weights",
            "Write the weights, for later systems.",
            metavar="FILE",
            writes=("", ".json"),
        ),
    ] = None
    chunks: Annotated[
        Path | None,
        Option(
            "--chunks",
            "Write the chunks of each sentence as a picture.",
            metavar="FILE",
            writes=("",),
        ),
    ] = None
    heat_map: Annotated[
        Path | None,
        Option(
            "--heat-map",
            "Write a page of all sentences, their errors coloured by difficulty.",
            metavar="FILE.html",
            writes=("",),
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse weights that are read and written, and weights without a name."""
        if str(self.new_weights) == STDIO:
            raise UsageError(
                "--write-weights writes two files, the second with a fingerprint; name a file"
            )
        if self.new_weights and self.weights:
            raise UsageError("--write-weights writes weights of these systems; leave --weights out")


@command
def difficulty(
    corpus: CorpusFile,
    inputs: Inputs,
    options: DifficultyOptions,
    files: Files,
    output: Output,
    systems: Annotated[tuple[Path, ...], Argument("[SYSTEM]...")] = (),
    tier: Annotated[
        Literal[1, 2, 3] | None,
        Option("--by-type", "Types in the table: operation (1), category (2), whole label (3)."),
    ] = None,
) -> None:
    """Weigh errors by how few systems correct them, and score systems by that (GoToScorer).

    The weights are made of the systems given, so give many, or a published weight file. After a
    "+" comes another corpus with its systems.

    \b
    gecbench analyse difficulty conll14.m2 one.txt two.txt three.txt
    gecbench analyse difficulty conll14.m2 mine.txt --weights conll14_8sys.txt
    gecbench analyse difficulty ref.m2 --systems-in hyp.m2 --names cnn,lstm,smt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.reports.difficulty import build_report

    other = "or several in one M2 by --systems-in"
    least = 0 if files.systems_in else 1
    groups = list(corpus_groups([corpus, *systems], least=least, other=other))
    _check(len(groups), inputs, files)
    results = _results(groups, inputs, options, files)
    report = build_report([result for result, _ in results], tier)
    show(report, output, _extra_files(results, files, output))
    if files.new_weights:
        say(
            f"{files.new_weights}, {files.new_weights}.json: weights and the fingerprint of their "
            "reference"
        )


def _check(corpora: int, inputs: Inputs, files: Files) -> None:
    """Refuse options that do not go together."""
    one_corpus = inputs.corpus.references or inputs.corpus.meta or files.systems_in
    if corpora > 1 and one_corpus:
        raise UsageError(
            "--reference, --meta and --systems-in belong to one corpus; here are several"
        )
    if corpora > 1 and (files.new_weights or files.chunks):
        raise UsageError("--write-weights and --chunks are of one corpus; here are several")
    if files.weights and len(files.weights) != corpora:
        raise UsageError(
            f"--weights is given {len(files.weights)} times for {corpora} corpora; give one "
            "for each, in their order"
        )
    if inputs.system_columns and files.systems_in:
        raise UsageError("--system-columns reads files of one system each; leave --systems-in out")
    if inputs.scheme.strategy == "all":
        raise UsageError(
            "difficulty takes the first edit set of each sentence; leave --strategy out"
        )


def _results(
    groups: Sequence[Sequence[Path]], inputs: Inputs, options: DifficultyOptions, files: Files
) -> list[Result]:
    """Measure the difficulty of each corpus."""
    from gecbench.api.difficulty import difficulty as measure_difficulty
    from gecbench.api.files import load_systems

    def measure(
        at: int, corpus: Corpus, outputs: list[SystemOutput], scheme: SchemeSpec
    ) -> list[Result]:
        if files.systems_in is not None:
            systems = load_systems(
                files.systems_in,
                corpus,
                names=files.names,
                format=inputs.system_format,
                subset=inputs.subset,
            )
            outputs = [*outputs, *systems]
        weighted = replace(options, weights=files.weights[at]) if files.weights else options
        texts = {sample.id: sample.source for sample in corpus.samples}
        measured = measure_difficulty(corpus, outputs, scheme=scheme, options=weighted, watch=watch)
        return [(result, texts) for result in measured]

    return [result for results in measure_groups(groups, inputs, measure) for result in results]


def _extra_files(results: Sequence[Result], files: Files, output: Output) -> dict[Path, str]:
    """The files that are written beside the results."""
    first, _ = results[0]
    if (files.new_weights or files.chunks) and len(results) > 1:
        raise UsageError(
            f"--write-weights and --chunks are of one reference; here are {len(results)}"
        )
    contents: dict[Path, str] = {}
    if files.new_weights:
        from gecbench.api.difficulty import weight_files

        contents |= weight_files(first, files.new_weights)
    if files.chunks:
        from gecbench.reports.difficulty import chunk_lines

        contents[files.chunks] = chunk_lines(first)
    if files.heat_map:
        from gecbench.reports.page.heatmap import heat_map

        every, texts = [result for result, _ in results], [text for _, text in results]
        contents[files.heat_map] = heat_map(every, texts, output.language)
    return contents
