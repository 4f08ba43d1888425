"""All invariants, recounted from the rows (section 4.2; `gecbench annotate check`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from gecbench.server.workflow import audits, golden_checks, recounts
from gecbench.server.workflow.violations import Scope, Violation

__all__ = ["CHECKS", "Violation", "check"]

CHECKS: tuple[Callable[[Scope], Iterator[Violation]], ...] = (
    *(recounts.slots, recounts.reviewers, recounts.counters, recounts.states),
    *(recounts.submissions, recounts.keys, recounts.drafts, recounts.digests),
    *(golden_checks.goldens, golden_checks.references, golden_checks.placeholders),
    *(golden_checks.verdicts, golden_checks.studies, golden_checks.complaints),
    golden_checks.releases,
)
"""What recounts an invariant each; releases' files are verified by exchange (INV-14)."""


def check(project_id: int | None = None, *, most: int = 1000) -> tuple[Violation, ...]:
    """Return what is broken in one project or all, at most so many of each invariant.

    The log of who did what is one chain for all projects, and always looked at whole.
    """
    scope = Scope(project_id, most)
    found = [one for look in CHECKS for one in islice(look(scope), most)]
    found += [Violation("audit", "audit", line) for line in islice(audits.verify(), most)]
    return tuple(found)
