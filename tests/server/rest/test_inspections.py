"""Quality inspection over the API: rounds, figures, and ratings once both judges have rated."""

from __future__ import annotations

import json

from server.rest.calls import Caller
from server.workflow.inspecting import begun, both, inspected, rated

from gecbench.reports.report import render
from gecbench.server.import_export.corpora import naming_of
from gecbench.server.import_export.personal_data import export_personal_data
from gecbench.server.models import Person
from gecbench.server.statistics.inspections import round_report


def test_jud_1_no_rating_is_told_before_both_judges_have_rated(site):
    """Neither by the API, nor by what a judge downloads of themselves, nor by the report."""
    project = inspected()
    inspection_round = begun(project)
    first, second = inspection_round.items.filter(position__lte=2)
    both(project, first, (True, False), (True, True))
    rated(project, "jane", second, False, False, note="secret note")
    boss = Caller(Person.objects.get(login="boss"))
    here = f"projects/story/inspections/{inspection_round.pk}"
    items = boss.get(f"{here}/items")[1]["items"]
    assert [len(item["ratings"]) for item in items] == [2, 0, 0, 0]
    assert items[0]["ratings"][0]["accept"] == {"grammaticality": True, "meaning": False}
    assert {rating["judge"][0] for rating in items[0]["ratings"]} == {"P"}
    report = boss.get(here)[1]
    assert (report["rated"], report["rated_by_both"]) == ([2, 1], 1)
    assert report["figures"][1]["equal"]["value"] == 0.0
    texts = [
        json.dumps(boss.get(path)[1])
        for path in (here, f"{here}/items", "projects/story/inspections")
    ]
    texts.append(b"".join(export_personal_data(Person.objects.get(login="john"))).decode())
    texts.append(render(round_report(inspection_round, naming_of(project)), "json"))
    assert [text for text in texts if "secret note" in text] == []
    assert (
        "secret note" in b"".join(export_personal_data(Person.objects.get(login="jane"))).decode()
    )
