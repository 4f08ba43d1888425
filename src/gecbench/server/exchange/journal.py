"""Who has taken what out of a project: each export is in the log, with its hash once it is out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gecbench.server.exchange.exports import EXPORTS, Counted, ExportFile, ExportOptions
from gecbench.server.models import Person, Project
from gecbench.server.workflow import audits, readings


def journalled(
    file: ExportFile, project: Project, options: ExportOptions, *, who: Person, address: str
) -> Iterator[bytes]:
    """Record that an export begins and return its content, which records its end.

    Who takes out what others wrote never annotates those sentences.

    Args:
        file: What is taken.
        project: Of what.
        options: How.
        who: By whom.
        address: From where; the request is over before the content has gone out.
    """
    data = {"format": options.format, "file": file.name, "names": options.names}
    if EXPORTS[options.format].texts:
        readings.note_all(project, who)
    audits.record("export.begun", who=who, project=project, data=data)
    return _counted(file.content, who, project, data, address)


def _counted(
    pieces: Iterator[bytes],
    who: Person,
    project: Project,
    data: Mapping[str, object],
    address: str,
) -> Iterator[bytes]:
    counted = Counted(pieces)
    yield from counted
    whole = {**data, "sha256": counted.sha256, "bytes": counted.size, "lines": counted.lines}
    audits.record("export.done", who=who, project=project, data=whole, address=address)
