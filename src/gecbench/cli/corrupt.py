"""`gecbench corrupt`: synthetic errors in correct texts, by rules or as a real corpus errs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal, Unpack

import click

from gecbench.cli.options import (
    FILE,
    CorpusGiven,
    SchemeGiven,
    load_corpus,
    say,
    scheme_maker,
    scheme_options,
)
from gecbench.core.errors import UsageError


class _Given(SchemeGiven):
    """The options of the command, by the names of their parameters."""

    output: Path
    profile: str
    settings: tuple[str, ...]
    seed: int | None
    corpus_format: str | None
    target_format: Literal["jsonl", "pairs"] | None
    labels: Path | None
    report: Path | None
    corpus: Path | None
    least: int | None


@click.command()
@click.argument("texts", type=FILE, required=False)
@click.option(
    "-o", "--output", type=FILE, default=Path("-"), help="File for the pairs, or the profile."
)
@click.option(
    "--profile",
    metavar="NAME",
    default="",
    help="zh-default, en-default or a TOML file; else the default one of the language.",
)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Another key of the profile, as correct=0.2 or types.word-missing=30; repeatable.",
)
@click.option("--seed", type=int, help="Of all that is random (0).")
@click.option("--from", "corpus_format", metavar="FORMAT", help="Format of TEXTS, else found out.")
@click.option(
    "--to",
    "target_format",
    type=click.Choice(["jsonl", "pairs"]),
    help="jsonl, with the type of each error (default), or pairs: source TAB target.",
)
@click.option(
    "--labels", type=FILE, help="File for the labels of a tagger that lead back to the target."
)
@click.option("--report", type=FILE, help="File for the counts, JSON.")
@click.option(
    "--fit", "corpus", type=FILE, help="Write a profile fitted to this corpus; there are no TEXTS."
)
@click.option("--least", type=int, help="With --fit: least count of a confusion (2).")
@scheme_options
def corrupt(texts: Path | None, **given: Unpack[_Given]) -> None:
    """Make errors in correct texts, for training: pairs of a text with errors and the text.

    TEXTS is a file of any format: of a corpus with references, these are the correct texts. What
    becomes of a sentence depends on its place and the seed alone.

    \b
    gecbench corrupt news.txt -o pairs.jsonl
    gecbench corrupt news.txt --set correct=0.1 --labels labels.jsonl -o pairs.jsonl
    gecbench corrupt --fit train.m2 -o profile.toml
    gecbench corrupt news.txt --profile profile.toml -o pairs.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    if given["corpus"] is not None:
        _fit(given["corpus"], texts, given)
        return
    if texts is None:
        raise UsageError("there are no texts; name a file, or fit a profile with --fit CORPUS")
    for option in ("least", "scheme_name", "strategy"):
        if given[option] is not None:
            raise UsageError(f"--{option.removesuffix('_name')} is for --fit")
    _corrupt(texts, given)


def _corrupt(texts: Path, given: _Given) -> None:
    from gecbench.api.corrupt import corrupt as run
    from gecbench.core.files import check_target, write_text
    from gecbench.reports.corrupted import report_of

    if given["report"] is not None:
        check_target(given["report"])
        others = (given["output"], given["labels"], texts)
        if given["report"].resolve() in [path.resolve() for path in others if path is not None]:
            raise UsageError(f"{given['report']}: is another file of this run; name another one")
    counts = run(
        texts,
        given["output"],
        given["profile"],
        seed=given["seed"] or 0,
        settings=_settings(given["settings"]),
        format=given["corpus_format"],
        to=given["target_format"] or "jsonl",
        labels=given["labels"],
        folder=given["folder"],
        mirror=given["mirror"],
        progress=_show,
    )
    if sys.stderr.isatty():
        click.echo("\033[K", nl=False, err=True)  # what _show left
    for line in report_of(counts):
        say(line)
    if given["report"] is not None:
        import msgspec

        content = msgspec.json.format(msgspec.json.encode(counts), indent=1)
        write_text(given["report"], content.decode() + "\n")


def _fit(corpus: Path, texts: Path | None, given: _Given) -> None:
    from gecbench.api.corrupt import fit
    from gecbench.reports.corrupted import fit_of

    if texts is not None:
        raise UsageError(f"--fit writes a profile, and {texts} would not be read; leave it out")
    for option in ("profile", "settings", "seed", "labels", "report", "target_format"):
        if given[option] not in (None, "", ()):
            name = {"settings": "set", "target_format": "to"}.get(option, option)
            raise UsageError(f"--{name} is not for --fit; say it when texts are corrupted")
    read: CorpusGiven = {
        "references": (),
        "corpus_format": given["corpus_format"],
        "meta": None,
    }
    loaded = load_corpus(corpus, read)
    whole = all(
        rewrite.edit_sets or rewrite.error_free or rewrite.unannotatable
        for sample in loaded.samples
        for rewrite in sample.references
    )
    find = given["scheme_name"] is not None or not whole
    scheme = scheme_maker(loaded, given)() if find else None
    least = 2 if given["least"] is None else given["least"]
    for line in fit_of(fit(loaded, given["output"], scheme=scheme, least=least)):
        say(line)


def _settings(values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        key, equals, rest = value.partition("=")
        if not equals or not key or not rest:
            raise UsageError(f"--set {value!r} is not KEY=VALUE; write it so")
        if key in found:
            raise UsageError(f"--set says {key!r} twice; say it once")
        found[key] = rest
    return found


def _show(count: int) -> None:
    """Rewrite one line of a terminal; a log file is spared."""
    if sys.stderr.isatty() and not count % 10_000:
        click.echo(f"\r\033[K{count} sentences read\r", nl=False, err=True)
