"""What a page refuses before the workflow has seen it is kept all the same (INV-10)."""

from __future__ import annotations

from gecbench.server.laws.names import Role
from gecbench.server.models import Member
from gecbench.server.workflow import drafts
from gecbench.server.workflow.acting import acting
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.answers import ReviewAnswer, Ruling


@act
def keep_refused(
    member: Member, sentence_id: int, answer: ReviewAnswer | Ruling, *roles: Role
) -> None:
    """Keep a review or a ruling as it was received, beside the draft.

    Args:
        member: Who sent it and may read the sentence.
        sentence_id: What it is about.
        answer: As sent.
        roles: One of these they must have.

    Raises:
        NotAllowedError: They may not work now.
    """
    member = acting(member, *roles)
    drafts.keep_review_aside(locked_sentence(sentence_id, member.project_id), member.person, answer)
