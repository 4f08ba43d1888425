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
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count
from pathlib import Path
from typing import Literal, get_args

from gecbench.core.errors import (
    FormatError,
    GecbenchError,
    Message,
    Place,
    UnknownNameError,
    UsageError,
    quote,
)
from gecbench.core.perturbed import PerturbedCase, PerturbedSet
from gecbench.core.sample import NOT_KEPT
from gecbench.formats import load_format
from gecbench.formats.perturbed import case_lines, is_perturbed, parse_perturbed
from gecbench.formats.records import Content, Entry, Record, Trouble, parallel, records, sniff
from gecbench.lang.detection import is_chinese
from gecbench.server.choices import Decision, ProjectKind, Purpose
from gecbench.server.import_export.reading import Encoding
from gecbench.server.models import ImportBatch, Project, Sentence
from gecbench.server.rules.consistency import Golden, findings
from gecbench.server.rules.options import RULES, Level, ProjectOptions
from gecbench.server.rules.text import LONGEST, TextError, clean, digest, key
from gecbench.server.workflow.perturbation import SCHEMES, load_aligner
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
        purpose: Of all sentences; all but real ones need references, the known answers.
        priority: Of all sentences; small ones come first.
        source: Name of the source of those that name none.
        clean: Take out invisible characters, as from what people write (ANN-12).
        number: Name sentences 1, 2, ... though the file has ids; these become metadata, "id".
        same: What a reference says that is the sentence itself: that it is free of errors, or
            nothing where others correct it.
        columns: Of a table: what it holds to the name of the column; see `formats.table`.
        reference: Of a perturbation project: which reference of a sentence is its correction.
        scheme: Of a perturbation project: what finds the errors; "" is usual for the language.

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
    reference: int = 1
    scheme: str = ""

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        for name, choices in (
            ("encoding", get_args(Encoding)),
            ("references", (None, *get_args(References))),
            ("duplicates", (None, *get_args(Duplicates))),
            ("purpose", tuple(Purpose)),
            ("same", get_args(Same)),
        ):
            value = getattr(self, name)
            if value not in choices:
                names = ", ".join(str(name) for name in choices if name)
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
        if isinstance(self.reference, bool) or not 1 <= self.reference <= 100:
            raise UsageError(
                "{key} is {value!r}; it is a whole number from {least} to {most}",
                key="reference",
                value=self.reference,
                least=1,
                most=100,
            )
        if self.purpose != Purpose.REAL and self.references is None:
            object.__setattr__(self, "references", "golden")
        if self.purpose != Purpose.REAL and self.references != "golden":
            raise UsageError(
                "references is {value!r}; for {purpose} they are the known answers: golden",
                value=self.references,
                purpose=self.purpose,
            )
        if len(self.source) > 100:
            raise UsageError("the name of the source has more than 100 characters; shorten it")
        if not self.source.isprintable():
            raise UsageError(
                "the name of the source is {source!r}; it has odd characters", source=self.source
            )


_PLAIN_OPTIONS = ImportOptions()


def options_from(stored: Mapping[str, object]) -> ImportOptions:
    """Make options of plain values, as a form or JSON has them.

    Raises:
        UsageError: A key nobody knows, or a value that means nothing.
    """
    known = {option.name for option in dataclasses.fields(ImportOptions)}
    for name in stored:
        if name not in known:
            raise UnknownNameError(Message("import option"), name, known)
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
        decision: What its references say together, where they are golden or nothing was chosen
            yet; else "".
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
        warning: What looks like a mistake and can be meant; "" where nothing does.
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
    warning: str = ""

    def as_json(self) -> dict[str, object]:
        """The values as JSON holds them; keys are the names of the fields."""
        lengths = {str(end): count for end, count in self.lengths.items()}
        return {**dataclasses.asdict(self), "lengths": lengths}


class _DuplicateId(Message):
    """An id of the file is that of another sentence of the project; numbering removes that."""


