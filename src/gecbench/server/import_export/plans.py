"""What an import would do, before anything is written (WFL-6, section 4.10).

A plan is made of a file and options. It has the report that a person reads, and the sentences
that `imports.run_import` writes; making one reads the project and changes nothing.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from typing import Literal, get_args

from gecbench.core.errors import GecbenchError, Message, UsageError, quote
from gecbench.formats.records import Content, Entry, Record, Trouble, parallel, records
from gecbench.lang.detection import is_chinese
from gecbench.server.choices import Decision, Purpose
from gecbench.server.import_export.reading import Encoding
from gecbench.server.models import ImportBatch, Project, Sentence
from gecbench.server.rules.consistency import Golden, findings
from gecbench.server.rules.options import RULES, Level, ProjectOptions
from gecbench.server.rules.text import LONGEST, TextError, cleaned, digest, key
from gecbench.server.workflow.sentences import NewGolden, NewSentence

References = Literal["ignore", "golden", "keep"]
Duplicates = Literal["skip", "keep"]
Same = Literal["error_free", "leave_out"]

LENGTHS = (10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 5000)
"""Upper ends of the bars of the length histogram, in characters."""

SHOWN = 10
"""Problems and duplicates that a report names."""

EXAMPLES = 5
"""Sentences that a report shows as they would be added."""

LISTED = 1000
"""Sentences that a report names because they are left out."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a file becomes sentences.

    Args:
        format: Name of its format; None means find out.
        encoding: Of the file.
        references: What becomes of references: left out, golden at once, or kept beside the
            sentence, which is annotated all the same. None: not chosen yet.
        duplicates: What becomes of a sentence that is there already. None: not chosen yet.
        purpose: Of all sentences.
        priority: Of all sentences; small ones come first.
        source: Name of the source of those that name none.
        clean: Take out invisible characters, as from what people write (ANN-12).
        number: Name sentences 1, 2, ... though the file has ids; these become metadata, "id".
        same: What a reference says that is the sentence itself: that it is free of errors, or
            nothing where others correct it.
        columns: Of a table: what it holds to the name of the column; see `formats.records`.

    Raises:
        UsageError: A value that means nothing.
    """

    format: str | None = None
    encoding: Encoding = "utf-8"
    references: References | None = None
    duplicates: Duplicates | None = None
    purpose: Purpose = Purpose.REAL
    priority: int = 100
    source: str = ""
    clean: bool = True
    number: bool = False
    same: Same = "error_free"
    columns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        for name, known in (
            ("encoding", get_args(Encoding)),
            ("references", (None, *get_args(References))),
            ("duplicates", (None, *get_args(Duplicates))),
            ("purpose", (Purpose.REAL, Purpose.TRAINING)),
            ("same", get_args(Same)),
        ):
            value = getattr(self, name)
            if value not in known:
                names = ", ".join(str(one) for one in known if one)
                raise UsageError(
                    "{key} is {value!r}; it is one of {names}", key=name, value=value, names=names
                )
        if isinstance(self.priority, bool) or not -1_000_000 <= self.priority <= 1_000_000:
            raise UsageError(
                "{key} is {value!r}; it is a whole number from {least} to {most}",
                key="priority",
                value=self.priority,
                least=-1_000_000,
                most=1_000_000,
            )
        if len(self.source) > 100:
            raise UsageError("the name of the source has more than 100 characters; shorten it")
        if not self.source.isprintable():
            raise UsageError(
                "the name of the source is {source!r}; it has odd characters", source=self.source
            )


_PLAIN_OPTIONS = ImportOptions()


def options_from(stored: Mapping[str, object]) -> ImportOptions:
    """Return options from plain values, as a form or JSON has them.

    Raises:
        UsageError: A key nobody knows, or a value that means nothing.
    """
    known = {one.name for one in dataclasses.fields(ImportOptions)}
    for name in stored:
        if name not in known:
            raise UsageError(f"unknown import option {name!r}; known: {', '.join(sorted(known))}")
    return ImportOptions(**stored)  # type: ignore[arg-type]  # checked when it is made


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A sentence whose text is there already.

    Args:
        line: Where it stands in the file.
        text: Its first 60 characters.
        of_line: The line in the file that has it first; None where the project has it.
        number: Task number of the sentence of the project that has it; None where the file does.
    """

    line: int
    text: str
    of_line: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence as it would be added, for a person to look at.

    Args:
        line: Where it stands in the file.
        id: Its name in the project.
        text: The sentence.
        decision: What its references say together, where they are golden; else "".
        references: Texts of those that are golden or kept.
        meta: Facts about it, among them document and position.
    """

    line: int
    id: str
    text: str
    decision: str = ""
    references: tuple[str, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """What a person reads before an import (the dry run).

    Args:
        file: Its name.
        format: As it was read.
        lines: How many it has.
        found: How many sentences were found, readable or not in the way of anything.
        new: How many would be added with these options.
        with_references: How many of those found have references.
        references: How many references they have.
        decisions: How many references are declarations: error free, not annotatable.
        golden: How many of the new ones would be golden at once.
        kept_references: How many references would be kept beside new sentences.
        blank: Blank lines, which are left out.
        duplicates_inside: Sentences that stand in the file before.
        duplicates_there: Sentences that the project has.
        duplicates: The first of both.
        invisible: Kind of invisible character to how many are taken out (or, without cleaning,
            are there).
        changed: Sentences and references that cleaning changes.
        merged: References that are the same as one before them, left out.
        same_as_source: References that are the sentence itself, taken as "error free".
        lengths: Upper end of each bar to how many sentences are as long, in characters.
        languages: Language to how many sentences look like it.
        sources: Source to how many sentences name it.
        left_out: What else the file holds that is not imported, with counts.
        problems: The first ten.
        problem_count: How many there are.
        new_ids: How sentences are named where the file has no ids: "1 to 20"; "" where it has.
        skipped: Sentences that are left out because their references contradict one another, or
            break a rule of the project that blocks.
        skipped_count: How many these are; the first thousand are named.
        examples: The first sentences that would be added.
    """

    file: str
    format: str
    lines: int
    found: int
    new: int
    with_references: int
    references: int
    decisions: int
    golden: int
    kept_references: int
    blank: int
    duplicates_inside: int
    duplicates_there: int
    duplicates: tuple[Duplicate, ...]
    invisible: Mapping[str, int]
    changed: int
    merged: int
    same_as_source: int
    lengths: Mapping[int, int]
    languages: Mapping[str, int]
    sources: Mapping[str, int]
    left_out: Mapping[str, int]
    problems: tuple[Trouble, ...]
    problem_count: int
    new_ids: str = ""
    skipped: tuple[Trouble, ...] = ()
    skipped_count: int = 0
    examples: tuple[Example, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return it as JSON holds it; keys are the names of the fields."""
        made = dataclasses.asdict(self)
        made["lengths"] = {str(end): count for end, count in self.lengths.items()}
        return made


