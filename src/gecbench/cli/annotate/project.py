"""gecbench annotate: the commands about one project: import, export, statistics, releases."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from gecbench.cli.annotate.site import DataFolder
from gecbench.cli.command import CommandGroup, command
from gecbench.cli.options import CorrectorSettings, say, show_count, watch
from gecbench.cli.output import (
    ListOutput,
    Output,
    OutputFile,
    format_by_ending,
    show,
    show_list,
)
from gecbench.core.errors import (
    FormatError,
    GecbenchError,
    UnknownNameError,
    UsageError,
    count_noun,
)
from gecbench.core.files import STDIO, make_folder, write_stream, write_text
from gecbench.core.options import Argument, Option
from gecbench.formats import COLUMNS_OPTION, IMPORTED
from gecbench.models import CORRECTORS
from gecbench.reports.report import Grid
from gecbench.server.site.folder import DEFAULT

if TYPE_CHECKING:
    from gecbench.server.import_export.plans import Report
    from gecbench.server.models import Project

ProjectName = Annotated[
    str, Option("--project", "The project, as its address has it.", metavar="SLUG")
]

_MOST_PROCESSES = 4
"""Processes of `stats`; each takes some hundred megabytes."""
_LOOKED_AT = 200
"""Sentences that show their language."""
_FAULTS_NAMED = 20
"""Faulty variants that an import names."""
EXPORT_FORMATS = (
    *("mucgec", "jsonl", "parallel", "m2"),
    *("submissions", "counts", "annotations", "sentences"),
    *("robustgec", "cases", "variants"),
)
"""Formats; a test holds them to those of the server, which help does not import."""


def open_project(data: Path, slug: str) -> Project:
    """Open the site and return one of its projects.

    Raises:
        UnknownNameError: There is no such project; names those that there are.
    """
    from gecbench.server.site.folder import open_site

    open_site(data)
    from gecbench.server.models import Project

    project = Project.objects.filter(slug=slug, deleted_at=None).first()
    if project is None:
        known = Project.objects.filter(deleted_at=None).values_list("slug", flat=True)
        raise UnknownNameError("project", slug, known)
    return project


@command
def import_(
    file: Annotated[Path, Argument()],
    project: ProjectName,
    data: DataFolder = DEFAULT,
    source_format: Annotated[
        str | None, Option("--from", "Format of FILE (default: detected).", choices=IMPORTED)
    ] = None,
    columns: Annotated[
        tuple[Path, ...],
        Option(
            "--reference",
            "Parallel text with references, where FILE is one of sources; repeatable.",
        ),
    ] = (),
    table: Annotated[
        tuple[str, ...],
        Option(
            "--column",
            "Column of a table: id, source, references, document or position, = and its name; of "
            "references, several names with commas; repeatable.",
            metavar="WHAT=NAME",
        ),
    ] = (),
    same: Annotated[
        Literal["error_free", "leave_out"],
        Option(
            "--same",
            "A reference that is the sentence itself says that it is free of errors, or is left "
            "out where others correct it.",
        ),
    ] = "error_free",
    references: Annotated[
        Literal["ignore", "golden", "keep"] | None,
        Option("--references", "What becomes of references; to be said where FILE has any."),
    ] = None,
    duplicates: Annotated[
        Literal["skip", "keep"] | None,
        Option(
            "--duplicates",
            "What becomes of sentences that are there already; to be said where there are any.",
        ),
    ] = None,
    purpose: Annotated[
        Literal["real", "training", "trial", "gold"],
        Option(
            "--purpose",
            "What the sentences are for; with references as known answers unless real.",
        ),
    ] = "real",
    source: Annotated[str, Option("--source", "Where the sentences come from, as NLPCC18.")] = "",
    priority: Annotated[int, Option("--priority", "Small ones come first.")] = 100,
    encoding: Annotated[
        Literal["utf-8", "gb18030"], Option("--encoding", "Of the files.")
    ] = "utf-8",
    clean: Annotated[
        bool, Option("--clean/--no-clean", "Take out invisible characters, or not.")
    ] = True,
    number: Annotated[
        bool, Option("--number", "Number the sentences again; ids become metadata.")
    ] = False,
    reference: Annotated[
        int,
        Option("--reference-number", "For perturbation: which reference is the correction."),
    ] = 1,
    scheme: Annotated[
        str,
        Option("--scheme", "For perturbation: en-errant; zh-cherrant or zh-char."),
    ] = "",
    dry_run: Annotated[bool, Option("--dry-run", "Say what would be done; write nothing.")] = False,
    chosen_format: Annotated[
        Literal["text", "json"] | None,
        Option(
            "--format",
            "How the report is written.",
            show_default="text, or by the ending of --output: .json",
        ),
    ] = None,
    output: OutputFile = Path(STDIO),
) -> None:
    """Read sentences into a project: all that can be a sentence of it, or nothing.

    Sentences that are left out are listed. A line that cannot be read stops the whole import.

    \b
    gecbench annotate import essays.txt --project essays --dry-run
    gecbench annotate import dev.tsv --project dev --references golden
    """  # noqa: D301 - \b keeps click from joining lines
    report_format = chosen_format or format_by_ending(output, {".json": "json"}, "text")
    row = open_project(data, project)
    from gecbench.server.choices import Purpose
    from gecbench.server.import_export.imports import run_import
    from gecbench.server.import_export.plans import ImportOptions, plan_import
    from gecbench.server.import_export.reading import content_at

    options = ImportOptions(
        format=source_format,
        encoding=encoding,
        references=references,
        duplicates=duplicates,
        purpose=Purpose(purpose),
        priority=priority,
        source=source,
        clean=clean,
        number=number,
        same=same,
        columns=_columns(table),
        reference=reference,
        scheme=scheme,
    )
    try:
        plan = plan_import(
            row,
            content_at(file, encoding=encoding),
            options,
            references=[content_at(path, encoding=encoding) for path in columns],
        )
    except FormatError as error:
        named = "--column source=NAME --column references=NAME,NAME"
        raise error.with_option(named, COLUMNS_OPTION) from error
    if report_format == "json":
        report = {"obstacle": plan.obstacle, "sha256": plan.sha256, "report": plan.report.as_json()}
        text = json.dumps(report, ensure_ascii=False, indent=2)
    else:
        text = "\n".join(_report_lines(plan.report))
    write_text(output, f"{text}\n")
    sys.stdout.flush()  # before what is said of the rows that are written
    if plan.obstacle:
        option = plan.option_needed
        raise GecbenchError(plan.obstacle + (f"; say it with --{option}" if option else ""))
    if dry_run:
        say("nothing was written, because of --dry-run")
        return
    sentences = run_import(plan, by=None).sentences
    say(f"imported {count_noun(sentences, 'sentence')} into {project}")
    _say_faults(row)


def _say_faults(project: Project) -> None:
    """Name the variants of cases that are done and break a rule."""
    from gecbench.server.workflow.perturbation import find_faults

    faulty = find_faults(project.pk)
    if not faulty:
        return
    counts = Counter(str(variant.fault) for variant in faulty)
    listed = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    say(f"{count_noun(len(faulty), 'variant')} with faults: {listed}; a manager can reopen them")
    for variant in faulty[:_FAULTS_NAMED]:
        say(f"  task {variant.number}, variant {variant.position}: {variant.fault}")
    if len(faulty) > _FAULTS_NAMED:
        say(f"  and {len(faulty) - _FAULTS_NAMED} more: gecbench annotate export --to variants")


def _columns(table: Sequence[str]) -> dict[str, str]:
    """What columns of a table hold, and their names.

    Raises:
        UsageError: One has no name.
    """
    columns = dict(text.partition("=")[::2] for text in table)
    if not all(columns.values()):
        raise UsageError("--column is WHAT=NAME, as --column source=text")
    return columns


def _report_lines(report: Report) -> Iterator[str]:
    yield f"{report.file}: {count_noun(report.lines, 'line')}, read as {report.format}"
    yield f"sentences found: {report.found}; new: {report.new}"
    for count, words in (
        (report.references, f"references of {count_noun(report.with_references, 'sentence')}"),
        (report.decisions, "of them declarations (error free, not annotatable)"),
        (report.golden, "sentences golden at once"),
        (report.kept_references, "references kept beside their sentences"),
        (report.blank, "blank lines left out"),
        (report.duplicates_inside, "sentences that the file has twice"),
        (report.duplicates_there, "sentences that the project has already"),
        (report.changed, "texts that lost invisible characters, or white space at an end"),
        (report.merged, "references that were the same as another, merged"),
        (report.same_as_source, "references that are the sentence itself: error free"),
    ):
        if count:
            yield f"{count} {words}"
    for name, counts in (
        ("invisible characters", report.invisible),
        ("languages seen", report.languages),
        ("sources", {key: n for key, n in report.sources.items() if key}),
        ("not imported", report.left_out),
        ("lengths, characters up to", {str(end): n for end, n in report.lengths.items()}),
    ):
        if counts:
            yield f"{name}: " + ", ".join(f"{key} {count}" for key, count in counts.items())
    if report.new_ids:
        yield f"ids: {report.new_ids}"
    yield from _sentence_lines(report)
    for duplicate in report.duplicates:
        first = duplicate.of_line
        where = f"line {first}" if first else f"task {duplicate.number} of the project"
        yield f"  {report.file}:{duplicate.line}: the same sentence as {where}"
    if report.warning:
        yield f"warning: {report.warning}"
    # A single problem is the error that ends the command.
    for problem in report.problems if report.problem_count > 1 else ():
        yield f"  {report.file}:{problem.line}: {problem.message}"
    if report.problem_count > len(report.problems):
        yield f"  and {report.problem_count - len(report.problems)} problems more"


def _sentence_lines(report: Report) -> Iterator[str]:
    """Sentences that are left out, and the first that would be added."""
    if report.skipped_count:
        yield f"{report.skipped_count} sentences left out, whose references make no golden set:"
    for skipped in report.skipped:
        yield f"  {report.file}:{skipped.line}: {skipped.message}"
    if report.examples:
        yield "the first sentences:"
    for example in report.examples:
        document, position = (str(example.meta.get(key, "")) for key in ("document", "position"))
        place = f" ({document} {position})".replace(" )", ")") if document else ""
        yield f"  {example.id}{place}: {example.text}"
        yield from (f"    {text}" for text in example.references or (example.decision,) if text)


@command
def export(
    project: ProjectName,
    target_format: Annotated[str, Option("--to", "Format to write.", choices=EXPORT_FORMATS)],
    data: DataFolder = DEFAULT,
    output: Annotated[
        Path,
        Option(
            "--output",
            "File to write, instead of the terminal; parallel text adds .src, .ref0, ... to it.",
            short="-o",
        ),
    ] = Path(STDIO),
    scheme: Annotated[str, Option("--scheme", "For m2: zh-char, zh-cherrant or en-errant.")] = "",
    names: Annotated[bool, Option("--names", "Show people's names instead of pseudonyms.")] = False,
    alias: Annotated[
        str | None, Option("--placeholder", "What stands for the placeholder, as [MC].")
    ] = None,
    unannotatable: Annotated[
        Literal["keep", "leave_out"] | None,
        Option(
            "--unannotatable",
            "Whether sentences that cannot be annotated are in the file (default: keep).",
        ),
    ] = None,
) -> None:
    """Write golden sets, submissions or everything; a SHA-256 is put beside each file.

    \b
    gecbench annotate export --project dev --to mucgec -o dev.tsv
    gecbench annotate export --project dev --to submissions -o round1.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    row = open_project(data, project)
    from gecbench.server.import_export import exports

    options = exports.ExportOptions(target_format, scheme, names, alias, unannotatable)
    for path, sha256, size in exports.write_export(exports.export(row, options), output):
        if str(path) != STDIO:
            say(f"{sha256}  {path} ({size:,} bytes)")
    for note in exports.notes(row, options):
        say(f"note: {note}")


