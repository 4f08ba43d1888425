"""Shows what others computed, and computes nothing itself but percent and rounding."""

from __future__ import annotations

from typing import Literal

PageLanguage = Literal["en", "zh"]
"""Languages that pages and figures are written in."""

ReportFormat = Literal["text", "json", "csv", "latex", "markdown"]
