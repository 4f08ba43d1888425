"""What an answer becomes before it is stored, and what is wrong with it (ANN-9 to ANN-12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gecbench.server.laws.names import Decision, NotAnnotatableReason
from gecbench.server.laws.text import LONGEST_NOTE, Cleaned, TextError, cleaned, digest
from gecbench.server.models import Sentence, Suggestion
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.errors import Problem
from gecbench.server.workflow.verdicts import consistency

RULES = ("CON-3", "CON-4", "CON-4-position", "CON-5", "CON-6", "CON-7", "CON-8", "CON-9")
"""Rules of golden sets that annotators are asked about and reviewers held to; ANN-9, 10 and 11 say
the others (CON-1, 2, 10). One annotator's texts need not stand together: the reviewer chooses."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An answer after cleaning, as it will be stored.

    Args:
        decision: As given.
        texts: Cleaned, equal ones merged, in order.
        problems: What refuses it, or only warns.
        merged: How many equal boxes were merged (ANN-11).
        removed: How many invisible characters were removed (ANN-12).
        note: Cleaned.
    """

    decision: Decision
    texts: tuple[str, ...]
    problems: tuple[Problem, ...]
    merged: int = 0
    removed: int = 0
    note: str = ""


def prepare(sentence: Sentence, answer: Answer) -> Prepared:
    """Return what an answer becomes and what is wrong with it (ANN-9 to 12); writes nothing.

    Codes of problems: ANN-4 too many corrections; ANN-6 no reason; ANN-9 a mixed or empty
    answer; ANN-10 equal to the source; ANN-12 empty, and ANN-12-nul, ANN-12-surrogate,
    ANN-12-too_long with the values of `laws.text.TextError`; CON-3 to CON-9 warn, where
    the project has them on.
    """
    problems: list[Problem] = [*_about_decision(answer)]
    note = _cleaned("note", answer.note, problems, longest=LONGEST_NOTE)
    boxes = [(n, _cleaned(f"reference-{n}", text, problems)) for n, text in enumerate(answer.texts)]
    kept: dict[str, tuple[int, str]] = {}
    for n, box in boxes:
        if box is not None:
            problems += _about_text(n, box.text, sentence)
            kept.setdefault(digest(box.text), (n, box.text))
    texts = tuple(text for _, text in kept.values())
    problems += _too_many(texts, sentence)
    if answer.suggestion is not None:
        problems += _about_suggestion(answer.suggestion, sentence)
    if not any(one.blocking for one in problems):
        numbers = [n for n, _ in kept.values()]
        problems += _ruled(sentence, answer.decision, texts, numbers)
    found = [box for _, box in boxes if box is not None]
    return Prepared(
        decision=answer.decision,
        texts=texts,
        problems=tuple(problems),
        merged=len(found) - len(texts),
        removed=sum(count for box in found for _, count in box.removed),
        note=note.text if note else "",
    )


def _cleaned(field: str, text: str, problems: list[Problem], **options: int) -> Cleaned | None:
    what = "the note" if field == "note" else f"correction {int(field.split('-')[1]) + 1}"
    try:
        return cleaned(text, what=what, **options)
    except TextError as error:
        values = tuple((name, str(value)) for name, value in error.values.items())
        problems.append(Problem(f"ANN-12-{error.code}", field, str(error), values))
        return None


def _about_decision(answer: Answer) -> Iterator[Problem]:
    """Yield what makes an answer not exactly one of the three decisions (ANN-9)."""
    corrected = answer.decision == Decision.CORRECTED
    if corrected and not answer.texts:
        message = "there is no correction; write one, or say error free or not annotatable"
        yield Problem("ANN-9", "decision", message, (("kind", "nothing"),))
    if not corrected and answer.texts:
        message = f"a sentence that is {answer.decision} has no corrections; remove them"
        yield Problem("ANN-9", "decision", message, (("kind", "mixed"),))
    if answer.decision != Decision.NOT_ANNOTATABLE:
        if answer.reason:
            message = "only a sentence that is not annotatable has a reason"
            yield Problem("ANN-9", "reason", message, (("kind", "reason"),))
    elif answer.reason not in tuple(NotAnnotatableReason):
        message = f"say why it cannot be annotated: {', '.join(NotAnnotatableReason)}"
        yield Problem("ANN-6", "reason", message, (("kind", "reason"),))
    elif answer.reason == NotAnnotatableReason.OTHER and not answer.note.strip():
        message = "say in words why it cannot be annotated"
        yield Problem("ANN-6", "note", message, (("kind", "note"),))


def _about_text(n: int, text: str, sentence: Sentence) -> Iterator[Problem]:
    field, number = f"reference-{n}", (("number", str(n + 1)),)
    if not text:
        yield Problem("ANN-12", field, f"correction {n + 1} is empty", number)
    elif digest(text) == sentence.digest:
        message = f"correction {n + 1} is the sentence itself; is it error free?"
        yield Problem("ANN-10", field, message, number)


def _too_many(texts: tuple[str, ...], sentence: Sentence) -> Iterator[Problem]:
    most = sentence.project.max_references
    if len(texts) > most:
        message = f"there are {len(texts)} corrections; this project takes at most {most}"
        yield Problem("ANN-4", f"reference-{most}", message, (("most", str(most)),))


def _about_suggestion(suggestion: int, sentence: Sentence) -> Iterator[Problem]:
    if not Suggestion.objects.filter(pk=suggestion, sentence=sentence).exists():
        yield Problem("suggestion", "", "the suggestion is not one for this sentence")


def _ruled(
    sentence: Sentence, decision: Decision, texts: tuple[str, ...], numbers: Sequence[int]
) -> Iterator[Problem]:
    """Yield what the rules would say of these texts, refusing nothing; `numbers` of their boxes."""
    fields = [f"reference-{n}" for n in numbers]
    for one in consistency(sentence, decision, texts, fields):
        if one.code in RULES:
            values = tuple(_of_boxes(one.values, numbers))
            yield replace(one, values=values, blocking=False)


def _of_boxes(
    values: Iterable[tuple[str, str]], numbers: Sequence[int]
) -> Iterator[tuple[str, str]]:
    """Yield values with the number of another text as that of its box."""
    for name, value in values:
        yield name, str(numbers[int(value) - 1] + 1) if name == "other" else value
