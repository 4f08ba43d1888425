"""What is wrong with a reviewer's answer: every text judged, one golden set, no broken rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gecbench.server.laws.consistency import findings
from gecbench.server.laws.findings import Finding
from gecbench.server.laws.findings import Golden as Decided
from gecbench.server.laws.names import Decision, NotAnnotatableReason, RejectReason
from gecbench.server.laws.text import LONGEST_NOTE, TextError, cleaned, digest
from gecbench.server.models import Sentence
from gecbench.server.workflow.answers import Addition, ReviewAnswer, VerdictGiven
from gecbench.server.workflow.candidates import Candidate
from gecbench.server.workflow.errors import Problem

LONGEST_SECTION = 100

UNCHECKED = "traditional_unchecked"
"""A finding that says a rule could not look: shown, but nobody has to confirm it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A golden text that a reviewer wrote, as it is kept.

    Args:
        text: Cleaned; "" where it cannot be kept.
        digest: Of the text.
        given: As it was handed in.
        error: Why it cannot be kept.
    """

    text: str
    digest: str
    given: Addition
    error: TextError | None = None


@dataclass(frozen=True, slots=True)
class Weighed:
    """A review, ready to be stored or refused.

    Args:
        verdicts: Key to the word about it; only those of candidates.
        correct: The candidates judged correct that are texts, in the order shown.
        written: The additions, cleaned.
        problems: What is wrong, blocking ones and warnings.
    """

    verdicts: dict[str, VerdictGiven]
    correct: tuple[Candidate, ...]
    written: tuple[Written, ...]
    problems: tuple[Problem, ...]

    @property
    def blocking(self) -> tuple[Problem, ...]:
        """What refuses it, however often it is confirmed."""
        return tuple(one for one in self.problems if one.blocking)

    @property
    def to_confirm(self) -> tuple[Problem, ...]:
        """What is kept only if the reviewer says that it was seen."""
        return tuple(
            one
            for one in self.problems
            if not one.blocking and ("code", UNCHECKED) not in one.values
        )


def weigh(sentence: Sentence, shown: Sequence[Candidate], answer: ReviewAnswer) -> Weighed:
    """Return a review with all that is wrong with it; writes nothing.

    Args:
        sentence: With its project.
        shown: The candidates in the order that the reviewer saw; fields are numbered by it.
        answer: As handed in.
    """
    places = {one.key: n for n, one in enumerate(shown)}
    given = {one.key: one for one in answer.verdicts if one.key in places}
    correct = tuple(
        one for one in shown if one.text and one.key in given and given[one.key].correct
    )
    written = tuple(_written(one) for one in answer.additions)
    problems = [
        *_about_verdicts(places, given, answer),
        *_about_decision(shown, given, answer),
        *_about_additions(sentence, given, written),
    ]
    judged = all(key in given for key in places)
    if answer.decision == Decision.CORRECTED and judged:
        problems += _not_restored(places, given, answer)
        problems += _inconsistent(sentence, places, correct, written, problems)
    elif answer.decision == Decision.ERROR_FREE:
        problems += consistency(sentence, answer.decision, (), ())
    return Weighed(given, correct, written, tuple(problems))


def _written(given: Addition) -> Written:
    try:
        text = cleaned(given.text).text
    except TextError as error:
        return Written("", "", given, error)
    return Written(text, digest(text), given)


def _about_verdicts(
    places: dict[str, int], given: dict[str, VerdictGiven], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield what REV-2 and REV-3 say: each judged once, each wrong one with its reasons."""
    for key, n in places.items():
        if key not in given:
            yield Problem("REV-2", f"verdict-{n}", f"text {n + 1} is not judged yet")
    for key, count in Counter(one.key for one in answer.verdicts).items():
        if key not in places:
            yield Problem("REV-2", "", "a verdict is about a text that is not there; load it anew")
        elif count > 1:
            yield Problem(
                "REV-2", f"verdict-{places[key]}", f"text {places[key] + 1} is judged twice"
            )
    for key, one in given.items():
        yield from _about_reasons(places[key], one, answer)


def _about_reasons(n: int, one: VerdictGiven, answer: ReviewAnswer) -> Iterator[Problem]:
    field = f"verdict-{n}"
    yield from section_problems(one.section, field)
    if len(one.note) > LONGEST_NOTE:
        yield Problem("note-too-long", field, f"the note has more than {LONGEST_NOTE} characters")
    # A lost decision says by itself why it is wrong; and texts of what nobody can annotate, too.
    if one.correct or one.key in tuple(Decision) or answer.decision == Decision.NOT_ANNOTATABLE:
        return
    if not one.reasons:
        yield Problem("REV-3", field, f"text {n + 1} is wrong: say why, with at least one reason")
    elif tuple(one.reasons) == (RejectReason.OTHER,) and not one.note.strip():
        yield Problem("REV-3-note", field, f"text {n + 1}: the reason 'other' needs a note")


def section_problems(section: str, field: str) -> Iterator[Problem]:
    """Yield what is wrong with the name of a cited section of the guideline."""
    if len(section) > LONGEST_SECTION:
        message = f"the name of the section has more than {LONGEST_SECTION} characters"
        yield Problem("section-too-long", field, message)


