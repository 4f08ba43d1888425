"""gecbench perturb."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gecbench.api.options import PerturbOptions
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    ColumnNames,
    CorpusFile,
    CorpusFormat,
    CorpusOptions,
    Lang,
    References,
    load_corpus,
    note_language,
    say,
    watch,
)
from gecbench.cli.output import Overwrite, format_by_ending
from gecbench.core.errors import count_noun
from gecbench.core.files import STDIO, check_new
from gecbench.core.options import Option

if TYPE_CHECKING:
    from gecbench.core.perturbed import PerturbedSet
    from gecbench.core.sample import Corpus
    from gecbench.datasets.perturb.variants import PerturbReport

_NAMED = 5


@command
def perturb(
    corpus: CorpusFile,
    options: PerturbOptions,
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
    perturbed = perturb_corpus(loaded, options=options, source=source, watch=watch)
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
