"""Making the plan of an import: every sentence is read, cleaned, checked and compared."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.lang.detection import is_chinese
from gecbench.server.exchange.cleaning import (
    Answers,
    Tally,
    answers_of,
    blocking,
    kept_text,
    refused,
)
from gecbench.server.exchange.content import Content
from gecbench.server.exchange.found import Found, Record, Trouble
from gecbench.server.exchange.plans import (
    LENGTHS,
    SHOWN,
    Duplicate,
    ImportOptions,
    ImportProblem,
    Plan,
    Ready,
    Report,
)
from gecbench.server.exchange.presence import Present, present_in
from gecbench.server.exchange.records import parallel, records
from gecbench.server.laws.text import digest
from gecbench.server.models import Project
from gecbench.server.workflow.sentences import NewSentence

_PLAIN_OPTIONS = ImportOptions()
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that was read and may become a new one."""

    line: int
    ordinal: int
    record: Record
    text: str
    digest: str
    answers: Answers | None


@dataclass(slots=True)
class _Reading:
    """What has been read of a file so far."""

    tally: Tally = field(default_factory=Tally)
    problems: list[ImportProblem] = field(default_factory=list)
    problem_count: int = 0
    blank: int = 0
    candidates: list[_Candidate] = field(default_factory=list)

    def trouble(self, line: int, message: str) -> None:
        """Count a problem, and keep it if it is among the first by line.

        They do not come in order: what the project has is compared when all has been read.
        """
        self.problem_count += 1
        if len(self.problems) == SHOWN and line >= self.problems[-1].line:
            return
        found = ImportProblem(line, " ".join(message.split()))
        insort(self.problems, found, key=lambda one: one.line)
        del self.problems[SHOWN:]


def plan_import(
    project: Project,
    content: Content,
    options: ImportOptions = _PLAIN_OPTIONS,
    *,
    references: Sequence[Content] = (),
) -> Plan:
    """Return what an import would do; nothing is written.

    Args:
        project: Where the sentences would go.
        content: The file.
        options: How it becomes sentences.
        references: Files of references, line by line, where the file is one of sources.

    Raises:
        FormatError: Nothing of the file can be read.
        UsageError: The project is closed, or options exclude each other.
    """
    if project.archived_at or project.deleted_at:
        raise UsageError(f"project {project.slug} is closed; bring it back before you import")
    chosen, found = _opened(content, options, references)
    read = _Reading()
    _read(found, read, project, options, chosen)
    present = present_in(
        project,
        content.sha256,
        chosen,
        options,
        digests={one.digest for one in read.candidates},
        ids={one.record.id for one in read.candidates if one.record.id is not None},
    )
    prefix = _prefix(read.candidates, present, options)
    ready, doubles = _compared(read, present, options, prefix)
    report = _report(content, chosen, read, ready, doubles, options, prefix)
    return Plan(project.pk, content.sha256, options, report, ready, present.batch)


def _opened(
    content: Content, options: ImportOptions, references: Sequence[Content]
) -> tuple[str, Iterator[Found]]:
    if not references:
        return records(content, options.format)
    if options.format not in (None, "lines", "parallel"):
        raise UsageError(
            f"files of references go with a file of lines, not with format {options.format}"
        )
    return "parallel", parallel(content, references)


def _read(
    found: Iterable[Found],
    read: _Reading,
    project: Project,
    options: ImportOptions,
    format: str,
) -> None:
    """Clean and check each record by itself."""
    rules = blocking(project.rules)
    first_lines: dict[str, int] = {}
    ordinal = 0
    for one in found:
        ordinal += 1
        if isinstance(one, Trouble):
            read.trouble(one.line, one.message)
            continue
        if format == "lines" and not one.text.strip():
            read.blank += 1
            continue
        try:
            candidate = _candidate(one, ordinal, read, options, first_lines)
        except GecbenchError as error:
            read.trouble(one.line, str(error))
            continue
        if options.references == "golden" and candidate.answers is not None:
            for message in refused(candidate.text, project.lang, candidate.answers.golden, rules):
                read.trouble(one.line, message)
        read.candidates.append(candidate)


def _candidate(
    record: Record,
    ordinal: int,
    read: _Reading,
    options: ImportOptions,
    first_lines: dict[str, int],
) -> _Candidate:
    text = kept_text(record.text, read.tally, clean=options.clean)
    if not text:
        raise GecbenchError("the sentence is empty; fill it or take it out")
    _check_names(record)
    if record.id is not None:
        first = first_lines.setdefault(record.id, record.line)
        if first != record.line:
            raise GecbenchError(f"id {record.id!r} stands in line {first} already; ids are unique")
    answers = answers_of(
        record,
        text,
        read.tally,
        clean=options.clean,
        use=options.references,
    )
    return _Candidate(record.line, ordinal, record, text, digest(text), answers)


