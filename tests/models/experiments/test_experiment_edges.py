"""Experiments at their edges: where steps may write, what parameters may be, what was changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.analysis.experiment import ExperimentFound, Head, Mean, RowFound, TableFound
from gecbench.api.experiment import run as running
from gecbench.api.experiment.marks import Marks
from gecbench.api.experiment.reading import read_experiment
from gecbench.api.experiment.run import planned, run
from gecbench.core.errors import GecbenchError
from gecbench.reports.experiment import exhibit

from .conftest import CHEAP, inside


def wrong(home: Path, text: str, **options) -> str:
    """Return why a file is refused before anything is run."""
    (home / "wrong.toml").write_text(text, "utf-8")
    with pytest.raises(GecbenchError) as refused:
        planned(read_experiment("wrong.toml"), Path("out"), **options)
    return str(refused.value)


@pytest.mark.parametrize(
    "out", ["../copy-{seed}", "/copy-{seed}", ".", "", "marks/{seed}", "a/../../{seed}", ".lock"]
)
def test_no_step_writes_outside_its_place(home, out: str) -> None:
    text = CHEAP.replace('out = "systems/copy-{seed}.txt"', f'out = "{out}"')
    assert "write below the experiment's folder" in wrong(home, text, changes=["seeds=[1]"])


def test_no_step_writes_into_what_another_makes(home) -> None:
    text = CHEAP.replace('out = "systems/copy-{seed}.txt"', 'out = "systems"')
    assert "both write out/systems" in wrong(home, text, changes=["seeds=[1]"])


def test_values_that_name_files_are_no_paths(home) -> None:
    assert "'a/b' names files" in wrong(home, CHEAP.replace('"sentence-accuracy"]', '"a/b"]'))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ('seeds=["a"]', "give values of that type"),
        ("seeds=[1.5]", "give values of that type"),
        ("seeds=[true]", "give values of that type"),
        ("share=true", "give a value of that type"),
        ("share=nan", "give a finite number"),
        ("share=[1.0]", "give a value of that type"),
        ("seeds=[1, 1]", "1 stands there twice"),
    ],
)
def test_a_parameter_of_another_type_is_one_line(home, gecbench, change, why) -> None:
    code, _, err = gecbench("experiment", "cheap.toml", "-o", "out", "--plan", "--set", change)
    assert (code, why in err, len(err.splitlines())) == (2, True, 1), err


def test_a_whole_number_is_the_same_value_with_a_point(tmp_path) -> None:
    made = planned(
        read_experiment("robustgec-table-5"), tmp_path / "out", changes=["biases=[0, 0.2]"]
    )
    assert made.parameters["biases"] == [0.0, 0.2]
    assert "robust-bias.bias-0.0" in made.tasks


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('[{ name = "x" }]', "recipe"),
        ('[{ nam = "x" }]', "name"),
        ('["x"]', "give values of that type"),
    ],
)
def test_a_table_without_its_fields_is_one_line(tmp_path, gecbench, value, why) -> None:
    code, _, err = gecbench(
        "experiment", "cgec-table-3", "-o", tmp_path / "out", "--plan", "--set", f"systems={value}"
    )
    assert (code, why in err, len(err.splitlines())) == (2, True, 1), err
    assert "mistake" not in err


def test_a_row_over_values_that_are_not_run_is_refused(tmp_path, gecbench) -> None:
    """A KEEP bias that no step is run with would stay "not run" for ever."""
    words = ("experiment", "robustgec-table-5", "-o", tmp_path / "out", "--plan", "--set")
    code, _, err = gecbench(*words, "tweak=[0.7]")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "step robust-bias is not run with bias 0.7; add it to biases" in err
    assert gecbench(*words, "tweak=[0.7]", "--set", "biases=[0.0, 0.7]")[0] == 0


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[small]\nseeds = [1]", "[small]\nseeds = 1", "small.seeds"),
        ("seeds = [1, 2]", "seeds = []", "seeds has no values"),
        ("where = { seed = 1 }", "where = { sed = 1 }", "sed is no variable"),
        ("value" + '" }', 'valu[" }', "is no path"),
        ("copy-{seed}].value", "copy-{sed}].value", "unknown name 'sed'"),
        ("notes =", 'extends = "a/b"\nnotes =', "name a file beside this one"),
        ('name = "dreamt of"', 'name = "copy {sed}"', "unknown name 'sed'"),
    ],
)
def test_a_file_that_could_not_be_shown_is_refused_before_it_runs(home, old, new, why) -> None:
    assert old in CHEAP
    assert why in wrong(home, CHEAP.replace(old, new))


def test_an_edited_profile_is_another_input(home) -> None:
    text = CHEAP.replace('default = "corpus.jsonl"', 'default = "chat:p.toml"\nkind = "profile"')
    (home / "cheap.toml").write_text(text, "utf-8")
    made = planned(read_experiment("cheap.toml"), Path("out"))
    keys = []
    for content in ("a", "b"):
        (home / "p.toml").write_text(content, "utf-8")
        keys.append(Marks(made).key(made.tasks["copy.seed-1"]))
    assert keys[0] != keys[1]


def test_a_kill_while_old_results_are_removed_leaves_none_to_go_on_with(home, monkeypatch) -> None:
    """What has other words is removed before the new words are noted as begun."""
    run(planned(read_experiment("cheap.toml"), Path("out")), execute=inside, only=["copy"])
    text = CHEAP.replace('"copying", "{corpus}"', '"copying", "{corpus}", "--split"')
    (home / "cheap.toml").write_text(text, "utf-8")
    made = planned(read_experiment("cheap.toml"), Path("out"))

    class Killed(BaseException):
        pass

    def killed(_path: Path) -> None:
        raise Killed

    real = running._clear
    monkeypatch.setattr(running, "_clear", killed)
    with pytest.raises(Killed):
        run(made, execute=inside, only=["copy"])
    cleared: list[Path] = []

    def clear(path: Path) -> None:
        cleared.append(path)
        real(path)

    monkeypatch.setattr(running, "_clear", clear)
    run(made, execute=inside, only=["copy"])
    assert made.tasks["copy.seed-1"].out in cleared


@pytest.mark.parametrize("text", ["{}", '{"key": 1}', '{"key": "", "files": []}', "[]", "x"])
def test_a_damaged_mark_is_one_line(home, text: str) -> None:
    run(planned(read_experiment("cheap.toml"), Path("out")), execute=inside, only=["copy"])
    (home / "out/marks/copy.seed-1.json").write_text(text, "utf-8")
    with pytest.raises(GecbenchError, match=r"copy.seed-1.json: is damaged .*; remove it"):
        run(planned(read_experiment("cheap.toml"), Path("out")), execute=inside, only=["copy"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--available", "--launcher", '"'), "--launcher"),
        (("--available", "--table", "accuray"), "accuracy"),
        (("--show", "--only", "copy"), "--only"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_runs(home, gecbench, words, why) -> None:
    code, _, err = gecbench("experiment", "cheap.toml", "-o", "out", *words)
    assert (code, why in err, len(err.splitlines())) == (2, True, 1), err
    assert not (home / "out").exists()


def test_a_path_to_a_model_must_be_there(home) -> None:
    text = CHEAP.replace('default = "corpus.jsonl"', 'default = "corpus.jsonl"\nkind = "model"')
    (home / "cheap.toml").write_text(text, "utf-8")
    for place, here in (("/no/such", False), ("./such", False), ("a/b/c", False), ("a/b", True)):
        made = planned(read_experiment("cheap.toml"), Path("out"), chosen=[f"corpus={place}"])
        assert made.inputs["corpus"].here is here, place


def test_a_mean_over_fewer_runs_is_noted() -> None:
    heads = (Head("P", "percent", 2), Head("R", "percent", 2))
    row = RowFound("a", "", 3, 3, (Mean((0.5, 0.7)), Mean((0.1, 0.1, 0.1))), ())
    table = TableFound("t", "T", "表", heads, (row,), ())
    found = ExperimentFound("x", "", "", False, {}, {}, {}, 0, (table,), (), (), ())
    assert any("a, P: 2 of 3" in note for note in exhibit(found).notes)


def test_the_dev_part_of_prepared_data_is_part_of_the_result(tmp_path) -> None:
    """Removed by hand, it is made again, or no training could ever start."""
    for small in (False, True):
        made = planned(read_experiment("cgec-table-3"), tmp_path / "out", small=small)
        task = made.tasks["prepare-lang8"]
        written = [Path(w) for w in task.words if w.startswith(str(made.folder / "data"))]
        assert len(written) == 2
        assert all(task.makes in path.parents for path in written)


def test_show_takes_the_inputs_and_parameters_of_the_last_run(home, gecbench) -> None:
    """Without them all would count as made from other data, and so as not run."""
    (home / "corpus.jsonl").rename(home / "mine.jsonl")
    made = planned(
        read_experiment("cheap.toml"),
        Path("out"),
        chosen=["corpus=mine.jsonl"],
        changes=["seeds=[3]"],
    )
    run(made, execute=inside, available=True)
    words = ("experiment", "cheap.toml", "-o", "out", "--show", "--format", "csv")
    code, out, err = gecbench(*words)
    assert code == 0, err
    assert out.splitlines()[1].startswith("copy 3,here,1,0.")
    code, out, err = gecbench(*words, "--set", "seeds=[1,3]")
    assert code == 0, err
    assert out.splitlines()[1].startswith("copy 1,here,0,not run")
    (home / "mine.jsonl").write_bytes((home / "mine.jsonl").read_bytes() + b"\n")
    assert ",not run," in gecbench(*words)[1].splitlines()[1]


def test_what_a_folder_says_of_parameters_that_are_gone_is_left_out(home) -> None:
    (home / "out").mkdir()
    held = {"parameters": {"old": 1, "seeds": "x"}, "inputs": {"gone": "x"}}
    said = {"small": False, "experiments": {"cheap": held}}
    (home / "out/experiment.json").write_text(json.dumps(said), "utf-8")
    made = planned(read_experiment("cheap.toml"), Path("out"), as_before=True)
    assert made.parameters["seeds"] == [1, 2]
    assert "old" not in made.parameters


def test_two_tables_of_one_name_are_refused(home) -> None:
    table = CHEAP[CHEAP.index("[[tables]]") :]
    assert "'accuracy' is the name of two tables" in wrong(home, CHEAP + table)


def test_a_quotation_mark_in_a_path_is_refused_before_training(tmp_path, gecbench) -> None:
    words = ("experiment", "cgec-table-3", "-o", tmp_path / "o'ne", "--plan")
    code, _, err = gecbench(*words)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "a path in it has a quotation mark" in err


FIGURE = """
[[figures]]
name = "f"
title = "Accuracy by metric"
zh = "各指标的准确率"
x_label = "x"
x_zh = "x"
y_label = "y"
y_zh = "y"
lines = [
  { name = "l", step = "score", over = { metric = "metrics" }, y = "results[system=copy-1].value" },
]
"""


def test_a_line_over_names_needs_places_of_its_own(home) -> None:
    assert "metrics has values that are no numbers" in wrong(home, CHEAP + FIGURE)
    right = FIGURE.replace(" },\n]", ', x = "corpus.sentences" },\n]')
    (home / "right.toml").write_text(CHEAP + right, "utf-8")
    read_experiment("right.toml")


def test_figures_speak_chinese_on_wish(home, gecbench) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra report")
    right = FIGURE.replace(" },\n]", ', x = "corpus.sentences" },\n]')
    (home / "drawn.toml").write_text(CHEAP + right, "utf-8")
    code, _, err = gecbench(
        "experiment", "drawn.toml", "-o", "out", "--available", "--language", "zh"
    )
    assert code == 0, err
    assert "各指标的准确率" in Path("out/figures/drawn-f.svg").read_text("utf-8")


def test_a_plan_of_what_is_available_says_what_is_left_out(home, gecbench) -> None:
    code, out, _ = gecbench("experiment", "cheap.toml", "-o", "out", "--plan", "--available")
    assert code == 0
    assert "# left out, for there is no spare: spare-score" in out.splitlines()
    assert not any(line.startswith("$") and "spare" in line for line in out.splitlines())


@pytest.mark.parametrize(
    ("option", "name", "why"),
    [
        ("--segmenter", "pkuseg:nowhere", "nowhere: no model of pkuseg"),
        ("--scheme", "zh-cherant", "did you mean zh-cherrant"),
    ],
)
def test_what_only_the_last_step_needs_is_tried_first(home, option, name, why) -> None:
    text = CHEAP.replace(
        '"--metric", "{metric}"', f'"--metric", "{{metric}}", "{option}", "{name}"'
    )
    (home / "tools.toml").write_text(text, "utf-8")
    ran: list[object] = []
    made = planned(read_experiment("tools.toml"), Path("out"), changes=["seeds=[1]"])
    with pytest.raises(GecbenchError, match=why):
        run(made, only=["score"], execute=lambda words, **_: ran.append(words) or 0)
    assert ran == []


def test_tools_that_are_there_are_in_nobodys_way(home) -> None:
    words = '"--metric", "{metric}", "--scheme", "zh-char", "--segmenter", "jieba"'
    text = CHEAP.replace('"--metric", "{metric}"', words)
    (home / "tools.toml").write_text(text, "utf-8")
    ran: list[str] = []
    made = planned(read_experiment("tools.toml"), Path("out"), changes=["seeds=[1]"])
    with pytest.raises(GecbenchError, match="step copy"):
        run(made, only=["score"], execute=lambda words, **_: ran.append(words[0]) or 1)
    assert ran == ["correct"]


@pytest.mark.parametrize("words", [("--format", "csv"), ("--table", "accuracy")])
def test_a_plan_shows_no_tables(gecbench, home, words) -> None:
    code, _, err = gecbench("experiment", "cheap.toml", "-o", "out", "--plan", *words)
    assert (code, "--plan shows commands alone" in err) == (2, True)


def test_tables_that_cannot_be_written_do_not_hide_what_failed(gecbench, home) -> None:
    text = CHEAP.replace('"copying", "{copy}"', '"copyin", "{copy}"')
    (home / "fails.toml").write_text(text, "utf-8")
    Path("out/fails.txt").mkdir(parents=True)
    Path("out/experiment.json").write_text('{"small": false, "experiments": {}}')
    code, _, err = gecbench("experiment", "fails.toml", "-o", "out")
    assert code == 1, err
    assert "note: no tables" in err
    assert "step again" in err.splitlines()[-1]
