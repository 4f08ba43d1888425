"""Projects, sentences, submissions, golden sets, imports, exports and releases over HTTP."""

from __future__ import annotations

import hashlib

import pytest
from server.import_export.files import empty, golden, imported, reviewed, the_file
from server.rest.calls import Caller
from server.workflow.reviewing import FAIR, GOOD
from server.workflow.stories import a_project, joined, somebody

from gecbench.server.models import Member, Person, Project, Release, Sentence
from gecbench.server.rest import files

TABLE = "a\t我去校\t我去学校\nb\t很好\t没有错误\n"


@pytest.fixture
def boss(site) -> Caller:
    return Caller(somebody("boss"))


def test_i_am_who_my_token_says(boss):
    assert boss.get("me") == (200, {"login": "boss", "name": "Boss", "administrator": False})


def test_i_see_the_projects_that_i_am_in(boss):
    reviewed()
    reviewed(slug="foreign", manager="other")
    (project,) = boss.get("projects")[1]
    assert (project["slug"], project["roles"], project["states"]) == ("story", ["manager"], None)
    root = Caller(somebody("root", is_administrator=True))
    assert [project["slug"] for project in root.get("projects")[1]] == ["foreign", "story"]
    assert boss.get("projects/story")[1]["states"] == {"golden": 1, "open": 1}
    annotator = Caller(Person.objects.get(login="a1"))
    assert annotator.get("projects/story")[1]["states"] is None


def test_administrators_make_projects(boss):
    body = {"slug": "new", "name": "新的", "lang": "zh", "template": "one-best"}
    assert boss.post("projects", body)[0] == 404
    root = Caller(somebody("root", is_administrator=True))
    status, created = root.post("projects", body)
    assert (status, created["annotators"], created["max_references"]) == (201, 5, 1)
    assert Member.objects.get(project__slug="new").person.login == "root"
    status, answer = root.post("projects", body)
    assert status == 422
    assert "new" in answer["error"]


def test_pages_go_on_where_they_ended(boss):
    a_project(5)
    seen, after = [], 0
    while after is not None:
        status, page = boss.get("projects/story/sentences", after=after, limit=2)
        assert status == 200
        seen += [item["number"] for item in page["items"]]
        after = page["next"]
    assert seen == [1, 2, 3, 4, 5]
    (first,) = boss.get("projects/story/sentences", limit=1)[1]["items"]
    assert (first["id"], first["state"], first["source"]) == ("s1", "open", "story")


def test_sentences_are_found_by_state_and_purpose(boss):
    project = reviewed()
    imported(project, "t\t练习。\t练习吧。\n", purpose="training")
    items = boss.get("projects/story/sentences", state="golden")[1]["items"]
    assert [(sentence["number"], sentence["golden_version"]) for sentence in items] == [(1, 1)]
    items = boss.get("projects/story/sentences", purpose="training")[1]["items"]
    assert [sentence["text"] for sentence in items] == ["练习。"]
    assert len(boss.get("projects/story/sentences")[1]["items"]) == 2


def test_a_sentence_has_its_whole_story_under_pseudonyms(boss):
    reviewed()
    status, sentence = boss.get("projects/story/sentences/1")
    assert (status, sentence["goldens"][0]["decision"]) == (200, "corrected")
    assert all(submission["annotator"].startswith("P") for submission in sentence["submissions"])
    assert boss.get("projects/story/sentences/99")[0] == 404
    assert boss.get(f"projects/story/sentences/{2**70}")[0] == 404


def test_submissions_are_given_to_managers_under_pseudonyms(boss):
    reviewed()
    items = boss.get("projects/story/submissions")[1]["items"]
    assert [item["texts"][:1] for item in items] == [[GOOD], [FAIR], []]
    assert all(item["annotator"].startswith("P") and item["stands"] for item in items)
    page = boss.get("projects/story/submissions", after=items[0]["key"], limit=1)[1]
    assert [item["key"] for item in page["items"]] == [items[1]["key"]]


def test_golden_sets_that_hold_now(boss):
    project = reviewed()
    imported(project, TABLE, references="golden", format="mucgec")
    items = boss.get("projects/story/golden-sets")[1]["items"]
    assert [item["references"] for item in items] == [golden(project), ["我去学校"], []]
    items = boss.get("projects/story/golden-sets", decision="error_free")[1]["items"]
    assert [item["id"] for item in items] == ["b"]


def test_a_file_is_looked_at_and_then_imported(boss):
    empty()
    status, plan = boss.send("projects/story/imports/plan", TABLE)
    assert (status, plan["report"]["found"], plan["resumes"]) == (200, 2, False)
    assert plan["obstacle"].startswith("file.txt: 2 sentences have references; choose")
    status, body = boss.send("projects/story/imports", TABLE)
    assert (status, body["error"]) == (422, plan["obstacle"])
    assert Sentence.objects.count() == 0
    fields = {"references": "golden", "source": "课堂", "priority": 5}
    status, done = boss.send("projects/story/imports", TABLE, **fields)
    assert (status, done["sentences"], done["report"]["golden"]) == (201, 2, 2)
    (batch,) = boss.get("projects/story/imports")[1]
    assert (batch["batch"], batch["sentences"], batch["missing"]) == (done["batch"], 2, 0)
    assert batch["sha256"] == plan["sha256"]
    logged = Sentence.objects.first()
    assert (logged.batch.by.login, logged.priority) == ("boss", 5)