def _check_names(record: Record) -> None:
    """Refuse names and facts that no row can hold."""
    if record.id is not None and not (0 < len(record.id) <= 200 and record.id.isprintable()):
        raise GecbenchError("the id is empty, longer than 200 characters, or has odd ones")
    if len(record.source) > 100 or not record.source.isprintable():
        raise GecbenchError("the name of the source has more than 100 characters, or odd ones")
    for key, value in record.meta.items():
        if "\0" in key or "\0" in value:
            raise GecbenchError("a fact about the sentence holds a NUL character; take it out")
        if _HALF.search(key) or _HALF.search(value):
            raise GecbenchError(
                "a fact about the sentence holds half a character; it was damaged on its way"
            )


def _prefix(candidates: Sequence[_Candidate], present: Present, options: ImportOptions) -> str:
    """Return what numbers as ids begin with: nothing, unless the project has them already."""
    if present.prefix is not None:
        return present.prefix
    numbers = [str(one.ordinal) for one in candidates if options.number or one.record.id is None]
    return present.free_prefix(numbers) if numbers else ""


def _compared(
    read: _Reading, present: Present, options: ImportOptions, prefix: str
) -> tuple[list[Ready], list[Duplicate]]:
    """Compare with the file itself and with the project; say what is new."""
    ready: list[Ready] = []
    doubles: list[Duplicate] = []
    seen: dict[str, int] = {}
    for one in read.candidates:
        own = one.record.id is not None and not options.number
        name = one.record.id if own and one.record.id else f"{prefix}{one.ordinal}"
        if name in present.done:
            seen.setdefault(one.digest, one.line)
            continue
        double = _double(one, seen, present)
        if double is not None:
            doubles.append(double)
            if options.duplicates == "skip":
                continue
        seen.setdefault(one.digest, one.line)
        if own and name in present.ids and not (double and options.duplicates is None):
            read.trouble(
                one.line,
                f"id {name!r} is that of another sentence of the project; number the sentences "
                "anew, or give another id",
            )
            continue
        ready.append(_ready(one, name, options))
    return ready, doubles


def _double(one: _Candidate, seen: dict[str, int], present: Present) -> Duplicate | None:
    if one.digest in seen:
        return Duplicate(one.line, one.text[:60], of_line=seen[one.digest])
    if one.digest in present.numbers:
        return Duplicate(one.line, one.text[:60], number=present.numbers[one.digest])
    return None


def _ready(one: _Candidate, name: str, options: ImportOptions) -> Ready:
    meta: dict[str, object] = dict(one.record.meta)
    if options.number and one.record.id is not None:
        meta.setdefault("id", one.record.id)
    answers = one.answers
    golden = answers.golden if answers and options.references == "golden" else None
    row = NewSentence(
        external_id=name,
        text=one.text,
        source=one.record.source or options.source,
        meta=meta,
        purpose=options.purpose,
        priority=options.priority,
        golden=golden,
    )
    kept = answers.texts if answers and options.references == "keep" else ()
    return Ready(one.line, row, kept)


def _report(
    content: Content,
    format: str,
    read: _Reading,
    ready: Sequence[Ready],
    doubles: Sequence[Duplicate],
    options: ImportOptions,
    prefix: str,
) -> Report:
    tally = read.tally
    texts = [one.text for one in read.candidates]
    bars = Counter(min(bisect_left(LENGTHS, len(text)), len(LENGTHS) - 1) for text in texts)
    numbered = [one.ordinal for one in read.candidates if options.number or one.record.id is None]
    named = f"{prefix}{numbered[0]} to {prefix}{numbered[-1]}" if numbered else ""
    return Report(
        file=content.name,
        format=format,
        lines=len(content.lines),
        found=len(read.candidates),
        new=len(ready),
        with_references=tally.with_references,
        references=tally.references,
        decisions=tally.decisions,
        golden=sum(one.row.golden is not None for one in ready),
        kept_references=sum(len(one.kept) for one in ready),
        blank=read.blank,
        duplicates_inside=sum(one.of_line is not None for one in doubles),
        duplicates_there=sum(one.number is not None for one in doubles),
        duplicates=tuple(doubles[:SHOWN]),
        invisible=dict(sorted(tally.invisible.items())),
        changed=tally.changed,
        merged=tally.merged,
        same_as_source=tally.same_as_source,
        lengths={LENGTHS[bar]: bars[bar] for bar in sorted(bars)},
        languages=dict(Counter("zh" if is_chinese([text]) else "en" for text in texts)),
        sources=dict(Counter(one.record.source or options.source for one in read.candidates)),
        left_out=dict(sorted(tally.left_out.items())),
        problems=tuple(read.problems),
        problem_count=read.problem_count,
        new_ids=named,
    )
