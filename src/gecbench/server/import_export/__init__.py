"""Sentences and answers go in and out: imports, exports, releases, rows as core types."""

from __future__ import annotations