@command
def suggest(
    project: Annotated[str, Argument("PROJECT")],
    corrector: Annotated[
        str,
        Option(
            "--corrector",
            "As `gecbench correct` names them: zh-homophone, en-rules, tagger:FOLDER, ...",
            metavar="NAME",
            complete=tuple(CORRECTORS),
        ),
    ],
    data: DataFolder = DEFAULT,
    settings: CorrectorSettings = None,
) -> None:
    """Let a corrector propose for every sentence of a project that annotators may still begin.

    PROJECT is its name in addresses. The settings of the project say when annotators see it. What
    is done is kept: a run that was interrupted, or a project with new sentences, goes on when the
    command is given again.

    \b
    gecbench annotate suggest essays --corrector zh-homophone
    gecbench annotate suggest essays --corrector runs/tagger/model
    """  # noqa: D301 - \b keeps click from joining lines
    row = open_project(data, project)
    from gecbench.api.correct import check_texts, open_corrector
    from gecbench.server.workflow.suggestions import make_suggestions, sentences_without

    opened = open_corrector(corrector, settings)
    try:
        texts = list(
            sentences_without(row, opened.info).values_list("text", flat=True)[:_LOOKED_AT]
        )
        check_texts(opened, texts, row.lang, project, say)
        done = make_suggestions(
            row,
            opened,
            progress=lambda done, whole: show_count(f"{done} of {count_noun(whole, 'sentence')}"),
        )
    except KeyboardInterrupt:
        say("finished work is kept; run the same command again to continue")
        raise
    finally:
        opened.close()
        for line in opened.report():
            say(f"note: {line}")
    if done.unusable:
        say(f"note: {opened.info.name} made nothing of {count_noun(done.unusable, 'sentence')}")
    if row.rules.suggestions == "off":
        say("note: nobody sees suggestions before the settings of the project say when")
    there = f"; {done.there} had one of it already" if done.there else ""
    changes = "changes" if done.changing == 1 else "change"
    say(
        f"{count_noun(done.count, 'suggestion')} by {opened.info.name}, {done.changing} of them "
        f"{changes} the sentence{there}"
    )


