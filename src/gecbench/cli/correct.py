"""gecbench correct and combine: texts corrected by a model, and the edits of several systems."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from gecbench.api.options import PLAIN, RE_EXTRACT, Places, SchemeSpec
from gecbench.api.verb_options import Voting
from gecbench.cli.command import check_distinct, command, refuse
from gecbench.cli.options import (
    ColumnNames,
    CorpusFile,
    CorrectorSettings,
    Engine,
    Inputs,
    Lang,
    SystemFiles,
    format_option,
    load_corpus,
    load_systems,
    say,
    scheme_of,
    show_count,
    watch,
)
from gecbench.cli.output import CORPUS_ENDINGS, OutputFile, check_parquet, format_by_ending
from gecbench.core.errors import GecbenchError, UsageError, count_noun
from gecbench.core.files import STDIO, address_of, is_stream, write_text
from gecbench.core.options import Argument, Cluster, Option, Without, Workers
from gecbench.formats import load_format, load_writer
from gecbench.models import CORRECTORS

if TYPE_CHECKING:
    from gecbench.api.combine import Combination
    from gecbench.api.correct import CorrectionReport, Target
    from gecbench.core.corrector import Correction, Corrector
    from gecbench.formats.reading import Sources
    from gecbench.models.combine.voting import VoteTally
    from gecbench.reports.report import Grid

_ENDINGS = (".txt", ".tsv", ".para", ".jsonl", ".m2", ".src", ".csv", ".json", ".gold", ".parquet")


@dataclass(frozen=True, slots=True)
class _Files:
    """What is read and written."""

    output: OutputFile = Path(STDIO)
    format: Annotated[
        str | None, format_option("--from", "Format of INPUT (default: detected).")
    ] = None
    columns: ColumnNames = None
    lang: Lang = None
    target_format: Annotated[
        str | None,
        format_option(
            "--to",
            "Format to write (default: by the ending of --output, else that of INPUT); lines are "
            "corrected sentences alone.",
        ),
    ] = None
    diff: Annotated[bool, Option("--diff", "Show what changes instead of the corrected text.")] = (
        False
    )
    details: Annotated[
        Path | None,
        Option("--details", "File for every edit, score and flag, JSON lines.", writes=("",)),
    ] = None
    restart: Annotated[
        bool,
        Option("--restart", "Begin again where a run to a file was interrupted."),
    ] = False

    def __post_init__(self) -> None:
        """Refuse what excludes each other, and an unknown format before a model is loaded."""
        if self.target_format:
            load_writer(self.target_format)
        if self.restart and is_stream(self.output):
            why = "only a run to a file, named by --output, can be begun again"
            if address_of(self.output):
                why = "an address keeps nothing to go on from"
            refuse(why, "--restart")
        if self.diff:
            refuse("--diff shows changes on the terminal", "--to", *self.output_option())

    def output_option(self) -> tuple[str, ...]:
        """The option that names an output, if it names a file."""
        return () if str(self.output) == STDIO else ("--output",)


@dataclass(frozen=True, slots=True)
class _Engine(Engine):
    """What corrects; what is finished is kept by the journal of the output."""

    jobs: Annotated[
        int | None,
        Option(
            "--jobs",
            "Processes that correct at once (default: all cores for spelling hints where that is "
            "quicker, else one).",
        ),
    ] = None
    cluster: Annotated[Cluster, Without("resume")] = field(default_factory=Cluster)


@command
def correct(
    model: Annotated[str, Argument(complete=tuple(CORRECTORS))],
    text_or_file: Annotated[str, Argument("INPUT")],
    files: _Files,
    scheme: SchemeSpec,
    engine: _Engine,
    settings: CorrectorSettings = None,
    split: Annotated[
        bool, Option("--split", "Correct sentence by sentence, and join exactly.")
    ] = False,
    longest: Annotated[
        int | None,
        Option(
            "--longest",
            "With --split: cut sentences of over N characters.",
            metavar="N",
            needs=("--split",),
        ),
    ] = None,
    text: Annotated[
        bool, Option("--text", "INPUT is the text itself, whatever it looks like.")
    ] = False,
) -> None:
    """Correct a file, or a text given as it is, with a model.

    MODEL is zh-homophone or en-rules (spelling hints, at once and offline), zh-lm or en-lm (by
    language models that packages bring), copying, the folder of a trained model, or KIND:PLACE, as
    tagger:FOLDER, seq2seq:NAME, chat:PROFILE, ensemble:FILE.
    A run that was interrupted goes on when the command is given again.

    \b
    gecbench correct zh-homophone "我今天很高心。"
    gecbench correct en-rules essays.txt -o corrected.txt --details edits.jsonl
    gecbench correct runs/tagger/model dev.tsv --to m2 -o dev.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.correct import open_corrector
    from gecbench.formats.reading import sources

    # What is wrong is said before a model is loaded for minutes.
    source = None
    if text or _is_text(text_or_file, files.format or files.columns):
        _check_for_text(files)
    else:
        path = Path(text_or_file)
        source = sources(path, format=files.format, columns=files.columns)
        files = replace(files, target_format=_target_format(files, source))
        check_parquet(files.output, files.target_format or "jsonl")
        kind, _, place = model.partition(":")
        check_distinct([("--output", files.output)], [Path(place or kind)])
    load = partial(open_corrector, model, settings, split=split, longest=longest, lang=files.lang)
    corrector = load()
    try:
        if source is None:
            _correct_text(corrector, text_or_file, files)
        else:
            _correct_file(corrector, source, files, scheme, engine.workers(), load)
    finally:
        corrector.close()
        for line in corrector.report():
            say(f"note: {line}")


