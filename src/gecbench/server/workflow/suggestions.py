"""Suggestions of a corrector: made in batches, shown by the server alone, each showing kept.

One that is seen too early anchors what people write. So a page never has it before it may be shown,
and what was shown to whom, when, and whether it was taken over, are rows for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.server.choices import Decision, Purpose, SuggestionAct
from gecbench.server.models import (
    DraftRevision,
    Member,
    Project,
    Sentence,
    Slot,
    Submission,
    Suggestion,
    SuggestionEvent,
)
from gecbench.server.models.base import compiled
from gecbench.server.rules.text import TextError, clean, digest
from gecbench.server.workflow import audit
from gecbench.server.workflow.errors import EditFirstError, NotYoursError
from gecbench.server.workflow.sentences import BATCH, WORKABLE, open_slots, require_active
from gecbench.server.workflow.transactions import lock_member, transactional

LONGEST_NAME = 200

# A corrector proposes, outside of any request; what is done is kept, and not done again.


@dataclass(frozen=True, slots=True)
class SuggestionRun:
    """What a run of a corrector came to.

    Args:
        count: How many suggestions were kept.
        changing: How many of them change the sentence.
        unusable: Sentences of which the corrector made nothing that can be shown.
        there: Sentences that had one of the same corrector already.
    """

    count: int = 0
    changing: int = 0
    unusable: int = 0
    there: int = 0


def sentences_without(project: Project, info: CorrectorInfo) -> QuerySet[Sentence]:
    """The sentences that annotators may begin and that have no suggestion of a corrector."""
    same = Suggestion.objects.filter(
        sentence=OuterRef("pk"), model=info.name[:LONGEST_NAME], model_version=version_of(info)
    )
    return _work(project).filter(~Exists(same)).order_by("priority", "order_key")


def _work(project: Project) -> QuerySet[Sentence]:
    """What annotators may begin; gold tasks too, which look like all others."""
    purposes = (Purpose.REAL, Purpose.GOLD)
    return Sentence.objects.filter(project=project, purpose__in=purposes, state__in=WORKABLE)


def version_of(info: CorrectorInfo) -> str:
    """What a corrector's output depends on, short enough for its column."""
    settings = "|".join(f"{name}:{value}" for name, value in info.signature.items())
    if len(settings) <= LONGEST_NAME:
        return settings
    return f"{settings[:150]}... sha256:{hashlib.sha256(settings.encode()).hexdigest()[:32]}"


def make_suggestions(
    project: Project, corrector: Corrector, *, progress: Callable[[int, int], None]
) -> SuggestionRun:
    """Let a corrector propose for all sentences that have no suggestion of it yet.

    Each batch is kept when it is done, so a run that is interrupted goes on where it was.

    Args:
        project: Whose.
        corrector: Loaded, for the language of the project.
        progress: Told how many of how many sentences are done.
    """
    keys = list(sentences_without(project, corrector.info).values_list("pk", flat=True))
    work = _work(project)
    count = changing = unusable = 0
    there, most = work.count() - len(keys), min(corrector.info.window, BATCH)
    for start in range(0, len(keys), most):
        chunk = keys[start : start + most]
        batch = list(work.filter(pk__in=chunk).order_by("pk"))
        corrections = corrector.correct([sentence.text for sentence in batch])
        rows = [
            _row(sentence, correction, corrector.info)
            for sentence, correction in zip(batch, corrections, strict=True)
        ]
        suggestions = [row for row in rows if row is not None]
        Suggestion.objects.bulk_create(suggestions)
        count += len(suggestions)
        changing += sum(suggestion.text != suggestion.sentence.text for suggestion in suggestions)
        unusable += len(rows) - len(suggestions)
        progress(start + len(chunk), len(keys))
    audit.record(
        "suggestions.made",
        who=None,
        project=project,
        data={"corrector": corrector.info.name, "made": count, "changing": changing},
    )
    return SuggestionRun(count, changing, unusable, there)


def _row(sentence: Sentence, correction: Correction, info: CorrectorInfo) -> Suggestion | None:
    """A suggestion; None where the corrector failed, or its text cannot be kept."""
    try:
        text = clean(correction.text).text
    except TextError:
        return None
    same = digest(text) == sentence.digest
    if not text or (same and correction.flags):
        return None
    return Suggestion(
        sentence=sentence,
        model=info.name[:LONGEST_NAME],
        model_version=version_of(info),
        text=sentence.text if same else text,
        score=correction.score,
    )