@dataclass(frozen=True, slots=True)
class NewReference:
    """A reference that is stored beside its sentence, in no golden set.

    Args:
        text: As it is stored.
        fluency: Whether it repairs fluency, too.
    """

    text: str
    fluency: bool = False


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """What a sentence of a perturbation project has beside its text.

    Args:
        target: The sentence corrected.
        variants: Sources and corrections of a case that is done; none where people write them.
    """

    target: str
    variants: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedSentence:
    """A sentence as it would be added.

    Args:
        row: What the workflow adds.
        references: Those that are stored beside it.
        case: Of a perturbation project; its errors are found when the import runs.
    """

    row: NewSentence
    references: tuple[NewReference, ...] = ()
    case: PlannedCase | None = None


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
    sentences: Sequence[PlannedSentence] = field(repr=False, default=())
    prefix: str = ""
    resumes: int | None = None

    @property
    def _asks_for_references(self) -> bool:
        """Whether somebody must say what becomes of references; of a case they are its target."""
        is_case = bool(self.sentences) and self.sentences[0].case is not None
        return bool(self.report.with_references) and self.options.references is None and not is_case

    @property
    def option_needed(self) -> str:
        """The field of the options that removes the obstacle; "" where none does."""
        report, options = self.report, self.options
        if report.problem_count:
            return "number" if isinstance(report.problems[0].message, _DuplicateId) else ""
        if self._asks_for_references:
            return "references"
        duplicates = report.duplicates_inside + report.duplicates_there
        return "duplicates" if duplicates and options.duplicates is None else ""

    @property
    def obstacle(self) -> str:
        """Why it may not run, in one line; "" where it may."""
        report, options = self.report, self.options
        if report.problem_count:
            first = report.problems[0]
            if report.problem_count == 1:
                return Message(
                    "{file}:{line}: {message}; nothing is imported",
                    file=report.file,
                    line=first.line,
                    message=first.message,
                )
            return Message(
                "{file}:{line}: {message}; {total} problems in all, nothing is imported",
                file=report.file,
                line=first.line,
                message=first.message,
                total=report.problem_count,
            )
        if self._asks_for_references:
            return Message(
                "{file}: {count} sentences have references; choose what becomes of them: {names}",
                file=report.file,
                count=report.with_references,
                names=", ".join(get_args(References)),
            )
        duplicates = report.duplicates_inside + report.duplicates_there
        if duplicates and options.duplicates is None:
            return Message(
                "{file}: {count} sentences are there already ({inside} in the file, {there} in the "
                "project); choose what becomes of them: {names}",
                file=report.file,
                count=duplicates,
                inside=report.duplicates_inside,
                there=report.duplicates_there,
                names=", ".join(get_args(Duplicates)),
            )
        if not self.sentences and self.resumes is None:
            return Message("{file}: there is no new sentence to import", file=report.file)
        return ""


def options_json(options: ImportOptions) -> dict[str, object]:
    """Options as JSON holds them."""
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
        """Find a prefix with which none of the numbers is the id of a sentence."""
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
    """Look up what a project has of a file's texts and ids."""
    batch = _find_interrupted(project, sha256, format, options)
    rows = Sentence.objects.filter(project=project)
    done: frozenset[str] = frozenset()
    prefix = None
    if batch is not None:
        done = frozenset(rows.filter(batch=batch).values_list("external_id", flat=True))
        prefix = str(batch.counts["prefix"])
        rows = rows.exclude(batch=batch)
    numbers: dict[str, int] = {}
    for piece in _pieces(sorted(digests)):
        for text, number in rows.filter(digest__in=piece).values_list("digest", "number"):
            numbers[text] = min(number, numbers.get(text, number))
    existing_ids = {
        name
        for piece in _pieces(sorted(ids))
        for name in rows.filter(external_id__in=piece).values_list("external_id", flat=True)
    }
    return Present(
        project.pk, numbers, existing_ids, None if batch is None else batch.pk, done, prefix
    )


def missing(batch: ImportBatch) -> int:
    """Count the sentences that an import has yet to add; not 0 only where it was interrupted."""
    return int(batch.counts.get("sentences", 0)) - batch.sentences.count()


def _find_interrupted(
    project: Project, sha256: str, format: str, options: ImportOptions
) -> ImportBatch | None:
    batches = ImportBatch.objects.filter(project=project, file_sha256=sha256, format=format)
    for batch in batches.order_by("-id"):
        # What an older version did not ask had the value that is usual now.
        used = options_json(_PLAIN_OPTIONS) | batch.counts.get("options", {})
        if used == options_json(options) and missing(batch):
            return batch
    return None


