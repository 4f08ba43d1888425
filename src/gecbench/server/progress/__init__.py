"""Statistics of a project: progress, quality, agreement, people (STA-1 to STA-7).

Counts are made when they are asked for. What takes time (F0.5, agreement, Table 4) is computed by
`refresh` and kept; pages show what was kept, with its time.
"""

from __future__ import annotations

from gecbench.server.progress.computing import agreement, refresh, table4
from gecbench.server.progress.counting import progress
from gecbench.server.progress.own import OwnFigures, own_figures
from gecbench.server.progress.scoring import scores
from gecbench.server.progress.team import PersonFigures, people
from gecbench.server.progress.whole import Quality, quality

__all__ = [
    "OwnFigures",
    "PersonFigures",
    "Quality",
    "agreement",
    "own_figures",
    "people",
    "progress",
    "quality",
    "refresh",
    "scores",
    "table4",
]
