"""What goes wrong before anything is corrected or trained is said at once, and loses nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from messages import expect_error, missing_facts
from small_task import KIND, SmallConfig
from test_training import config, trained

from gecbench.api import train as api_train
from gecbench.api.correct import Target, correct_file, open_corrector
from gecbench.core.corrector import Corrector
from gecbench.core.errors import FormatError, GecbenchError, MissingExtraError, UsageError
from gecbench.formats.validation import convert
from gecbench.models import load_corrector
from gecbench.models.training import task as kinds
from gecbench.models.training.run import train_run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    letters = "abcdefgh"
    texts = [f"{a}{b}" for a in letters for b in letters][:40]
    rows = [f"{n}\t{text}\t{text[::-1]}\n" for n, text in enumerate(texts) if len(set(text)) > 1]
    (tmp_path / "train.tsv").write_text("".join(rows[:30]))
    (tmp_path / "dev.tsv").write_text("".join(rows[30:]))
    return tmp_path


def test_the_input_is_never_the_output(tmp_path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("好\n", encoding="utf-8")
    for other in (path, tmp_path / "." / "in.txt"):
        with expect_error(UsageError, str(path), "written over"):
            correct_file(open_corrector("copying"), path, lambda _f, o=other: Target(o, "lines"))
    assert path.read_text("utf-8") == "好\n"
    assert [p.name for p in tmp_path.iterdir()] == ["in.txt"]


def test_a_run_that_did_nothing_leaves_no_journal(tmp_path) -> None:
    class Dead(Corrector):
        info = open_corrector("copying").info

        def correct(self, texts):
            raise GecbenchError("nobody answers")

    path = tmp_path / "in.txt"
    path.write_text("好\n", encoding="utf-8")
    with pytest.raises(GecbenchError, match="nobody answers"):
        correct_file(Dead(), path, lambda _f: Target(tmp_path / "out.txt", "lines"))
    assert [p.name for p in tmp_path.iterdir()] == ["in.txt"]


def test_a_model_that_is_none_is_answered_with_what_was_meant(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("profile.toml").write_text("")
    with expect_error(UsageError, "profile.toml", "chat:profile.toml"):
        load_corrector("profile.toml")
    with expect_error(GecbenchError, "runs/none", "no such folder"):
        load_corrector("runs/none")


def test_a_runs_folder_stands_for_its_model(home) -> None:
    trained(home, "run", config(epochs=1))
    with expect_error(GecbenchError, "'small'"):
        load_corrector(str(home / "run"))


def test_missing_torch_is_one_line_with_the_command(monkeypatch) -> None:
    def missing() -> None:
        raise MissingExtraError("torch", "models")

    monkeypatch.setattr(kinds, "need_torch", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'gecbench\[models\]'"):
        api_train.read_settings(None, recipe="tiny")


def test_a_run_that_kept_nothing_may_be_begun_otherwise(home) -> None:
    def failing(_config, _pairs, _kept):
        raise GecbenchError("no such encoder")

    with pytest.raises(GecbenchError, match="no such encoder"):
        trained(home, "run", config(), kinds.TrainingKind(SmallConfig, failing))
    assert trained(home, "run", config(epochs=2, seed=7)).why == "all epochs done"
    with pytest.raises(UsageError, match=r"differs in configuration.training.seed"):
        trained(home, "run", config(epochs=2, seed=8))


class Nothing:
    """Finds nothing right."""

    signature = "metric:nothing"

    def __call__(self, dev, texts) -> float:
        return 0.0


def test_patience_is_not_lost_before_anything_is_right(home) -> None:
    text: list[str] = []
    outcome = train_run(
        config(epochs=6, patience=2),
        KIND,
        home / "run",
        home=home,
        score=Nothing(),
        say=text.append,
    )
    assert outcome.why == "all epochs done"
    assert any("nothing corrected rightly yet" in line for line in text)
    assert any("not one right correction on dev" in line for line in text)


def test_a_wrong_choice_is_answered_with_the_choices() -> None:
    table = {"kind": "small", "name": "s", "language": "en", "training": {"schedule": "linar"}}
    with expect_error(FormatError, "'linar'", "linear"):
        convert("run.toml", table, SmallConfig)
    with expect_error(FormatError, "'epochs'", "training.epochs"):
        convert("run.toml", {**table, "training": {}, "epochs": 2}, SmallConfig)


def test_the_command_looks_at_its_input_before_it_loads_a_model(tmp_path) -> None:
    (tmp_path / "empty.txt").write_text("")
    for words, why in (
        (("zh-homophone", "empty.txt"), "the file is empty; at least one sentence is needed"),
        (
            ("zh-homophone", "我很高心。", "--details", "d"),
            "leave --details out, or put the text into a file",
        ),
    ):
        process = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "gecbench", "correct", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode in (1, 2)
        assert why in process.stderr
        assert "gecbench.models.lexical" not in process.stderr


def test_texts_in_another_language_are_refused(tmp_path, run) -> None:
    path = tmp_path / "en.txt"
    path.write_text("He go to school every days .\n")
    code, out, err = run("correct", "zh-homophone", path)
    assert (code, out) == (2, "")
    assert missing_facts(err, ("zh-homophone", "zh", "'en'", "--lang")) == []
    code, out, err = run("correct", "zh-homophone", path, "--lang", "de")
    assert (code, out) == (2, "")
    assert missing_facts(err, ("zh-homophone", "zh", "de")) == []
