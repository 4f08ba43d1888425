"""Tables of many rows: keyset paging, filters in the address, few queries, by an index."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.web.asking import Asking
from server.workflow.stories import a_project, joined, sentence_of, somebody, submitted

from gecbench.server.choices import SentenceState
from gecbench.server.models import Project, Sentence
from gecbench.server.web.manage import sentences
from gecbench.server.web.manage.sentences import Filters, load_page, parse_filters
from gecbench.server.workflow.sentences import NewSentence, add_sentences

HERE = "/p/story/manage/sentences"


@pytest.fixture
def project(site) -> Project:
    return a_project(130)


def walked(project: Project, filters: Filters) -> list[int]:
    """The numbers of all pages, as somebody sees them who always goes on."""
    numbers: list[int] = []
    after: int | None = 0
    while after is not None:
        page = load_page(project, filters, after=after)
        numbers += [row.number for row in page.rows]
        assert page.after is None or page.after > after
        after = page.after
    return numbers


def test_all_pages_together_have_each_sentence_once_in_order(project):
    assert walked(project, Filters()) == list(range(1, 131))


@pytest.mark.no_cover
@pytest.mark.parametrize("span", [7, 50, 51, 1000])
@pytest.mark.parametrize("few", [0, 5, 1000])
def test_filters_find_the_same_as_a_full_look(project, monkeypatch, span, few):
    monkeypatch.setattr(sentences, "SPAN", span)
    monkeypatch.setattr(sentences, "FEW", few)
    li = joined(project, "li")
    for number in (3, 60, 129):
        submitted(li, sentence_of(project, number))
    state = SentenceState.ANNOTATING
    assert walked(project, Filters(state=state)) == [3, 60, 129]
    assert walked(project, Filters(person=li.person_id)) == [3, 60, 129]
    assert walked(project, Filters(state=state, text="图书馆")) == []
    library = [
        sentence.number
        for sentence in Sentence.objects.order_by("number")
        if "图书馆" in sentence.text
    ]
    assert walked(project, Filters(text="图书馆")) == library
    assert walked(project, Filters(state="open")) == [
        number for number in range(1, 131) if number not in (3, 60, 129)
    ]
    source = sentence_of(project).source_id
    assert len(walked(project, Filters(source=source))) == 130
    assert walked(project, Filters(source=source + 1)) == []
    assert walked(project, Filters(text="#60")) == walked(project, Filters(text="# 60")) == [60]
    assert walked(project, Filters(purpose="training")) == []


def test_filters_stand_in_the_address_and_what_means_nothing_filters_nothing():
    filters = parse_filters(
        {"state": "golden", "text": " 书 ", "source": "7", "person": "x", "z": "1"}
    )
    assert filters == Filters(state="golden", text="书", source=7)
    assert parse_filters({"state": "no", "purpose": "no", "source": "9" * 30}) == Filters()
    assert Filters(text="书").query(after=50) == "text=%E4%B9%A6&purpose=real&after=50"


def test_a_page_keeps_its_filters_and_goes_on(project):
    boss = Asking(somebody("boss"))
    page = boss.get(f"{HERE}?state=open").context
    assert len(page["rows"]) == 50
    again = boss.get(f"{HERE}?{page['next']}").context
    assert next(row.number for row, *_ in again["rows"]) == 51
    assert again["filters"].state == "open"
    for strange in ("after=-5", "after=x", "after=99999999999999999999", "text=%00", "state=x"):
        assert boss.get(f"{HERE}?{strange}").status_code == 200


@pytest.mark.parametrize(
    "url",
    [
        "sentences",
        "sentences?state=open",
        "sentences?text=x&state=open",
        "sentences?person=1&source=1",
        "members?sort=accepted",
        "audit",
        "releases",
        "import",
    ],
)
def test_a_table_takes_at_most_eight_queries(project, url, monkeypatch):
    monkeypatch.setattr(sentences, "FEW", 1000)
    boss = Asking(somebody("boss"))
    for n in range(12):
        joined(project, f"x{n}")
    boss.get(f"/p/story/manage/{url}")
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert boss.get(f"/p/story/manage/{url}").status_code == 200
    most = 9 if url.startswith("members") else 8  # one more asks what members were given
    assert len(seen) <= most, [query["sql"][:120] for query in seen]


def plans(project: Project, filters: Filters, after: int) -> list[str]:
    with CaptureQueriesContext(connection) as seen:
        load_page(project, filters, after=after)
    lines = []
    for query in seen.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            lines += [str(row[3]) for row in cursor.fetchall()]
    return lines


@pytest.mark.parametrize(
    "filters",
    [
        Filters(),
        Filters(state="open"),
        Filters(state="golden"),
        Filters(text="书"),
        Filters(source=1),
        Filters(person=1),
        Filters(state="open", text="书", source=1, person=1),
    ],
)
@pytest.mark.parametrize("few", [0, 1000])
def test_every_page_is_found_by_an_index_and_no_table_is_scanned(
    project, filters, few, monkeypatch
):
    monkeypatch.setattr(sentences, "FEW", few)
    lines = plans(project, filters, after=20)
    assert lines
    scans = [line for line in lines if line.startswith("SCAN")]
    assert scans == []
    assert all("USING" in line for line in lines if line.startswith("SEARCH"))


def test_states_are_counted_by_the_index_alone(project):
    from gecbench.server.web.manage.quality import count_states

    with CaptureQueriesContext(connection) as seen:
        assert count_states(project) == {"open": 130}
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {seen.captured_queries[0]['sql']}")
        lines = [str(row[3]) for row in cursor.fetchall()]
    assert len(seen) == 1
    assert any("COVERING INDEX sentence_by_state" in line for line in lines), lines


def test_a_text_is_looked_for_on_both_databases(database):
    project = a_project(0)
    add_sentences(
        project, [NewSentence(str(n), f"句子 {n} 100%_ok") for n in range(1, 60)], batch=None
    )
    project.refresh_from_db()
    assert walked(project, Filters(text="句子 7 ")) == [7]
    assert len(walked(project, Filters(text="100%_ok"))) == 59
    assert walked(project, Filters(text="100x_ok")) == []
