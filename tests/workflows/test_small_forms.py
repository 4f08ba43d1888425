"""The small forms run to their tables, by the same commands on tiny models."""

from __future__ import annotations

import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from .conftest import snakemake

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "names",
    [
        ["mucgec-table-6"],
        # In one folder, as the second takes the models of the first.
        ["robustgec-table-5", "robustgec-table-4"],
        ["syngec-mucgec", "syngec-nlpcc18"],
    ],
    ids=" then ".join,
)
def test_the_small_form_runs_to_its_table(names: list[str], tmp_path: Path, forks: Path) -> None:
    for name in names:
        # All systems of table 4 take minutes: its row of SynGEC stands for them.
        row = ["robustness/syngec.json"] if name == "robustgec-table-4" else []
        process = snakemake(name, tmp_path, *row, first=forks)
        output = process.communicate()[0]
        assert process.returncode == 0, output
        if row:
            assert json.loads((tmp_path / row[0]).read_text("utf-8"))["systems"]
            card = json.loads((tmp_path / "runs/syngec/model/gecbench.json").read_text("utf-8"))
            assert card["kind"] == "syntax"
        else:
            has_its_table(tmp_path, name)


def has_its_table(folder: Path, name: str) -> None:
    """Assert that a workflow made its table in each form, with the small form's warning."""
    filled = json.loads((folder / f"{name}.json").read_text("utf-8"))
    assert filled["small"]
    for table in filled["tables"]:
        assert {row.get("status", "") for row in table["rows"]} <= {"", "people"}
    for form in ("txt", "tex", "md"):
        text = (folder / f"{name}.{form}").read_text("utf-8")
        assert "these numbers mean nothing" in text


def test_kill_9_costs_the_step_that_was_running_and_training_goes_on(tmp_path: Path) -> None:
    start = partial(
        snakemake, "robust-from-scratch", tmp_path, "runs/tagger-1/model", config=["epochs=40"]
    )
    process = start()
    until = time.monotonic() + 120
    state = tmp_path / "runs/tagger-1/checkpoints"
    while not list(state.glob("step-*/state.json")) and time.monotonic() < until:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    corrupted = (tmp_path / "data/corrupted.jsonl").stat().st_mtime_ns
    assert not (tmp_path / "runs/tagger-1/model").exists()

    process = snakemake("robust-from-scratch", tmp_path, "--unlock")
    process.communicate()
    process = start()
    output = process.communicate()[0]
    assert process.returncode == 0, output
    assert (tmp_path / "data/corrupted.jsonl").stat().st_mtime_ns == corrupted
    log = (tmp_path / "logs/tagger-1.log").read_text("utf-8")
    assert "going on from step" in log


def test_tools_that_are_missing_stop_a_run_before_its_first_step(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GECBENCH_DATA", str(tmp_path))
    monkeypatch.delenv("GECBENCH_DATA_MIRROR", raising=False)
    process = snakemake("mucgec-table-7", tmp_path, config=["scheme=zh-cherrant"])
    output = process.communicate()[0]
    assert process.returncode == 1
    assert "gecbench data get cherrant" in output
    assert not (tmp_path / "data").exists()
