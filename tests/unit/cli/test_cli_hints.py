"""Messages say what to do instead, to somebody who expected another option or name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.api.files import sample

CHINESE = str(sample("zh", "corpus.jsonl"))
ENGLISH = str(sample("en", "corpus.jsonl"))
SYSTEM = str(sample("zh", "eager.txt"))


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["annotate", "serve", "--port", "8791"], ["--port", "--bind"]),
        (["annotate", "serve", "--host", "127.0.0.1:8791"], ["--bind 127.0.0.1:8791"]),
        (["annotate", "init", "--data", "mydata"], ["--data", "init FOLDER"]),
        (["annotate", "restore", "--data", "mydata"], ["--data", "restore BACKUP FOLDER"]),
        (["convert", CHINESE], ["--to", "--output", ".parquet"]),
        (["score", CHINESE, "a="], ["no file", "'a='"]),
        (["score", ENGLISH, SYSTEM, "--scheme", "zh-char"], ["leave --scheme out", "en-errant"]),
    ],
)
def test_the_way_out_is_named(run, words: list[str], facts: list[str]) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert [fact for fact in facts if fact not in err] == []


def test_the_ending_of_the_output_is_enough_to_convert(run, tmp_path: Path) -> None:
    code, _, _ = run("convert", ENGLISH, "-o", str(tmp_path / "x.jsonl"))
    assert code == 0
    assert (tmp_path / "x.jsonl").read_text("utf-8").startswith("{")
