"""Options of scoring, and those of single metrics."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from messages import expect_error

from gecbench.analysis.options import HumanOptions, Layout, Plan
from gecbench.api.options import Options, Places
from gecbench.api.score import collect_stats
from gecbench.api.verb_options import DifficultyOptions, PerturbOptions, Voting
from gecbench.core.errors import UsageError
from gecbench.core.options import Cluster, Option
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.lang import language_of
from gecbench.metrics import make_metrics


def metric_with(metric: str, lang: str = "en", **settings: str):
    settings = {name.replace("__", "."): value for name, value in settings.items()}
    return make_metrics([metric], {"unit": language_of(lang).unit}, settings, chosen={})[0]


def test_settings_become_what_the_metric_has_for_them():
    assert metric_with("m2", m2__max_unchanged_words="3").max_unchanged_words == 3
    assert metric_with("m2", m2__ignore_whitespace_casing="yes").ignore_whitespace_casing is True
    assert metric_with("m2", m2__ignore_whitespace_casing="no").ignore_whitespace_casing is False
    assert metric_with("meaning-preservation", **{"meaning-preservation.t": "0.5"}).t == 0.5
    assert metric_with("gleu", gleu__unit="character").unit == "character"
    assert metric_with("m2", **{"m2.max-unchanged-words": "1"}).max_unchanged_words == 1


def test_general_options_reach_the_metrics_that_have_them():
    options = Options(
        metrics=("errant", "m2", "gleu"),
        beta=1.0,
        level="detection-span",
        choice="sentence-best",
        size="multi",
    )
    corpus = Corpus("c", (Sample("1", "a b", (Rewrite(text="a c"),)),), "en")
    system = SystemOutput("s", {"1": (Rewrite(text="a c"),)})
    run_stats = collect_stats(corpus, system, scheme="xx-word", options=options)
    errant, m2, _ = run_stats.metrics.values()
    assert (errant.beta, errant.level, errant.choice) == (1.0, "detection-span", "sentence-best")
    assert errant.chosen.size == "multi"
    assert m2.beta == 1.0


def test_characters_are_counted_in_chinese_unless_words_are_asked_for():
    assert metric_with("gleu").unit == "word"
    assert metric_with("gleu", "zh").unit == "character"
    assert metric_with("gleu", "zh", gleu__unit="word").unit == "word"


@pytest.mark.parametrize(
    ("metric", "setting", "value", "message"),
    [
        ("gleu", "m2.beta", "1", "setting 'm2.beta'"),
        ("gleu", "unit", "word", "setting 'unit'"),
        ("gleu", "gleu.unity", "word", "metric gleu has no option 'unity'"),
        ("m2", "m2.beta", "1", "metric m2 has no option 'beta'"),
        ("gleu", "gleu.unit", "letter", "gleu.unit is 'letter'"),
        ("m2", "m2.max_unchanged_words", "two", "m2.max_unchanged_words is 'two'"),
        ("m2", "m2.ignore_whitespace_casing", "1", "m2.ignore_whitespace_casing is '1'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(metric, setting, value, message: str):
    with pytest.raises(UsageError) as error:
        make_metrics([metric], {}, {setting: value}, chosen={})
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("resamples", [-1, 1, 99])
def test_too_few_resamples_are_refused(resamples: int):
    with expect_error(UsageError, f"resamples {resamples}", "100"):
        Options(resamples=resamples)


@pytest.mark.parametrize(
    "options",
    [
        Options,
        HumanOptions,
        Plan,
        DifficultyOptions,
        Layout,
        Voting,
        PerturbOptions,
        Places,
        Cluster,
    ],
)
def test_the_documentation_has_every_field_with_its_option_and_default(options: type):
    """Where this fails, put the table that it expects into the page."""
    page = (Path(__file__).parents[3] / "docs" / "python.md").read_text("utf-8")
    rows = ["| field | default | on the command line |", "|---|---|---|"]
    hints = get_type_hints(options, include_extras=True)
    for field in fields(options):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        declared = [extra for extra in get_args(hints[field.name]) if isinstance(extra, Option)]
        name = f"`{declared[0].name}`" if declared else ""
        rows.append(f"| `{field.name}` | `{default!r}` | {name} |".replace("'", '"'))
    table = "\n".join(rows)
    assert f"\n### `{options.__name__}`\n\n{table}\n" in page, table


@pytest.mark.parametrize("option", ["metrics", "exclude", "normalise"])
@pytest.mark.parametrize("value", ["", None, 0])
def test_an_empty_value_is_checked_as_any_other(option: str, value: object):
    with expect_error(UsageError, option, repr(value)):
        Options(**{option: value})


@pytest.mark.parametrize("jobs", [0, 1.0, True, "1"])
def test_jobs_are_a_number_of_processes(jobs: object):
    with expect_error(UsageError, "jobs", str(jobs)):
        Options(jobs=jobs)
