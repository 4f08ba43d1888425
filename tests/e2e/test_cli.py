"""`gecbench score`: every option, on the bundled samples."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from gecbench import __version__
from gecbench.core.score import Counts

CHAR = ("--scheme", "zh-char")


@pytest.fixture
def score(good, zh: Path):
    """Score a sample system by zh-char and return the results of the JSON."""

    def score(*words: object, systems=("cautious.txt",)) -> list[dict]:
        paths = [zh / system for system in systems]
        out = good("score", zh / "corpus.jsonl", *paths, *CHAR, "--format", "json", *words)
        return json.loads(out)["results"]

    return score


def numbers(result: dict) -> tuple[int, int, int]:
    return result["tp"], result["fp"], result["fn"]


def test_text_is_what_the_readme_shows(good, zh: Path):
    systems = [zh / f"{name}.txt" for name in ("cautious", "eager", "fluent")]
    assert good("score", zh / "corpus.jsonl", *systems, *CHAR).splitlines() == [
        "system    TP   FP  FN      P       R    F0.5",
        "cautious  43    2  46  95.56*  48.31   79.93*",
        "eager     81   68  34  54.36   70.43*  56.96",
        "fluent    58  274  53  17.47   52.25   20.15",
        "",
        "zh-samples: 76 sentences, 75 scored (1 left out: no annotator could correct it)",
        "signature: metric:cherrant|scheme:zh-char|granularity:char|references:all"
        f"|gecbench:{__version__}|level:correction|beta:0.5|choice:corpus-greedy",
    ]


def test_json_is_the_contract(good, zh: Path):
    out = good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--format", "json")
    data = json.loads(out)
    assert data["schema"] == 1
    assert data["corpus"] == {
        "name": "zh-samples",
        "sentences": 76,
        "scored": 75,
        "skipped": {"no annotator could correct it": 1},
    }
    (result,) = data["results"]
    assert (result["system"], result["metric"]) == ("eager", "cherrant")
    counts = Counts(*numbers(result))
    assert result["value"] == result["f"] == counts.f(0.5)
    assert (result["precision"], result["recall"]) == (counts.precision, counts.recall)
    assert f"gecbench:{__version__}" in result["signature"]
    types = result["by_type"].values()
    assert tuple(sum(item[name] for item in types) for name in ("tp", "fp", "fn")) == numbers(
        result
    )


def test_csv_has_a_row_for_each_number(good, zh: Path):
    words = ("--format", "csv", "--by", "origin", "--by-type", "1")
    out = good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, *words)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["subset"] for row in rows if not row["type"]] == ["(all)", "essays", "chats"]
    for subset in ("(all)", "essays", "chats"):
        whole, *parts = (row for row in rows if row["subset"] == subset)
        assert int(whole["tp"]) == sum(int(row["tp"]) for row in parts)
        assert [row["type"] for row in parts] == ["M", "R", "S", "W"]


def test_latex_is_a_tabular(good, zh: Path):
    out = good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--format", "latex")
    assert r"\begin{tabular}{lrrrrrr}" in out
    assert r"eager & 81 & 68 & 34 & 54.36 & 70.43 & 56.96 \\" in out


@pytest.mark.parametrize(
    ("tier", "types"), [("1", "M R S W"), ("2", "- M R"), ("3", "M R S W:M W:R")]
)
def test_types_at_each_tier(good, zh: Path, tier: str, types: str):
    out = good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--by-type", tier)
    table = out.split("\n\n")[1].splitlines()
    assert table[0].split()[:3] == ["system", "type", "TP"]
    assert [line.split()[1] for line in table[1:]] == types.split()


def test_every_level_is_another_number_and_says_so(score):
    by_level = {}
    for level in ("correction", "correction-type", "detection-span", "detection-token"):
        (result,) = score("--level", level, "--choice", "sentence-best", systems=["fluent.txt"])
        assert f"|level:{level}|" in result["signature"]
        by_level[level] = numbers(result)
    assert len(set(by_level.values())) >= 3  # types agree on these texts
    assert (
        by_level["detection-span"][0] > by_level["correction"][0] >= by_level["correction-type"][0]
    )


def test_beta_and_choice_are_in_the_signature_and_in_the_number(score):
    (result,) = score("--beta", "2", "--choice", "sentence-best")
    assert result["value"] == Counts(*numbers(result)).f(2)
    assert result["signature"].endswith("|beta:2|choice:sentence-best")


def test_references_can_be_fewer(score):
    all_of_them, first, many = (
        numbers(score(*words)[0])
        for words in ((), ("--max-references", 1), ("--max-references", 99))
    )
    assert all_of_them == many != first
    exactly = score("--references-exactly", 4)[0]
    assert (exactly["sentences"], "references:all, exactly 4" in exactly["signature"]) == (8, True)


def test_ranges_add_up(score):
    whole, *parts = (
        numbers(score("--choice", "sentence-best", "--range", span)[0])
        for span in (":", ":30", "30:")
    )
    assert whole == tuple(map(sum, zip(*parts, strict=True)))


def test_sizes_and_types_can_be_left_out(score):
    for words, part in [
        (("--edits", "single"), "|edits:single"),
        (("--edits", "multi"), "|edits:multi"),
        (("--exclude", "W:R, W:M"), "|without:W:M,W:R"),
    ]:
        (result,) = score(*words)
        assert part in result["signature"]
        assert 0 < result["tp"] < 43
        assert ("W:R" in result["by_type"]) == ("without" not in part)


def test_systems_can_be_named(score, zh: Path, good):
    named = f"我的={zh / 'eager.txt'}"
    out = good("score", zh / "corpus.jsonl", named, zh / "eager.txt", *CHAR, "--format", "json")
    assert [result["system"] for result in json.loads(out)["results"]] == ["我的", "eager"]


def test_several_metrics_are_asked_for_with_commas(score):
    assert len(score("--metric", "cherrant")) == 1


def test_each_sentence_is_written(good, zh: Path, tmp_path: Path):
    words = (zh / "cautious.txt", zh / "eager.txt", *CHAR, "--per-sentence", "rows.jsonl")
    table = good("score", zh / "corpus.jsonl", *words, "--format", "json")
    text = (tmp_path / "rows.jsonl").read_text("utf-8")
    header, *rows = map(json.loads, text.splitlines())
    results = json.loads(table)["results"]
    assert header["signatures"] == [results[0]["signature"]]
    for result in results:
        rows_of = [row for row in rows if row["system"] == result["system"]]
        assert len(rows_of) == 76
        chosen = [row["pairings"][row["chosen"]] for row in rows_of if "chosen" in row]
        sums = tuple(sum(item[name] for item in chosen) for name in ("tp", "fp", "fn"))
        assert sums == numbers(result)
    assert [row["id"] for row in rows if row.get("left_out")] == ["zh-056"] * 2


def test_facts_come_from_a_table(good, zh: Path, tmp_path: Path):
    rows = "".join(f"zh-{n:03}\t{'甲' if n % 2 else '乙'}\n" for n in range(1, 77))
    (tmp_path / "meta.tsv").write_text("id\thalf\n" + rows, encoding="utf-8")
    words = ("--meta", "meta.tsv", "--by", "half")
    out = good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, *words)
    assert [line.split()[1] for line in out.splitlines()[1:4]] == ["(all)", "甲", "乙"]


@pytest.fixture
def texts(good, run, zh: Path, tmp_path: Path) -> Path:
    """The samples as parallel texts: x.src, x.ref0, ..."""
    ended = run("convert", zh / "corpus.jsonl", "--to", "lines", "-o", "x")
    assert (ended.returncode, ended.stdout) == (0, "")
    return tmp_path


def test_parallel_texts_with_references(good, texts: Path, zh: Path):
    references = [word for k in range(4) for word in ("--reference", f"x.ref{k}")]
    out = good("score", "x.src", zh / "cautious.txt", *references, *CHAR, "--format", "json")
    data = json.loads(out)
    assert data["corpus"] == {"name": "x", "sentences": 76, "scored": 76, "skipped": {}}
    # The fourth of those that have fewer repeats the first: nothing else can be chosen.
    assert data["results"][0]["tp"] == 43


def test_edits_of_both_sides_as_m2_need_no_scheme(run, good, zh: Path, score):
    assert run("edits", zh / "corpus.jsonl", *CHAR, "-o", "ref.m2").returncode == 0
    output = run("convert", zh / "corpus.jsonl", "--to", "lines", "-o", "x")
    assert output.returncode == 0
    assert (
        run("edits", "x.src", "--reference", zh / "eager.txt", *CHAR, "-o", "eager.m2").returncode
        == 0
    )
    out = good("score", "ref.m2", "eager.m2", "--format", "json")
    (result,) = json.loads(out)["results"]
    assert numbers(result) == numbers(score(systems=["eager.txt"])[0])
    assert "|edits:as given|" in result["signature"]


def test_texts_against_edits(run, good, zh: Path, score):
    assert run("edits", zh / "corpus.jsonl", *CHAR, "-o", "ref.m2").returncode == 0
    out = good("score", "ref.m2", zh / "eager.txt", *CHAR, "--format", "json")
    (result,) = json.loads(out)["results"]
    assert numbers(result) == numbers(score(systems=["eager.txt"])[0])
    assert "|scheme:zh-char|" in result["signature"]
    assert "|edits:as given and extracted|" in result["signature"]


def test_a_corpus_from_standard_input(good, zh: Path, score):
    text = (zh / "corpus.jsonl").read_text("utf-8")
    words = ("-", zh / "eager.txt", *CHAR, "--format", "json")
    assert json.loads(good("score", *words, stdin=text))["results"] == score(systems=["eager.txt"])


def test_a_system_from_standard_input(good, zh: Path):
    text = (zh / "eager.txt").read_text("utf-8")
    out = good("score", zh / "corpus.jsonl", "-", *CHAR, stdin=text)
    assert out.splitlines()[1].split()[:4] == ["stdin", "81", "68", "34"]


@pytest.mark.slow
def test_the_official_number_with_real_resources(good, run, shared: Path):
    folder = shared / "data/mucgec"
    words = (folder / "MuCGEC_dev.txt", folder / "example_pred_dev.txt", "--format", "json")
    first = run("score", *words, GECBENCH_DATA_MIRROR=str(shared / "data"))
    assert first.returncode == 0
    assert first.stderr.startswith("compiling ChERRANT's resources, once, into ")
    (result,) = json.loads(first.stdout)["results"]
    assert numbers(result) == (1084, 1635, 3003)
    again = good("score", *words, "--strategy", "first", "--mirror", shared / "data")
    assert numbers(json.loads(again)["results"][0]) == (1061, 1625, 2872)
    plain = good(
        "score", *words, "--no-simplify", "--mirror", shared / "data", "--scheme", "zh-cherrant"
    )
    assert "|simplify:no|" in json.loads(plain)["results"][0]["signature"]
