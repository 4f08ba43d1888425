"""gecbench analyse robustness as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.files import sample

EN = sample("en", "perturbed.txt")
STEADY, SWAYED = sample("en", "perturbed-steady.txt"), sample("en", "perturbed-swayed.txt")


def test_english_cases_and_systems(good):
    out = good(
        *("analyse", "robustness", EN, f"steady={STEADY}", f"swayed={SWAYED}", "--format", "json")
    )
    data = json.loads(out)
    steady, swayed = data["systems"]
    assert (steady["official"]["consistent_cases"], steady["edits"]["consistent_cases"]) == (7, 6)
    assert (swayed["official"]["like_original"], swayed["edits"]["like_original"]) == (11, 10)
    assert [disagreement["case"] for disagreement in data["disagreements"]] == ["8"]


def test_kept_parses_change_nothing(good, tmp_path: Path):
    words = ("analyse", "robustness", EN, STEADY, "--parse-cache", tmp_path / "parses")
    assert good(*words) == good(*words) == good(*words[:4])


def test_standard_input_is_a_system(good):
    text = SWAYED.read_text("utf-8")
    output = good("analyse", "robustness", EN, "swayed=-", stdin=text)
    assert output == good("analyse", "robustness", EN, f"swayed={SWAYED}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("short.txt", "She goes .\n", "1 sentence, but corpus 'perturbed' has 32"),
        ("other.txt", "x y z\n" * 32, "32 of 32"),
        ("plain.txt", "O-S a\nO-T b\nA1-S a\nA1-T b\n", "the blocks have no -P lines"),
    ],
)
def test_systems_that_do_not_fit_end_in_one_line(bad, tmp_path, name: str, content: str, message):
    (tmp_path / name).write_text(content, "utf-8")
    assert message in bad(1, "analyse", "robustness", EN, tmp_path / name)


def test_cases_that_are_not_whole_end_in_one_line(bad, tmp_path):
    path = tmp_path / "para.txt"
    lines = EN.read_text("utf-8").split("\n")
    path.write_text("\n".join(lines[:13] + lines[15:]), "utf-8")
    message = bad(1, "analyse", "robustness", path, STEADY)
    assert message.startswith(f"{path}:14: the line begins with 'A3-S', expected A2-S")
