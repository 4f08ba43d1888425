"""gecbench edits, convert and parse: a corpus with edits, in another format, or with trees."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import check_distinct, command, refuse
from gecbench.cli.options import (
    ColumnNames,
    CorpusFile,
    CorpusOptions,
    Engine,
    Lang,
    References,
    format_option,
    load_corpus,
    say,
    scheme_of,
    watch,
)
from gecbench.cli.output import (
    CORPUS_ENDINGS,
    OutputFile,
    Overwrite,
    check_parquet,
    format_by_ending,
)
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.files import STDIO, check_new
from gecbench.core.options import Argument, Option
from gecbench.formats import load_writer

_ENDINGS = {".m2": "m2", ".jsonl": "jsonl", ".parquet": "jsonl"}


@command
def edits(
    corpus: CorpusFile,
    reading: CorpusOptions,
    scheme: SchemeSpec,
    engine: Engine,
    keep: Annotated[
        bool,
        Option(
            "--keep-edits",
            "en-errant: keep the spans of given edits, and give them ERRANT's types.",
        ),
    ] = False,
    minimise: Annotated[
        bool,
        Option(
            "--minimise/--no-minimise",
            "With --keep-edits: drop tokens that both sides share at the ends, or not.",
            needs=("--keep-edits",),
        ),
    ] = True,
    relabel: Annotated[
        bool,
        Option(
            "--relabel/--no-relabel",
            "With --keep-edits: give ERRANT's types, or leave the given ones.",
            needs=("--keep-edits",),
        ),
    ] = True,
    chosen_format: Annotated[
        Literal["m2", "jsonl"] | None,
        Option("--to", "Format to write.", show_default="by the ending of --output, else m2"),
    ] = None,
    output: OutputFile = Path(STDIO),
) -> None:
    """Find the edits between sources and references, and write them as M2 or JSONL.

    Give a system's outputs as the references to see the edits of a system.

    \b
    gecbench edits dev.tsv -o dev.m2
    gecbench edits source.txt --reference output.txt --scheme zh-char
    gecbench edits conll14.m2 --keep-edits -o conll14.errant.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import write
    from gecbench.api.schemes import extract

    target_format: str = chosen_format or format_by_ending(output, _ENDINGS, "m2")
    check_parquet(output, target_format)
    data = load_corpus(corpus, reading, in_memory=False)
    extracted = extract(
        data,
        scheme_of(scheme),
        keep=keep,
        minimise=minimise,
        relabel=relabel,
        jobs=engine.workers(),
        watch=watch,
    )
    # What M2 never holds is known, and `convert` says it; here edits are asked for.
    write(extracted, output, format=target_format)


@command
def convert(
    corpus: CorpusFile,
    reading: CorpusOptions,
    chosen_format: Annotated[
        str | None, format_option("--to", "New format (default: by the ending of --output).")
    ] = None,
    output: Annotated[
        Path,
        Option(
            "--output",
            "File, instead of the terminal; format lines adds .src, .ref0, ... to it.",
            short="-o",
            writes=("",),
        ),
    ] = Path(STDIO),
    strict: Annotated[
        bool, Option("--strict", "Fail, and write nothing, if anything would be lost.")
    ] = False,
) -> None:
    """Convert a corpus to another format, and report what is lost.

    \b
    gecbench convert dev.tsv --to jsonl --meta origin.tsv -o dev.jsonl
    gecbench convert dev.jsonl --to lines -o dev
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import save

    target_format = chosen_format or format_by_ending(output, CORPUS_ENDINGS, "")
    if not target_format:
        raise UsageError(
            "the new format is not known; name it by --to, or by the ending of --output: "
            + ", ".join(CORPUS_ENDINGS)
        )
    target = load_writer(target_format)  # before a long corpus is read
    check_parquet(output, target_format)
    data = load_corpus(corpus, reading)
    if strict:
        losses = target.losses(data)
        if losses:
            raise GecbenchError(f"nothing written, because of --strict: {'; '.join(losses)}")
    for loss in save(data, output, format=target_format):
        say(f"note: {loss}")


# gecbench parse.


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
