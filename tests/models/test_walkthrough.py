"""From raw pairs to a report by real commands, on tiny models."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gecbench.api.files import load, sample


def gecbench(folder: Path, *words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a real command in a folder."""
    ended = subprocess.run(
        [sys.executable, "-m", "gecbench", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        timeout=300,
    )
    assert ended.returncode == code, ended.stderr
    return ended


@pytest.fixture(scope="module")
def tour(tmp_path_factory) -> Path:
    """What the demonstration leaves, with fewer epochs than it has for people."""
    folder = tmp_path_factory.mktemp("tour")
    changes = ["training.epochs=8", "training.evaluate_every=60", "training.checkpoint_every=20"]
    shown = [word for change in changes for word in ("--set", change)]
    ended = gecbench(folder, "train", "--recipe", "tiny", *shown, "-o", "tiny")
    (folder / "said.txt").write_text(ended.stderr, "utf-8")
    (folder / "scores.txt").write_text(ended.stdout, "utf-8")
    return folder


def test_the_demonstration_goes_through_everything(tour) -> None:
    said = (tour / "said.txt").read_text("utf-8")
    assert said.startswith("A demonstration")
    assert "(killed)" in said
    resumed = re.search(r"going on from step (\d+)", said)
    assert resumed
    assert int(resumed[1]) >= 20
    assert re.search(r"model-int8: \S*onnx\S* int8: labels agree on .*%", said)
    for name in ("tagger", "tagger-int8", "zh-homophone", "ensemble"):
        assert len((tour / "tiny" / f"{name}.txt").read_text("utf-8").splitlines()) == 76
        assert re.search(rf"^{name} ", (tour / "scores.txt").read_text("utf-8"), re.M)
    assert "a demonstration" in (tour / "tiny" / "run" / "model" / "README.md").read_text().lower()


def test_what_it_learnt_is_more_than_nothing(tour) -> None:
    card = json.loads((tour / "tiny" / "run" / "model" / "gecbench.json").read_text("utf-8"))
    assert max(each["score"] for each in card["made"]["history"]) > 0.2
    assert "metric:cherrant" in card["made"]["scored by"]


def test_it_does_not_begin_where_something_is(tour) -> None:
    ended = gecbench(tour, "train", "--recipe", "tiny", "-o", "tiny", code=1)
    assert ended.stderr == (
        "gecbench: tiny: is there already; remove it, or name another by --output\n"
    )


def test_from_raw_pairs_to_a_report(tour) -> None:
    corpus = load(sample("zh", "corpus.jsonl"))
    rows = [
        f"{s.id}\t{s.source}\t{s.references[0].text or s.source}\n"
        for s in corpus.samples
        if s.references and not s.references[0].unannotatable
    ]
    (tour / "raw.tsv").write_text("".join(rows), "utf-8")
    (tour / "held.txt").write_text(corpus.samples[0].source + "\n", "utf-8")
    gecbench(
        tour,
        "data",
        "prepare",
        "--corpus",
        "raw=raw.tsv",
        "--filter",
        "held.txt",
        "-o",
        "train.jsonl",
    )
    manifest = next(tour.glob("train*.json"))
    assert json.loads(manifest.read_text("utf-8"))
    (tour / "run.toml").write_text(
        'kind = "tagger"\nname = "mine"\nlanguage = "zh"\n'
        '[data]\ntrain = ["train.jsonl"]\ndev = "train"\n'
        "[model]\ntrain_rounds = 3\n"
        "[training]\nepochs = 10\nlearning_rate = 0.003\nbatch_size = 16\npatience = 0\n"
        "[scoring]\nby = 'loss'\n",
        "utf-8",
    )
    gecbench(tour, "train", "run.toml", "-o", "run")
    source = sample("zh", "corpus.jsonl")
    gecbench(
        tour,
        "correct",
        "run/model",
        source,
        "--to",
        "lines",
        "-o",
        "mine.txt",
        "--details",
        "d.jsonl",
    )
    header = json.loads((tour / "d.jsonl").read_text("utf-8").splitlines()[0])
    assert header["system"] == "mine"
    gecbench(
        tour,
        *("combine", source, "mine.txt", "tiny/tagger.txt", "--threshold", "1"),
        *("--scheme", "zh-char", "--to", "lines", "-o", "both.txt"),
    )
    told = gecbench(
        tour, "score", source, "mine.txt", "both.txt", "--scheme", "zh-char", "--format", "json"
    )
    systems = {each["system"]: each["f"] for each in json.loads(told.stdout)["results"]}
    assert systems["both"] > 0
    gecbench(
        tour, "report", source, "mine.txt", "both.txt", "--scheme", "zh-char", "-o", "page.html"
    )
    assert "both" in (tour / "page.html").read_text("utf-8")


def test_info_shows_a_card(tour) -> None:
    shown = json.loads(gecbench(tour, "model", "info", "tiny/model-int8").stdout)
    assert (shown["kind"], shown["runtime"]) == ("tagger", "onnx")
    assert len(shown["fingerprint"]) == 16
    ended = gecbench(tour, "model", "info", ".", code=1)
    assert "no gecbench.json in it" in ended.stderr