@command
def propose(
    project: Annotated[str, Argument("PROJECT")],
    data: DataFolder = DEFAULT,
    filler: Annotated[
        str,
        Option("--filler", "frequency, or mask:NAME, a masked language model by name or folder."),
    ] = "frequency",
    words: Annotated[
        Path | None,
        Option("--words", "frequency: a text, or lines of word TAB count, to take words from."),
    ] = None,
    seed: Annotated[int, Option("--seed", "Of all choices.")] = 1,
) -> None:
    """Propose a variant for every place of a perturbation project's cases.

    PROJECT is its name in addresses. Perturbers see proposals where the project's setting "begin
    with a proposal" is on; they accept, edit or reject each, and exports say which. Cases that have
    proposals keep them: the command can be given again for new ones.

    \b
    gecbench annotate propose robust
    gecbench annotate propose robust --filler mask:bert-base-cased
    """  # noqa: D301 - \b keeps click from joining lines
    row = open_project(data, project)
    from gecbench.api.verb_options import PerturbOptions
    from gecbench.server.workflow.perturbation import make_proposals

    done = make_proposals(row, PerturbOptions(filler=filler, words=words, seed=seed), watch=watch)
    there = f"; {done.there} had some already" if done.there else ""
    say(
        f"{count_noun(done.count, 'proposal')} for {count_noun(done.cases, 'case')}; "
        f"{done.without} cases have none, {done.moved} variants would have moved an error{there}"
    )