def test_a_broken_file_changes_nothing_and_is_told_line_by_line(boss):
    empty()
    status, body = boss.send("projects/story/imports", "a\t我\nb\nc\n", format="mucgec")
    assert status == 422
    assert [problem["field"] for problem in body["problems"]] == ["file:2", "file:3"]
    assert Sentence.objects.count() == 0


def test_files_of_references_go_with_a_file_of_sources(boss):
    project = empty()
    columns = ("我去学校\n", "我上学\n")
    status, _ = boss.send("projects/story/imports", "我去校\n", *columns)
    assert status == 422  # what becomes of references was not said
    status, _ = boss.send("projects/story/imports", "我去校\n", *columns, references="golden")
    assert status == 201
    assert golden(project) == ["我去学校", "我上学"]


def test_files_have_a_largest_size_and_number(boss, monkeypatch):
    empty()
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    status, body = boss.send("projects/story/imports/plan", "12345678901")
    assert (status, body["error"]) == (422, "file.txt: has 11 bytes; at most 10 are read at once")
    status, body = boss.send("projects/story/imports/plan", "x", *["x"] * 11)
    assert (status, body["error"]) == (
        422,
        "at most 10 files of references go with a file of sources",
    )


def test_exports_are_streamed_under_a_name(boss):
    project = reviewed()
    formats = boss.get("projects/story/exports")[1]
    assert [format_["format"] for format_ in formats][:4] == ["mucgec", "jsonl", "parallel", "m2"]
    assert formats[0]["notes"] == ["1 sentences are not decided, or are withdrawn: not in the file"]
    assert boss.get("projects/story/exports/mucgec") == (200, the_file(project, "mucgec"))
    assert boss.get("projects/story/exports/parallel", part=".ref0") == (
        200,
        f"{golden(project)[0]}\n",
    )
    status, text = boss.get("projects/story/exports/annotations", names="true")
    assert (status, '"A1"' in text) == (200, True)
    response = boss.client.get("/api/v1/projects/story/exports/mucgec", headers=boss.headers)
    assert response["Content-Disposition"] == "attachment; filename*=UTF-8''story.tsv"
    assert response.streaming


def test_exports_that_mean_nothing_are_refused_in_words(boss):
    reviewed()
    for path, words in (
        ("mucgek", "unknown format of export 'mucgek'; did you mean mucgec"),
        ("parallel", "this export has several files; name a part"),
        ("m2?scheme=en-errant", "M2 needs a scheme of edits for language 'zh'"),
        ("mucgec?names=true", "format mucgec names nobody"),
        ("mucgec?nmaes=true", "unknown parameter 'nmaes'; known: scheme, names, alias"),
    ):
        status, body = boss.get(f"projects/story/exports/{path}")
        assert status == 422
        assert words in body["error"]


def test_releases_are_made_listed_and_fetched(boss):
    reviewed()
    status, release = boss.post("projects/story/releases", {"name": "v1", "note": "第一版"})
    assert (status, release["note"]) == (201, "第一版")
    assert Release.objects.get().by.login == "boss"
    assert boss.get("projects/story/releases")[1] == [boss.get("projects/story/releases/v1")[1]]
    about = release["manifest"]["files"]["v1.tsv"]
    response = boss.client.get("/api/v1/projects/story/releases/v1/v1.tsv", headers=boss.headers)
    raw = b"".join(response.streaming_content)
    assert hashlib.sha256(raw).hexdigest() == about["sha256"] == response["X-Sha256"]
    assert int(response["Content-Length"]) == len(raw)
    for path in ("v2", "v1/v1.csv", "v%00", "v1/%00"):
        assert boss.get(f"projects/story/releases/{path}")[0] == 404
    assert boss.post("projects/story/releases", {"name": "v1"})[0] == 422


def test_conflicts_have_their_status(boss, monkeypatch):
    from gecbench.server.workflow.errors import MESSAGES, ConflictError, Problem, RefusedError

    reviewed()

    def first(*_, **__):
        raise ConflictError("somebody was first")

    monkeypatch.setattr(files, "make_release", first)
    status, body = boss.post("projects/story/releases", {"name": "v1"})
    assert (status, body["error"]) == (409, "somebody was first")

    def refused(*_, **__):
        raise RefusedError([Problem("CON-10", "reference-0")])

    monkeypatch.setattr(files, "make_release", refused)
    status, body = boss.post("projects/story/releases", {"name": "v1"})
    assert (status, body["problems"]) == (
        422,
        [{"code": "CON-10", "field": "reference-0", "message": MESSAGES["CON-10"]}],
    )


def test_members_of_all_kinds_read_what_the_project_is(boss):
    project = empty()
    reader = Caller(joined(project, "li", "reviewer").person)
    assert reader.get("projects/story")[1]["roles"] == ["reviewer"]
    Project.objects.update(deleted_at="2026-01-01T00:00:00Z")
    assert reader.get("projects/story")[0] == 404
    assert boss.get("projects")[1] == []
