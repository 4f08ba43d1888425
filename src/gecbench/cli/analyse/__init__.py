"""gecbench analyse: a command for each question, imported when it is called."""

from __future__ import annotations

import click

from gecbench.cli.command import LazyGroup

ANALYSES = {
    "robustness": (
        "scores:robustness",
        "Do corrections stay the same when the context changes? (RobustGEC)",
    ),
    "difficulty": (
        "difficulty:difficulty",
        "How difficult is each error, and who corrects the difficult ones? (GoToScorer)",
    ),
    "references": ("scores:references", "What does the number of references change?"),
    "human": ("metrics:human", "How do annotators fare against the final references?"),
    "agreement": (
        "metrics:agreement",
        "How far do annotators agree before anybody decides?",
    ),
    "correlation": ("metrics:correlation", "Do metrics agree with one another over systems?"),
    "meta": ("metrics:meta", "Do metrics agree with human judgements? (SEEDA)"),
    "segmentation": ("scores:segmentation", "How far do scores depend on the segmenter?"),
    "breakdown": (
        "scores:breakdown",
        "Where are systems good and bad: type, length, position, origin?",
    ),
    "paper-table": (
        "scores:paper_table",
        "How do results compare with the figures that a paper printed?",
    ),
}
"""Name to place and help: help needs no command to be imported."""


@click.group(cls=LazyGroup, package=__name__, table=ANALYSES, noun="analysis")
def analyse() -> None:
    """Analyse scores: what a number hides, and how far it can be trusted."""
