"""gecbench correct."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click
from click.core import ParameterSource

from gecbench.cli.options import FILE, SchemeGiven, say, scheme_maker, scheme_options
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.formats import FORMATS
from gecbench.formats.losses import counted

if TYPE_CHECKING:
    from gecbench.api.correct import Corrected, Target
    from gecbench.core.corrector import Correction, Corrector
    from gecbench.core.sample import Corpus
    from gecbench.core.scheme import Scheme

_LOOKED_AT = 200
_ENDINGS = (".txt", ".tsv", ".para", ".jsonl", ".m2", ".src", ".csv", ".json", ".gold")


class _Given(SchemeGiven):
    """The options of the command, by the names of their parameters."""

    output: Path
    corpus_format: str | None
    target_format: str | None
    settings: tuple[str, ...]
    split: bool
    longest: int | None
    diff: bool
    details: Path | None
    restart: bool
    text: bool


@click.command()
@click.argument("model")
@click.argument("given_input", metavar="INPUT")
@click.option(
    "-o", "--output", type=FILE, default=Path("-"), help="File to write, instead of the terminal."
)
@click.option("--from", "corpus_format", metavar="FORMAT", help="Format of INPUT, else found out.")
@click.option(
    "--to",
    "target_format",
    type=click.Choice(list(FORMATS)),
    help="Format to write (default: that of INPUT); lines are corrected sentences alone.",
)
@click.option(
    "--set",
    "settings",
    metavar="OPTION=VALUE",
    multiple=True,
    help="An option of the model, as threshold=8; repeatable.",
)
@click.option("--split", is_flag=True, help="Correct sentence by sentence, and join exactly.")
@click.option(
    "--longest", type=int, metavar="N", help="With --split: cut sentences of over N characters."
)
@click.option("--diff", is_flag=True, help="Show what changes instead of the corrected text.")
@click.option("--details", type=FILE, help="File for every edit, score and flag, JSON lines.")
@click.option("--restart", is_flag=True, help="Begin anew where a run was interrupted.")
@click.option("--text", is_flag=True, help="INPUT is the text itself, whatever it looks like.")
@scheme_options
def correct(model: str, given_input: str, **given: Unpack[_Given]) -> None:
    """Correct a file, or a text given as it is, with a model.

    MODEL is zh-homophone or en-rules (spelling hints, at once and offline), copying, the folder of
    a trained model, or KIND:PLACE, as tagger:FOLDER, seq2seq:NAME, chat:PROFILE, ensemble:FILE.
    A run that was interrupted goes on when the command is given again.

    \b
    gecbench correct zh-homophone "我今天很高心。"
    gecbench correct en-rules essays.txt -o corrected.txt --details edits.jsonl
    gecbench correct runs/tagger/model dev.tsv --to m2 -o dev.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.correct import open_corrector
    from gecbench.core.corrector import Reporting

    _check(given)
    text = _text(given_input, given)
    texts = _looked_at(Path(given_input), text, given)
    corrector = open_corrector(
        model, _options(given["settings"]), split=given["split"], longest=given["longest"]
    )
    try:
        if corrector.info.kind == "lexical":
            say(f"note: {corrector.info.name}: {corrector.info.about}")
        _check_language(corrector, texts)
        if text is not None:
            _correct_text(corrector, text, given)
        else:
            _correct_file(corrector, Path(given_input), given)
    finally:
        corrector.close()
        if isinstance(corrector, Reporting):
            for line in corrector.report():
                say(f"note: {line}")


def _check(given: _Given) -> None:
    """Refuse options that exclude each other."""
    if given["diff"] and (given["target_format"] or str(given["output"]) != "-"):
        raise UsageError("--diff shows changes on the terminal; leave out --to and --output")
    if given["restart"] and str(given["output"]) == "-":
        raise UsageError("--restart is for runs that write to a file; name it by --output")


def _text(given_input: str, given: _Given) -> str | None:
    """Return the text itself where it was given instead of a file."""
    if given["text"]:
        return given_input
    if not given_input:
        raise UsageError("INPUT is empty; name a file, or give a text")
    if given_input == "-" or given["corpus_format"]:
        return None
    try:
        if Path(given_input).exists():
            return None
    except OSError as error:
        # No file system takes a name as long as that; whatever else it is, reading will say.
        return given_input if error.errno == errno.ENAMETOOLONG else None
    looks_like_text = any(c.isspace() or ord(c) > 0x2E7F for c in given_input)
    looks_like_file = "/" in given_input or given_input.lower().endswith(_ENDINGS)
    if looks_like_text and not looks_like_file:
        return given_input
    raise GecbenchError(
        f"{given_input}: no such file; check the path, or say --text if this is the text itself"
    )


def _options(settings: tuple[str, ...]) -> dict[str, object]:
    options: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise UsageError(f"--set {setting}: write OPTION=VALUE")
        if name in options:
            raise UsageError(f"--set {name} is given twice; give it once")
        options[name] = value
    return options


