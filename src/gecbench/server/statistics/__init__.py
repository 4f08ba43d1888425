"""Statistics of a project: progress, quality, agreement, people (STA-1 to STA-7).

Counts are made when they are asked for; what was found of each sentence is stored in pieces
(`pieces`). F0.5, agreement and Table 4 are computed by `refresh` and stored; pages show what is
stored, with its time.
"""

from __future__ import annotations

from gecbench.server.statistics.members import MemberFigures, PersonFigures, member_figures, people
from gecbench.server.statistics.report import Quality, quality
from gecbench.server.statistics.scoring import agreement, refresh, scores, table4

__all__ = [
    "MemberFigures",
    "PersonFigures",
    "Quality",
    "agreement",
    "member_figures",
    "people",
    "quality",
    "refresh",
    "scores",
    "table4",
]
