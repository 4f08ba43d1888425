"""Hints of a corrector about a variant, on demand (PER-7); nothing of them is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

from django.conf import settings

from gecbench.api.correct import open_corrector
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError
from gecbench.server.choices import SlotState
from gecbench.server.models import Member, PerturbationCase, Slot
from gecbench.server.rules.perturbation import clean_gap, derive
from gecbench.server.rules.text import TextError
from gecbench.server.workflow.errors import (
    NotYoursError,
    Problem,
    RefusedError,
    UnavailableError,
)
from gecbench.server.workflow.perturbation import chips_of
from gecbench.server.workflow.sentences import require_active

_lock = Lock()


@dataclass(frozen=True, slots=True)
class Hint:
    """What a corrector makes of the correction of a variant.

    Args:
        target: Of the variant.
        text: What the corrector would write; equal where it has nothing to say.
        corrector: Its name.
    """

    target: str
    text: str
    corrector: str


@cache
def _load(name: str) -> Corrector:
    return open_corrector(name)


def hint(member: Member, slot_id: int, gaps: Sequence[str]) -> Hint:
    """What the site's corrector would change in the correction that gaps make; nothing is stored.

    Raises:
        NotYoursError: The project or the site has no hints, or the task is not open and theirs.
        RefusedError: The gaps are not those of the case.
        UnavailableError: The corrector does not answer.
        NotAllowedError: The member may not work now.
    """
    require_active(member)
    slots = Slot.objects.filter(
        pk=slot_id, project=member.project_id, person=member.person_id, state=SlotState.OPEN
    )
    case = PerturbationCase.objects.filter(sentence__slots__in=slots).first()
    name = settings.HINT_CORRECTORS[member.project.lang]
    if case is None or not member.project.rules.hints or not name:
        raise NotYoursError("there is no hint for task {slot_id}", slot_id=slot_id)
    chips = chips_of(case)
    if len(gaps) != len(chips) + 1:
        raise RefusedError([Problem("PER-2")])
    try:
        cleaned = [clean_gap(gap).text for gap in gaps]
    except TextError as error:
        code = f"ANN-12-{error.code}"
        raise RefusedError([Problem(code, "", error.values, error.code)]) from error
    target = derive(cleaned, chips, member.project.lang)[1]
    if not target:
        return Hint(target, target, name)
    try:
        with _lock:  # models are not for several threads at once
            (correction,) = _load(name).correct([target])
    except GecbenchError as error:
        raise UnavailableError(
            "the corrector of hints does not answer: {error}", error=str(error)
        ) from error
    return Hint(target, correction.text, name)