class _IdTaken(Message):
    """An id of the file is that of another sentence of the project; numbering removes that."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A reference that is kept beside its sentence, in no golden set.

    Args:
        text: As it is kept.
        fluency: Whether it repairs fluency, too.
    """

    text: str
    fluency: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A sentence as it would be added.

    Args:
        line: Where it stands in the file.
        row: What the workflow adds.
        kept: References that are kept beside it.
    """

    line: int
    row: NewSentence
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """An import that is ready to run, or says why it is not.

    Args:
        project: Row of the project.
        sha256: Of the file.
        options: As chosen.
        report: For a person.
        sentences: What would be added, in order.
        prefix: What numbers as ids begin with.
        resumes: Row of an import of the same file that was interrupted and is gone on with.
    """

    project: int
    sha256: str
    options: ImportOptions
    report: Report
    sentences: Sequence[Ready] = field(repr=False, default=())
    prefix: str = ""
    resumes: int | None = None

    @property
    def option_needed(self) -> str:
        """The field of the options that removes the obstacle; "" where none does."""
        report, options = self.report, self.options
        if report.problem_count:
            return "number" if isinstance(report.problems[0].message, _IdTaken) else ""
        if report.with_references and options.references is None:
            return "references"
        duplicates = report.duplicates_inside + report.duplicates_there
        return "duplicates" if duplicates and options.duplicates is None else ""

    @property
    def obstacle(self) -> str:
        """Why it may not run, in one line; "" where it may."""
        told, options = self.report, self.options
        if told.problem_count:
            first = told.problems[0]
            return Message(
                "{file}:{line}: {message}; {total} problems in all, nothing is imported",
                file=told.file,
                line=first.line,
                message=first.message,
                total=told.problem_count,
            )
        if told.with_references and options.references is None:
            return Message(
                "{file}: {count} sentences have references; choose what becomes of them: {names}",
                file=told.file,
                count=told.with_references,
                names=", ".join(get_args(References)),
            )
        there = told.duplicates_inside + told.duplicates_there
        if there and options.duplicates is None:
            return Message(
                "{file}: {count} sentences are there already ({inside} in the file, {there} in the "
                "project); choose what becomes of them: {names}",
                file=told.file,
                count=there,
                inside=told.duplicates_inside,
                there=told.duplicates_there,
                names=", ".join(get_args(Duplicates)),
            )
        if not self.sentences and self.resumes is None:
            return Message("{file}: there is no new sentence to import", file=told.file)
        return ""


def stored_options(options: ImportOptions) -> dict[str, object]:
    """Return options as JSON holds them."""
    return {**dataclasses.asdict(options), "purpose": str(options.purpose)}


# What of a file a project has already: texts, ids, and an import of it that was interrupted.


ASKED = 500
"""Values of one query: every database takes as many."""


@dataclass(frozen=True, slots=True)
class Present:
    """What the project has.

    Args:
        project: Row of the project.
        numbers: Digest of a text to the task number of the first sentence with it.
        ids: Those of the file that are taken.
        batch: Row of an import of the same file that was interrupted; None where there is none.
        done: Ids that it has added.
        prefix: What its numbers as ids begin with; None without such an import.
    """

    project: int
    numbers: Mapping[str, int]
    ids: Collection[str]
    batch: int | None = None
    done: Collection[str] = field(default=frozenset())
    prefix: str | None = None

    def free_prefix(self, numbers: Sequence[str]) -> str:
        """Return a prefix with which none of the numbers is the id of a sentence."""
        if not _ids_exist(self.project, numbers):
            return ""
        batches = ImportBatch.objects.filter(project_id=self.project).count()
        return next(
            f"{n}-" for n in count(batches + 1) if not _ids_exist(self.project, numbers, f"{n}-")
        )


def present_in(
    project: Project,
    sha256: str,
    format: str,
    options: ImportOptions,
    *,
    digests: Collection[str],
    ids: Collection[str],
) -> Present:
    """Return what a project has of a file's texts and ids."""
    batch = _interrupted(project, sha256, format, options)
    here = Sentence.objects.filter(project=project)
    done: frozenset[str] = frozenset()
    prefix = None
    if batch is not None:
        done = frozenset(here.filter(batch=batch).values_list("external_id", flat=True))
        prefix = str(batch.counts["prefix"])
        here = here.exclude(batch=batch)
    numbers: dict[str, int] = {}
    for some in _pieces(sorted(digests)):
        for text, number in here.filter(digest__in=some).values_list("digest", "number"):
            numbers[text] = min(number, numbers.get(text, number))
    taken = {
        name
        for some in _pieces(sorted(ids))
        for name in here.filter(external_id__in=some).values_list("external_id", flat=True)
    }
    return Present(project.pk, numbers, taken, None if batch is None else batch.pk, done, prefix)


