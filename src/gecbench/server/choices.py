"""The words of the workflow: states, decisions, ...; as the database and as people know them."""

from __future__ import annotations

from enum import StrEnum

from django.db.models import TextChoices
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


def label_of(choices: type[TextChoices], value: str) -> str:
    """The label of a stored value; the value itself where nothing is called so."""
    return str(dict(choices.choices).get(value, value))


class SentenceState(TextChoices):
    """Where a sentence stands (specification, section 1.3)."""

    OPEN = "open", _("not begun")
    ANNOTATING = "annotating", _("being annotated")
    REVIEW_READY = "review_ready", _("waits for review")
    IN_REVIEW = "in_review", _("in review")
    GOLDEN = "golden", _("golden")
    DISPUTED = "disputed", _("under complaint")
    WITHDRAWN = "withdrawn", _("withdrawn")


class SlotState(TextChoices):
    """Where one of the N places of a sentence stands."""

    FREE = "free", _("free")
    OPEN = "open", _("in work")
    SUBMITTED = "submitted", _("submitted")
    JUDGED = "judged", _("judged")
    STUDY = "study", _("in self-study")
    PASSED = "passed", _("passed")
    DISPUTED = "disputed", _("under complaint")


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


class CloseReason(TextChoices):
    """Why a study item closed."""

    MATCHED = "matched", _("a golden text was found")
    UPHELD = "upheld", _("the complaint was upheld")
    GOLDEN_CHANGED = "golden_changed", _("the text became golden")
    WAIVED = "waived", _("closed by a manager")


class ComplaintState(TextChoices):
    """Where a complaint stands."""

    OPEN = "open", _("waits for an answer")
    DISCUSSED = "discussed", _("is discussed")
    UPHELD = "upheld", _("upheld")
    UPHELD_CHANGED = "upheld_changed", _("upheld with a change")
    DISMISSED = "dismissed", _("dismissed")


class MemberStatus(TextChoices):
    """What a member may be served; only active ones get real tasks (ROL-4)."""

    INVITED = "invited", _("invited")
    TRAINING = "training", _("in training")
    TRIAL = "trial", _("on trial")
    ACTIVE = "active", _("active")
    PAUSED = "paused", _("paused")
    LEFT = "left", _("left")


class Role(TextChoices):
    """What a member does in a project; a member may have several roles (ROL-1)."""

    ANNOTATOR = "annotator", _("annotator")
    REVIEWER = "reviewer", _("reviewer")
    JUDGE = "judge", _("judge")
    MANAGER = "manager", _("manager")


class Decision(TextChoices):
    """What a submission, a review or a golden set says of a sentence; exactly one (ANN-9)."""

    CORRECTED = "corrected", _("has corrections")
    ERROR_FREE = "error_free", _("free of errors")
    NOT_ANNOTATABLE = "not_annotatable", _("cannot be annotated")

    @property
    def heading(self) -> str:
        """The label as it stands alone."""
        return str(capfirst(self.label))


class Purpose(TextChoices):
    """What a sentence is for; only real ones reach exports and statistics (INV-12)."""

    REAL = "real", _("real work")
    TRAINING = "training", _("training")
    TRIAL = "trial", _("trial")
    GOLD = "gold", _("gold tasks")


class TrialState(TextChoices):
    """Where a candidate's trial stands."""

    OPEN = "open", _("under way")
    PASSED = "passed", _("passed the trial")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("not passed")


class RoundState(TextChoices):
    """Where a round of quality inspection stands."""

    OPEN = "open", _("under way")
    CLOSED = "closed", _("closed")


class ProjectKind(TextChoices):
    """What a project makes."""

    REWRITE = "rewrite", _("corrections")
    PERTURB = "perturb", _("perturbed contexts")


class VariantOrigin(TextChoices):
    """Who made a variant (PER-9, PER-10)."""

    PERSON = "person", _("by a person")
    MACHINE = "machine", _("proposed by a machine, accepted unchanged")
    MACHINE_EDITED = "machine_edited", _("proposed by a machine, edited by a person")
    REVIEWER = "reviewer", _("edited by the reviewer")
    IMPORT = "import", _("imported")


class CheckDecision(TextChoices):
    """What a reviewer does with a variant (PER-9)."""

    ACCEPTED = "accepted", _("accepted")
    EDITED = "edited", _("edited")
    RETURNED = "returned", _("returned")


