"""Each person's day and times are those of their own time zone, else of the site's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client, override_settings
from django.utils import timezone
from server.web.asking import Asking
from server.workflow.stories import (
    a_project,
    correction,
    joined,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.server.models import Person, Submission
from gecbench.server.statistics.members import member_figures
from gecbench.server.statistics.work import add_up_work, load_counts

EVENING = datetime(2026, 3, 9, 22, 30, tzinfo=UTC)
"""The 9th of March in London, the 10th in Shanghai."""


@pytest.fixture
def li(site, monkeypatch):
    """Somebody who handed one sentence in an hour and a half before the evening, and one after."""
    project = a_project(3, annotators=1)
    member = joined(project, "li")
    for number, hours in ((1, -8), (2, -1)):
        at = EVENING + timedelta(hours=hours)
        monkeypatch.setattr(Submission._meta.get_field("at"), "_get_default", lambda at=at: at)
        submitted(member, sentence_of(project, number), correction(f"我们{number}。"))
    monkeypatch.setattr(timezone, "now", lambda: EVENING)
    return member


@pytest.mark.parametrize(
    ("zone", "today", "days"),
    [("Europe/London", 2, 1), ("Asia/Shanghai", 1, 2), ("Asia/Kolkata", 1, 2), ("UTC", 2, 1)],
)
def test_today_is_the_persons_own(li, zone, today, days):
    with timezone.override(ZoneInfo(zone)):
        assert member_figures(li).today == today
        assert len(add_up_work(load_counts(li.project)).days) == days


def test_pages_show_the_persons_day_and_times(li):
    at = Submission.objects.get(sentence__number=2).at
    for zone, shown in (("Asia/Shanghai", "2026-03-10 05:30"), ("", "2026-03-09 21:30")):
        Person.objects.filter(pk=li.person_id).update(time_zone=zone)
        page = Asking(Person.objects.get(pk=li.person_id)).html("/p/story/work/history")
        assert shown in page, (zone, at)
    assert timezone.get_current_timezone_name() == "UTC"  # nothing is left behind


def test_the_time_zone_is_chosen_in_ones_account(site):
    li = Asking(somebody("li"))
    page = li.html("/account")
    assert "As the site: UTC" in page
    assert '<optgroup label="Asia">' in page
    fields = {"name": "Li", "goal": "0"}
    for zone, stored in (
        ("Asia/Shanghai", "Asia/Shanghai"),
        ("Nowhere/Land", "Asia/Shanghai"),
        ("../etc/passwd", "Asia/Shanghai"),
        (None, "Asia/Shanghai"),
        ("", ""),
    ):
        li.form("/account/change", **fields, **({} if zone is None else {"time_zone": zone}))
        assert Person.objects.get(login="li").time_zone == stored, zone
    li.form("/account/change", **fields, time_zone="Europe/Berlin")
    page = li.html("/account")
    assert '<option value="Europe/Berlin" selected>' in page
    assert 'data-zone="Europe/Berlin"' in page


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../x", "\x01"])
def test_a_zone_that_is_no_more_is_the_sites(site, zone):
    """Names come and go with the data of time zones; a page never fails by one."""
    somebody("li", time_zone=zone)
    assert 'data-zone="UTC"' in Asking(Person.objects.get(login="li")).html("/account")


def test_whoever_is_not_signed_in_has_the_sites(site):
    with override_settings(TIME_ZONE="Asia/Shanghai"):
        assert b'data-zone="Asia/Shanghai"' in Client().get("/login").content
