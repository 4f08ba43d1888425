"""How long a guideline may be, said once: what renders, publishes and receives it agrees."""

from __future__ import annotations

LARGEST = 1_000_000
"""Bytes of UTF-8; some seconds of rendering, once in each process."""
