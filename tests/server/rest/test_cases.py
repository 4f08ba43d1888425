"""Perturbation over the API: texts of variants, faults of files, and cases made again."""

from __future__ import annotations

from server.rest.calls import Caller
from server.workflow.perturbing import a_perturbation, done_case
from server.workflow.stories import joined, sentence_of, somebody


def test_a_manager_reads_variants_and_has_them_made_again(site):
    project = a_perturbation()
    done_case(project)
    boss = Caller(somebody("boss"))
    items = boss.get("projects/perturb/submissions")[1]["items"]
    assert items[0]["texts"] == ["我门今天去学校看老师。", "我们今天去学校看老师。"]
    assert boss.get("projects/perturb/faults") == (200, [])
    path = "projects/perturb/sentences/1/reopen-variants"
    fields = {"positions": [2], "note": "太像了"}
    status, answer = boss.post(path, fields)
    assert (status, answer) == (200, {"number": 1, "state": "annotating", "places": [2]})
    assert sentence_of(project).submitted == 1
    assert boss.post(path, fields)[0] == 409
    assert Caller(joined(project, "li").person).post(path, fields)[0] == 404