def _is_text(text_or_file: str, format: object) -> bool:
    """Say whether the argument is a text itself and not the path of a file.

    Args:
        text_or_file: The argument.
        format: What the command line says of the format of a file, if anything.
    """
    if not text_or_file:
        raise UsageError("INPUT is empty; name a file, or give a text")
    if text_or_file == STDIO or format:
        return False
    try:
        has_space = any(map(str.isspace, text_or_file))
        if (address_of(Path(text_or_file)) and not has_space) or Path(text_or_file).exists():
            return False
    except OSError as error:
        # No file system takes a name as long as that; whatever else it is, reading will say.
        return error.errno == errno.ENAMETOOLONG
    looks_like_text = any(c.isspace() or ord(c) > 0x2E7F for c in text_or_file)
    looks_like_file = "/" in text_or_file or text_or_file.lower().endswith(_ENDINGS)
    if looks_like_text and not looks_like_file:
        return True
    raise GecbenchError(
        f"{text_or_file}: no such file; check the path, or say --text if this is the text itself"
    )


def _target_format(files: _Files, source: Sources) -> str | None:
    """The format to write; None is that of the input, as of a file of the same ending.

    Perturbed cases are lines to correct, whatever their file ends in.
    """
    ending = files.output.suffix.lower()
    is_alike = ending == source.path.suffix.lower()
    if files.target_format or (is_alike and not (source.format == "lines" and ending == ".jsonl")):
        return files.target_format
    return format_by_ending(files.output, {**CORPUS_ENDINGS, ".txt": "lines"}, None)


def _check_for_text(files: _Files) -> None:
    """Refuse options that are for files."""
    target = () if files.target_format == "lines" else ("--to",)
    refuse(
        "INPUT is a text, not a file, and is answered on the terminal",
        *(*target, *files.output_option(), "--details", "--from", "--columns"),
        "--restart",
        Engine,
        instead="put the text into a file",
    )
    _refuse_scheme()


def _refuse_scheme() -> None:
    refuse("schemes are for the edits that --to m2 shows", SchemeSpec, Places)


