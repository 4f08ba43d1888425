"""Rows and their laws, as constraints wherever the database can hold them (section 4.1)."""

from __future__ import annotations

from gecbench.server.models.fields import AppendOnly, AppendOnlyError
from gecbench.server.models.people import Invitation, Notice, Person, Token
from gecbench.server.models.projects import (
    Acknowledgement,
    Assignment,
    Guideline,
    GuidelineCase,
    ImportBatch,
    Member,
    MemberEvent,
    Project,
    Source,
)
from gecbench.server.models.records import Audit, Figures, Release, ReleaseItem
from gecbench.server.models.reviews import (
    Complaint,
    Golden,
    GoldenReference,
    Message,
    Reading,
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
from gecbench.server.models.sessions import Session
from gecbench.server.models.trials import (
    GoldResult,
    Overruling,
    PracticeAnswer,
    Trial,
    TrialTask,
)

__all__ = [
    "Acknowledgement",
    "AppendOnly",
    "AppendOnlyError",
    "Assignment",
    "Audit",
    "Complaint",
    "Draft",
    "DraftRevision",
    "Figures",
    "GoldResult",
    "Golden",
    "GoldenReference",
    "Guideline",
    "GuidelineCase",
    "ImportBatch",
    "Invitation",
    "Member",
    "MemberEvent",
    "Message",
    "Notice",
    "Overruling",
    "Person",
    "PracticeAnswer",
    "Project",
    "Reading",
    "Reference",
    "Release",
    "ReleaseItem",
    "Review",
    "ReviewTask",
    "Sentence",
    "Session",
    "Skip",
    "Slot",
    "SlotEvent",
    "Source",
    "Study",
    "StudyTry",
    "Submission",
    "Suggestion",
    "SuggestionEvent",
    "Token",
    "Trial",
    "TrialTask",
    "Verdict",
]