def missing(batch: ImportBatch) -> int:
    """Return how many sentences an import has yet to add; not 0 only where it was interrupted."""
    return int(batch.counts.get("sentences", 0)) - batch.sentences.count()


def unfinished(project: Project) -> tuple[tuple[ImportBatch, int], ...]:
    """Return the imports of a project that were interrupted, with how many sentences are missing.

    The same file with the same options goes on with one.
    """
    batches = ImportBatch.objects.filter(project=project).order_by("id")
    return tuple((batch, left) for batch in batches if (left := missing(batch)))


def _interrupted(
    project: Project, sha256: str, format: str, options: ImportOptions
) -> ImportBatch | None:
    batches = ImportBatch.objects.filter(project=project, file_sha256=sha256, format=format)
    for batch in batches.order_by("-id"):
        # What an older version did not ask had the value that is usual now.
        chosen = stored_options(_PLAIN_OPTIONS) | batch.counts.get("options", {})
        if chosen == stored_options(options) and missing(batch):
            return batch
    return None


def _ids_exist(project: int, numbers: Sequence[str], prefix: str = "") -> bool:
    here = Sentence.objects.filter(project_id=project)
    if prefix:
        return here.filter(external_id__startswith=prefix).exists()
    return any(here.filter(external_id__in=some).exists() for some in _pieces(numbers))


