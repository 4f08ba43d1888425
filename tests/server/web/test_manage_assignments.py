"""Work with a deadline as a manager gives it, and as members see it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from server.web.asking import Asking
from server.web.managed import HERE, boss, project
from server.workflow.stories import a_project, joined, people, sentence_of, submitted

from gecbench.server.choices import Role
from gecbench.server.models import Assignment, Slot
from gecbench.server.workflow import claims

__all__ = ["boss", "project"]


def day(count: int) -> str:
    return (timezone.localtime() + timedelta(days=count)).date().isoformat()


def table(boss: Asking, sort: str = "name") -> list[list[str]]:
    """The cells of the members' table, without marks."""
    html = boss.html(f"{HERE}/members?sort={sort}").split("<tbody>", 1)[1].split("</tbody>")[0]
    cells = [re.findall(r"<td.*?</td>", row, re.S) for row in html.split("</tr>")[:-1]]
    return [[" ".join(re.sub("<[^>]+>", "", cell).split()) for cell in row] for row in cells]


def give(boss: Asking, *to, kind: str = "quota", number: int = 2, due: int = 3, follow=True):
    fields = {
        "members": [member.pk for member in to],
        "kind": kind,
        "number": number,
        "due": day(due),
    }
    return boss.client.post(f"{HERE}/members/work", fields, follow=follow)


def test_a_quota_is_given_to_several_and_seen_by_each_alone(project, boss):
    li, wang = joined(project, "li"), joined(project, "wang")
    answer = give(boss, li, wang)
    assert "2 members were given work" in answer.content.decode()
    submitted(li, sentence_of(project))
    home = Asking(li).html("/")
    assert "Quota: 1 of 2 annotated" in home
    due = timezone.localtime(Assignment.objects.get(member=li).due_at)
    assert (due.date().isoformat(), due.hour, due.minute) == (day(3), 23, 59)
    assert f"by {day(3)} 23:59" in home
    assert "Quota: 0 of 2 annotated" in Asking(wang).html("/")
    assert "定额：已标注 0 / 2" in Asking(wang, language="zh-hans").html("/")
    assert "Quota" not in Asking(joined(project, "zhao")).html("/")


def test_a_batch_is_kept_and_says_where_there_were_too_few(project, boss):
    li = joined(project, "li")
    answer = give(boss, li, kind="batch", number=5)
    assert "Li got 3 sentences" in answer.content.decode()
    assert "Kept sentences: 0 of 3 done" in Asking(li).html("/")
    assert "There is no free sentence for Li" in give(boss, li, kind="batch").content.decode()


def test_reviewers_get_quotas_and_who_has_not_the_role_is_named(project, boss):
    li, rita = joined(project, "li"), joined(project, "rita", Role.REVIEWER)
    html = give(boss, li, rita, kind="reviews").content.decode()
    assert "Li does not work in this role now" in html
    assert "1 member was given work" in html
    assert "Quota: 0 of 2 reviewed" in Asking(rita).html("/")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"members": []}, "Choose at least one member."),
        ({"number": "0"}, "greater than or equal to 1"),
        ({"number": "x"}, "Enter a whole number."),
        ({"due": "2020-01-01"}, "The deadline is in the past."),
        ({"due": "soon"}, "A deadline is a day"),
        ({"kind": "batch", "number": "1001"}, "At most 1000 sentences are kept at once."),
        ({"kind": "x"}, "Select a valid choice."),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_given(project, boss, changed, message):
    li = joined(project, "li")
    fields = {"members": [li.pk], "kind": "quota", "number": "2", "due": day(2)} | changed
    answer = boss.client.post(f"{HERE}/members/work", fields)
    assert (answer.status_code, message in answer.content.decode()) == (422, True)
    assert not Assignment.objects.exists()


def test_members_of_other_projects_cannot_be_chosen(project, boss):
    stranger = joined(a_project(1, slug="other", manager="ola"), "sol")
    assert give(boss, stranger, follow=False).status_code == 422
    quota = Assignment.objects.create(
        member=stranger, role="annotator", quota=1, due_at=timezone.now() + timedelta(1)
    )
    answer = boss.form(f"{HERE}/members/work/{quota.pk}", act="end")
    assert answer.status_code == 404
    quota.refresh_from_db()
    assert quota.ended_at is None


def test_who_is_behind_is_seen_at_a_glance(project, boss):
    li, wang, _zhao = people(project, 3)
    assert "Behind" not in boss.html(f"{HERE}/members")
    for member in (li, wang):
        give(boss, member, number=3, due=10)
    submitted(li, sentence_of(project))
    now = timezone.now()
    Assignment.objects.update(at=now - timedelta(days=9), due_at=now - timedelta(days=1))
    submitted(li, sentence_of(project, 2))
    Assignment.objects.filter(member=li).update(due_at=now + timedelta(days=9))
    html = boss.html(f"{HERE}/members")
    assert "1 member is behind" in html
    assert "overdue" in html
    rows = {row[0]: row[3:6] for row in table(boss)}
    assert rows["A1"][0] == "2 / 3"
    assert (rows["A2"][0], rows["A2"][2]) == ("0 / 3", "3")
    assert rows["A3"] == ["–", "–", "–"]
    assert table(boss, "behind")[0][0] == "A2"
    assert [row[0] for row in table(boss, "due")][:2] == ["A2", "A1"]


def test_a_deadline_is_moved_and_an_assignment_ended(project, boss):
    li = joined(project, "li")
    give(boss, li, kind="batch", number=1)
    batch = Assignment.objects.get()
    url = f"{HERE}/members/work/{batch.pk}"
    assert f'action="{url}"' in boss.html(f"{HERE}/members/{li.pk}")
    boss.form(url, act="move", due=day(8))
    batch.refresh_from_db()
    assert timezone.localtime(batch.due_at).date() == datetime.fromisoformat(day(8)).date()
    assert "in the past" in boss.client.post(url, {"due": day(-8)}, follow=True).content.decode()
    boss.form(url, act="end")
    batch.refresh_from_db()
    assert batch.ended_at is not None
    assert "Nothing is due" in boss.html(f"{HERE}/members/{li.pk}")
    log = boss.html(f"{HERE}/audit")
    assert all(words in log for words in ("gave a member work", "changed a deadline", "ended what"))


def test_chosen_sentences_are_kept_for_one_person(project, boss):
    li, wang = people(project, 2)
    ids = [sentence_of(project, n).pk for n in (1, 3)]
    shown = boss.form(f"{HERE}/sentences/bulk", act="keep", sentence=ids)
    assert "A1" in shown.content.decode()
    do = {"act": "keep", "ids": ",".join(map(str, ids)), "typed": "2", "due": day(2)}
    assert boss.form(f"{HERE}/sentences/bulk/do", **do).status_code == 422
    wrong = boss.form(f"{HERE}/sentences/bulk/do", **do | {"member": li.pk, "due": day(-2)})
    assert "The deadline is in the past" in wrong.content.decode()
    answer = boss.form(f"{HERE}/sentences/bulk/do", **do, member=li.pk)
    assert answer.status_code == 302
    slots = Slot.objects.filter(assignment__member=li)
    assert set(slots.values_list("sentence__number", flat=True)) == {1, 3}
    assert claims.current(li).slot.sentence.number in (1, 3)
    assert claims.current(wang).slot is not None  # the other places are open to all
