"""`gecbench annotate stats`: the same figures in the terminal and in files."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner
from server.statistics.worked import worked

from gecbench.cli.annotate import project as commands
from gecbench.server import statistics
from gecbench.server.models import Figures


@pytest.fixture
def project(site, monkeypatch):
    project = worked()
    monkeypatch.setattr(commands, "open_project", lambda *_: project)
    return project


def shown(*words: str) -> str:
    ended = CliRunner().invoke(commands.stats, ["story", *words], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_stats_computes_and_shows_everything_with_its_signature(project):
    text = shown()
    assert "Annotators" in text
    assert "signature: metric:cherrant|scheme:zh-char" in text
    assert Figures.objects.filter(project=project, kind="scores").exists()


def test_stats_as_they_were_kept_compares_no_texts(project):
    assert "never computed" in shown("--kept")
    assert not Figures.objects.exclude(kind__startswith="counts").exists()


def test_stats_are_the_same_in_json_and_csv(project):
    data = json.loads(shown("--format", "json"))
    people = {person["name"]: person["score"]["value"] for person in data["people"]}
    rows = csv.DictReader(io.StringIO(shown("--format", "csv", "--table", "people")))
    assert {row["annotator"]: float(row["F0.5"]) for row in rows} == people
    assert data["scores"]["total"]["value"] == statistics.scores(project).total.value


def test_stats_write_figures_with_their_data(project, tmp_path):
    shown("--figures", str(tmp_path / "figures"), "--language", "zh")
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"quality-progress.svg", "quality-volume.csv", "agreement-edits.svg"} <= names
