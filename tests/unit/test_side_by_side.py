"""What of a sentence the explorer of the report page shows, by the metric's own rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.analysis.side_by_side import Row, side_by_side
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.core.score import Counts, total
