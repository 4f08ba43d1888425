"""The default guidelines, and how Markdown becomes safe HTML."""

from __future__ import annotations
