"""Every experiment runs to its end in its small form, by the same commands on tiny models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.experiment.reading import read_experiment
from gecbench.api.experiment.results import results_of
from gecbench.api.experiment.run import planned, run
from gecbench.reports.exhibit import render
from gecbench.reports.experiment import SMALL, exhibit

from .conftest import inside

FAMILIES = {
    "mucgec": ("mucgec-table-5", "mucgec-table-6", "mucgec-table-7"),
    "robustgec": ("robustgec-table-5", "robustgec-figure-4"),
    "systems": ("robustgec-table-4",),
    "cgec": ("cgec-table-3", "cgec-table-4"),
    "scratch": ("robust-from-scratch",),
}
"""Experiments that share a folder, and with it what they have in common."""


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_small_form_runs_to_its_table(family: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in FAMILIES[family]:
        made = planned(read_experiment(name), Path("out"), small=True)
        run(made, execute=inside)
        found = results_of(made)
        left = {task.name for task in made.chosen(()) if made.missing(task)}
        assert {task.name for task in made.chosen(())} == left | set(found.done)
        shown = exhibit(found)
        assert all(SMALL.en in table.title.en for table in shown.tables)
        for table in found.tables:
            for row in table.rows:
                check(row, left, name)
        for comparison in found.comparisons:
            assert comparison.rows
        assert all(line.points for figure in found.figures for line in figure.lines)
        json.loads(render(shown, "json"))
        for form in ("text", "latex"):
            assert SMALL.en in render(shown, form)


def check(row, left: set[str], name: str) -> None:
    """Everything that could be run has numbers, and nothing else has any."""
    if row.status:
        assert all(cell is None for cell in row.cells)
        assert row.status != "not run" or left or not row.of, (name, row.name)
    else:
        assert row.runs == row.of, (name, row.name)
        if name not in ("cgec-table-4", "mucgec-table-7", "robustgec-table-4"):
            assert all(cell and cell.values for cell in row.cells), (name, row.name)
