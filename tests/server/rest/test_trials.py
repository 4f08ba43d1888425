"""Trials and gold tasks over the API: for managers, people under pseudonyms."""

from __future__ import annotations

from server.rest.calls import Caller
from server.workflow.practising import candidate, finish_trial, known, practising
from server.workflow.stories import a_project, joined, submit_answer

from gecbench.server.choices import Purpose
from gecbench.server.models import Member, Person
from gecbench.server.workflow import claims, practice


def test_managers_read_all_attempts_and_candidates_none(site):
    member = candidate(practising(trial_size=2, trial=4))
    for right in (1, 2):
        finish_trial(member, right)
    boss = Caller(Person.objects.get(login="boss"))
    status, page = boss.get("projects/story/trials")
    assert status == 200
    results = [
        (item["no"], item["accepted"], item["size"], item["state"]) for item in page["items"]
    ]
    assert results == [(1, 1, 2, "failed"), (2, 2, 2, "passed")]
    assert {item["annotator"][0] for item in page["items"]} == {"P"}
    assert Caller(member.person).get("projects/story/trials")[0] == 404
    purposes = boss.get("projects/story/sentences", purpose="trial")[1]["items"]
    assert len(purposes) == 4


def test_managers_read_the_results_of_gold_tasks_and_annotators_none(site, monkeypatch):
    project = a_project(5, gold_percent=50)
    known(project, Purpose.GOLD, 2)
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    member, boss = joined(project, "li"), Person.objects.get(login="boss")
    for _ in range(2):
        submit_answer(member, claims.current(member).slot)
    first = practice.gold_results(project).last()
    lead = Member.objects.get(person=boss)
    practice.overrule_gold(lead, first.pk, right=True, reason="as good")
    status, page = Caller(boss).get("projects/story/gold-results", limit=1)
    assert (status, page["next"]) == (200, first.pk)
    (item,) = page["items"]
    assert (item["key"], item["right"], item["overruled"]) == (first.pk, True, True)
    assert item["annotator"][0] == "P"
    assert item["id"].startswith("gold-")
    (item,) = Caller(boss).get("projects/story/gold-results", after=first.pk)[1]["items"]
    assert (item["right"], item["overruled"]) == (False, False)
    assert Caller(member.person).get("projects/story/gold-results")[0] == 404
