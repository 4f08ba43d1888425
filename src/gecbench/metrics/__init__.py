"""Metrics, one file each.

A new metric is one file with its class and one line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping

METRICS: Mapping[str, str] = {
    "cherrant": "gecbench.metrics.spanf:SpanF",
}
"""Name to the class of the metric."""