@command
def stats(
    project: Annotated[str, Argument("PROJECT")],
    output: Output,
    data: DataFolder = DEFAULT,
    kept: Annotated[
        bool, Option("--kept", "Show scores as they were computed last; quick.")
    ] = False,
) -> None:
    """Show a project's statistics: people, Table 4, F0.5, agreement, reasons, progress.

    PROJECT is its name in addresses. Scores are computed again, by the scorer of this command
    line, and kept for the page Quality.

    \b
    gecbench annotate stats mucgec
    gecbench annotate stats mucgec --table weeks --format csv
    """  # noqa: D301 - \b keeps click from joining lines
    row = open_project(data, project)
    from gecbench.server import statistics
    from gecbench.server.statistics.report import build_report

    processes = min(_MOST_PROCESSES, len(os.sched_getaffinity(0))) if sys.platform == "linux" else 1
    if not kept:
        statistics.refresh(row, processes)
    show(build_report(statistics.quality(row, processes)), output)


@command
def judgements(
    project: Annotated[str, Argument("PROJECT")],
    output: Output,
    data: DataFolder = DEFAULT,
    round_name: Annotated[
        str | None,
        Option("--round", "Name of the round.", metavar="NAME", show_default="the last one"),
    ] = None,
    names: Annotated[bool, Option("--names", "Show people's names instead of pseudonyms.")] = False,
) -> None:
    """Show what two judges say of a sample: accepted, rejected, equal decisions, kappa, alpha.

    PROJECT is its name in addresses. The first table is table 3 of RobustGEC; JSON has every
    rating. Items that only one judge has rated are left out.

    \b
    gecbench annotate judgements robust
    gecbench annotate judgements robust --round final -o judgements.json
    """  # noqa: D301 - \b keeps click from joining lines
    row = open_project(data, project)
    from gecbench.server.import_export.corpora import naming_of
    from gecbench.server.statistics.inspections import round_report

    rounds = row.inspections.order_by("pk")
    inspection = rounds.last() if round_name is None else rounds.filter(name=round_name).first()
    if inspection is None and round_name is not None:
        raise UnknownNameError("round", round_name, rounds.values_list("name", flat=True))
    if inspection is None:
        raise GecbenchError(
            f"project {project} has no round of inspection; a manager begins one in the browser"
        )
    show(round_report(inspection, naming_of(row, show=names)), output)


