"""Perturbed cases are corrected in the order in which they are evaluated."""

from __future__ import annotations

import pytest

from gecbench.api.files import sample
from gecbench.api.robustness import load_perturbed, save_perturbed
from gecbench.cli import main


def test_perturbed_cases_are_corrected_in_the_order_of_the_evaluation(tmp_path, capfd) -> None:
    blocks = sample("en", "perturbed.txt")
    cases = load_perturbed(blocks)
    save_perturbed(cases, tmp_path / "cases.jsonl")
    (tmp_path / "folder" / "one").mkdir(parents=True)
    (tmp_path / "folder" / "one" / "para.txt").write_bytes(blocks.read_bytes())
    expected = [s.source for s in cases.corpus().samples]
    for place in (blocks, tmp_path / "cases.jsonl", tmp_path / "folder"):
        main(["correct", "copying", str(place), "-o", str(tmp_path / "out.txt")])
        assert (tmp_path / "out.txt").read_text("utf-8").splitlines() == expected
        (tmp_path / "out.txt").unlink()
    capfd.readouterr()
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit) as ended:
        main(["correct", "copying", str(tmp_path / "empty")])
    assert ended.value.code == 1
    assert str(tmp_path / "empty") in capfd.readouterr().err