def _pieces(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[at : at + ASKED] for at in range(0, len(values), ASKED))


# What imported texts become before they are kept, and what their references say together.


_PLAIN = re.compile(r"[!-~\u3001-\u301f\u3400-\u9fff\uff01-\uff5e“”‘’…—·]+(?: [!-~]+)*")
"""Texts of these characters stay as they are; most do, and looking closely takes long."""

_FAR_TOO_LONG = 20 * LONGEST
"""Characters that no cleaning makes a sentence."""

_NO_PLACEHOLDER: Mapping[str, Level] = dict.fromkeys(("CON-3", "CON-4", "CON-4-position"), "off")


@dataclass(slots=True)
class _Tally:
    """Counts that grow while a file is read; see `Report`."""

    invisible: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    merged: int = 0
    same_as_source: int = 0
    references: int = 0
    decisions: int = 0
    with_references: int = 0


@dataclass(frozen=True, slots=True)
class _Answers:
    """The references of one sentence: what they say together, and distinct corrections."""

    decision: Decision
    texts: tuple[Kept, ...] = ()

    @property
    def golden(self) -> NewGolden:
        """The golden set that they make."""
        return NewGolden(self.decision, tuple(one.text for one in self.texts))


class _NoGoldenSetError(GecbenchError):
    """References that no golden set can be made of; the sentence is left out."""


def _prepare(text: str, tally: _Tally, *, clean: bool) -> str:
    """Return a text as it is kept.

    Without cleaning only line ends and tabs go, which no format of lines could hold, and white
    space at the ends.

    Raises:
        TextError: It cannot be kept at all: too long, damaged.
    """
    if _PLAIN.fullmatch(text) and len(text) <= LONGEST:
        return text
    bare = text.strip()
    if len(bare) > _FAR_TOO_LONG:  # a book in one line: looking at each character takes minutes
        raise TextError(
            "too_long", {"what": Message("the text"), "length": len(bare), "longest": LONGEST}
        )
    result = cleaned(text)
    tally.invisible.update(dict(result.removed))
    tally.invisible.update(dict(result.spaces))
    if not clean and "\t" not in text and len(text.splitlines()) <= 1:
        return text.strip()
    tally.changed += result.text != text
    return result.text


def _answers(record: Record, source: str, tally: _Tally, options: ImportOptions) -> _Answers | None:
    """Return what the references of a record say together; None where it has none.

    Equal references are one, and counted. Only as a golden set have they to agree; what is kept
    beside a sentence is texts, and declarations are left out and counted.

    Raises:
        GecbenchError: One cannot be kept.
        _NoGoldenSetError: They contradict one another.
    """
    tally.left_out.update(record.left_out)
    if not record.references:
        return None
    tally.with_references += 1
    tally.references += len(record.references)
    declared = [one for one in record.references if one.text is None]
    tally.decisions += len(declared)
    texts, same = _corrections(record, source, tally, clean=options.clean)
    if texts and same and options.same == "leave_out":
        tally.left_out[Message("references equal to their sentence")] += same
        same = 0
    tally.same_as_source += same
    if options.references == "keep" and (same or declared):
        tally.left_out[Message("declarations without a text")] += same + len(declared)
    says = {
        Decision.CORRECTED: bool(texts),
        Decision.ERROR_FREE: same > 0 or any(one.error_free for one in declared),
        Decision.NOT_ANNOTATABLE: any(one.unannotatable for one in declared),
    }
    said = [decision for decision in Decision if says[decision]]
    if options.references == "golden" and len(said) > 1:
        names = [_DECISIONS[decision] for decision in said]
        raise _NoGoldenSetError(
            Message(
                "{name}: its references contradict one another: {decisions}",
                name=quote(record.id or source),
                decisions=_listed(names),
            )
        )
    return _Answers(said[0], texts)