class VariantReason(TextChoices):
    """Why a variant is returned to its author."""

    NEW_ERROR = "new_error", _("It has a new error.")
    MOVED_ERROR = "moved_error", _("It changes an error of the original.")
    MEANING = "meaning", _("It makes no sense.")
    UNNATURAL = "unnatural", _("Nobody would write it like this.")
    TOO_STRONG = "too_strong", _("It changes too much.")
    OTHER = "other", _("Something else; the note says what.")

    @property
    def section(self) -> str:
        """The section of the guidelines that explains it."""
        return f"return-{self.value.replace('_', '-')}"


class Proposals(TextChoices):
    """Whether people begin with what a program proposes."""

    OFF = "off", _("No: people write each variant themselves")
    FIRST = "first", _("Yes: accept, edit or reject a proposal")


class Origin(TextChoices):
    """Where a reference comes from."""

    ANNOTATOR = "annotator", _("by an annotator")
    MODIFIED = "modified", _("modified by the reviewer")
    ADDED = "added", _("added by the reviewer")
    RESTORED = "restored", _("restored by the reviewer")
    COMPLAINT = "complaint", _("by a complaint")
    IMPORT = "import", _("imported")
    MODEL = "model", _("by a model")


class Dimension(StrEnum):
    """What a reference repairs: grammar only (minimal), or fluency too (YACLC)."""

    GRAMMAR = "grammar"
    FLUENCY = "fluency"


class ReviewKind(TextChoices):
    """Why a review was made."""

    FIRST = "first", _("review")
    SECOND = "second", _("second opinion")
    COMPLAINT = "complaint", _("decision of a complaint")
    REOPENED = "reopened", _("review again")
    UNANIMOUS = "unanimous", _("closed because all agreed")


class RejectReason(TextChoices):
    """Why a text is judged wrong (REV-3)."""

    INCOMPLETE = "incomplete", _("Incomplete correction")
    ERRONEOUS = "erroneous", _("Erroneous correction")
    MEANING = "meaning", _("Meaning change")
    OVERCORRECTION = "overcorrection", _("Over-correction")
    PLACEHOLDER = "placeholder", _("Placeholder misuse")
    PUNCTUATION = "punctuation", _("Punctuation")
    SYMBOL = "symbol", _("Symbol")
    FOREIGN_WORD = "foreign_word", _("Foreign word")
    OTHER = "other", pgettext_lazy("reason", "Other")

    @property
    def section(self) -> str:
        """The section of the guidelines that explains it."""
        return f"reject-{self.value.replace('_', '-')}"


class NotAnnotatableReason(TextChoices):
    """Why a sentence cannot be annotated (ANN-6)."""

    INCOMPREHENSIBLE = "incomprehensible", _("Incomprehensible")
    TRADITIONAL = "traditional", _("Traditional characters")
    LANGUAGE = "language", _("Not the language")
    PERSONAL = "personal", _("Personal data")
    OTHER = "other", pgettext_lazy("reason", "Other")

    @property
    def section(self) -> str:
        """The section of the guidelines that explains it."""
        return f"unannotatable-{self.value}"


class SuggestionAct(StrEnum):
    """What somebody did with a suggestion; one row each, for ever."""

    SHOWN = "shown"
    TAKEN = "taken"


class SlotEventKind(TextChoices):
    """What happened to a slot; one row each, for ever."""

    CLAIM = "claim", _("took a place")
    RENEW = "renew", _("went on working")
    RELEASE = "release", _("gave the place back")
    EXPIRE = "expire", _("lost the place: the time was over")
    SKIP = "skip", _("skipped it")
    SUBMIT = "submit", _("submitted")
    REOPEN = "reopen", _("took the submission back")
    JUDGE = "judge", _("was judged")
    PASS = "pass", _("passed")
    STUDY = "study", _("has something to study")
    DISPUTE = "dispute", _("complained")
    RETURN = "return", _("a place was added")
    SEND_BACK = "send_back", _("was sent back")


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


class PayKind(TextChoices):
    """What is paid; `rules/pay.py` says how."""

    ANNOTATION = "annotation", _("annotation")
    EXTRA_REFERENCE = "extra_reference", _("additional reference")
    REVIEW = "review", _("review")
    RULING = "ruling", _("decision of a complaint")
    PERTURBATION = "perturbation", _("variant")
    CHECK = "check", _("check of a variant")
    RATING = "rating", _("rating of a judge")


class PayReason(TextChoices):
    """Why an amount stands in a statement."""

    WORK = "work", _("work")
    COMPLAINT = "complaint", _("complaint upheld")
    REVERSAL = "reversal", _("no longer accepted")


class PayQuality(TextChoices):
    """What the pay of a task follows beside its number."""

    NONE = "none", _("Nothing: every accepted task is paid alike")
    ACCEPTANCE = "acceptance", _("The share of accepted answers")
    F05 = "f05", _("F0.5 against the golden references")