def _looked_at(path: Path, text: str | None, given: _Given) -> list[str]:
    """Return some of the texts; what is wrong is said before a model is loaded for minutes."""
    from gecbench.formats.sources import sources

    if text is not None:
        _check_for_text(given)
        return text.split("\n")
    if not path.is_file():  # a pipe can be read only once
        return []
    return list(islice(sources(path, format=given["corpus_format"]).texts, _LOOKED_AT))


def _check_language(corrector: Corrector, texts: list[str]) -> None:
    """Say so where texts are in another language than the corrector is for."""
    from gecbench.text.script import language_of

    languages = corrector.info.languages
    if not languages or not any(c.isalpha() for text in texts for c in text):
        return
    if (found := language_of(texts)) not in languages:
        say(f"note: the texts look like {found!r}; {corrector.info.name} is for {languages[0]!r}")


def _check_for_text(given: _Given) -> None:
    """Refuse options that are for files."""
    if given["target_format"] not in (None, "lines") or str(given["output"]) != "-":
        raise UsageError("a text is answered on the terminal; write it to a file for --to or -o")
    if given["details"]:
        raise UsageError("--details is for files; write the text to a file")
    if given["corpus_format"]:
        raise UsageError("--from is for files; leave it out, or leave out --text")
    _check_scheme(given, used=False)


def _correct_text(corrector: Corrector, text: str, given: _Given) -> None:
    """Correct the text of the command line, line by line."""
    lines = text.split("\n")
    for answer in corrector.correct(lines):
        click.echo(_shown(answer) if given["diff"] else answer.text)
        for flag in answer.flags:
            say(f"note: {_explained(flag)}")


def _correct_file(corrector: Corrector, path: Path, given: _Given) -> None:
    from gecbench.api.correct import correct_file

    def show(id_: str, answer: Correction) -> None:
        if answer.edits:
            click.echo(f"{id_}: {_shown(answer)}")

    try:
        done = correct_file(
            corrector,
            path,
            _target(given),
            format=given["corpus_format"],
            restart=given["restart"],
            progress=_progress(),
            show=show if given["diff"] else None,
        )
    except KeyboardInterrupt:
        if str(given["output"]) != "-":
            say("what is done is kept; the same command goes on")
        raise
    _report(done)


def _target(given: _Given) -> Callable[[str], Target]:
    """Return what says where and how to write, once the input's format is known."""
    from gecbench.api.correct import Target

    def scheme(corpus: Corpus) -> Scheme:
        return scheme_maker(corpus, given)()

    def target(found: str) -> Target:
        chosen = given["target_format"] or found
        with_edits = chosen in ("m2", "m2-maxmatch") and not given["diff"]
        _check_scheme(given, used=with_edits)
        return Target(given["output"], chosen, scheme if with_edits else None, given["details"])

    return target


def _check_scheme(given: _Given, *, used: bool) -> None:
    """Refuse options of schemes where there is none, and a scheme that does not exist."""
    from gecbench.lang import SCHEMES

    if used:
        name = given["scheme_name"]
        if name is not None and name not in SCHEMES:
            raise UnknownNameError("scheme", name, SCHEMES)
        return
    context = click.get_current_context()
    for option in context.command.params:
        by_hand = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if by_hand and option.name in SchemeGiven.__annotations__:
            raise UsageError(
                f"{option.opts[0]} is about the edits that --to m2 shows; it is of no use here"
            )


def _shown(answer: Correction) -> str:
    from gecbench.reports.word_diff import word_diff

    return word_diff(answer, colour=sys.stdout.isatty())


def _explained(flag: str) -> str:
    from gecbench.core.corrector import FLAGS

    return f"{flag}: {FLAGS[flag]}"


def _progress() -> Callable[[int], None]:
    """Return what says on a terminal how many sentences are done, after a second."""
    if not sys.stderr.isatty():
        return lambda _done: None
    started = time.monotonic()

    def progress(done: int) -> None:
        if time.monotonic() - started > 1:
            click.echo(f"corrected {done} sentences\r\033[K", nl=False, err=True)

    return progress


def _report(done: Corrected) -> None:
    """Say what the run came to."""
    for loss in done.losses:
        say(f"note: {loss}")
    for flag, (count, ids) in done.flags.items():
        names = ", ".join(ids) + (", ..." if count > len(ids) else "")
        say(f"note: {count} x {_explained(flag)}: {names}")
    resumed = f"; {done.resumed} of them by an earlier run" if done.resumed else ""
    say(
        f"{counted(done.sentences, 'sentence')}, {done.changed} changed by "
        f"{counted(done.edits, 'edit')}{resumed}\n"
        f"signature: {'|'.join(f'{k}:{v}' for k, v in done.signature.items())}"
    )