def _corrections(
    record: Record, source: str, tally: _Tally, *, clean: bool
) -> tuple[tuple[Kept, ...], int]:
    """Return the distinct corrections of a record, and how many are the sentence itself."""
    texts: dict[str, Kept] = {}
    same = 0
    for place, rewrite in enumerate(record.references):
        if rewrite.text is None:
            continue
        text = _prepare(rewrite.text, tally, clean=clean)
        if not text:
            raise GecbenchError(
                "reference {number} is empty; fill it or take it out", number=place + 1
            )
        normal = key(text)
        if normal == key(source):
            same += 1
            continue
        tally.merged += normal in texts
        texts.setdefault(normal, Kept(text, place in record.fluency))
    return tuple(texts.values()), same


_DECISIONS: Mapping[Decision, Message] = {
    Decision.CORRECTED: Message("corrected"),
    Decision.ERROR_FREE: Message("error free"),
    Decision.NOT_ANNOTATABLE: Message("not annotatable"),
}


def _listed(names: Sequence[Message]) -> Message:
    if len(names) == 2:
        return Message("{first} and {second}", first=names[0], second=names[1])
    return Message(
        "{first} and {second} and {third}", first=names[0], second=names[1], third=names[2]
    )


def _blocking(options: ProjectOptions) -> ProjectOptions:
    """Return a project's options with those rules off that only warn."""
    rules = {rule: "block" if options.level(rule) == "block" else "off" for rule in RULES}
    return ProjectOptions(
        rules=rules,  # type: ignore[arg-type]  # each is a Level
        placeholder=options.placeholder,
        placeholder_aliases=options.placeholder_aliases,
    )


def _check_golden(candidate: _Candidate, lang: str, options: ProjectOptions) -> None:
    """Refuse references that cannot be a golden set of the project (INV-6).

    Raises:
        _NoGoldenSetError: They break rules.
    """
    if candidate.answers is None or candidate.answers.decision != Decision.CORRECTED:
        return
    golden = candidate.answers.golden
    if not any(options.placeholder in text for text in golden.texts):
        # The rules about placeholders look closely at every character, for nothing here.
        options = options.model_copy(update={"rules": {**options.rules, **_NO_PLACEHOLDER}})
    found = findings(Golden(candidate.text, lang, golden.kind, golden.texts), options)
    broken = [
        Message("{message} ({rule})", message=one.message, rule=one.rule)
        for one in found
        if one.blocks
    ]
    if broken:
        name = quote(candidate.record.id or candidate.text)
        rules = reduce(lambda one, two: Message("{one}; {two}", one=one, two=two), broken)
        raise _NoGoldenSetError(Message("{name}: {rules}", name=name, rules=rules))


# Making the plan of an import: every sentence is read, cleaned, checked and compared.


