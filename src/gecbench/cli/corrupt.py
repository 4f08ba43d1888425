"""gecbench corrupt and perturb: synthetic errors, and other contexts of errors, for training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.api.verb_options import PerturbOptions
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    ColumnNames,
    CorpusFile,
    CorpusFormat,
    CorpusOptions,
    Engine,
    Lang,
    References,
    format_option,
    load_corpus,
    note_language,
    say,
    scheme_of,
    show_count,
    watch,
)
from gecbench.cli.output import Overwrite, check_parquet, format_by_ending
from gecbench.core.errors import UsageError, count_noun
from gecbench.core.files import STDIO, check_new
from gecbench.core.options import Argument, Option, pairs

if TYPE_CHECKING:
    from gecbench.core.perturbed import PerturbedSet
    from gecbench.core.sample import Corpus
    from gecbench.datasets.perturb.variants import PerturbReport

_ENDINGS = {".jsonl": "jsonl", ".parquet": "jsonl", ".tsv": "pairs"}


@command
def corrupt(
    scheme: SchemeSpec,
    engine: Engine,
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
            *("texts", "--profile", "--set", "--seed", "--labels", "--report", "--to"),
            Engine,
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
    check_parquet(output, target)
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
        jobs=engine.workers(),
        folder=scheme.places.folder,
        mirror=scheme.places.mirror,
        say=say,
        progress=lambda count: show_count(f"{count} sentences read"),
    )
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


_NAMED = 5


@command
def perturb(
    corpus: CorpusFile,
    options: PerturbOptions,
    engine: Engine,
    output: Annotated[
        Path, Option("--output", "File for the perturbed cases.", short="-o", writes=("",))
    ],
    corpus_format: CorpusFormat = None,
    references: References = (),
    lang: Lang = None,
    columns: ColumnNames = None,
    overwrite: Overwrite = False,
) -> None:
    """Change the context of errors in a corpus, never an error: data for training.

    CORPUS has references, in any format; or it holds perturbed cases, as RobustGEC's, whose
    originals are then perturbed again. Each variant differs from its sentence in one word that is
    replaced, inserted or deleted on both sides. Nobody has looked at the variants, and some will
    have errors of their own: never evaluate on them.

    \b
    gecbench perturb train.jsonl -o perturbed.jsonl
    gecbench perturb divided/train.jsonl --filler mask:bert-base-cased -o synthetic.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.robustness import save_perturbed
    from gecbench.api.training_data import perturb as perturb_corpus

    check_new(output, overwrite=overwrite)
    format_by_ending(output, {".jsonl": "jsonl"}, "jsonl")
    loaded, source = _load(corpus, CorpusOptions(corpus_format, references, None, lang, columns))
    perturbed = perturb_corpus(
        loaded, options=options, source=source, jobs=engine.workers(), watch=watch
    )
    save_perturbed(perturbed.cases, output)
    _report(perturbed.report)


def _load(path: Path, options: CorpusOptions) -> tuple[Corpus | PerturbedSet, str | None]:
    """Load what is perturbed, with its name and hash."""
    from gecbench.api.files import fingerprint_of
    from gecbench.api.robustness import load_perturbed
    from gecbench.formats.perturbed import holds_perturbed

    source = None if str(path) == STDIO else fingerprint_of(path)
    if source is None or not holds_perturbed(path):
        return load_corpus(path, options), source
    refuse(
        f"{path}: holds perturbed cases", "--reference", "--from", "--columns", "--each-reference"
    )
    cases = load_perturbed(path, lang=options.lang)
    note_language(cases.corpus())
    return cases, source


def _report(report: PerturbReport) -> None:
    from gecbench.datasets.perturb.variants import list_counts

    operations = ", ".join(f"{count:,} {name}" for name, count in report.operations.items())
    variants = count_noun(sum(report.operations.values()), "variant", spec=",")
    sentences = count_noun(report.sentences, "sentence", " has", " have", spec=",")
    say(f"{report.cases:,} of {sentences} {variants}: {operations}")
    say(f"attempts given up: {list_counts(report.rejected)}")
    for reason, ids in report.left_out.items():
        names = ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")
        say(f"left out, {reason}: {len(ids):,} ({names})")
    say("note: synthetic variants may have errors of their own; train with them, never evaluate")
