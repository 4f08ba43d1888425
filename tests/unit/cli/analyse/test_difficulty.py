"""gecbench analyse difficulty: its options, what it refuses, what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

GOLD = (
    "S a b\nA 0 1|||R:ONE|||A|||REQUIRED|||-NONE-|||0\nA 1 2|||R:TWO|||B|||REQUIRED|||-NONE-|||1"
    "\n\nS c\nA 0 1|||R:ONE|||C|||REQUIRED|||-NONE-|||0\nA 0 1|||R:ONE|||D|||REQUIRED|||-NONE-|||1"
    "\n\n"
)
HYPS = (
    "S a b\nA 0 1|||R:ONE|||A|||REQUIRED|||-NONE-|||0\nA 1 2|||R:TWO|||B|||REQUIRED|||-NONE-|||1"
    "\n\nS c\nA 0 1|||R:ONE|||C|||REQUIRED|||-NONE-|||0\n\n"
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(GOLD, encoding="utf-8")
    return path


@pytest.fixture
def hyps(tmp_path: Path) -> Path:
    path = tmp_path / "hyps.m2"
    path.write_text(HYPS, encoding="utf-8")
    return path


@pytest.fixture
def analyse(run, gold: Path, hyps: Path):
    """Run the command on the corpus and the two systems of one file."""

    def analyse(*words: object) -> tuple[int, str, str]:
        return run("analyse", "difficulty", "--lang", "en", gold, "--systems-in", hyps, *words)

    return analyse


@pytest.fixture
def measure(analyse):
    """The JSON of the command."""

    def run_json(*words: object):
        code, out, err = analyse(*words, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)["results"]

    return run_json


def test_annotators_of_one_file_are_systems(measure):
    (result,) = measure("--names", "x,y")
    assert [system["system"] for system in result["systems"]] == ["x", "y"]
    assert [system["plain"]["tp"] for system in result["systems"]] == [2, 0]


def test_systems_of_one_file_stand_beside_others(run, gold: Path, hyps: Path, tmp_path: Path):
    (tmp_path / "text.m2").write_text("S a b\n\nS c\n\n", encoding="utf-8")
    words = (
        "analyse",
        "difficulty",
        "--lang",
        "en",
        gold,
        f"idle={tmp_path / 'text.m2'}",
        "--systems-in",
        hyps,
    )
    code, out, _ = run(*words, "--table", "scores")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:5]] == ["idle", "0", "1"]


def test_references_by_number_each_and_chosen(measure):
    assert [item["reference"] for item in measure("--reference-number", "2")] == [
        "reference 2 (annotator 1)"
    ]
    assert len(measure("--reference-number", "each")) == 2
    assert measure("--reference-number", "chosen")[0]["reference"] == "the chosen references"


def test_constants_and_beta(measure):
    (result,) = measure("--a", 2, "--b", 1, "--c", 1, "--beta", 1)
    assert result["weights"] == {"a": 2, "b": 1, "c": 1, "systems": 2, "from": "these systems"}
    assert result["beta"] == 1
    tally = result["systems"][0]["weighted"]
    assert tally["tp"] == pytest.approx(2 * (2 - 2 / 3))


def test_weights_are_written_and_read(analyse, measure, tmp_path: Path, run, gold, hyps):
    code, _, err = analyse("--write-weights", tmp_path / "w.txt")
    assert code == 0
    assert err.startswith(f"{tmp_path / 'w.txt'}, {tmp_path / 'w.txt.json'}: ")
    assert err.count("\n") == 1
    assert (tmp_path / "w.txt").read_text("utf-8") == "2\n2 1 2 1 2\n2 1 2\n"
    (result,) = measure("--weights", tmp_path / "w.txt")
    assert result["weights"]["from"] == "file w.txt"
    code, out, err = analyse("--weights", tmp_path / "w.txt", "--reference-number", 2)
    assert (code, out) == (1, "")
    assert "weights are of corpus 'gold' with reference 1 (annotator 0)" in err


def test_the_picture_goes_to_a_file(analyse, tmp_path: Path):
    assert analyse("--chunks", tmp_path / "c.txt")[0] == 0
    assert (tmp_path / "c.txt").read_text("utf-8").startswith("orig  : |   |  a  |")


@pytest.mark.parametrize("option", ["--chunks", "--write-weights", "--heat-map"])
def test_files_that_are_read_are_not_written_over(analyse, gold: Path, hyps: Path, option: str):
    before = gold.read_bytes(), hyps.read_bytes()
    for path in (gold, hyps):
        code, out, err = analyse(option, path)
        assert (code, out) == (2, "")
        assert f"{option} would write over {path}, which is read; name another file" in err
    assert (gold.read_bytes(), hyps.read_bytes()) == before


def test_several_corpora_have_no_weight_file_nor_picture(run, gold: Path, tmp_path: Path):
    for option in ("--write-weights", "--chunks"):
        words = (gold, gold, "+", gold, gold, option, tmp_path / "x")
        code, _, err = run("analyse", "difficulty", "--lang", "en", *words)
        assert code == 2
        assert "--write-weights and --chunks" in err


@pytest.mark.parametrize("bad", ["--chunks", "--heat-map", "--output", "--write-weights"])
def test_a_file_that_cannot_be_written_leaves_none_and_is_told_of_before_work(
    analyse, tmp_path: Path, bad: str, monkeypatch
):
    monkeypatch.setattr("gecbench.api.difficulty.difficulty", None)  # would fail if it began
    before = sorted(tmp_path.iterdir())
    names = ("--write-weights", "--chunks", "--heat-map", "--output")
    words = [w for name in names if name != bad for w in (name, tmp_path / name.strip("-"))]
    code, out, err = analyse(*words, bad, tmp_path / "no" / "x")
    assert (code, out) == (1, "")
    assert f"{tmp_path / 'no'} does not exist; make it first" in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_table_that_is_not_there_leaves_no_file(analyse, tmp_path: Path):
    before = sorted(tmp_path.iterdir())
    words = ("--write-weights", tmp_path / "w", "--chunks", tmp_path / "c", "--table", "nope")
    assert analyse(*words)[0] == 2
    assert sorted(tmp_path.iterdir()) == before


def test_all_files_are_written_beside_the_results(analyse, tmp_path: Path):
    names = {"--write-weights": "w", "--chunks": "c", "--heat-map": "h.html", "--output": "o"}
    words = [word for option, name in names.items() for word in (option, tmp_path / name)]
    code, out, _ = analyse(*words)
    assert (code, out) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} >= {"w", "w.json", "c", "h.html", "o"}
    assert (tmp_path / "o").read_text("utf-8").startswith("Scores weighted by difficulty")


def test_the_picture_goes_to_standard_output_where_results_do_not(analyse, tmp_path: Path):
    code, out, _ = analyse("--chunks", "-", "--output", tmp_path / "o")
    assert code == 0
    assert out.startswith("orig  : |   |")


def test_weights_of_chosen_references_serve_other_systems(analyse, run, gold, tmp_path: Path):
    assert analyse("--reference-number", "chosen", "--write-weights", tmp_path / "w")[0] == 0
    (tmp_path / "late.m2").write_text(
        "S a b\nA 1 2|||R:TWO|||B|||REQUIRED|||-NONE-|||0\n\n"
        "S c\nA 0 1|||R:ONE|||D|||REQUIRED|||-NONE-|||0\n\n"
    )
    words = (gold, tmp_path / "late.m2", "--reference-number", "chosen")
    code, out, err = run(
        "analyse", "difficulty", "--lang", "en", *words, "--weights", tmp_path / "w"
    )
    assert (code, err) == (0, "")
    assert "w: made with these references, chosen by the systems that made the weights" in out


def test_types_at_a_level(analyse):
    assert "R          " in analyse("--by-type", 1, "--table", "types-1")[1]


def test_several_corpora(run, gold: Path, hyps: Path, tmp_path: Path):
    folder = tmp_path / "one.m2"
    folder.write_text(HYPS.replace("|||1\n", "|||0\n"), encoding="utf-8")
    weights = tmp_path / "w.txt"
    weights.write_text("2\n2 1 2 1 2\n2 1 2\n", encoding="utf-8")
    words = (
        gold,
        f"s={folder}",
        "+",
        gold,
        f"s={folder}",
        "--weights",
        weights,
        "--weights",
        weights,
    )
    code, out, err = run(
        "analyse", "difficulty", "--lang", "en", *words, "--table", "across-f", "--format", "csv"
    )
    assert code == 0
    assert {line.partition(": ")[0] for line in err.splitlines()} == {"note", "signature"}
    assert out.startswith("system,gold,gold rank,gold (2),gold (2) rank,mean,SD\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--strategy", "all"),
            "difficulty takes the first edit set of each sentence; leave --str",
        ),
        (("--chunks", "-"), "--output and --chunks both go to standard output; name a file"),
        (("--chunks", "-", "--heat-map", "-", "-o", "o"), "--chunks and --heat-map both go to st"),
        (("--write-weights", "-"), "--write-weights writes two files, the second with a finger"),
        (("--write-weights", "w", "--weights", "v"), "of these systems; leave --weights out"),
        (("--write-weights", "w", "--chunks", "w"), "--write-weights and --chunks both write w;"),
        (("--write-weights", "w", "--chunks", "w.json"), "--write-weights and --chunks both write"),
        (("--chunks", "c", "-o", "c"), "--output and --chunks both write c; name two files"),
        (("--a", "1e308", "--b=-1e308"), "a 1e+308 must be from -1e+06 to 1e+06"),
        (("--reference-number", "3"), "reference number 3 must be from 1 to 2"),
        (("--reference-number", "best"), "reference number 'best' must be a number from 1, each,"),
        (("--weights", "a", "--weights", "b"), "--weights is given 2 times for 1 corpora; give"),
        (("--weights", "-", "--systems-in", "-"), "standard input can be read once only; '-'"),
        (("--a", "0.1"), "weights must not be negative: raise a or c, or lower b"),
        (("--beta", "0"), "beta is 0; it must be a number from 0.001 to 1000"),
        (
            ("--write-weights", "w", "--reference-number", "each"),
            "are of one reference; here are 2",
        ),
        (("--table", "nope"), "difficulty has no table 'nope' here; it has: scores, ranking, rank"),
    ],
)
def test_wrong_use_is_refused(analyse, words, message):
    code, out, err = analyse(*words)
    assert (code, out) == (2, "")
    assert message in err


def test_what_belongs_to_one_corpus_is_refused_for_several(run, gold: Path, hyps: Path):
    words = (
        "analyse",
        "difficulty",
        "--lang",
        "en",
        gold,
        hyps,
        "+",
        gold,
        hyps,
        "--systems-in",
        hyps,
    )
    code, _, err = run(*words)
    assert code == 2
    assert "--reference, --meta and --systems-in" in err


def test_a_corpus_needs_systems_and_names_a_file(run, gold: Path, hyps: Path):
    code, _, err = run("analyse", "difficulty", "--lang", "en", gold)
    assert code == 2
    assert (
        "no system is given; name the file of one after the corpus, or several in one M2 b" in err
    )
    code, _, err = run("analyse", "difficulty", "--lang", "en", gold, hyps, "+", gold)
    assert code == 2
    assert "between two + stand a corpus and at least one system" in err
    code, _, err = run("analyse", "difficulty", "--lang", "en", gold, hyps, "--names", "a")
    assert code == 2
    assert "--names has no effect without --systems-in; add it, or leave --names out" in err


def test_a_file_of_several_systems_given_as_one_is_noted(run, gold: Path, hyps: Path):
    code, out, _ = run("analyse", "difficulty", "--lang", "en", gold, hyps)
    assert code == 0
    assert "give the file by --systems-in" in out
