"""gecbench combine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import click

from gecbench.cli.options import (
    FILE,
    CorpusGiven,
    SchemeGiven,
    corpus_options,
    load_corpus,
    say,
    scheme_maker,
    scheme_options,
    watch,
)
from gecbench.cli.scoring import asked_for, check_standard_input, named
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO, check_target

if TYPE_CHECKING:
    from gecbench.api.combine import Combination, Voting
    from gecbench.api.schemes import Places
    from gecbench.core.sample import Corpus
    from gecbench.core.scheme import Scheme
    from gecbench.models.combine.voting import Tally
    from gecbench.reports.grid import Grid

_TO = ("lines", "mucgec", "m2", "jsonl")


class _Given(CorpusGiven, SchemeGiven):
    """The options of the command, by the names of their parameters."""

    system_format: str | None
    rule: str
    threshold: str | None
    weights: tuple[str, ...]
    relaxed: str
    thresholds: tuple[str, ...]
    veto: bool
    spelling: Literal["similar", "sound"]
    target_format: str
    output: Path
    m2: Path | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@click.option(
    "--rule",
    type=click.Choice(["votes", "mucgec-official"]),
    default="votes",
    show_default=True,
    help="How votes are counted: ours, or MuCGEC's program with its faults.",
)
@click.option(
    "--threshold", metavar="T", help="Votes that an edit needs (default: more than half of all)."
)
@click.option(
    "--weight", "weights", metavar="NAME=W", multiple=True, help="Votes of a system; else 1."
)
@click.option(
    "--relaxed",
    metavar="none|code|paper|T",
    default="none",
    show_default=True,
    help="What word order and spelling need: T - 1 (code), N/2 - 1 (paper), or a number.",
)
@click.option(
    "--threshold-for",
    "thresholds",
    metavar="TYPE=T",
    multiple=True,
    help="Votes that edits of a type need, as R=3, order=2 or spelling=1; repeatable.",
)
@click.option(
    "--veto/--no-veto",
    default=False,
    help="Leave sentences alone that too many systems leave alone (default: not).",
)
@click.option(
    "--spelling",
    type=click.Choice(["similar", "sound"]),
    default="similar",
    show_default=True,
    help="Chinese spelling errors: ChERRANT's table of shapes and sounds, or sound alone.",
)
@click.option(
    "--to",
    "target_format",
    type=click.Choice(_TO),
    default="lines",
    show_default=True,
    help="Format to write; lines are the combined sentences alone.",
)
@click.option(
    "-o", "--output", type=FILE, default=Path("-"), help="File to write, instead of the terminal."
)
@click.option("--m2", type=FILE, help="Write the kept edits as M2 to this file, too.")
@click.option("--system-from", "system_format", metavar="FORMAT", help="Format of the systems.")
@corpus_options
@scheme_options
def combine(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Combine what systems wrote: keep the edits that enough of them propose.

    Each SYSTEM is a file in any format, or NAME=FILE. With --scheme none texts are aligned
    plainly, in any language, and white space counts too.

    \b
    gecbench combine dev.tsv a.txt b.txt c.txt -o combined.txt
    gecbench combine dev.tsv a.m2 b.m2 --weight a=2 --relaxed code --to m2 -o both.m2
    gecbench combine dev.tsv s?.m2 --rule mucgec-official --threshold 4 -o official.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.combine import combine as combined
    from gecbench.api.files import load_system

    check_standard_input([corpus, *systems])
    _check_written(corpus, systems, given)
    voting = _voting(given)
    loaded = load_corpus(corpus, given)
    outputs = []
    for path in systems:
        name, file = named(path)
        outputs.append(load_system(file, loaded, name=name, format=given["system_format"]))
    made = combined(
        loaded,
        outputs,
        voting=voting,
        scheme=_scheme(loaded, given),
        places=_places(given),
        watch=watch,
    )
    _write(made, given)
    _report(made)


def _check_written(corpus: Path, systems: Sequence[Path], given: _Given) -> None:
    """Refuse outputs that cannot be written, or would take the place of what is read."""
    read = [named(path)[1] for path in (corpus, *systems, *given["references"])]
    written = [("--output", given["output"]), *([("--m2", given["m2"])] if given["m2"] else [])]
    for option, path in written:
        check_target(path)
        for each in read:
            if str(path) != STDIO and path.exists() and each.exists() and path.samefile(each):
                raise UsageError(f"{option} would write over {path}, which is read")
    paths = [path.absolute() for _, path in written if path is not None]
    if len(set(paths)) < len(paths):
        raise UsageError(f"--output and --m2 both write {given['m2']}; name two files")


def _voting(given: _Given) -> Voting:
    """Return how systems vote."""
    from gecbench.api.combine import Voting

    return Voting(
        given["rule"],
        given["threshold"],
        _pairs("--weight", "NAME=W", given["weights"]),
        given["relaxed"],
        _pairs("--threshold-for", "TYPE=T", given["thresholds"]),
        given["veto"],
        given["spelling"],
    )


def _pairs(option: str, form: str, given: Sequence[str]) -> dict[str, str]:
    """Return what NAME=VALUE arguments say."""
    made: dict[str, str] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not (equals and name):
            raise UsageError(f"{option} {text!r} must be {form}")
        if name in made:
            raise UsageError(f"{option} {name} is given twice; give it once")
        made[name] = value
    return made


def _scheme(corpus: Corpus, given: _Given) -> Scheme | str | Callable[[], Scheme]:
    """Return the scheme if it was asked for, else how to get it; or the name of none."""
    from gecbench.api.combine import PLAIN

    if given["scheme_name"] == PLAIN:
        others = "strategy", "simplify", "spacy_model", "merging", "levenshtein", "parse_cache"
        for option in asked_for(*others):
            raise UsageError(f"--scheme {PLAIN} finds edits without a scheme; leave {option} out")
        return PLAIN
    maker = scheme_maker(corpus, given)
    anew = any(asked_for("scheme_name", "strategy", "simplify", "merging", "levenshtein"))
    return maker() if anew else maker


def _places(given: _Given) -> Places:
    from gecbench.api.schemes import Places

    return Places(folder=given["folder"], mirror=given["mirror"])


def _write(made: Combination, given: _Given) -> None:
    """Write what the systems make together, all files or none."""
    from gecbench.api.files import save
    from gecbench.core.files import write_text

    extra = made.m2() if given["m2"] else ""
    if given["target_format"] == "m2":
        write_text(given["output"], made.m2())
    else:
        lines = given["target_format"] == "lines"
        losses = save(
            made.lines() if lines else made.corpus, given["output"], format=given["target_format"]
        )
        for loss in () if lines else losses:
            say(f"note: {loss}")
    if given["m2"]:
        write_text(given["m2"], extra)


def _report(made: Combination) -> None:
    """Say what became of the edits."""
    from gecbench.reports.grid import as_text

    tally = made.tally
    say(made.about)
    say(as_text(_grid(tally)).rstrip("\n"))
    say(f"{tally.changed} of {tally.sentences} sentences changed")
    for note in made.notes:
        say(f"note: {note}")


def _grid(tally: Tally) -> Grid:
    """Return how many edits so many systems proposed, and what became of them."""
    from gecbench.models.combine.voting import FATES
    from gecbench.reports.grid import Grid

    fates = [fate for fate in FATES if fate == "kept" or tally.of(fate)]
    rows = [
        (
            str(systems),
            str(sum(tally.counts[systems, fate] for fate in FATES)),
            *(str(tally.counts[systems, fate]) for fate in fates),
        )
        for systems in sorted({systems for systems, _ in tally.counts}, reverse=True)
    ]
    total = ("all", str(tally.counts.total()), *(str(tally.of(fate)) for fate in fates))
    return Grid(("proposed by", "edits", *fates), (*rows, total), 1)
