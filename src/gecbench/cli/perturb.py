"""gecbench perturb."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from gecbench.cli.options import FILE, say, watch
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO, check_target
from gecbench.core.sample import NOT_KEPT

if TYPE_CHECKING:
    from gecbench.core.perturbed import PerturbedSet
    from gecbench.core.sample import Corpus
    from gecbench.datasets.perturb.running import Report

_NAMED = 5


class _Given(TypedDict):
    """The options of the command, by the names of their parameters."""

    output: Path
    corpus_format: str | None
    references: tuple[Path, ...]
    variants: int
    operations: str
    filler: str
    words: Path | None
    pos: bool | None
    spacy_model: str | None
    insertion: str
    top: int | None
    device: str
    batch: int | None
    tokens: str | None
    each_reference: bool
    seed: int


@click.command()
@click.argument("corpus", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="File for the perturbed cases.")
@click.option("--from", "corpus_format", metavar="FORMAT", help="Format of CORPUS, else found out.")
@click.option(
    "--reference",
    "references",
    type=FILE,
    multiple=True,
    help="Parallel text with references, where CORPUS is one of sources; repeatable.",
)
@click.option("--variants", type=int, default=5, show_default=True, help="Of each sentence.")
@click.option(
    "--operations",
    default="substitute,insert,delete",
    show_default=True,
    help="Each variant has exactly one of these.",
)
@click.option(
    "--filler",
    default="frequency",
    show_default=True,
    help="frequency, or mask:NAME, a masked language model by name or folder.",
)
@click.option(
    "--words",
    type=FILE,
    help="frequency: a text, or lines of word TAB count, to take words from instead of CORPUS.",
)
@click.option(
    "--pos/--no-pos",
    default=None,
    help="frequency: put words in the place of the same part of speech, or not (default: do).",
)
@click.option(
    "--spacy-model",
    metavar="NAME",
    help="frequency: the pipeline that knows parts of speech, instead of gecbench's own.",
)
@click.option("--top", type=int, help="mask: choose among so many likeliest words (default: 20).")
@click.option("--device", default="", help="mask: cpu, cuda, ... (default: a GPU if there is one).")
@click.option("--batch", type=int, help="mask: so many places at a time (default: 64).")
@click.option(
    "--insert",
    "insertion",
    type=click.Choice(["random", "fill"]),
    default="random",
    show_default=True,
    help="Insert any word of the vocabulary, or with mask one that fits.",
)
@click.option(
    "--tokens",
    type=click.Choice(["zh", "en", "space"]),
    help="Chinese characters, English words, or what blanks divide, else found out.",
)
@click.option(
    "--each-reference", is_flag=True, help="A case for each reference, instead of the first."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of all choices.")
def perturb(corpus: Path, **given: Unpack[_Given]) -> None:
    """Change what surrounds the errors of a corpus, and never an error: data to train with.

    CORPUS has references, in any format; or it holds perturbed cases, as RobustGEC's, whose
    originals are then perturbed anew. Each variant differs from its sentence in one word that is
    replaced, inserted or deleted on both sides. Nobody has looked at the variants, and some will
    have errors of their own: never evaluate on them.

    \b
    gecbench perturb train.jsonl -o perturbed.jsonl
    gecbench perturb divided/train.jsonl --filler mask:bert-base-cased -o synthetic.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.perturb import Means
    from gecbench.api.perturb import perturb as run
    from gecbench.api.robustness import save_perturbed

    check_target(given["output"])
    read = (corpus, *given["references"], *([given["words"]] if given["words"] else ()))
    if given["output"].resolve() in [path.resolve() for path in read]:
        raise UsageError(f"{given['output']}: is read and written; name another file to write")
    means = Means(
        filler=given["filler"],
        words=given["words"],
        pos=given["pos"],
        spacy_model=given["spacy_model"],
        top=given["top"],
        device=given["device"],
        batch=given["batch"],
        tokens=given["tokens"],
    )
    loaded, source = _loaded(corpus, given)
    made = run(
        loaded,
        variants=given["variants"],
        operations=[name for name in given["operations"].split(",") if name],
        insertion=given["insertion"],
        seed=given["seed"],
        each_reference=given["each_reference"],
        means=means,
        source=source,
        watch=watch,
    )
    save_perturbed(made.cases, given["output"])
    _report(made.report)


def _loaded(path: Path, given: _Given) -> tuple[Corpus | PerturbedSet, str | None]:
    """Return what is perturbed, and its name and hash."""
    from gecbench.api.files import load
    from gecbench.api.inputs import fingerprint_of
    from gecbench.api.robustness import load_perturbed
    from gecbench.core.files import read_lines
    from gecbench.formats.perturbed import is_perturbed

    source = None if str(path) == STDIO else fingerprint_of(path)
    if source is None or not (path.is_dir() or is_perturbed(read_lines(path))):
        corpus = load(path, format=given["corpus_format"], references=given["references"])
        if NOT_KEPT in corpus.provenance:
            say(f"note: {corpus.name}: not kept: {corpus.provenance[NOT_KEPT]}")
        return corpus, source
    context = click.get_current_context()
    for name in ("references", "corpus_format", "each_reference"):
        if given[name]:
            option = next(one.opts[0] for one in context.command.params if one.name == name)
            raise UsageError(f"{path}: holds perturbed cases; leave {option} out")
    return load_perturbed(path), source


def _report(report: Report) -> None:
    from gecbench.datasets.perturb.running import told

    operations = ", ".join(f"{count:,} {name}" for name, count in report.operations.items())
    variants = f"{sum(report.operations.values()):,} variants"
    say(f"{report.cases:,} of {report.sentences:,} sentences have {variants}: {operations}")
    say(f"attempts given up: {told(report.rejected)}")
    for reason, ids in report.left_out.items():
        names = ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")
        say(f"left out, {reason}: {len(ids):,} ({names})")
    say("note: synthetic variants may have errors of their own; train with them, never evaluate")