_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that was read and may become a new one."""

    line: int
    ordinal: int
    record: Record
    text: str
    digest: str
    answers: _Answers | None
    numbered: bool


@dataclass(slots=True)
class _Reading:
    """What has been read of a file so far."""

    tally: _Tally = field(default_factory=_Tally)
    problems: list[Trouble] = field(default_factory=list)
    problem_count: int = 0
    skipped: list[Trouble] = field(default_factory=list)
    blank: int = 0
    candidates: list[_Candidate] = field(default_factory=list)

    def trouble(self, line: int, message: str) -> None:
        """Count a problem, and keep it if it is among the first by line.

        They do not come in order: what the project has is compared when all has been read.
        """
        self.problem_count += 1
        if len(self.problems) == SHOWN and line >= self.problems[-1].line:
            return
        insort(self.problems, Trouble(line, message), key=lambda one: one.line)
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
        raise UsageError(
            "project {slug} is closed; bring it back before you import", slug=project.slug
        )
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
    prefix = present.prefix
    if prefix is None:  # numbers as ids begin with nothing, unless the project has them already
        numbers = [str(one.ordinal) for one in read.candidates if one.numbered]
        prefix = present.free_prefix(numbers) if numbers else ""
    ready, examples, doubles = _compared(read, present, options, prefix)
    report = _report(content, chosen, read, ready, doubles, options, prefix)
    report = dataclasses.replace(report, examples=tuple(examples))
    return Plan(project.pk, content.sha256, options, report, ready, prefix, present.batch)


def _opened(
    content: Content, options: ImportOptions, references: Sequence[Content]
) -> tuple[str, Iterator[Entry]]:
    if not references:
        return records(content, options.format, options.columns)
    if options.format not in (None, "lines", "parallel"):
        raise UsageError(
            "files of references go with a file of lines, not with format {format}",
            format=options.format,
        )
    return "parallel", parallel(content, references)


def _read(
    found: Iterable[Entry],
    read: _Reading,
    project: Project,
    options: ImportOptions,
    format: str,
) -> None:
    """Clean and check each record by itself."""
    rules = _blocking(project.rules)
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
            if options.references == "golden":
                _check_golden(candidate, project.lang, rules)
        except _NoGoldenSetError as error:
            read.skipped.append(Trouble(one.line, error.message))
            continue
        except GecbenchError as error:
            read.trouble(one.line, error.message)
            continue
        read.candidates.append(candidate)


def _candidate(
    record: Record,
    ordinal: int,
    read: _Reading,
    options: ImportOptions,
    first_lines: dict[str, int],
) -> _Candidate:
    text = _prepare(record.text, read.tally, clean=options.clean)
    if not text:
        raise GecbenchError("the sentence is empty; fill it or take it out")
    _check_names(record)
    if record.id is not None:
        first = first_lines.setdefault(record.id, record.line)
        if first != record.line:
            raise GecbenchError(
                "id {id!r} stands in line {first} already; ids are unique",
                id=record.id,
                first=first,
            )
    answers = _answers(record, text, read.tally, options)
    numbered = options.number or record.id is None
    return _Candidate(record.line, ordinal, record, text, digest(text), answers, numbered)


def _check_names(record: Record) -> None:
    """Refuse names and facts that no row can hold."""
    if record.id is not None and not (0 < len(record.id) <= 200 and record.id.isprintable()):
        raise GecbenchError("the id is empty, longer than 200 characters, or has odd ones")
    if len(record.source) > 100 or not record.source.isprintable():
        raise GecbenchError("the name of the source has more than 100 characters, or odd ones")
    for name, value in record.meta.items():
        if "\0" in name or "\0" in value:
            raise GecbenchError("a fact about the sentence holds a NUL character; take it out")
        if _HALF.search(name) or _HALF.search(value):
            raise GecbenchError(
                "a fact about the sentence holds half a character; it was damaged on its way"
            )


def _compared(
    read: _Reading, present: Present, options: ImportOptions, prefix: str
) -> tuple[list[Ready], list[Example], list[Duplicate]]:
    """Compare with the file itself and with the project; say what is new."""
    ready: list[Ready] = []
    examples: list[Example] = []
    doubles: list[Duplicate] = []
    seen: dict[str, int] = {}
    for one in read.candidates:
        name = f"{prefix}{one.ordinal}" if one.numbered else str(one.record.id)
        if name in present.done:
            seen.setdefault(one.digest, one.line)
            continue
        double = _double(one, seen, present)
        if double is not None:
            doubles.append(double)
            if options.duplicates == "skip":
                continue
        seen.setdefault(one.digest, one.line)
        undecided = double and options.duplicates is None
        if not one.numbered and name in present.ids and not undecided:
            message = _IdTaken(
                "id {name!r} is that of another sentence of the project; number the sentences "
                "again, or give another id",
                name=name,
            )
            read.trouble(one.line, message)
            continue
        ready.append(_ready(one, name, options))
        if len(examples) < EXAMPLES:
            examples.append(_example(one, ready[-1], options))
    return ready, examples, doubles


def _example(one: _Candidate, ready: Ready, options: ImportOptions) -> Example:
    row = ready.row
    shown = one.answers.texts if one.answers and options.references != "ignore" else ()
    decision = str(row.golden.kind) if row.golden else ""
    texts = tuple(kept.text for kept in shown)
    return Example(one.line, row.external_id, row.text, decision, texts, row.meta)


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
    numbered = [one.ordinal for one in read.candidates if one.numbered]
    first, last = (f"{prefix}{numbered[n]}" for n in (0, -1)) if numbered else ("", "")
    named = Message("{first} to {last}", first=first, last=last) if numbered else ""
    return Report(
        file=content.name,
        format=format,
        lines=len(content.lines),
        found=len(read.candidates) + len(read.skipped),
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
        skipped=tuple(read.skipped[:LISTED]),
        skipped_count=len(read.skipped),
    )