def _correct_text(corrector: Corrector, text: str, files: _Files) -> None:
    """Correct the text of the command line, line by line."""
    from gecbench.api.correct import check_texts

    lines = text.split("\n")
    check_texts(corrector, lines, files.lang, text, say)
    for answer in corrector.correct(lines):
        click.echo(word_diff(answer, colour=sys.stdout.isatty()) if files.diff else answer.text)
        for flag in answer.flags:
            say(f"note: {_explain(flag)}")


def _correct_file(
    corrector: Corrector,
    source: Sources,
    files: _Files,
    scheme: SchemeSpec,
    jobs: Workers,
    load: Callable[[], Corrector],
) -> None:
    from gecbench.api.correct import correct_file

    def show(id_: str, answer: Correction) -> None:
        if answer.edits:
            click.echo(f"{id_}: {word_diff(answer, colour=sys.stdout.isatty())}")

    try:
        corrected = correct_file(
            corrector,
            source,
            _target_maker(files, scheme),
            restart=files.restart,
            jobs=jobs,
            load=load,
            progress=lambda done: show_count(f"corrected {count_noun(done, 'sentence')}"),
            show=show if files.diff else None,
            say=say,
        )
    except KeyboardInterrupt:
        if not is_stream(files.output):
            say("finished work is kept; run the same command again to continue")
        raise
    _report(corrected)


def _target_maker(files: _Files, options: SchemeSpec) -> Callable[[str], Target]:
    """Make a function that says where and how to write, once the input's format is known."""
    from gecbench.api.correct import Target

    def target(input_format: str) -> Target:
        output_format = files.target_format or (
            input_format if load_format(input_format).is_written else "jsonl"
        )
        with_edits = output_format in ("m2", "m2-maxmatch") and not files.diff
        if not with_edits:
            _refuse_scheme()
        scheme = scheme_of(options) if with_edits else None
        return Target(files.output, output_format, scheme, files.details, files.lang)

    return target


_RED, _GREEN, _PLAIN = "\033[31m", "\033[32m", "\033[0m"


def word_diff(correction: Correction, *, colour: bool = False) -> str:
    """Mark the edits in a source, as `git diff --word-diff` does: [-deleted-]{+inserted+}.

    Args:
        correction: What is shown.
        colour: For terminals: deleted text is red, inserted text green; the marks stay.
    """
    red, green, plain = (_RED, _GREEN, _PLAIN) if colour else ("", "", "")
    parts = []
    position = 0
    for edit in correction.edits:
        parts.append(correction.source[position : edit.start])
        if edit.end > edit.start:
            parts.append(f"{red}[-{correction.source[edit.start : edit.end]}-]{plain}")
        if edit.replacement:
            parts.append(f"{green}{{+{edit.replacement}+}}{plain}")
        position = edit.end
    return "".join((*parts, correction.source[position:]))


def _explain(flag: str) -> str:
    from gecbench.core.corrector import FLAGS

    return f"{flag}: {FLAGS[flag]}"


def _report(corrected: CorrectionReport) -> None:
    """Say what the run came to."""
    for loss in corrected.losses:
        say(f"note: {loss}")
    for flag, (count, ids) in corrected.flags.items():
        names = ", ".join(ids) + (", ..." if count > len(ids) else "")
        say(f"note: {count} x {_explain(flag)}: {names}")
    resumed = f"; {corrected.resumed} of them by an earlier run" if corrected.resumed else ""
    say(
        f"{count_noun(corrected.sentences, 'sentence')}, {corrected.changed} changed by "
        f"{count_noun(corrected.edits, 'edit')}{resumed}\n"
        f"signature: {'|'.join(f'{k}:{v}' for k, v in corrected.signature.items())}"
    )


# gecbench combine.


_SCHEME = (
    *("--strategy", "--simplify", "--spacy-model", "--merging", "--lev", "--parse-cache"),
    *("--scheme-set", "--re-extract"),
)