def _ids_exist(project: int, numbers: Sequence[str], prefix: str = "") -> bool:
    rows = Sentence.objects.filter(project_id=project)
    if prefix:
        return rows.filter(external_id__startswith=prefix).exists()
    return any(rows.filter(external_id__in=piece).exists() for piece in _pieces(numbers))


def _pieces(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[at : at + ASKED] for at in range(0, len(values), ASKED))


# What imported texts become before they are stored, and what their references say together.


_PLAIN = re.compile(r"[!-~\u3001-\u301f\u3400-\u9fff\uff01-\uff5e“”‘’…—·]+(?: [!-~]+)*")
"""Texts of these characters stay as they are; most do, and looking closely takes long."""

_FAR_TOO_LONG = 20 * LONGEST
"""Characters that no cleaning makes a sentence."""

_NO_PLACEHOLDER: Mapping[str, Level] = dict.fromkeys(("CON-3", "CON-4", "CON-4-position"), "off")


@dataclass(frozen=True, slots=True)
class _Answers:
    """The references of one sentence: what they say together, and distinct corrections."""

    decision: Decision
    references: tuple[NewReference, ...] = ()

    @property
    def golden(self) -> NewGolden:
        """The golden set that they make."""
        return NewGolden(self.decision, tuple(reference.text for reference in self.references))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that was read and may become a new one."""

    ordinal: int
    record: Record
    text: str
    digest: str
    answers: _Answers | None
    numbered: bool
    case: PlannedCase | None = None

    @property
    def line(self) -> int:
        """Where it stands in the file."""
        return self.record.line

    def name(self, prefix: str) -> str:
        """Its id in the project."""
        return f"{prefix}{self.ordinal}" if self.numbered else str(self.record.id)


class _NoGoldenSetError(GecbenchError):
    """References that no golden set can be made of; the sentence is left out."""


def _join_names(names: Sequence[Decision]) -> Message:
    if len(names) == 2:
        return Message("{first} and {second}", first=names[0], second=names[1])
    return Message(
        "{first} and {second} and {third}", first=names[0], second=names[1], third=names[2]
    )


_HALF = re.compile("[\ud800-\udfff]")


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


def _check_id(record: Record, first_lines: dict[str, int]) -> None:
    """Refuse an id that an earlier line has, and note where this one stands."""
    if record.id is None:
        return
    first = first_lines.setdefault(record.id, record.line)
    if first != record.line:
        raise GecbenchError(
            "id {id!r} stands in line {first} already; ids are unique", id=record.id, first=first
        )


def _check_case(case: PerturbedCase) -> None:
    """Refuse a case that no row can hold, or no file of blocks."""
    for text in (text for pair in case.all for text in (pair.source, pair.reference)):
        clean(text)
        if "\n" in text or "\r" in text:
            raise GecbenchError(
                "case {id!r} has a line end within a text; cases stand in lines, so take it out",
                id=case.id,
            )


@dataclass(slots=True)
class _Reader:
    """Reads a file record by record: cleans, checks, and counts as it goes; see `Report`."""

    project: Project
    options: ImportOptions
    rules: ProjectOptions
    candidates: list[_Candidate] = field(default_factory=list)
    problems: list[Trouble] = field(default_factory=list)
    problem_count: int = 0
    skipped: list[Trouble] = field(default_factory=list)
    blank: int = 0
    invisible: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    merged: int = 0
    same_as_source: int = 0
    references: int = 0
    decisions: int = 0
    with_references: int = 0

    def add_problem(self, line: int, message: str) -> None:
        """Count a problem, and store it if it is among the first by line.

        They do not come in order: what the project has is compared when all has been read.
        """
        self.problem_count += 1
        if len(self.problems) == SHOWN and line >= self.problems[-1].line:
            return
        insort(self.problems, Trouble(line, message), key=lambda problem: problem.line)
        del self.problems[SHOWN:]

    def read(self, entries: Iterable[Entry], format: str) -> None:
        """Clean and check each record by itself."""
        first_lines: dict[str, int] = {}
        for ordinal, entry in enumerate(entries, 1):
            if isinstance(entry, Trouble):
                self.add_problem(entry.line, entry.message)
                continue
            if format == "lines" and not entry.text.strip():
                self.blank += 1
                continue
            try:
                candidate = self._read_record(entry, ordinal, first_lines)
                if self.makes_cases:
                    candidate = replace(candidate, case=self._read_case(entry, candidate.text))
                if self.options.references == "golden":
                    self._check_golden(candidate)
                if self.options.purpose != Purpose.REAL and candidate.answers is None:
                    raise GecbenchError("the sentence has no reference, so no known answer")
            except _NoGoldenSetError as error:
                self.skipped.append(Trouble(entry.line, error.message))
                continue
            except GecbenchError as error:
                self.add_problem(entry.line, error.message)
                continue
            self.candidates.append(candidate)

    def _read_record(self, record: Record, ordinal: int, first_lines: dict[str, int]) -> _Candidate:
        text = self._clean(record.text)
        if not text:
            raise GecbenchError("the sentence is empty; fill it or take it out")
        _check_names(record)
        _check_id(record, first_lines)
        numbered = self.options.number or record.id is None
        answers = self._read_answers(record, text)
        return _Candidate(ordinal, record, text, digest(text), answers, numbered)

    @property
    def makes_cases(self) -> bool:
        """Whether sentences become cases of perturbation."""
        is_real = self.options.purpose == Purpose.REAL
        return self.project.kind == ProjectKind.PERTURB and is_real

    def _read_case(self, record: Record, text: str) -> PlannedCase:
        """Choose the correction of a case among the references of a sentence.

        Raises:
            _NoGoldenSetError: It has none.
        """
        number = self.options.reference
        name = quote(record.id or text)
        if len(record.references) < number:
            raise _NoGoldenSetError(
                Message(
                    "{name}: it has {count} references, so none is number {number}",
                    name=name,
                    count=len(record.references),
                    number=number,
                )
            )
        if len(record.references) > 1:
            self.left_out[Message("references beside the one that was chosen")] += (
                len(record.references) - 1
            )
        chosen = record.references[number - 1]
        if chosen.unannotatable:
            raise _NoGoldenSetError(Message("{name}: it is not annotatable", name=name))
        if chosen.error_free or chosen.text is None:
            return PlannedCase(text)
        target = self._clean(chosen.text)
        if not target:
            raise _NoGoldenSetError(Message("{name}: its correction is empty", name=name))
        return PlannedCase(target)

    def read_cases(self, perturbed: PerturbedSet, lines: Sequence[int]) -> None:
        """Read cases that are done, which begin at lines; their texts stay as they are."""
        several = len(perturbed.subsets) > 1
        cases = [(subset.name, case) for subset in perturbed.subsets for case in subset.cases]
        if NOT_KEPT in perturbed.provenance:
            self.left_out[Message("predictions of a system")] += perturbed.width * len(cases)
        first_lines: dict[str, int] = {}
        for ordinal, ((subset, case), line) in enumerate(zip(cases, lines, strict=True), 1):
            name = (
                None if case.id == str(ordinal) else f"{subset}/{case.id}" if several else case.id
            )
            original = case.original
            record = Record(line, name, original.source, source=subset)
            try:
                _check_case(case)
                _check_names(record)
                _check_id(record, first_lines)
            except GecbenchError as error:
                self.add_problem(line, error.message)
                continue
            variants = tuple((variant.source, variant.reference) for variant in case.variants)
            self.candidates.append(
                _Candidate(
                    ordinal,
                    record,
                    original.source,
                    digest(original.source),
                    None,
                    self.options.number or name is None,
                    PlannedCase(original.reference, variants),
                )
            )

    def _clean(self, text: str) -> str:
        """Clean a text as it is stored.

        Without cleaning only line ends and tabs go, which no format of lines could hold, and white
        space at the ends.

        Raises:
            TextError: It cannot be stored at all: too long, damaged.
        """
        if _PLAIN.fullmatch(text) and len(text) <= LONGEST:
            return text
        bare = text.strip()
        if len(bare) > _FAR_TOO_LONG:  # a book in one line: looking at each character takes minutes
            raise TextError(
                "too_long", {"what": Message("the text"), "length": len(bare), "longest": LONGEST}
            )
        result = clean(text)
        self.invisible.update(dict(result.removed))
        self.invisible.update(dict(result.spaces))
        if not self.options.clean and "\t" not in text and len(text.splitlines()) <= 1:
            return text.strip()
        self.changed += result.text != text
        return result.text

    def _read_answers(self, record: Record, source: str) -> _Answers | None:
        """Find what the references of a record say together; None where it has none.

        Equal references are one, and counted. Only as a golden set have they to agree; what is
        stored beside a sentence is texts, and declarations are left out and counted.

        Raises:
            GecbenchError: One cannot be stored.
            _NoGoldenSetError: They contradict one another.
        """
        self.left_out.update(record.left_out)
        if not record.references:
            return None
        self.with_references += 1
        self.references += len(record.references)
        declarations = [rewrite for rewrite in record.references if rewrite.text is None]
        self.decisions += len(declarations)
        texts, same = self._read_corrections(record, source)
        if texts and same and self.options.same == "leave_out":
            self.left_out[Message("references equal to their sentence")] += same
            same = 0
        self.same_as_source += same
        if self.options.references == "keep" and (same or declarations):
            self.left_out[Message("declarations without a text")] += same + len(declarations)
        present = {
            Decision.CORRECTED: bool(texts),
            Decision.ERROR_FREE: same > 0 or any(rewrite.error_free for rewrite in declarations),
            Decision.NOT_ANNOTATABLE: any(rewrite.unannotatable for rewrite in declarations),
        }
        decisions = [decision for decision in Decision if present[decision]]
        if self.options.references == "golden" and len(decisions) > 1:
            raise _NoGoldenSetError(
                Message(
                    "{name}: its references contradict one another: {decisions}",
                    name=quote(record.id or source),
                    decisions=_join_names(decisions),
                )
            )
        return _Answers(decisions[0], texts)

    def _read_corrections(
        self, record: Record, source: str
    ) -> tuple[tuple[NewReference, ...], int]:
        """Read the distinct corrections of a record, and count those that are the sentence."""
        references: dict[str, NewReference] = {}
        same = 0
        for place, rewrite in enumerate(record.references):
            if rewrite.text is None:
                continue
            text = self._clean(rewrite.text)
            if not text:
                raise GecbenchError(
                    "reference {number} is empty; fill it or take it out", number=place + 1
                )
            normal = key(text)
            if normal == key(source):
                same += 1
                continue
            self.merged += normal in references
            references.setdefault(normal, NewReference(text, place in record.fluency))
        return tuple(references.values()), same

    def _check_golden(self, candidate: _Candidate) -> None:
        """Refuse references that cannot be a golden set of the project (INV-6).

        Raises:
            _NoGoldenSetError: They break rules.
        """
        rules = self.rules
        if candidate.answers is None or candidate.answers.decision != Decision.CORRECTED:
            return
        golden = candidate.answers.golden
        if not any(rules.placeholder in text for text in golden.texts):
            # The rules about placeholders look closely at every character, for nothing here.
            rules = rules.model_copy(update={"rules": {**rules.rules, **_NO_PLACEHOLDER}})
        case = Golden(candidate.text, self.project.lang, golden.kind, golden.texts)
        problems = [
            Message("{message} ({rule})", message=finding.message, rule=finding.rule)
            for finding in findings(case, rules)
            if finding.blocks
        ]
        if problems:
            name = quote(candidate.record.id or candidate.text)
            listing = reduce(
                lambda first, two: Message("{one}; {two}", one=first, two=two), problems
            )
            raise _NoGoldenSetError(Message("{name}: {rules}", name=name, rules=listing))

    def plan_sentence(self, candidate: _Candidate, name: str) -> PlannedSentence:
        """Make the sentence that is added of a candidate."""
        options, record, answers = self.options, candidate.record, candidate.answers
        meta: dict[str, object] = dict(record.meta)
        if options.number and record.id is not None:
            meta.setdefault("id", record.id)
        row = NewSentence(
            external_id=name,
            text=candidate.text,
            source=record.source or options.source,
            meta=meta,
            purpose=options.purpose,
            priority=options.priority,
            golden=answers.golden
            if answers and options.references == "golden" and not candidate.case
            else None,
        )
        beside = answers.references if answers and options.references == "keep" else ()
        return PlannedSentence(row, beside, candidate.case)

    def example(self, candidate: _Candidate, row: NewSentence) -> Example:
        """Show a sentence as it would be added."""
        if candidate.case is not None:
            texts = (candidate.case.target, *(source for source, _ in candidate.case.variants))
            return Example(candidate.line, row.external_id, row.text, "", texts, row.meta)
        answers = candidate.answers if self.options.references != "ignore" else None
        texts = tuple(reference.text for reference in answers.references) if answers else ()
        shows_decision = answers is not None and self.options.references != "keep"
        decision = str(answers.decision) if answers and shows_decision else ""
        return Example(candidate.line, row.external_id, row.text, decision, texts, row.meta)


def _blocking_rules(options: ProjectOptions) -> ProjectOptions:
    """Take a project's options with those rules off that only warn."""
    rules = {rule: "block" if options.level(rule) == "block" else "off" for rule in RULES}
    return ProjectOptions(
        rules=rules,  # type: ignore[arg-type]  # each is a Level
        placeholder=options.placeholder,
        placeholder_aliases=options.placeholder_aliases,
    )


