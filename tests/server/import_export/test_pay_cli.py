"""gecbench annotate pay, as an operator types it: preview, closing, files."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest
from click.testing import CliRunner
from django.utils import timezone
from server.workflow.paying import PLAIN, paying
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, waiting
from server.workflow.stories import correction

from gecbench.cli.annotate.people import pay as commands
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.server.models import PayPeriod, Project
from gecbench.server.rules.pay import formula_json
from gecbench.server.workflow import pay


@pytest.fixture
def run(site, monkeypatch):
    monkeypatch.setattr("gecbench.server.site.folder.open_site", lambda _: None)
    monkeypatch.setattr(pay, "SETTLED", timedelta(days=-2))
    finalised(waiting(correction(GOOD), correction(BAD), correction(GOOD, FAIR)))

    def call(*words):
        arguments = [*map(str, words), "story"]
        ended = CliRunner().invoke(commands, arguments)
        if ended.exception and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return ended.stdout

    return call


def table(path):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def test_pay_4_a_formula_in_a_file_is_previewed_before_anything_is_kept(run, tmp_path):
    path = tmp_path / "formula.json"
    path.write_text(json.dumps(formula_json(PLAIN)))
    data = json.loads(run("preview", "--formula", path, "--format", "json"))
    amounts = {person["name"]: person["amount"] for person in data["people"]}
    assert amounts == {"A1": "0.50", "A2": "0.00", "A3": "0.75", "Rita": "0.60"}
    assert data["currency"] == "CNY"
    with pytest.raises(UsageError, match="no formula is in force"):
        run("preview")
    path.write_text('{"annotation": "much"}')
    with pytest.raises(UsageError, match="annotation is 'much'"):
        run("preview", "--formula", path)
    path.write_text("annotation: 1")
    with pytest.raises(GecbenchError, match=r"formula\.json: no JSON"):
        run("preview", "--formula", path)


def test_pay_2_a_period_is_closed_once_and_written(run, tmp_path):
    project = Project.objects.get()
    paying(project)
    assert "0.75" in run("preview")
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    run("close", "--through", today)
    assert PayPeriod.objects.get(project=project).end == pay.end_of(today)
    with pytest.raises(GecbenchError, match="is closed already"):
        run("close", "--through", today)
    with pytest.raises(UsageError, match="write a day as"):
        run("close", "--through", "yesterday")
    file = tmp_path / "november.csv"
    run("export", "-o", file)
    rows = {row["name"]: row["total"] for row in table(file)}
    assert rows == {"A1": "0.5", "A2": "0.0", "A3": "0.75", "Rita": "0.6"}
    run("export", "-o", file, "--through", today, "--lines")
    assert len(table(file)) == 4
    with pytest.raises(UnknownNameError, match=str(today)):
        run("export", "-o", file, "--through", "2020-01-01")
    with pytest.raises(UsageError, match=r"\.csv or \.xlsx"):
        run("export", "-o", tmp_path / "november.pdf")
