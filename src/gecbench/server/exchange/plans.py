"""What an import would do, before anything is written (WFL-6, section 4.10).

A plan is made of a file and options. It has the report that a person reads, and the sentences
that `imports.run_import` writes; making one reads the project and changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from gecbench.core.errors import UsageError
from gecbench.server.exchange.content import Encoding
from gecbench.server.laws.names import Purpose
from gecbench.server.workflow.sentences import NewSentence

References = Literal["ignore", "golden", "keep"]
Duplicates = Literal["skip", "keep"]

LENGTHS = (10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 5000)
"""Upper ends of the bars of the length histogram, in characters."""

SHOWN = 10
"""Problems and duplicates that a report names."""


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

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        for name, known in (
            ("encoding", get_args(Encoding)),
            ("references", (None, *get_args(References))),
            ("duplicates", (None, *get_args(Duplicates))),
            ("purpose", (Purpose.REAL, Purpose.TRAINING)),
        ):
            value = getattr(self, name)
            if value not in known:
                named = ", ".join(str(one) for one in known if one)
                raise UsageError(f"{name} is {value!r}; it is one of {named}")
        if isinstance(self.priority, bool) or not -1_000_000 <= self.priority <= 1_000_000:
            raise UsageError(
                f"priority is {self.priority}; it is a whole number from -1000000 to 1000000"
            )
        if len(self.source) > 100:
            raise UsageError("the name of the source has more than 100 characters; shorten it")
        if not self.source.isprintable():
            raise UsageError(f"the name of the source is {self.source!r}; it has odd characters")


def options_from(stored: Mapping[str, object]) -> ImportOptions:
    """Return options from plain values, as a form or JSON has them.

    Raises:
        UsageError: A key nobody knows, or a value that means nothing.
    """
    known = {one.name for one in dataclasses.fields(ImportOptions)}
    for key in stored:
        if key not in known:
            raise UsageError(f"unknown import option {key!r}; known: {', '.join(sorted(known))}")
    return ImportOptions(**stored)  # type: ignore[arg-type]  # checked when it is made


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that keeps a file from being imported.

    Args:
        line: Where it stands, from 1; for files of blocks or objects, where those begin.
        message: One line: what is wrong, and what to do.
    """

    line: int
    message: str


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
    problems: tuple[ImportProblem, ...]
    problem_count: int
    new_ids: str = ""

    def as_json(self) -> dict[str, object]:
        """Return it as JSON holds it; keys are the names of the fields."""
        made = dataclasses.asdict(self)
        made["lengths"] = {str(end): count for end, count in self.lengths.items()}
        return made


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
        resumes: Row of an import of the same file that was interrupted and is gone on with.
    """

    project: int
    sha256: str
    options: ImportOptions
    report: Report
    sentences: Sequence[Ready] = field(repr=False, default=())
    resumes: int | None = None

    @property
    def obstacle(self) -> str:
        """Why it may not run, in one line; "" where it may."""
        told, options = self.report, self.options
        if told.problem_count:
            first = told.problems[0]
            return (
                f"{told.file}:{first.line}: {first.message}; "
                f"{told.problem_count} problems in all, nothing is imported"
            )
        if told.with_references and options.references is None:
            return (
                f"{told.file}: {told.with_references} sentences have references; choose what "
                f"becomes of them: {', '.join(get_args(References))}"
            )
        there = told.duplicates_inside + told.duplicates_there
        if there and options.duplicates is None:
            return (
                f"{told.file}: {there} sentences are there already "
                f"({told.duplicates_inside} in the file, {told.duplicates_there} in the project); "
                f"choose what becomes of them: {', '.join(get_args(Duplicates))}"
            )
        if not self.sentences and self.resumes is None:
            return f"{told.file}: there is no new sentence to import"
        return ""


def stored_options(options: ImportOptions) -> dict[str, object]:
    """Return options as JSON holds them."""
    made = dataclasses.asdict(options)
    made["purpose"] = str(options.purpose)
    return cast("dict[str, object]", made)