def plan_import(
    project: Project,
    content: Content,
    options: ImportOptions = _PLAIN_OPTIONS,
    *,
    references: Sequence[Content] = (),
) -> Plan:
    """Plan an import: read, clean, check and compare every sentence; nothing is written.

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
    reader = _Reader(project, options, _blocking_rules(project.rules))
    if project.kind == ProjectKind.PERTURB:
        _check_case_options(project, options)
    if reader.makes_cases and is_perturbed(content.lines):
        name = "perturbed"
        perturbed = parse_perturbed(Path(content.name), content.lines, Path(content.name).stem)
        reader.read_cases(perturbed, case_lines(content.lines))
    else:
        name, entries = _open(content, options, references)
        reader.read(entries, name)
    candidates = reader.candidates
    present = present_in(
        project,
        content.sha256,
        name,
        options,
        digests={candidate.digest for candidate in candidates},
        ids={candidate.record.id for candidate in candidates if candidate.record.id is not None},
    )
    prefix = present.prefix
    numbers = [str(candidate.ordinal) for candidate in candidates if candidate.numbered]
    if prefix is None:  # numbers as ids begin with nothing, unless the project has them already
        prefix = present.free_prefix(numbers) if numbers else ""
    sentences, examples, duplicates = _compare(reader, present, prefix)
    new_ids = ""
    if numbers:
        first, last = prefix + numbers[0], prefix + numbers[-1]
        new_ids = Message("{first} to {last}", first=first, last=last)
    lengths = [len(candidate.text) for candidate in candidates]
    languages = Counter("zh" if is_chinese([candidate.text]) else "en" for candidate in candidates)
    bars = Counter(min(bisect_left(LENGTHS, length), len(LENGTHS) - 1) for length in lengths)
    report = Report(
        file=content.name,
        format=name,
        lines=len(content.lines),
        found=len(candidates) + len(reader.skipped),
        new=len(sentences),
        with_references=reader.with_references,
        references=reader.references,
        decisions=reader.decisions,
        golden=sum(sentence.row.golden is not None for sentence in sentences),
        kept_references=sum(len(sentence.references) for sentence in sentences),
        blank=reader.blank,
        duplicates_inside=sum(duplicate.of_line is not None for duplicate in duplicates),
        duplicates_there=sum(duplicate.number is not None for duplicate in duplicates),
        duplicates=tuple(duplicates[:SHOWN]),
        invisible=dict(sorted(reader.invisible.items())),
        changed=reader.changed,
        merged=reader.merged,
        same_as_source=reader.same_as_source,
        lengths={LENGTHS[bar]: bars[bar] for bar in sorted(bars)},
        languages=dict(languages),
        sources=dict(
            Counter(candidate.record.source or options.source for candidate in candidates)
        ),
        left_out=dict(sorted(reader.left_out.items())),
        problems=tuple(reader.problems),
        problem_count=reader.problem_count,
        new_ids=new_ids,
        skipped=tuple(reader.skipped[:LISTED]),
        skipped_count=len(reader.skipped),
        examples=tuple(examples),
        warning=_language_warning(project.lang, languages),
    )
    return Plan(project.pk, content.sha256, options, report, sentences, prefix, present.batch)


def _language_warning(lang: str, languages: Mapping[str, int]) -> Message | str:
    """Say so if most sentences look like the language that is not the project's."""
    total, same = sum(languages.values()), languages.get(lang, 0)
    other = total - same
    if other <= same:
        return ""
    if lang == "zh":
        return Message(
            "{count} of {total} sentences look English, but the project is in Chinese",
            count=other,
            total=total,
        )
    return Message(
        "{count} of {total} sentences look Chinese, but the project is in English",
        count=other,
        total=total,
    )


