"""Where my day leads: to work where there is some, else to what waits."""

from __future__ import annotations

import re
from datetime import timedelta

from django.utils import timezone
from server.web.asking import Asking
from server.workflow.reviewing import BAD, finalised, member_of, review_answer, waiting, word
from server.workflow.stories import somebody

from gecbench.server.models import Study
from gecbench.server.rules.text import digest
from gecbench.server.workflow import claims
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.sentences import NewSentence, add_sentences


def test_the_first_administrator_is_led_to_the_first_project(site):
    page = Asking(somebody("root", is_administrator=True)).html("/")
    assert "There is no project yet." in page
    assert re.search(r'class="button primary" href="/projects/new">Make your first project', page)
    assert "invitation link" not in page


def continue_address(asking: Asking) -> str:
    (address,) = re.findall(r'href="(/p/story/[a-z]+)/?">\s*Continue', asking.html("/"))
    return address


def test_continue_leads_to_study_where_no_task_is_left_and_back_where_one_is(site):
    project = waiting(texts=1)
    finalised(project, answer=review_answer(project, words={digest(BAD): word(digest(BAD), False)}))
    author = Asking(member_of(project, "a2"))
    assert continue_address(author) == "/p/story/study"
    add_sentences(project, [NewSentence(external_id="new", text="新的一句。")])
    assert continue_address(author) == "/p/story/work"
    author.page()  # now it is open
    assert continue_address(author) == "/p/story/work"
    assert continue_address(Asking(member_of(project, "a1"))) == "/p/story/work"


def test_continue_leads_who_does_not_annotate_to_what_waits(site):
    project = waiting()
    assert continue_address(Asking(member_of(project, "rita"))) == "/p/story/review"
    assert continue_address(Asking(member_of(project, "boss"))) == "/p/story/manage"


def test_stu_7_continue_leads_to_study_where_that_comes_first(site):
    project = waiting(texts=1, study_gate=True, study_most=1)
    add_sentences(project, [NewSentence(external_id="new", text="新的一句。")])
    author = member_of(project, "a2")
    asking = Asking(author)
    assert continue_address(asking) == "/p/story/work"
    finalised(project, answer=review_answer(project, words={digest(BAD): word(digest(BAD), False)}))
    Study.objects.update(opened_at=timezone.now() - timedelta(days=400))
    assert claims.current(author).nothing == NoTask.STUDY_FIRST
    assert continue_address(asking) == "/p/story/study"
