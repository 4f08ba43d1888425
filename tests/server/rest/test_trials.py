"""Trials over the API: for managers, people under pseudonyms."""

from __future__ import annotations

from server.rest.calls import Caller
from server.workflow.practising import candidate, practising, taken

from gecbench.server.models import Person


def test_managers_read_all_attempts_and_candidates_none(site):
    member = candidate(practising(trial_size=2, trial=4))
    for right in (1, 2):
        taken(member, right)
    boss = Caller(Person.objects.get(login="boss"))
    status, page = boss.get("projects/story/trials")
    assert status == 200
    results = [(one["no"], one["accepted"], one["size"], one["state"]) for one in page["items"]]
    assert results == [(1, 1, 2, "failed"), (2, 2, 2, "passed")]
    assert {one["annotator"][0] for one in page["items"]} == {"P"}
    assert Caller(member.person).get("projects/story/trials")[0] == 404
    purposes = boss.get("projects/story/sentences", purpose="trial")[1]["items"]
    assert len(purposes) == 4