# An annotator asks for it; whether it may be shown, the server says.


@transactional
def show(member: Member, slot_id: int) -> Suggestion:
    """The suggestion for a member's open task, and keep that it was shown.

    Of several the last that was made; once they were shown one it stays that one.

    Raises:
        NotYoursError: The project shows none, the task is not theirs, or there is none for it.
        EditFirstError: The project shows it only after an edit of their own.
        NotAllowedError: The member may not work now.
    """
    member = lock_member(member)
    require_active(member)
    slot = open_slots(member, slot_id).select_related("sentence").first()
    mode = member.project.rules.suggestions
    if slot is None or mode == "off":
        raise NotYoursError("there is no suggestion for task {slot_id}", slot_id=slot_id)
    before = shown_suggestion(slot.sentence_id, member.person_id)
    if before is not None:
        return before
    suggestion = latest_suggestion(slot.sentence_id)
    if suggestion is None:
        raise NotYoursError("there is no suggestion for task {slot_id}", slot_id=slot_id)
    if mode == "after_typing" and not _edited(slot, member.person_id):
        raise EditFirstError
    _note(suggestion, slot.pk, member.person_id, SuggestionAct.SHOWN)
    return suggestion


@transactional
def take_over(member: Member, slot_id: int) -> Suggestion:
    """Keep that a member takes over the suggestion that they were shown, and return it.

    Raises:
        NotYoursError: None was shown to them, or the task is theirs no more.
        NotAllowedError: The member may not work now.
    """
    member = lock_member(member)
    require_active(member)
    sentence_id = open_slots(member, slot_id).values_list("sentence", flat=True).first()
    suggestion = sentence_id and shown_suggestion(sentence_id, member.person_id)
    if not suggestion:
        raise NotYoursError("there is no suggestion for task {slot_id}", slot_id=slot_id)
    _note(suggestion, slot_id, member.person_id, SuggestionAct.TAKEN)
    return suggestion


def latest_suggestion(sentence_id: int) -> Suggestion | None:
    """The suggestion of a sentence that would be shown."""
    return Suggestion.objects.filter(sentence=sentence_id).order_by("-pk").first()


def shown_suggestion(sentence_id: int, person_id: int) -> Suggestion | None:
    """Find the suggestion that a person was shown for a sentence; None where none was.

    What they have seen at a place that they lost, they have seen at the next one, too.
    """
    number = shown_suggestion_id(sentence_id, person_id)
    return None if number is None else Suggestion.objects.get(pk=number)


def shown_suggestion_id(sentence_id: int, person_id: int) -> int | None:
    """Find its number alone."""
    return max((pk for (pk,) in _shown(sentence_id, person_id)), default=None)


@compiled
def _shown(sentence: int, person: int) -> QuerySet[Any, Any]:
    events = SuggestionEvent.objects.filter(
        suggestion__sentence=sentence, person=person, kind=SuggestionAct.SHOWN
    )
    return events.values_list("suggestion_id")


def matches_answer(
    suggestion: Suggestion, sentence: Sentence, decision: str, texts: Sequence[str]
) -> bool:
    """Whether an answer says what a suggestion says.

    Args:
        suggestion: Which.
        sentence: Of both; a suggestion that leaves it as it is says that it is free of errors.
        decision: Of the answer.
        texts: Of the answer.
    """
    suggested = digest(suggestion.text)
    if suggested == sentence.digest:
        return decision == Decision.ERROR_FREE
    return any(digest(text) == suggested for text in texts)


def _note(suggestion: Suggestion, slot_id: int, person_id: int, kind: SuggestionAct) -> None:
    row = {"suggestion": suggestion, "slot_id": slot_id, "person_id": person_id, "kind": kind}
    if not SuggestionEvent.objects.filter(**row).exists():
        SuggestionEvent.objects.create(**row)


def _edited(slot: Slot, person_id: int) -> bool:
    """Whether a person has decided or written something of their own for a slot."""
    if Submission.objects.filter(slot=slot, person=person_id).exists():
        return True
    saved = DraftRevision.objects.filter(slot=slot, person=person_id)
    return any(
        _has_edit(payload, slot.sentence) for payload in saved.values_list("payload", flat=True)
    )


def _has_edit(payload: Mapping[str, object], sentence: Sentence) -> bool:
    texts = payload.get("texts", ())
    if payload.get("decision") in (Decision.ERROR_FREE, Decision.NOT_ANNOTATABLE):
        return True
    return isinstance(texts, list) and any(digest(text) != sentence.digest for text in texts)