# Releases: golden sets frozen under a name, the same bytes for ever.


@click.group(cls=CommandGroup)
def release() -> None:
    """Freeze golden references under a name; write and verify what was frozen."""


@command
def make(
    name: Annotated[str, Argument()],
    project: ProjectName,
    data: DataFolder = DEFAULT,
    note: Annotated[str, Option("--note", "What people should know of it.")] = "",
    schemes: Annotated[
        tuple[str, ...],
        Option(
            "--scheme", "M2 by this scheme of edits; repeatable (default: zh-char for Chinese)."
        ),
    ] = (),
) -> None:
    """Freeze the golden sets that hold now."""
    row = open_project(data, project)
    from gecbench.server.import_export.releases import make_release, release_files

    new = make_release(row, name=name, note=note, schemes=schemes or None, by=None)
    for file, about in release_files(new).items():
        click.echo(f"{about['sha256']}  {file}")
    sentences = count_noun(new.manifest["counts"]["sentences"], "sentence")
    say(f"released {sentences} of {project} as {name}")


@command
def list_(project: ProjectName, output: ListOutput, data: DataFolder = DEFAULT) -> None:
    """Name the releases of a project, oldest first."""
    header = ("name", "date", "sentences", "manifest_sha256")
    rows = [
        (row.name, f"{row.at:%Y-%m-%d}", row.manifest["counts"]["sentences"], row.manifest_sha256)
        for row in open_project(data, project).releases.order_by("id")
    ]
    text = "".join(
        f"{name}\t{date}\t{count_noun(count, 'sentence')}\t{digest}\n"
        for name, date, count, digest in rows
    )
    grid = Grid(header, tuple((name, date, str(n), digest) for name, date, n, digest in rows), 4)
    releases = [dict(zip(header, row, strict=True)) for row in rows]
    show_list(output, grid, {"releases": releases}, text=text)


@command
def export_(
    name: Annotated[str, Argument()],
    project: ProjectName,
    output: Annotated[Path, Option("--output", "Folder for the files.", short="-o")],
    data: DataFolder = DEFAULT,
) -> None:
    """Write all files of a release, its manifest, and SHA256SUMS."""
    releases = open_project(data, project).releases
    from gecbench.server.import_export.releases import companions, export_release, release_files

    row = releases.filter(name=name).first()
    if row is None:
        raise UnknownNameError("release", name, releases.values_list("name", flat=True))
    make_folder(output)
    files = release_files(row)
    for file in files:
        write_stream(output / file, export_release(row, file).content)
    for file, text in companions(row).items():
        write_text(output / file, text)
    say(
        f"wrote {count_noun(len(files), 'file')} of {name} to {output}; "
        "check: sha256sum -c SHA256SUMS"
    )


@command
def verify(project: ProjectName, data: DataFolder = DEFAULT) -> None:
    """Make every file of every release again and compare."""
    row = open_project(data, project)
    from gecbench.server.import_export.releases import verify_releases

    problems = verify_releases(row)
    for line in problems:
        click.echo(line)
    if problems:
        raise GecbenchError(f"{len(problems)} files or releases are not what was released")
    count = row.releases.count()
    verb = "is" if count == 1 else "are"
    say(f"{count_noun(count, 'release')} of {project} {verb} what was released")


for _command in (make, list_, export_, verify):
    release.add_command(_command)
