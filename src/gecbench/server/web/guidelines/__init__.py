"""The guideline: page, drawer, search, acknowledging."""

from __future__ import annotations
