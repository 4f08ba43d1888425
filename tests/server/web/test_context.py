"""The sentences around one in its document: source texts, for whoever works on it."""

from __future__ import annotations

import json

import pytest
from server.remembering import remembered
from server.web.asking import Asking
from server.workflow.stories import a_project, all_submitted, claimed, joined, people

from gecbench.server.import_export.imports import run_import
from gecbench.server.import_export.plans import plan_import
from gecbench.server.import_export.reading import content_of
from gecbench.server.models import Project, Sentence
from gecbench.server.workflow import management, reviews, sentences

LINES = tuple(f"这是作文的第{n}句。" for n in "一二三四五六七八九")


@remembered
def essay(**options) -> Project:
    """A project with an essay of nine sentences, and one that is from no document."""
    project = a_project(0, **options)
    rows = [
        sentences.NewSentence(
            external_id=f"e{n}", text=text, meta={"document": "作文一", "position": str(10 - n)}
        )
        for n, text in reversed(list(enumerate(LINES, 1)))
    ]
    rows.append(sentences.NewSentence(external_id="alone", text="没有出处的句子。"))
    sentences.add_sentences(project, rows)
    return project


def of(project: Project, name: str) -> Sentence:
    return Sentence.objects.select_related("project").get(project=project, external_id=name)


def test_neighbours_are_in_the_order_of_the_document_not_of_the_import(database):
    project = essay()
    before, after = sentences.neighbours(of(project, "e5"))
    assert (before, after) == ([LINES[7], LINES[6], LINES[5]], [LINES[3], LINES[2], LINES[1]])
    assert sentences.neighbours(of(project, "e9")) == ([], [LINES[7], LINES[6], LINES[5]])
    assert sentences.neighbours(of(project, "alone")) == ([], [])


def test_without_a_position_the_order_is_that_of_the_file(site):
    project = a_project(0)
    header = {"format": "gecbench-corpus", "schema": 1, "name": "x", "lang": "zh"}
    rows = [
        {"id": f"r{n}", "source": text, "references": [], "meta": {"document": "d"}}
        for n, text in enumerate(LINES)
    ]
    raw = "\n".join(json.dumps(row, ensure_ascii=False) for row in (header, *rows))
    plan = plan_import(project, content_of("x.jsonl", raw.encode()))
    assert not plan.obstacle
    run_import(plan, by=None)
    assert sentences.neighbours(of(project, "r1")) == ([LINES[0]], list(LINES[2:5]))


@pytest.mark.parametrize(
    ("meta", "columns"),
    [
        ({}, (None, None)),
        ({"document": ""}, (None, None)),
        ({"document": "d" * 201}, (None, None)),  # a whole text, not a name
        ({"document": "d", "position": "7"}, ("d", 7)),
        ({"document": "d", "position": "-7"}, ("d", 1)),
        ({"document": "d", "position": "9" * 30}, ("d", 1)),
        ({"document": "d", "position": "٧"}, ("d", 1)),
        ({"position": "7"}, (None, None)),
    ],
)
def test_what_the_file_says_of_the_place_is_taken_where_it_means_something(site, meta, columns):
    project = a_project(0)
    sentences.add_sentences(project, [sentences.NewSentence("x", "好。", meta=meta)])
    row = of(project, "x")
    assert (row.document, row.position, row.meta) == (*columns, meta)


def test_the_holder_and_nobody_else_of_the_annotators_opens_it(site):
    project = essay()
    li, wang = people(project, 2)
    sentence = of(project, "e5")
    claimed(li, sentence)
    url = f"/p/story/context/{sentence.pk}"
    page = Asking(li).html(url)
    assert [page.index(text) for text in LINES[1:8]] == sorted(
        (page.index(text) for text in LINES[1:8]), reverse=True
    )
    assert LINES[8] not in page
    assert Asking(wang).get(url).status_code == 404
    assert Asking(joined(project, "rita", "reviewer")).get(url).status_code == 404


def test_reviewers_open_it_once_the_sentence_is_for_them_and_managers_always(site):
    project = essay(annotators=1)
    rita = joined(project, "rita", "reviewer")
    sentence = of(project, "e5")
    url = f"/p/story/context/{sentence.pk}"
    boss = Asking(joined(project, "boss", "manager"))
    assert LINES[5] in boss.html(url)
    all_submitted(sentence, people(project, 1))
    assert LINES[5] in Asking(rita).html(url)
    assert f'hx-get="{url}"' in Asking(rita).html(f"/p/story/review/{sentence.pk}")
    assert reviews.open_review(rita, sentence.pk).reviewer == rita.person


def test_no_answer_to_it_has_what_somebody_wrote(site):
    project = essay()
    li, wang = people(project, 2)
    all_submitted(of(project, "e4"), [wang])
    sentence = of(project, "e5")
    claimed(li, sentence)
    page = Asking(li).html(f"/p/story/context/{sentence.pk}")
    assert LINES[3] in page
    assert "（a2）" not in page


def test_what_was_withdrawn_is_not_shown(site):
    project = essay()
    boss = joined(project, "boss", "manager")
    management.withdraw(boss, [of(project, "e4").pk], reason="privat")
    assert sentences.neighbours(of(project, "e5"))[1] == [LINES[2], LINES[1], LINES[0]]


def test_the_work_page_offers_it_only_for_sentences_of_a_document(site):
    project = essay()
    li, wang = people(project, 2)
    claimed(li, of(project, "e5"))
    claimed(wang, of(project, "alone"))
    assert Asking(li).page()["task"]["contextUrl"] == f"/p/story/context/{of(project, 'e5').pk}"
    assert Asking(wang).page()["task"]["contextUrl"] == ""
