"""The first page: what is to be done today, in which project."""

from __future__ import annotations
