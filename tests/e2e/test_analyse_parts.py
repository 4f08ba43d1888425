"""The analyses of parts, references, annotators and segmenters, by the real command line."""

from __future__ import annotations

import csv
import io
import json

import pytest

CHAR = ("--scheme", "zh-char")


def test_a_breakdown_says_where_systems_are_good_and_bad(good, zh):
    systems = [zh / f"{name}.txt" for name in ("cautious", "eager", "fluent")]
    out = good("analyse", "breakdown", zh / "corpus.jsonl", *systems, *CHAR)
    assert "cherrant by length in characters" in out
    assert "Where cautious and eager differ most" in out
    assert "Sentences that decide the difference of cautious and eager" in out
    assert "signature: metric:cherrant|scheme:zh-char" in out


def test_references_are_counted_and_scored(good, zh):
    out = good("analyse", "references", zh / "corpus.jsonl", zh / "eager.txt", *CHAR)
    assert "cherrant by number of references" in out
    data = json.loads(
        good(
            *("analyse", "references", zh / "corpus.jsonl", zh / "eager.txt", *CHAR),
            *("--format", "json", "--take", "first"),
        )
    )
    last = data["curves"][0]["points"][-1]
    score = json.loads(
        good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--format", "json")
    )
    assert last["k"] == 4
    assert last["mean"] == score["results"][0]["value"]


def test_annotators_are_scored_from_a_file_of_submissions(run, zh, tmp_path):
    rows = [json.loads(line) for line in (zh / "corpus.jsonl").read_text("utf-8").splitlines()]
    texts = (zh / "cautious.txt").read_text("utf-8").splitlines()
    for n, (row, text) in enumerate(zip(rows[1:], texts, strict=True)):
        row["references"] = [{"text": text, "annotator": f"annotator {n % 2}"}]
    path = tmp_path / "submissions.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    ended = run("analyse", "human", zh / "corpus.jsonl", path, *CHAR, "--format", "csv")
    assert ended.returncode == 0
    assert "\nsignature: metric:cherrant|scheme:zh-char|" in ended.stderr
    table = list(csv.reader(io.StringIO(ended.stdout)))
    assert [row[0] for row in table[1:]] == [
        *("annotator 0", "annotator 1", "mean of 2", "all together")
    ]
    assert [row[1] for row in table[1:]] == ["38", "38", "", "76"]


def test_segmenters_are_compared(good, zh):
    out = good(
        *("analyse", "segmentation", zh / "corpus.jsonl", zh / "eager.txt", zh / "fluent.txt"),
        *("--segmenter", "characters", "--beside", "char-bleu"),
    )
    assert "m2 under each segmenter" in out
    assert "Scores that need no words" in out


@pytest.mark.usefixtures("chinese_font")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_figures_are_written_with_their_data(run, zh, tmp_path, language):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "figures"
    ended = run(
        *("analyse", "breakdown", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--by", "length"),
        *("--figures", folder, "--language", language),
    )
    assert ended.returncode == 0, ended.stderr
    assert (folder / "breakdown-length.svg").stat().st_size > 1000
    assert (folder / "breakdown-length.csv").read_text("utf-8").startswith("series,x,y")


def test_failures_are_one_line(bad, zh):
    message = bad(
        1, "analyse", "references", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, "--up-to", 9
    )
    assert message == "zh-samples: no sentence has 9 references; the most is 4"
    message = bad(2, "analyse", "breakdown", zh / "corpus.jsonl", zh / "eager.txt", "--by", "moon")
    assert message.startswith("unknown kind of groups 'moon'")
