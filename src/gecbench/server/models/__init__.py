"""Rows and their laws, as constraints wherever the database can hold them (section 4.1)."""

from __future__ import annotations

from gecbench.server.models.base import AppendOnly, AppendOnlyError
from gecbench.server.models.pay import (
    PayActivation,
    PayEntry,
    PayFormula,
    PayPeriod,
    PayStatement,
)
from gecbench.server.models.people import Invitation, Notice, Person, RateLimit, Session, Token
from gecbench.server.models.perturbation import (
    GoldenVariant,
    PerturbationCase,
    Proposal,
    Variant,
    VariantCheck,
)
from gecbench.server.models.projects import (
    Acknowledgement,
    Assignment,
    Audit,
    Figures,
    Guideline,
    GuidelineCase,
    ImportBatch,
    Member,
    MemberEvent,
    Project,
    Source,
)
from gecbench.server.models.quality import (
    GoldResult,
    InspectionItem,
    InspectionJudge,
    InspectionRound,
    Overruling,
    PracticeAnswer,
    Rating,
    RatingAnswer,
    Resolution,
    Trial,
    TrialTask,
)
from gecbench.server.models.reviews import (
    Complaint,
    Golden,
    GoldenReference,
    Message,
    Reading,
    Release,
    ReleaseItem,
    Review,
    ReviewTask,
    Study,
    StudyTry,
    Verdict,
)
from gecbench.server.models.sentences import (
    Draft,
    DraftRevision,
    Reference,
    Sentence,
    Skip,
    Slot,
    SlotEvent,
    Submission,
    Suggestion,
    SuggestionEvent,
)
