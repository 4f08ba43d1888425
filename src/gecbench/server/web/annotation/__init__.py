"""The work screen, drafts, submitting, history."""

from __future__ import annotations
