"""gecbench analyse: one command per question, each in a file of its own, imported when called."""

from __future__ import annotations

import click

from gecbench.cli.group import LazyGroup

ANALYSES = {
    "robustness": "Do corrections stay the same when the context changes? (RobustGEC)",
    "difficulty": "How difficult is each error, and who corrects the difficult ones? (GoToScorer)",
    "references": "What does the number of references change?",
    "human": "How do annotators fare against the final references?",
    "agreement": "How far do annotators agree before anybody decides?",
    "correlation": "Do metrics agree with one another over systems?",
    "meta": "Do metrics agree with human judgements? (SEEDA)",
    "segmentation": "How far do scores depend on the segmenter?",
    "breakdown": "Where are systems good and bad: type, length, position, origin?",
    "paper-table": "How do results compare with the figures that a paper printed?",
}
"""Name to help: help needs no command to be imported."""


@click.group(
    cls=LazyGroup,
    package=__name__,
    table={
        name: ("{0}:{0}".format(name.replace("-", "_")), about) for name, about in ANALYSES.items()
    },
    noun="analysis",
)
def analyse() -> None:
    """Look into scores: what a number hides, and how far it can be trusted."""
