"""Answers judged by the known ones, in training, in trials and of gold tasks.

A decision without text is right if it is that of the golden set; why a sentence cannot be
annotated is not compared. A text is right if a golden reference is equal to it as the project
compares texts, or makes the same edits: those of the difference that annotators see, in which
white space does not count. An answer with several texts is right if all of them are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery, prefetch_related_objects

from gecbench.server.choices import Decision
from gecbench.server.models import Overruling, PracticeAnswer, Sentence, Trial
from gecbench.server.rules.diff import tokenize
from gecbench.server.rules.text import digest


def golden_texts(sentence: Sentence) -> tuple[str, ...]:
    """The known corrections of a sentence, in their order; none where it has none."""
    golden = sentence.golden
    if golden is None:
        return ()
    prefetch_related_objects([golden], "entries__reference")  # nothing where a list has done it
    return tuple(entry.reference.text for entry in golden.entries.all())


def is_right(sentence: Sentence, decision: Decision | str, texts: Sequence[str]) -> bool:
    """Whether an answer agrees with the golden set of a sentence, whose project is with it."""
    golden = sentence.golden
    if golden is None or decision != golden.kind:
        return False
    if decision != Decision.CORRECTED:
        return True
    known = golden_texts(sentence)
    return bool(texts) and (
        {*map(digest, texts)} <= {*map(digest, known)}
        or _forms(sentence, texts) <= _forms(sentence, known)
    )


def with_rulings(answers: QuerySet[PracticeAnswer]) -> QuerySet[Any]:
    """Answers with `ruled`, the last word of a lead; None where there is none."""
    rulings = Overruling.objects.filter(answer=OuterRef("pk")).order_by("-pk")
    return answers.annotate(ruled=Subquery(rulings.values("right")[:1]))


def count_right(trial: Trial) -> int:
    """How many answers of a trial are right, a lead's word counting before the known answers."""
    answers = with_rulings(PracticeAnswer.objects.filter(task__trial=trial, counted=True))
    return answers.filter(Q(ruled=True) | Q(ruled=None, right=True)).count()


def passes(right: int, size: int, percent: int) -> bool:
    """Whether so many right answers pass; exact, as 18 of 20 are 90 per cent."""
    return right * 100 >= percent * size


def _forms(sentence: Sentence, texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The tokens of texts: of one source, two texts have equal edits if these are equal."""
    project = sentence.project
    placeholder = project.rules.placeholder
    return {
        tuple(token.form for token in tokenize(text, project.lang, placeholder)) for text in texts
    }
