"""Pay over the API: everything for managers, their own statements for others."""

from __future__ import annotations

from datetime import timedelta

from server.rest.calls import Caller
from server.workflow.paying import closed, paying
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, waiting
from server.workflow.stories import correction

from gecbench.server.models import PayPeriod, PayStatement
from gecbench.server.workflow import pay


def test_managers_read_all_statements_and_others_their_own(site, monkeypatch):
    monkeypatch.setattr(pay, "SETTLED", timedelta(seconds=-9))
    project = waiting(correction(GOOD, FAIR), correction(BAD))
    finalised(project)
    paying(project)
    closed(project)
    keys = {
        pay_statement.person.login: pay_statement.pk
        for pay_statement in PayStatement.objects.select_related("person")
    }
    boss, a1, a2 = (Caller(member_of(project, login).person) for login in ("boss", "a1", "a2"))
    status, page = boss.get("projects/story/pay/statements")
    assert (status, [item["key"] for item in page["items"]]) == (200, sorted(keys.values()))
    assert {item["person"][0] for item in page["items"]} == {"P"}
    status, page = a1.get("projects/story/pay/statements")
    assert (status, [item["total_minor"] for item in page["items"]]) == (200, [75])
    period = PayPeriod.objects.get()
    assert (page["items"][0]["first_day"], page["items"][0]["last_day"]) == (
        None,
        str(period.last_day),
    ), "as files and pages name them; `end` is the moment after the last day"
    status, whole = a1.get(f"projects/story/pay/statements/{keys['a1']}")
    assert [line["amount_minor"] for line in whole["lines"]] == [50, 25]
    assert whole["lines"][1]["reference"]
    assert a2.get(f"projects/story/pay/statements/{keys['a1']}")[0] == 404
    status, versions = boss.get("projects/story/pay/formulas")
    assert (status, [version["in_force"] for version in versions]) == (200, [True])
    assert a1.get("projects/story/pay/formulas")[0] == 404
