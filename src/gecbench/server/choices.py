"""The words of the workflow, as the database and the wire spell them: states, decisions, ..."""

from __future__ import annotations

from enum import StrEnum

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class SentenceState(StrEnum):
    """Where a sentence stands (specification, section 1.3)."""

    OPEN = "open"
    ANNOTATING = "annotating"
    REVIEW_READY = "review_ready"
    IN_REVIEW = "in_review"
    GOLDEN = "golden"
    DISPUTED = "disputed"
    WITHDRAWN = "withdrawn"


class SlotState(StrEnum):
    """Where one of the N places of a sentence stands."""

    FREE = "free"
    OPEN = "open"
    SUBMITTED = "submitted"
    JUDGED = "judged"
    STUDY = "study"
    PASSED = "passed"
    DISPUTED = "disputed"


SUBMITTED_OR_LATER = (
    SlotState.SUBMITTED,
    SlotState.JUDGED,
    SlotState.STUDY,
    SlotState.PASSED,
    SlotState.DISPUTED,
)


class TaskState(StrEnum):
    """Where a review task stands."""

    FREE = "free"
    OPEN = "open"
    DONE = "done"
    RETURNED = "returned"


class StudyState(StrEnum):
    """Where a study item stands; why it closed is a CloseReason."""

    OPEN = "open"
    CLOSED = "closed"


class CloseReason(StrEnum):
    """Why a study item closed."""

    MATCHED = "matched"
    UPHELD = "upheld"
    GOLDEN_CHANGED = "golden_changed"
    WAIVED = "waived"


class ComplaintState(StrEnum):
    """Where a complaint stands."""

    OPEN = "open"
    DISCUSSED = "discussed"
    UPHELD = "upheld"
    UPHELD_CHANGED = "upheld_changed"
    DISMISSED = "dismissed"


class MemberStatus(StrEnum):
    """What a member may be served; only active ones get real tasks (ROL-4)."""

    INVITED = "invited"
    TRAINING = "training"
    TRIAL = "trial"
    ACTIVE = "active"
    PAUSED = "paused"
    LEFT = "left"


class Role(StrEnum):
    """What a member does in a project; a member may have several roles (ROL-1)."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    JUDGE = "judge"
    MANAGER = "manager"


class Decision(StrEnum):
    """What a submission, a review or a golden set says of a sentence; exactly one (ANN-9)."""

    CORRECTED = "corrected"
    ERROR_FREE = "error_free"
    NOT_ANNOTATABLE = "not_annotatable"


class Purpose(StrEnum):
    """What a sentence is for; only real ones reach exports and statistics (INV-12)."""

    REAL = "real"
    TRAINING = "training"
    TRIAL = "trial"


class ProjectKind(StrEnum):
    """What a project makes; the loop of rewriting is built, the others have their room."""

    REWRITE = "rewrite"
    PERTURB = "perturb"
    INSPECT = "inspect"


class Origin(StrEnum):
    """Where a reference comes from."""

    ANNOTATOR = "annotator"
    MODIFIED = "modified"
    ADDED = "added"
    RESTORED = "restored"
    COMPLAINT = "complaint"
    IMPORT = "import"
    MODEL = "model"


class Dimension(StrEnum):
    """What a reference repairs: grammar only (minimal), or fluency too (YACLC)."""

    GRAMMAR = "grammar"
    FLUENCY = "fluency"


class ReviewKind(StrEnum):
    """Why a review was made."""

    FIRST = "first"
    SECOND = "second"
    COMPLAINT = "complaint"
    REOPENED = "reopened"
    UNANIMOUS = "unanimous"


class RejectReason(StrEnum):
    """Why a text is judged wrong (REV-3)."""

    INCOMPLETE = "incomplete"
    ERRONEOUS = "erroneous"
    MEANING = "meaning"
    OVERCORRECTION = "overcorrection"
    PLACEHOLDER = "placeholder"
    PUNCTUATION = "punctuation"
    SYMBOL = "symbol"
    FOREIGN_WORD = "foreign_word"
    OTHER = "other"


class NotAnnotatableReason(StrEnum):
    """Why a sentence cannot be annotated (ANN-6)."""

    INCOMPREHENSIBLE = "incomprehensible"
    TRADITIONAL = "traditional"
    LANGUAGE = "language"
    PERSONAL = "personal"
    OTHER = "other"


class SuggestionAct(StrEnum):
    """What somebody did with a suggestion; one row each, for ever."""

    SHOWN = "shown"
    TAKEN = "taken"


class SlotEventKind(StrEnum):
    """What happened to a slot; one row each, for ever."""

    CLAIM = "claim"
    RENEW = "renew"
    RELEASE = "release"
    EXPIRE = "expire"
    SKIP = "skip"
    SUBMIT = "submit"
    REOPEN = "reopen"
    JUDGE = "judge"
    PASS = "pass"
    STUDY = "study"
    DISPUTE = "dispute"
    RETURN = "return"


class Suggestions(TextChoices):
    """When a corrector's suggestions are shown."""

    OFF = "off", _("Never")
    AFTER_TYPING = "after_typing", _("After the first own edit")
    ON_DEMAND = "on_demand", _("When somebody asks")


class UnanimousErrorFree(TextChoices):
    """What happens when all annotators say free of errors (WFL-4)."""

    REVIEW = "review", _("Review it all the same")
    CLOSE = "close", _("Close it")


class ComplaintsTo(TextChoices):
    """Who decides a complaint first (CMP-2)."""

    OTHER = "other", _("another reviewer")
    SAME = "same", _("the reviewer who decided")