def _about_decision(
    shown: Sequence[Candidate], given: dict[str, VerdictGiven], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield where the decision and the verdicts contradict each other (REV-6, REV-7, CON-1, 2).

    A golden set is of one kind whatever a project's switches say: there is no place for more.
    """
    code = {"error_free": "CON-1", "not_annotatable": "CON-2"}.get(answer.decision, "CON-1")
    whole = answer.decision != Decision.CORRECTED
    for n, one in enumerate(shown):
        right = one.key in given and given[one.key].correct
        field = f"verdict-{n}"
        if right and one.decision != answer.decision:
            said = "text" if one.text else f"decision {one.key}"
            message = f"{said} {n + 1} is judged correct, but the sentence is {answer.decision}"
            yield Problem(code, field, message, (("decision", answer.decision),))
        elif whole and one.key == answer.decision and one.key in given and not right:
            message = f"the sentence is {answer.decision}, but that decision is judged wrong"
            yield Problem(code, field, message, (("decision", answer.decision),))
    if whole and answer.additions:
        message = f"the sentence is {answer.decision}; take the added corrections away"
        yield Problem(code, "addition-0", message, (("decision", answer.decision),))
    if answer.decision == Decision.NOT_ANNOTATABLE:
        yield from _about_reason(answer)
    if len(answer.note) > LONGEST_NOTE:
        yield Problem("note-too-long", "note", f"the note has more than {LONGEST_NOTE} characters")


def _about_reason(answer: ReviewAnswer) -> Iterator[Problem]:
    if answer.reason not in tuple(NotAnnotatableReason):
        yield Problem("REV-7", "reason", "say why the sentence cannot be annotated")
    elif answer.reason == NotAnnotatableReason.OTHER and not answer.note.strip():
        yield Problem("REV-7-note", "note", "the reason 'other' needs a note")


def _about_additions(
    sentence: Sentence, given: dict[str, VerdictGiven], written: Sequence[Written]
) -> Iterator[Problem]:
    """Yield what makes an added text none: empty, the sentence itself, or there already."""
    seen: set[str] = set()
    for n, one in enumerate(written):
        field = f"addition-{n}"
        if one.error is not None:
            yield Problem("ANN-12", field, str(one.error), one.error.told)
        elif not one.text:
            yield Problem("ANN-12", field, f"added correction {n + 1} is empty")
        elif one.digest == sentence.digest:
            yield Problem("ANN-10", field, f"added correction {n + 1} is the sentence itself")
        elif one.digest in seen or (one.digest in given and given[one.digest].correct):
            yield Problem("CON-10", field, f"added correction {n + 1} is there already")
        elif one.digest in given:
            yield Problem("REV-4", field, f"added correction {n + 1} is a text judged wrong")
        seen.add(one.digest)
        parent = one.given.parent
        if parent and (parent in tuple(Decision) or parent not in given or given[parent].correct):
            message = f"added correction {n + 1} is made from a text that is not judged wrong"
            yield Problem("REV-4-parent", field, message)


def _not_restored(
    places: dict[str, int], given: dict[str, VerdictGiven], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield the texts rejected for over-correction alone from which nothing was made (REV-9)."""
    parents = {one.parent for one in answer.additions}
    for key, one in given.items():
        alone = set(one.reasons) == {RejectReason.OVERCORRECTION}
        if not one.correct and alone and key not in parents:
            n = places[key]
            message = (
                f"text {n + 1} only goes too far: restore that and add the rest as a correction"
            )
            yield Problem("REV-9", f"verdict-{n}", message, blocking=False)


def _inconsistent(
    sentence: Sentence,
    places: dict[str, int],
    correct: Sequence[Candidate],
    written: Sequence[Written],
    problems: Sequence[Problem],
) -> tuple[Problem, ...]:
    """Return what the rules find in the golden set, without the boxes that are wrong already."""
    wrong = {one.field for one in problems}
    golden = [(f"verdict-{places[one.key]}", one.text) for one in correct]
    golden += [(f"addition-{n}", one.text) for n, one in enumerate(written)]
    good = [(field, text) for field, text in golden if field not in wrong]
    if golden and not good:
        return ()
    texts = tuple(text for _, text in good)
    return consistency(sentence, Decision.CORRECTED, texts, [field for field, _ in good])


def consistency(
    sentence: Sentence, decision: Decision, texts: tuple[str, ...], fields: Sequence[str]
) -> tuple[Problem, ...]:
    """Return what the project's rules find in a golden set (CON-1 to CON-10), by box.

    Args:
        sentence: With its project.
        decision: Kind of the golden set.
        texts: Its references.
        fields: The box of each text.
    """
    decided = Decided(sentence.text, sentence.project.lang, decision, texts)
    found = findings(decided, sentence.project.rules)
    return tuple(_problem(one, fields) for one in found)


def _problem(finding: Finding, fields: Sequence[str]) -> Problem:
    values = tuple((name, str(value)) for name, value in finding.values)
    return Problem(
        finding.rule,
        "decision" if finding.reference is None else fields[finding.reference],
        str(finding),
        (("code", finding.code), *values),
        finding.blocks,
    )
