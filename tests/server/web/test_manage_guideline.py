"""The guideline as managers edit it: previewed, published, refused in words, cases settled."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.conf import settings
from server.web.asking import Asking
from server.web.managed import HERE, boss, project
from server.workflow import reviewing
from server.workflow.stories import somebody

from gecbench.server.guidelines.rendering import LARGEST
from gecbench.server.models import Guideline, GuidelineCase, Study
from gecbench.server.workflow import complaints

__all__ = ["boss", "project"]


def test_gui_2_a_guideline_is_previewed_published_and_settles_cases(site):
    project = reviewing.waiting()
    reviewing.finalised(project)
    boss = Asking(somebody("boss"))
    author = reviewing.member_of(project, "a2")
    complaint = complaints.complain(
        author, Study.objects.get().pk, argument="idiomatic", client_key=uuid4()
    )
    complaints.mark_case(reviewing.member_of(project, "boss"), complaint.pk, note="spoken language")
    case = GuidelineCase.objects.get()
    assert "spoken language" in boss.html(f"{HERE}/guideline")
    text = "# Rule {#r}\n\n<script>alert(1)</script> **spoken**\n"
    shown = boss.form(f"{HERE}/guideline/preview", markdown=text).content.decode()
    assert "<strong>spoken</strong>" in shown
    assert "<script" not in shown
    fields = {"markdown": text, "note": "spoken language", "based": "1", "case": str(case.pk)}
    assert boss.form(f"{HERE}/guideline", **fields).status_code == 302
    case.refresh_from_db()
    assert (case.closed_in.version, Guideline.objects.count()) == (2, 2)
    assert "alert(1)</script>" not in boss.html("/p/story/guide")


@pytest.mark.parametrize("number", ["settled", "x", "-1", "9" * 20])
def test_a_case_that_is_settled_or_none_is_left_out(site, number):
    project = reviewing.waiting()
    reviewing.finalised(project)
    boss, author = Asking(somebody("boss")), reviewing.member_of(project, "a2")
    complaint = complaints.complain(
        author, Study.objects.get().pk, argument="idiomatic", client_key=uuid4()
    )
    case = complaints.mark_case(reviewing.member_of(project, "boss"), complaint.pk, note="spoken")
    boss.form(f"{HERE}/guideline/cases", case=str(case.pk))  # as another manager does meanwhile
    sent = str(case.pk) if number == "settled" else number
    answer = boss.form(f"{HERE}/guideline", markdown="# New {#r}", note="", based="1", case=sent)
    assert answer.status_code == 302
    case.refresh_from_db()
    assert case.closed_in.version == 1


def test_a_guideline_that_somebody_else_published_meanwhile_is_not_overwritten(project, boss):
    text = "# Mine\n"
    assert boss.form(f"{HERE}/guideline", markdown="# First\n", based="1").status_code == 302
    answer = boss.form(f"{HERE}/guideline", markdown=text, based="1")
    assert answer.status_code == 409
    assert "# Mine" in answer.content.decode()
    assert Guideline.objects.count() == 2
    answer = boss.form(f"{HERE}/guideline", markdown="", based="2")
    assert answer.status_code == 422


def test_a_case_can_be_settled_by_the_version_in_force(site):
    project = reviewing.waiting()
    reviewing.finalised(project)
    author, boss = reviewing.member_of(project, "a2"), Asking(somebody("boss"))
    complaint = complaints.complain(
        author, Study.objects.get().pk, argument="x", client_key=uuid4()
    )
    case = complaints.mark_case(reviewing.member_of(project, "boss"), complaint.pk, note="clear")
    assert boss.form(f"{HERE}/guideline/cases", case="many").status_code == 302
    boss.form(f"{HERE}/guideline/cases", case=str(case.pk))
    case.refresh_from_db()
    assert case.closed_in.version == 1


def test_a_guideline_too_long_to_be_shown_is_said(project, boss):
    shown = boss.form(f"{HERE}/guideline/preview", markdown="x" * 1_000_001)
    assert "note bad" in shown.content.decode()


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("form", ["multipart", FORM])
def test_gui_2_what_is_published_is_shown_to_everybody(project, boss, form):
    """The largest guideline of all passes every door, and everybody can read it."""
    fields = {"markdown": "中" * (LARGEST // 3), "note": "", "based": "1"}
    if form == "multipart":
        answer = boss.client.post(f"{HERE}/guideline", fields)
    else:
        answer = boss.client.post(f"{HERE}/guideline", urlencode(fields), content_type=form)
    assert answer.status_code == 302
    assert boss.get("/p/story/guide").status_code == 200
    assert boss.get("/p/story/guide/drawer").status_code == 200


@pytest.mark.parametrize(
    ("language", "words"), [("en", "1,000,000 are accepted"), ("zh-hans", "字节")]
)
def test_gui_2_a_guideline_too_long_to_be_shown_is_refused_at_the_box(project, language, words):
    boss = Asking(somebody("boss"), language=language)
    text = "# 规范\n\n" + "请改正句子。" * 70_000
    answer = boss.form(f"{HERE}/guideline", markdown=text, note="x", based="1")
    assert answer.status_code == 422
    html = answer.content.decode()
    box = html[html.index("<textarea") : html.index("</textarea>") + 400]
    assert 'aria-invalid="true"' in box
    assert words in box
    assert answer.context["form"]["markdown"].value() == text
    assert Guideline.objects.count() == 1
    assert boss.get("/p/story/guide").status_code == 200


def test_gui_2_preview_and_publishing_count_line_ends_alike(project, boss):
    lines = LARGEST // 100
    text = "\r\n".join(["a" * 99] * lines)
    assert len(text) - lines < LARGEST < len(text)  # the largest with \n, too large with \r\n
    shown = boss.form(f"{HERE}/guideline/preview", markdown=text)
    assert "note bad" not in shown.content.decode()


def test_a_form_beyond_all_bounds_is_said_to_be_too_much(project, boss):
    text = "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    answer = boss.form(f"{HERE}/guideline", markdown=text, note="x", based="1")
    assert answer.status_code == 413
    assert "too much at once" in answer.content.decode()
