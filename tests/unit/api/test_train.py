"""Configurations and recipes of training."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.api.options import Places
from gecbench.api.train import DevScore, export, read_settings, recipes
from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.models.folder import Card, write_card
from gecbench.models.training.config import ScoringTable


@pytest.mark.parametrize("name", recipes())
def test_every_recipe_is_a_whole_configuration(name) -> None:
    settings = read_settings(None, recipe=name)
    assert settings.config.name == name
    assert settings.home == Path()
    assert settings.config.about
    first = recipes()[name].read_text("utf-8").splitlines()[0]
    assert first.startswith("# ")


def test_the_papers_values_are_in_their_recipes() -> None:
    # MuCGEC, tables 8 and 9; RobustGEC, section 4.
    edit = read_settings(None, recipe="mucgec-seq2edit").config.training
    assert (edit.epochs, edit.cold_epochs, edit.batch_size, edit.patience) == (20, 2, 128, 3)
    assert (edit.cold_learning_rate, edit.learning_rate) == (1e-3, 1e-5)
    assert (edit.beta1, edit.beta2, edit.epsilon) == (0.9, 0.999, 1e-8)
    whole = read_settings(None, recipe="mucgec-seq2seq").config
    assert (whole.training.epochs, whole.training.learning_rate) == (10, 3e-6)
    assert 8 * whole.training.batch_size * whole.training.accumulation == 1024
    assert (whole.training.clip, whole.training.schedule) == (1.0, "polynomial")
    assert (whole.model.dropout, whole.model.label_smoothing, whole.model.max_length) == (
        0.1,
        0.1,
        100,
    )
    assert whole.scoring.by == "loss"
    assert read_settings(None, recipe="robustgec-bart").config.model.correcting.beams == 12
    robust = read_settings(None, recipe="robustgec-cpr").config
    assert robust.training.batch_size * robust.training.accumulation == 128
    assert (robust.training.learning_rate, robust.model.dropout) == (1e-6, 0.3)
    assert (robust.robust.method, robust.robust.alpha) == ("cpr", 1.0)
    # SynGEC, as its scripts.
    for stage, rate, tokens in (("syngec-en", 5e-4, 8192), ("syngec-en-2", 5e-5, 8192)):
        syntax = read_settings(None, recipe=stage).config
        assert (syntax.training.learning_rate, syntax.model.trains) == (rate, "graph")
        assert syntax.training.batch_tokens * syntax.training.accumulation == tokens
    parser = read_settings(None, recipe="syngec-parser-zh").config
    assert (parser.model.layers, parser.model.head_rate, parser.training.epochs) == (4, 20, 5)


def test_the_command_line_changes_single_values(tmp_path) -> None:
    changes = ["training.epochs=3", "name=mine", "data.train=['a.tsv','b.tsv']"]
    config = read_settings(None, recipe="tiny", changes=changes).config
    assert (config.training.epochs, config.name) == (3, "mine")
    assert config.data.train == ("a.tsv", "b.tsv")
    assert read_settings(None, recipe="tiny", changes=["language=CMN"]).config.language == "zh"
    for change, why in (
        ("training.epochs", "write table.key=value"),
        ("=3", "write table.key=value"),
        ("name.first=3", "name is no table"),
    ):
        with pytest.raises(UsageError, match=why):
            read_settings(None, recipe="tiny", changes=[change])
    with expect_error(FormatError, "'training.epoch'", "training.epochs"):
        read_settings(None, recipe="tiny", changes=["training.epoch=3"])


def test_models_are_trained_for_any_language_with_a_code() -> None:
    settings = read_settings(None, recipe="tiny", changes=["language=de"])
    assert settings.config.language == "de"
    with expect_error(FormatError, "recipe tiny", "'German'"):
        read_settings(None, recipe="tiny", changes=["language=German"])


def test_paths_of_a_file_count_from_its_folder(tmp_path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('kind = "tagger"\nname = "x"\nlanguage = "zh"\n')
    assert read_settings(path).home == tmp_path


def test_wrong_use_is_one_clear_line(tmp_path) -> None:
    path = tmp_path / "run.toml"
    with expect_error(UsageError, "configuration file", "a recipe"):
        read_settings(None)
    with expect_error(UsageError, "configuration file", "a recipe"):
        read_settings(path, recipe="tiny")
    with expect_error(UnknownNameError, "'tyni'", "tiny"):
        read_settings(None, recipe="tyni")
    path.write_text('name = "x"\n')
    with expect_error(FormatError, f"{path}", "kind is missing"):
        read_settings(path)
    path.write_text('kind = "taggr"\n')
    with pytest.raises(UnknownNameError, match="did you mean tagger"):
        read_settings(path)
    path.write_text("kind = \n")
    with expect_error(FormatError, "run.toml:1"):
        read_settings(path)
    path.write_bytes('kind = "标"'.encode("gb18030"))
    with pytest.raises(FormatError, match="is not UTF-8"):
        read_settings(path)


def test_a_dev_score_is_that_of_the_metric() -> None:
    samples = (
        Sample("1", "我很高心。", (Rewrite(text="我很高兴。"),)),
        Sample("2", "他走了。", (Rewrite(text="他走了。"),)),
    )
    score = DevScore("zh", ScoringTable(), Places())
    assert score(Corpus("dev", samples), ["我很高兴。", "他走了。"]) == 1.0
    assert score(Corpus("dev", samples), ["我很高心。", "他走了。"]) == 0.0
    assert "metric:cherrant" in score.signature
    assert "scheme:zh-char" in score.signature
    share = DevScore("zh", ScoringTable(metric="sentence-accuracy"), Places())
    assert share(Corpus("dev", samples), ["我很高兴。", "他走。"]) == 0.5
    with expect_error(UnknownNameError, "'chrrant'", "cherrant"):
        DevScore("zh", ScoringTable(metric="chrrant"), Places()).check()
    with pytest.raises(UnknownNameError, match="unknown scheme"):
        DevScore("zh", ScoringTable(scheme="zh-chra"), Places()).check()


@pytest.mark.parametrize("languages", [("de",), ()])
def test_an_export_is_compared_on_no_sentences_of_another_language(tmp_path, languages) -> None:
    write_card(tmp_path, Card(kind="tagger", languages=languages, tokens="space"))
    with expect_error(UsageError, repr(*languages or ("xx",)), "--texts"):
        export(tmp_path, tmp_path / "out")