@command
def combine(
    corpus: CorpusFile,
    systems: SystemFiles,
    voting: Voting,
    inputs: Inputs,
    chosen_format: Annotated[
        Literal["lines", "mucgec", "m2", "jsonl"] | None,
        Option(
            "--to",
            "Format to write; lines are the combined sentences alone.",
            show_default="by the ending of --output, else lines",
        ),
    ] = None,
    re_extract: Annotated[bool | None, RE_EXTRACT] = None,
    output: OutputFile = Path(STDIO),
    m2: Annotated[
        Path | None, Option("--m2", "Write the kept edits as M2 to this file, too.", writes=("",))
    ] = None,
) -> None:
    """Combine what systems wrote: keep the edits that enough of them propose.

    Each SYSTEM is a file in any format, or NAME=FILE. With --scheme none texts are aligned
    plainly, in any language, and white space counts too.

    \b
    gecbench combine dev.tsv a.txt b.txt c.txt -o combined.txt
    gecbench combine dev.tsv a.m2 b.m2 --weight a=2 --relaxed code --to m2 -o both.m2
    gecbench combine dev.tsv s?.m2 --rule mucgec-official --threshold 4 -o official.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.combine import combine as combine_systems

    target_format: str = chosen_format or format_by_ending(output, CORPUS_ENDINGS, "lines")
    check_parquet(output, target_format)
    data = load_corpus(corpus, inputs.corpus)
    combination = combine_systems(
        data,
        load_systems(systems, data, inputs),
        voting=voting,
        scheme=_scheme(inputs.scheme, voting),
        re_extract=re_extract,
        places=inputs.scheme.places,
        watch=watch,
    )
    _write(combination, target_format, output, m2)
    _report_combination(combination)


def _scheme(options: SchemeSpec, voting: Voting) -> SchemeSpec | str:
    """The scheme, or the name of none."""
    tells_spelling = voting.relaxed != "none" or "spelling" in voting.thresholds
    reads_characters = tells_spelling and voting.spelling == "similar"  # ChERRANT's table of them
    if options.name != PLAIN:
        return scheme_of(options, uses_places=reads_characters)
    refuse(f"--scheme {PLAIN} finds edits without a scheme", *_SCHEME)
    if not reads_characters:
        refuse("these votes read no resources of the data folder", Places)
    return PLAIN


def _write(combination: Combination, target_format: str, output: Path, m2: Path | None) -> None:
    """Write what the systems make together, all files or none."""
    from gecbench.api.files import save

    edits = combination.m2() if m2 else ""
    if target_format == "m2":
        write_text(output, combination.m2())
    elif target_format == "lines":
        save(combination.lines(), output, format=target_format)
    else:
        for loss in save(combination.corpus, output, format=target_format):
            say(f"note: {loss}")
    if m2:
        write_text(m2, edits)


def _report_combination(combination: Combination) -> None:
    """Say what became of the edits."""
    from gecbench.reports.report import as_text

    tally = combination.tally
    say(combination.about)
    say(as_text(_grid(tally)).rstrip("\n"))
    say(f"{tally.changed} of {count_noun(tally.sentences, 'sentence')} changed")
    for note in combination.notes:
        say(f"note: {note}")


def _grid(tally: VoteTally) -> Grid:
    """How many edits so many systems proposed, and what became of them."""
    from gecbench.models.combine.voting import OUTCOMES
    from gecbench.reports.report import Grid

    outcomes = [outcome for outcome in OUTCOMES if outcome == "kept" or tally.of(outcome)]
    rows = [
        (
            str(systems),
            str(sum(tally.counts[systems, outcome] for outcome in OUTCOMES)),
            *(str(tally.counts[systems, outcome]) for outcome in outcomes),
        )
        for systems in sorted({systems for systems, _ in tally.counts}, reverse=True)
    ]
    total = ("all", str(tally.counts.total()), *(str(tally.of(outcome)) for outcome in outcomes))
    return Grid(("proposed by", "edits", *outcomes), (*rows, total), 1)
