"""Statistics of a project: progress, quality, agreement, people (STA-1 to STA-7).

Counts are made when they are asked for. What takes time (F0.5, agreement, Table 4) is computed by
`refresh` and kept; pages show what was kept, with its time.
"""

from __future__ import annotations

from gecbench.server.statistics.members import MemberFigures, PersonFigures, member_figures, people
from gecbench.server.statistics.report import Quality, quality
from gecbench.server.statistics.scoring import agreement, refresh, scores, table4
from gecbench.server.statistics.work import progress

__all__ = [
    "MemberFigures",
    "PersonFigures",
    "Quality",
    "agreement",
    "member_figures",
    "people",
    "progress",
    "quality",
    "refresh",
    "scores",
    "table4",
]
