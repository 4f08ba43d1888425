"""An experiment is run once, resumed wherever it ended, and done again where something changed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gecbench.api.experiment.reading import read_experiment
from gecbench.api.experiment.results import results_of
from gecbench.api.experiment.run import planned, run
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.reports.exhibit import render
from gecbench.reports.experiment import SMALL, exhibit, markdown

from .conftest import CHEAP, inside


def made(**options):
    return planned(read_experiment("cheap.toml"), Path("out"), **options)


def went(plan, **options) -> list[str]:
    """Run it, and return the names of the tasks that were really run."""
    said: list[str] = []
    run(plan, execute=inside, say=said.append, **options)
    return [line.split("\n")[0].split("] ")[1] for line in said if "\n$ gecbench " in line]


ALL = ["copy.seed-1", "copy.seed-2", "again.seed-1", "again.seed-2"]


def test_all_steps_are_run_once(home) -> None:
    assert went(made(), available=True) == [*ALL, "score.metric-sentence-accuracy"]
    assert went(made(), available=True) == []
    words = "score corpus.jsonl copy-1=out/systems/copy-1.txt copy-2=out/systems/copy-2.txt"
    mark = json.loads((home / "out/marks/score.metric-sentence-accuracy.json").read_text())
    assert " ".join(mark["words"]).startswith(words)


def test_another_input_redoes_all_that_comes_from_it(home) -> None:
    went(made(), available=True)
    path = home / "corpus.jsonl"
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[:30]) + "\n", "utf-8")
    assert went(made(), available=True) == [*ALL, "score.metric-sentence-accuracy"]
    assert len((home / "out/systems/copy-1.txt").read_text("utf-8").splitlines()) == 29


def test_what_was_touched_by_hand_is_made_again_and_no_more(home) -> None:
    went(made(), available=True)
    (home / "out/systems/copy-2.txt").write_text("别的。\n", "utf-8")
    # It comes out as it was, so that nothing which uses it is done again.
    assert went(made(), available=True) == ["copy.seed-2"]
    (home / "out/systems/again-1.txt").unlink()
    assert went(made(), available=True) == ["again.seed-1"]


def test_a_new_step_or_parameter_runs_only_what_it_changes(home) -> None:
    went(made(), available=True)
    assert went(made(changes=["seeds=[1]"]), available=True) == ["score.metric-sentence-accuracy"]
    assert "copy.seed-3" in went(made(changes=["seeds=[1,2,3]"]), available=True)
    text = CHEAP.replace(
        '"correct", "copying", "{copy}"', '"correct", "copying", "{copy}", "--split"'
    )
    (home / "cheap.toml").write_text(text, "utf-8")
    assert went(made(), available=True) == [*ALL[2:], "score.metric-sentence-accuracy"]


def test_only_what_is_asked_for_is_run(home) -> None:
    assert went(made(), only=["again"]) == ALL
    with pytest.raises(UsageError, match="--only dreamt of: this row has no step"):
        went(made(), only=["dreamt of"])
    with pytest.raises(UnknownNameError, match="unknown step or row 'agian'; did you mean again"):
        went(made(), only=["agian"])


def test_all_missing_inputs_are_named_at_once(home) -> None:
    (home / "corpus.jsonl").unlink()
    (home / "cheap.toml").write_text(CHEAP.replace("optional = true", ""), "utf-8")
    with pytest.raises(GecbenchError) as refused:
        went(made())
    assert "corpus: a corpus (not at corpus.jsonl); write one; spare: what only" in str(
        refused.value
    )
    assert not (home / "out").exists()
    assert went(made(), available=True) == []


def test_cells_that_were_not_run_say_so(home) -> None:
    shown = render(exhibit(results_of(made())), "text")
    assert "not run" in shown
    assert "6 of 6 steps were not run" in shown
    went(made(changes=["seeds=[1]"]), available=True)
    found = exhibit(results_of(made(changes=["seeds=[1]"])))
    rows = {(row[0], str(getattr(row[1], "en", row[1]))): row[2:] for row in found.tables[0].rows}
    assert rows["copy 1", "here"] == ("1", pytest.approx(8 / 75, abs=0.2), 76.0)
    assert rows["copy 1", "paper"] == ("", 0.125, 76)
    assert rows["copy 1", "difference"][2] == 0.0
    assert rows["spare", "here"][0] == "0"
    assert {value.en for value in rows["spare", "here"][1:]} == {"not run"}
    assert rows["spare", "paper"] == ("", 0.01, 2)
    assert ("spare", "difference") not in rows
    assert {value.en for value in rows["dreamt of", "here"][1:]} == {"not built"}
    assert "| spare | here | 0 | not run | not run |" in markdown(found)
    # What is stale is not shown either.
    path = home / "corpus.jsonl"
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[:30]) + "\n", "utf-8")
    (row, *_) = exhibit(results_of(made(changes=["seeds=[1]"]))).tables[0].rows
    assert row[3].en == "not run"


def test_the_small_form_says_that_its_numbers_mean_nothing(home) -> None:
    assert went(made(small=True)) == [
        "copy.seed-1",
        "again.seed-1",
        "score.metric-sentence-accuracy",
    ]
    found = exhibit(results_of(made(small=True)))
    assert SMALL.en in found.tables[0].title.en
    for form in ("text", "latex", "json"):
        assert SMALL.en in render(found, form)
    assert SMALL.en in markdown(found)
    with pytest.raises(UsageError, match="out: holds the small form of experiments, and this"):
        made()


def test_a_failing_step_is_one_line_and_what_was_done_stays(home) -> None:
    text = CHEAP.replace('"copying", "{copy}"', '"zh-homophon", "{copy}"')
    (home / "cheap.toml").write_text(text, "utf-8")
    with pytest.raises(GecbenchError) as failed:
        went(made(), available=True)
    assert str(failed.value) == (
        "step again.seed-1 failed with code 2: unknown corrector 'zh-homophon'; did you mean "
        "zh-homophone? (its log: out/logs/again.seed-1.log)"
    )
    (home / "cheap.toml").write_text(CHEAP, "utf-8")
    assert went(made(), available=True)[0] == "again.seed-1"


SLOW = """
import sys, time
from pathlib import Path
from gecbench.api.experiment.reading import read_experiment
from gecbench.api.experiment.run import planned, run
from gecbench.api.experiment import process
real = process.launched("")
def slow(words, **more):
    if "again-" in words[-1]:
        Path("here").touch()
        time.sleep(60)
    return real(words, **more)
