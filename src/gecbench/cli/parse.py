"""gecbench parse: dependency trees of texts, and training data for parsers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import check_distinct, command, refuse
from gecbench.cli.options import (
    ColumnNames,
    CorpusOptions,
    Lang,
    References,
    format_option,
    load_corpus,
    say,
    scheme_of,
    watch,
)
from gecbench.cli.output import OutputFile, Overwrite, format_by_ending
from gecbench.core.files import STDIO, check_new
from gecbench.core.options import Argument, Option


@command
def parse(
    parser: Annotated[str, Argument()],
    sentences: Annotated[Path, Argument("INPUT")],
    scheme: SchemeSpec,
    output: OutputFile = Path(STDIO),
    heads: Annotated[
        int | None,
        Option(
            "--heads",
            "Write the N likeliest heads of each word and their probabilities, too; 0 is all, "
            "exactly.",
            metavar="N",
        ),
    ] = None,
    projects: Annotated[
        bool,
        Option(
            "--project",
            "INPUT is a corpus: parse its references, and project the trees onto the sources.",
        ),
    ] = False,
    repair: Annotated[
        bool,
        Option(
            "--repair",
            "With --project: repair trees that would be left out.",
            needs=("--project",),
        ),
    ] = False,
    references: References = (),
    input_format: Annotated[
        str | None, format_option("--from", "Format of INPUT (default: detected).")
    ] = None,
    columns: ColumnNames = None,
    lang: Lang = None,
    overwrite: Overwrite = False,
) -> None:
    """Write the dependency trees of sentences as CoNLL-U.

    PARSER is the folder of a parser that `gecbench train` made, "spacy:" and the name or folder of
    a spaCy pipeline (spacy:en is the small one that gecbench brings), or a CoNLL-U file with trees
    of the same sentences. With --project the trees of references become those of sentences with
    errors, which a parser learns from.

    \b
    gecbench parse spacy:en train.m2 --project -o train.conllu
    gecbench parse runs/parser/model essays.txt --heads 3 -o essays.conllu
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.parse import open_trees, parse_file, project_trees
    from gecbench.formats.reading import sources

    format_by_ending(output, {".conllu": "conllu"}, "conllu")
    if str(output) != STDIO:
        check_distinct([("--output", output)], [Path(parser)])
        check_new(output, overwrite=overwrite)
    if projects:
        refuse("--project writes trees to learn from", "--heads")
        options = CorpusOptions(input_format, references, None, lang, columns)
        corpus = load_corpus(sentences, options)
        spec = scheme_of(scheme, types=False)
        counts = project_trees(
            open_trees(parser), corpus, output, scheme=spec, repair=repair, say=say, watch=watch
        )
    else:
        refuse("references and edits are read with --project alone", SchemeSpec, "--reference")
        source = sources(sentences, format=input_format, columns=columns)
        counts = parse_file(open_trees(parser), source, output, lang=lang, heads=heads, say=say)
    say(", ".join(f"{name}: {number:,}" for name, number in counts.items()))
