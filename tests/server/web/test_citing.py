"""Sections of the guideline are cited by title or id, and nothing else is taken for one (GUI-4)."""

from __future__ import annotations

import pytest
from server.web.reviewing import decide, form_of, page_of, payload, signed_in, verdict
from server.web.test_problems_pages import disputed, ruled, the_complaint
from server.workflow.reviewing import BAD, FAIR, GOOD, opened, study_of, waiting

from gecbench.server.guidelines.rendering import render_markdown
from gecbench.server.models import Complaint, DraftRevision, Guideline, Review, Verdict
from gecbench.server.web.guidelines import (
    citation_problem,
    cite,
    find_section,
    section_names,
)
from gecbench.server.workflow import reviews

pytestmark = pytest.mark.usefixtures("site")

NONE = "The guideline has no such section: choose one from the list."
SEVERAL = "Several sections have this title: choose one from the list."


def cited(section: str) -> dict[str, object]:
    bad = verdict(False, "incomplete", section=section)
    return payload({GOOD: verdict(True), FAIR: verdict(True), BAD: bad})


@pytest.mark.parametrize("typed", ["词语缺失", " 词语缺失 ", "word-missing"])
def test_a_title_or_an_id_is_kept_as_the_section_that_study_links_to_gui_4(typed):
    project = waiting()
    answer = decide(signed_in(project, "rita"), opened(project), cited(typed))
    assert answer.status_code == 200
    assert Verdict.objects.get(correct=False).section == "word-missing"
    study = study_of(project, "a2")
    page = page_of(signed_in(project, "a2"), f"/p/story/study/{study.pk}")
    assert 'href="/p/story/guide/word-missing"' in page


@pytest.mark.parametrize(("typed", "words"), [("没有这一节", NONE), ("过度修改", SEVERAL)])
def test_what_names_no_one_section_is_refused_at_its_field_gui_4(typed, words):
    project = waiting()
    task = opened(project)
    answer = decide(signed_in(project, "rita"), task, cited(typed))
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    shown = [candidate.text for candidate in reviews.candidates(task, task_member(task))]
    place = f"section-{shown.index(BAD)}"
    assert (problem["place"], problem["words"], problem["blocking"]) == (place, words, True)
    assert not Review.objects.exists()
    verdicts = DraftRevision.objects.latest("pk").payload["verdicts"]  # INV-10: as it was sent
    assert [verdict["section"] for verdict in verdicts if verdict["section"]] == [typed]
    page = page_of(signed_in(project, "rita"), "/p/story/review")
    assert f'data-problems="{place}"' in page


def task_member(task):
    return task.project.members.get(person=task.reviewer)


def test_a_citation_of_a_text_that_is_judged_correct_counts_for_nothing_gui_4():
    project = waiting()
    rows = {
        GOOD: verdict(True, section="没有"),
        FAIR: verdict(True),
        BAD: verdict(False, "incomplete"),
    }
    assert decide(signed_in(project, "rita"), opened(project), payload(rows)).status_code == 200


def test_a_form_without_scripts_is_refused_and_keeps_what_was_typed_gui_4():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    n = [candidate.text for candidate in reviews.candidates(task, task_member(task))].index(BAD)
    fields = {f"verdict-{place}": "correct" for place in range(3)} | {f"verdict-{n}": "wrong"}
    fields |= {f"reasons-{n}": ["incomplete"], f"section-{n}": "没有这一节"}
    path = f"/p/story/review/{task.sentence_id}/finalise"
    refused = client.post(path, form_of(task, **fields))
    assert refused.status_code == 422
    assert NONE in refused.content.decode()
    assert 'value="没有这一节"' in refused.content.decode()


def test_the_list_shows_titles_each_once_and_each_is_taken_gui_4():
    project = disputed()
    page = page_of(signed_in(project, "ruth"), f"/p/story/problems/{the_complaint().pk}")
    assert '<option value="词语缺失">' in page
    assert '<option value="八、判错的理由 › 过度修改">' in page
    assert '<option value="三、不可以做的事 › 过度修改">' in page
    assert 'value="word-missing"' not in page
    assert ruled(
        signed_in(project, "ruth"), "dismissed", note="不通", section="八、判错的理由 › 过度修改"
    )
    assert Complaint.objects.get().section == "reject-overcorrection"


def test_a_ruling_refuses_what_is_no_section_and_keeps_what_was_typed_gui_4():
    project = disputed()
    refused = ruled(signed_in(project, "ruth"), "dismissed", note="不通", section="没有这一节")
    page = refused.content.decode()
    assert refused.status_code == 422
    assert NONE in page
    assert 'value="没有这一节"' in page
    assert 'value="dismissed" checked' in page
    assert the_complaint().state == "open"
    payload = DraftRevision.objects.latest("pk").payload  # INV-10
    assert (payload["note"], payload["section"]) == ("不通", "没有这一节")
    first = ruled(signed_in(project, "rita"), "dismissed", note="不通", section="没有这一节")
    assert first.status_code == 404  # who may not rule is told nothing else


def test_sections_of_one_title_are_told_apart_by_what_stands_above_else_by_their_ids_gui_4():
    text = "# Form\n\n## Marks\n\na\n\n# Types\n\n## Marks\n\nb\n\n# Form\n\nc\n"
    guideline = Guideline(markdown=text, sha256="of a test")
    first, *_, last = (section.id for section in render_markdown(text).sections if section.level)
    names = section_names(guideline)
    assert names == (first, "Form › Marks", "Types", "Types › Marks", last)
    assert len({find_section(guideline, name) for name in names}) == len(names)
    assert find_section(guideline, "form ›  marks") == find_section(guideline, names[1])
    assert find_section(guideline, "Marks") == ""


def test_without_a_guideline_nothing_can_be_cited_gui_4():
    assert (section_names(None), find_section(None, "word"), cite(None, "word")) == ((), "", None)
    problem = citation_problem(None, "word", "section")
    assert problem is not None
    assert (problem.code, problem.field, problem.blocking) == ("GUI-4", "section", True)