run(planned(read_experiment("cheap.toml"), Path("out")), available=True, execute=slow, say=print)
"""


def test_kill_9_loses_the_step_that_was_running_and_no_more(home) -> None:
    process = subprocess.Popen([sys.executable, "-c", SLOW], start_new_session=True)
    until = time.monotonic() + 60
    while not Path("here").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    with pytest.raises(GecbenchError, match="out: another run is going on in this folder"):
        went(made(), available=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert went(made(), available=True) == [*ALL[2:], "score.metric-sentence-accuracy"]


HANGING = """
import sys
from pathlib import Path
from gecbench.api.experiment.process import launched
code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
launched(f"{sys.executable} -c '{code}'")(
    ["train"], log=Path("log"), captured=None, environment={}
)
"""


def test_a_killed_runner_leaves_no_step_behind(home) -> None:
    process = subprocess.Popen([sys.executable, "-c", HANGING])
    until = time.monotonic() + 60
    log = Path("log")
    while not (log.exists() and log.read_text().endswith("\n")) and time.monotonic() < until:
        time.sleep(0.02)
    child = int(log.read_text())
    assert _alive(child)
    process.kill()
    process.wait()
    until = time.monotonic() + 10
    while time.monotonic() < until and _alive(child):
        time.sleep(0.02)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_the_command_runs_processes_and_writes_the_tables(home, gecbench) -> None:
    code, out, err = gecbench(
        "experiment", "cheap.toml", "-o", "out", "--available", "--only", "score"
    )
    assert code == 0, err
    assert "[1/5] copy.seed-1\n$ gecbench correct copying corpus.jsonl --to lines -o" in err
    assert "copy 1" in out
    for name in ("cheap.txt", "cheap.json", "cheap.tex", "cheap.md"):
        assert (home / "out" / name).stat().st_size
    found = json.loads((home / "out/cheap.json").read_text("utf-8"))
    assert found["tables"][0]["rows"][0]["cells"][0]["paper"] == 12.5
    assert found["done"]["copy.seed-1"].startswith("$ gecbench correct copying")
    code, again, _ = gecbench("experiment", "cheap.toml", "-o", "out", "--show", "--format", "csv")
    assert (code, again.splitlines()[0]) == (0, "system,figures of,runs,Acc,n")
    code, _, err = gecbench("experiment", "cheap.toml", "-o", "out")
    assert code == 0, err  # what is optional is left out without being asked for
    assert "spare-score: left out, for there is no spare" in err


def test_the_plan_runs_nothing(home, gecbench) -> None:
    (home / "corpus.jsonl").unlink()
    code, out, _ = gecbench("experiment", "cheap.toml", "-o", "out", "--plan")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "# MISSING: corpus: a corpus (not at corpus.jsonl); write one"
    assert lines[1].startswith("# MISSING (optional): spare: ")
    assert len([line for line in lines if line.startswith("$ gecbench ")]) == 6
    assert not (home / "out").exists()


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        ((), 2, "name an experiment; gecbench experiment --list has them"),
        (("cheap.toml",), 2, "name the experiment's folder by --output"),
        (("chaep", "-o", "out"), 2, "unknown experiment 'chaep'"),
        (("none.toml", "-o", "out"), 1, "none.toml: no such file"),
        (("cheap.toml", "-o", "out", "--set", "seeds"), 2, "write NAME=VALUE, as seeds=[1,2,3]"),
        (("cheap.toml", "-o", "out", "--set", "sedes=[1]"), 2, "unknown parameter 'sedes'"),
        (("cheap.toml", "-o", "out", "--set", "seeds=1"), 2, "seeds is [1, 2]; give a value of"),
        (("cheap.toml", "-o", "out", "--set", "seeds=[]"), 2, "give at least one value"),
        (("cheap.toml", "-o", "out", "--input", "corpus"), 2, "write NAME=PLACE"),
        (("cheap.toml", "-o", "out", "--input", "copus=x"), 2, "unknown input 'copus'; did you"),
        (("cheap.toml", "-o", "."), 2, ".: holds cheap.toml and is no folder of experiments"),
        (("cheap.toml", "-o", "corpus.jsonl"), 2, "corpus.jsonl: is a file; name a folder"),
        (("cheap.toml", "-o", "out", "--plan", "--show"), 2, "say one of them"),
        (("cheap.toml", "-o", "out", "--table", "x", "--format", "json"), 2, "JSON holds"),
        (("cheap.toml", "-o", "out", "--show", "--table", "x"), 2, "has no table 'x' here"),
    ],
)
def test_wrong_use_is_one_line(home, gecbench, words, code, why) -> None:
    ended, _, err = gecbench("experiment", *words)
    assert (ended, why in err) == (code, True), err
    assert len(err.splitlines()) == 1
