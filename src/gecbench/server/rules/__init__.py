"""Pure rules of annotation: texts, consistency, states, differences, options; no Django."""

from __future__ import annotations
