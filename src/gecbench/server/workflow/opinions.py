"""A review is passed on: its task, its note, and more annotators for the sentence."""

from __future__ import annotations

from django.db.models import Exists, F, Max, OuterRef
from django.utils import timezone

from gecbench.server.laws.names import MemberStatus, Role, SentenceState, SlotEventKind, TaskState
from gecbench.server.laws.text import LONGEST_NOTE, whole
from gecbench.server.models import Member, ReviewTask, Sentence, Slot, SlotEvent
from gecbench.server.workflow import audits, slots
from gecbench.server.workflow.acting import acting
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError
from gecbench.server.workflow.review_tasks import live_task
from gecbench.server.workflow.sentences import BEGUN
from gecbench.server.workflow.standing import move

MOST_ANNOTATORS = 20


def held_task(member: Member, sentence: Sentence, version: int) -> ReviewTask:
    """Return the open task of a sentence if it is the member's and of this version.

    Raises:
        ConflictError: It is not.
    """
    task = live_task(sentence.pk)
    if (
        task is None
        or task.state != TaskState.OPEN
        or (task.reviewer_id, task.version) != (member.person_id, version)
    ):
        raise ConflictError("the review has changed, or is not yours any more; look again", task)
    return task


def checked_note(note: str, code: str, *, field: str = "note") -> str:
    """Return a note without the space around it.

    Raises:
        RefusedError: It is empty, or too long.
    """
    words = whole(note.strip())
    if not words:
        raise RefusedError([Problem(code, field, "say why in a few words")])
    if len(words) > LONGEST_NOTE:
        message = f"the note has more than {LONGEST_NOTE} characters; shorten it"
        raise RefusedError([Problem("note-too-long", field, message)])
    return words


@act
def return_for_more(
    member: Member, sentence_id: int, *, version: int, more: int, note: str = ""
) -> Sentence:
    """Ask for `more` further annotators: N of the sentence rises (WFL-5).

    Raises:
        RefusedError: More than there are annotators who have not worked on it, or beyond 20.
        ConflictError: The review has changed, or is not with the member.
    """
    member = acting(member, Role.REVIEWER)
    sentence = locked_sentence(sentence_id, member.project_id)
    task = held_task(member, sentence, version)
    _check_more(member, sentence, more)
    words = whole(note.strip())[:LONGEST_NOTE]
    said = {"note": words, "handed_by": member.person} if words else {}
    ended = ReviewTask.objects.filter(pk=task.pk, state=TaskState.OPEN, version=version).update(
        state=TaskState.RETURNED,
        lease_until=None,
        done_at=timezone.now(),
        version=F("version") + 1,
        **said,
    )
    if ended != 1:
        raise ConflictError("the review has changed meanwhile; look again")
    _add_slots(member, sentence, more)
    move(sentence, SentenceState.ANNOTATING, needed=sentence.needed + more)
    audits.record(
        "review.returned",
        who=member.person,
        project=member.project,
        about=("sentence", sentence.pk),
        data={"more": more, "needed": sentence.needed},
    )
    return sentence


def _check_more(member: Member, sentence: Sentence, more: int) -> None:
    most = MOST_ANNOTATORS - sentence.needed
    if not 1 <= more <= most:
        message = f"{more} more annotators were asked for; a sentence has at most {MOST_ANNOTATORS}"
        raise RefusedError([Problem("WFL-5", "more", message, (("most", str(most)),))])
    seen = slots.seen_by(sentence.pk, OuterRef("person"))
    left = Member.objects.filter(
        *(~Exists(one) for one in seen),
        project=sentence.project_id,
        is_annotator=True,
        status=MemberStatus.ACTIVE,
    )
    count = left.exclude(person=member.person_id).count()
    if count < more:
        message = f"only {count} annotators have not worked on this sentence; {more} were asked for"
        raise RefusedError([Problem("WFL-5-nobody", "more", message, (("left", str(count)),))])


def _add_slots(member: Member, sentence: Sentence, more: int) -> None:
    highest = Slot.objects.filter(sentence=sentence).aggregate(Max("no"))["no__max"] or 0
    made = [
        Slot(
            project_id=sentence.project_id,
            sentence=sentence,
            no=highest + n,
            priority=sentence.priority - BEGUN,
            order_key=sentence.order_key,
        )
        for n in range(1, more + 1)
    ]
    Slot.objects.bulk_create(made)
    SlotEvent.objects.bulk_create(
        SlotEvent(
            slot=one, sentence=sentence, kind=SlotEventKind.RETURN, data={"by": member.person_id}
        )
        for one in made
    )
