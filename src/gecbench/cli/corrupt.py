"""`gecbench corrupt`: synthetic errors in correct texts, by rules or as a real corpus errs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    ColumnNames,
    CorpusOptions,
    Jobs,
    Lang,
    clear_count,
    format_option,
    load_corpus,
    say,
    scheme_of,
    show_count,
)
from gecbench.cli.output import Overwrite, format_by_ending
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO, check_new
from gecbench.core.options import Argument, Option, pairs

_ENDINGS = {".jsonl": "jsonl", ".tsv": "pairs"}


@command
def corrupt(
    scheme: SchemeSpec,
    texts: Annotated[Path | None, Argument()] = None,
    output: Annotated[
        Path, Option("--output", "File for the pairs, or the profile.", short="-o", writes=("",))
    ] = Path(STDIO),
    profile: Annotated[
        str,
        Option(
            "--profile",
            "zh-default, en-default or a TOML file; else the default one of the language.",
            metavar="NAME",
        ),
    ] = "",
    settings: Annotated[
        Mapping[str, str] | None,
        Option(
            "--set",
            "Another key of the profile, as correct=0.2 or types.word-missing=30; repeatable.",
            metavar="KEY=VALUE",
            read=pairs("--set", "KEY=VALUE", empty=False),
        ),
    ] = None,
    seed: Annotated[int | None, Option("--seed", "Of all that is random (0).")] = None,
    text_format: Annotated[
        str | None, format_option("--from", "Format of TEXTS (default: detected).")
    ] = None,
    columns: ColumnNames = None,
    lang: Lang = None,
    target_format: Annotated[
        Literal["jsonl", "pairs"] | None,
        Option(
            "--to",
            "jsonl, with the type of each error, or pairs: source TAB target.",
            show_default="by the ending of --output, else jsonl",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        Option(
            "--labels",
            "File for the labels of a tagger that lead back to the target.",
            writes=("",),
        ),
    ] = None,
    report: Annotated[
        Path | None, Option("--report", "File for the counts, JSON.", writes=("",))
    ] = None,
    corpus: Annotated[
        Path | None,
        Option("--fit", "Write a profile fitted to this corpus; there are no TEXTS."),
    ] = None,
    least: Annotated[
        int | None,
        Option("--least", "With --fit: least count of a confusion (2).", needs=("--fit",)),
    ] = None,
    jobs: Jobs = None,
    overwrite: Overwrite = False,
) -> None:
    """Make errors in correct texts, for training: pairs of a text with errors and the text.

    TEXTS is a file of any format: of a corpus with references, these are the correct texts. What
    becomes of a sentence depends on its place and the seed alone.

    \b
    gecbench corrupt news.txt -o pairs.jsonl
    gecbench corrupt news.txt --set correct=0.1 --labels labels.jsonl -o pairs.jsonl
    gecbench corrupt --fit train.m2 -o profile.toml
    gecbench corrupt news.txt --profile profile.toml -o pairs.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    for path in filter(None, (output, labels, report)):
        check_new(path, overwrite=overwrite)
    if corpus is not None:
        refuse(
            "--fit writes a profile and corrupts no texts",
            *("texts", "--profile", "--set", "--seed", "--labels", "--report", "--to", "--jobs"),
        )
        format_by_ending(output, {".toml": "toml"}, "toml")
        reading = CorpusOptions(text_format, lang=lang, columns=columns)
        _fit(corpus, output, reading, scheme, 2 if least is None else least)
        return
    if texts is None:
        raise UsageError("there are no texts; name a file, or fit a profile with --fit CORPUS")
    refuse("edits are found for --fit alone", SchemeSpec)
    if profile:
        refuse("--lang chooses the default profile, and --profile names one", "--lang")
    from gecbench.api.training_data import corrupt as corrupt_texts
    from gecbench.core.files import write_text
    from gecbench.reports.datasets import corruption_lines

    target: str = target_format or format_by_ending(output, _ENDINGS, "jsonl")
    counts = corrupt_texts(
        texts,
        output,
        profile,
        seed=seed or 0,
        settings=settings or {},
        format=text_format,
        columns=columns,
        lang=lang,
        to="pairs" if target == "pairs" else "jsonl",
        labels=labels,
        jobs=jobs,
        folder=scheme.places.folder,
        mirror=scheme.places.mirror,
        say=say,
        progress=_show,
    )
    clear_count()
    for line in corruption_lines(counts):
        say(line)
    if report is not None:
        import msgspec

        content = msgspec.json.format(msgspec.json.encode(counts), indent=1)
        write_text(report, content.decode() + "\n")


def _fit(path: Path, output: Path, reading: CorpusOptions, options: SchemeSpec, least: int) -> None:
    from gecbench.api.schemes import scheme_for
    from gecbench.api.training_data import fit
    from gecbench.reports.datasets import fit_lines

    corpus = load_corpus(path, reading)
    has_edits = all(
        rewrite.edit_sets or rewrite.error_free or rewrite.unannotatable
        for sample in corpus.samples
        for rewrite in sample.references
    )
    needed = options.name is not None or not has_edits
    scheme = scheme_for(corpus, scheme_of(options)) if needed else None
    for line in fit_lines(fit(corpus, output, scheme=scheme, least=least, say=say)):
        say(line)


def _show(count: int) -> None:
    if not count % 10_000:
        show_count(f"{count} sentences read")