def _check_case_options(project: Project, options: ImportOptions) -> None:
    """Refuse what cases cannot be made with, before a file is read.

    Raises:
        UsageError: An option means nothing in a perturbation project.
        ResourceError: What finds the errors is not there; names the command that gets it.
    """
    if options.purpose == Purpose.GOLD:
        raise UsageError("a perturbation project has no gold tasks: no variant has a known answer")
    if options.purpose != Purpose.REAL:
        return
    if options.references is not None:
        raise UsageError(
            "references is {value!r}; in a perturbation project a reference is the correction of "
            "its sentence, so leave that out",
            value=options.references,
        )
    load_aligner(options.scheme or SCHEMES[project.lang][0], project.lang)


def _open(
    content: Content, options: ImportOptions, references: Sequence[Content]
) -> tuple[str, Iterator[Entry]]:
    if not references:
        return records(content, options.format, options.columns)
    if options.format not in (None, "lines", "parallel"):
        raise UsageError(
            "files of references go with a file of lines, not with format {format}",
            format=options.format,
        )
    for file in (content, *references) if options.format is None else ():
        if (name := sniff(file)) != "lines":
            raise FormatError(
                "this is {format}, and not a text of one sentence a line, which files of "
                "references go with; import it alone, or choose the format lines",
                at=Place(file.name, 1),
                format=name,
            )
        load_format(name).check(Path(file.name), file.lines)
    return "parallel", parallel(content, references)


