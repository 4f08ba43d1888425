"""gecbench annotate import: sentences from files into a project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gecbench.cli.annotate.project_option import opened, project_option
from gecbench.cli.annotate.site_option import data_option
from gecbench.cli.options import FILE, say
from gecbench.core.errors import counted

if TYPE_CHECKING:
    from gecbench.server.exchange.plans import Plan, Report

_FORMATS = (*("lines", "mucgec", "m2", "jsonl", "label-studio", "doccano", "yaclc", "annotations"),)


@click.command("import")
@click.argument("file", type=FILE)
@data_option
@project_option
@click.option(
    "--from", "source_format", type=click.Choice(_FORMATS), help="Format of FILE, else found out."
)
@click.option(
    "--reference",
    "columns",
    type=FILE,
    multiple=True,
    help="Parallel text with references, where FILE is one of sources; repeatable.",
)
@click.option(
    "--references",
    type=click.Choice(["ignore", "golden", "keep"]),
    help="What becomes of references; to be said where FILE has any.",
)
@click.option(
    "--duplicates",
    type=click.Choice(["skip", "keep"]),
    help="What becomes of sentences that are there already; to be said where there are any.",
)
@click.option("--purpose", type=click.Choice(["real", "training"]), default="real")
@click.option("--source", default="", help="Where the sentences come from, as NLPCC18.")
@click.option("--priority", type=int, default=100, show_default=True, help="Small ones come first.")
@click.option("--encoding", type=click.Choice(["utf-8", "gb18030"]), default="utf-8")
@click.option("--clean/--no-clean", default=True, help="Take out invisible characters, or not.")
@click.option("--number", is_flag=True, help="Number the sentences anew; ids become metadata.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@click.option("--format", "shown", type=click.Choice(["text", "json"]), default="text")
def import_(file: Path, data: Path, slug: str, **given: Any) -> None:
    """Read sentences into a project: all of the file, or nothing where something is wrong.

    \b
    gecbench annotate import essays.txt --project essays --dry-run
    gecbench annotate import dev.tsv --project dev --references golden
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.core.errors import GecbenchError

    project = opened(data, slug)
    from gecbench.server.exchange.imports import run_import

    plan = _plan(project, file, given)
    if given["shown"] == "json":
        told = {"obstacle": plan.obstacle, "sha256": plan.sha256, "report": plan.report.as_json()}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(_words(plan.report)))
    if plan.obstacle:
        option = _option_for(plan)
        raise GecbenchError(plan.obstacle + (f"; say it with {option}" if option else ""))
    if given["dry_run"]:
        say("nothing was written, because of --dry-run")
        return
    done = run_import(plan, by=None)
    say(f"imported {counted(done.sentences, 'sentence')} into {slug}")


def _plan(project: Any, file: Path, given: dict[str, Any]) -> Plan:
    from gecbench.server.exchange.content import content_at
    from gecbench.server.exchange.planning import plan_import
    from gecbench.server.exchange.plans import ImportOptions
    from gecbench.server.laws.names import Purpose

    options = ImportOptions(
        format=given["source_format"] or ("lines" if given["columns"] else None),
        encoding=given["encoding"],
        references=given["references"],
        duplicates=given["duplicates"],
        purpose=Purpose(given["purpose"]),
        priority=given["priority"],
        source=given["source"],
        clean=given["clean"],
        number=given["number"],
    )
    columns = [content_at(one, encoding=options.encoding) for one in given["columns"]]
    content = content_at(file, encoding=options.encoding)
    return plan_import(project, content, options, references=columns)


def _option_for(plan: Plan) -> str:
    """Return the option that removes the obstacle of a plan; "" where none does."""
    report, options = plan.report, plan.options
    if report.problem_count:
        anew = "number the sentences anew" in report.problems[0].message
        return "--number" if anew else ""
    if report.with_references and options.references is None:
        return "--references"
    there = report.duplicates_inside + report.duplicates_there
    return "--duplicates" if there and options.duplicates is None else ""


def _words(report: Report) -> Iterator[str]:
    """Yield the report, a line for each thing that there is to say."""
    yield f"{report.file}: {counted(report.lines, 'line')}, read as {report.format}"
    yield f"sentences found: {report.found}; new: {report.new}"
    for count, words in (
        (report.references, f"references of {counted(report.with_references, 'sentence')}"),
        (report.decisions, "of them declarations (error free, not annotatable)"),
        (report.golden, "sentences golden at once"),
        (report.kept_references, "references kept beside their sentences"),
        (report.blank, "blank lines left out"),
        (report.duplicates_inside, "sentences that the file has twice"),
        (report.duplicates_there, "sentences that the project has already"),
        (report.changed, "texts changed by taking out invisible characters"),
        (report.merged, "references that were the same as another, merged"),
        (report.same_as_source, "references that are the sentence itself: error free"),
    ):
        if count:
            yield f"{count} {words}"
    for name, there in (
        ("invisible characters", report.invisible),
        ("languages seen", report.languages),
        ("sources", {key: n for key, n in report.sources.items() if key}),
        ("not imported", report.left_out),
        ("lengths, characters up to", {str(end): n for end, n in report.lengths.items()}),
    ):
        if there:
            yield f"{name}: " + ", ".join(f"{key} {count}" for key, count in there.items())
    if report.new_ids:
        yield f"ids: {report.new_ids}"
    for one in report.duplicates:
        where = f"line {one.of_line}" if one.of_line else f"task {one.number} of the project"
        yield f"  {report.file}:{one.line}: the same sentence as {where}"
    for problem in report.problems:
        yield f"  {report.file}:{problem.line}: {problem.message}"
    if report.problem_count > len(report.problems):
        yield f"  and {report.problem_count - len(report.problems)} problems more"