def _compare(
    reader: _Reader, present: Present, prefix: str
) -> tuple[list[PlannedSentence], list[Example], list[Duplicate]]:
    """Compare with the file itself and with the project; say what is new."""
    choice = reader.options.duplicates
    sentences: list[PlannedSentence] = []
    examples: list[Example] = []
    duplicates: list[Duplicate] = []
    lines: dict[str, int] = {}  # digest to the line that has it first
    for candidate in reader.candidates:
        name = candidate.name(prefix)
        if name in present.done:
            lines.setdefault(candidate.digest, candidate.line)
            continue
        duplicate = _find_duplicate(candidate, lines, present)
        if duplicate is not None:
            duplicates.append(duplicate)
            if choice == "skip":
                continue
        lines.setdefault(candidate.digest, candidate.line)
        undecided = duplicate and choice is None
        if not candidate.numbered and name in present.ids and not undecided:
            message = _DuplicateId(
                "id {name!r} is that of another sentence of the project; number the sentences "
                "again, or give another id",
                name=name,
            )
            reader.add_problem(candidate.line, message)
            continue
        sentences.append(reader.plan_sentence(candidate, name))
        if len(examples) < EXAMPLES:
            examples.append(reader.example(candidate, sentences[-1].row))
    return sentences, examples, duplicates


def _find_duplicate(
    candidate: _Candidate, lines: Mapping[str, int], present: Present
) -> Duplicate | None:
    text = candidate.text[:60]
    if candidate.digest in lines:
        return Duplicate(candidate.line, text, of_line=lines[candidate.digest])
    if candidate.digest in present.numbers:
        return Duplicate(candidate.line, text, number=present.numbers[candidate.digest])
    return None
