"""The pages of variants without a browser: what they hold, refuse, return and keep secret."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.test import Client, override_settings
from server.workflow.perturbing import (
    CHINESE,
    WORDS,
    a_perturbation,
    accept,
    checked,
    edit,
    give_back,
    perturbed,
    reviewer,
    waiting_case,
)
from server.workflow.stories import joined, sentence_of

from gecbench.server.choices import CheckDecision, SentenceState
from gecbench.server.models import (
    Member,
    Project,
    Proposal,
    Review,
    Slot,
    Submission,
    Variant,
    VariantCheck,
)
from gecbench.server.statistics import member_figures
from gecbench.server.web.annotation import variants_context
from gecbench.server.workflow import claims, projects

WORK = "/p/perturb/work"
REVIEW = "/p/perturb/review"


def signed_in(member: Member, language: str = "en") -> Client:
    member.person.language = language
    member.person.save(update_fields=["language"])
    if member.project.guideline is not None:
        projects.acknowledge(member.project.guideline, member.person)
    client = Client()
    client.force_login(member.person)
    return client


def sent(client: Client, url: str, body: dict[str, object]):
    return client.post(
        url, json.dumps(body), content_type="application/json", HTTP_ACCEPT="application/json"
    )


def submitted(client: Client, task: dict, gaps: tuple[str, ...], **more: object):
    body = {"version": task["version"], "client_key": str(uuid4()), "decision": "corrected"}
    return sent(client, task["submitUrl"], {**body, "texts": list(gaps), **more})


@pytest.fixture
def project(site) -> Project:
    return a_perturbation(CHINESE[2:], perturb_edits=1)


def test_per_1_per_2_the_page_has_the_errors_and_the_gaps_of_the_original(project):
    client = signed_in(joined(project, "li"))
    page = client.get(WORK)
    task = page.context["task"]
    assert [(chip["source"], chip["target"]) for chip in task["chips"]] == [
        ("门", "们"),
        ("帅", "师"),
    ]
    assert task["gaps"] == ["我", "昨天在学校看老", "。"]
    assert page.context["page"]["project"]["edits"] == 1
    assert b"perturb.js" in page.content
    for url in (f"{WORK}/history", f"{WORK}/skipped", f"{WORK}/kept", "/p/perturb/guide", "/"):
        assert client.get(url).status_code == 200
    assert client.get("/p/perturb/guide/return-new-error").status_code == 200
    menu = [entry.id for entry in page.context["menu"]]
    assert "study" not in menu
    assert "problems" not in menu


@pytest.mark.parametrize(
    ("gaps", "code", "error"),
    [
        (("我", "昨天在学校看老", "。"), "PER-5-original", 0),
        (("我", "上周在学校看老", "。"), "PER-5-taken", 0),
        (("我", "", "。"), "PER-4", 1),
        (("我",), "PER-2", 0),
    ],
)
def test_per_4_per_5_a_refusal_says_why_and_shows_nothing_of_others(project, gaps, code, error):
    perturbed(joined(project, "wu"), sentence_of(project), "上周")
    client = signed_in(joined(project, "li"))
    task = client.get(WORK).context["task"]
    refused = submitted(client, task, gaps)
    problems = refused.json()["problems"]
    assert refused.status_code == 422
    assert (problems[0]["code"], problems[0]["error"]) == (code, error)
    assert Variant.objects.count() == 1
    if code == "PER-5-taken":
        assert "上周" not in client.get(WORK).content.decode()


def test_per_4_a_reviewer_can_be_asked_about_an_error_that_moved(project):
    client = signed_in(joined(project, "li"))
    task = client.get(WORK).context["task"]
    gaps = ("我", "", "。")
    response = submitted(client, task, gaps, ask_reviewer=True)
    assert [problem["code"] for problem in response.json()["problems"]] == ["PER-4-note"]
    done = submitted(client, task, gaps, ask_reviewer=True, note="same", confirmed=True)
    assert done.status_code == 200
    assert Variant.objects.get().moved != []


def test_per_6_more_changes_than_wanted_are_asked_about_once(project):
    client = signed_in(joined(project, "li"))
    task = client.get(WORK).context["task"]
    gaps = ("今天我", "昨天在学校看老", "！")
    response = submitted(client, task, gaps)
    assert response.status_code == 422
    assert response.json()["confirm"] is True
    assert submitted(client, task, gaps, confirmed=True).status_code == 200


def test_a_proposal_is_on_the_page_and_what_became_of_it_is_kept(project):
    projects.change_project(
        project, by=Member.objects.get(is_manager=True).person, options={"proposals": "first"}
    )
    sentence = sentence_of(project)
    texts = {"source": "我门明天。", "target": "我们明天。"}
    for position in (1, 2):
        gaps = ["我", f"{WORDS[position]}在学校看老", "。"]
        Proposal.objects.create(
            sentence=sentence,
            position=position,
            gaps=gaps,
            digest=str(position),
            model="x",
            **texts,
        )
    client = signed_in(joined(Project.objects.get(pk=project.pk), "li"))
    task = client.get(WORK).context["task"]
    proposal = task["proposal"]
    assert proposal["gaps"][0] == "我"
    draft = {"decision": "corrected", "texts": proposal["gaps"], "proposal": proposal["id"]}
    saved = client.put(task["draftUrl"], json.dumps({"rev": 0, "payload": draft}))
    assert saved.status_code == 200
    gaps = ("我", "大前天在学校看老", "。")
    assert submitted(client, task, gaps, proposal=proposal["id"], confirmed=True).status_code == 200
    assert Variant.objects.get().origin == "machine_edited"


def test_per_7_a_hint_is_offered_where_site_and_project_have_hints(project):
    client = signed_in(joined(project, "li"))
    boss = Member.objects.get(is_manager=True).person
    correctors = {"zh": "any", "en": ""}
    with override_settings(HINT_CORRECTORS=correctors):
        assert client.get(WORK).context["task"]["hintUrl"] == ""
        projects.change_project(project, by=boss, options={"hints": True})
        page = client.get(WORK)
        assert page.context["task"]["hintUrl"] == f"{WORK}/hint/{page.context['task']['slot']}"
        assert b'id="hint-ask"' in page.content
    with override_settings(HINT_CORRECTORS=dict.fromkeys(correctors, "")):
        assert b'id="hint-ask"' not in client.get(WORK).content


def test_a_draft_whose_task_went_to_others_is_kept_as_a_sentence(project):
    li = joined(project, "li")
    client = signed_in(li)
    task = client.get(WORK).context["task"]
    draft = {"decision": "corrected", "texts": ["我", "大前天在学校看老", "。"]}
    client.put(task["draftUrl"], json.dumps({"rev": 0, "payload": draft}))
    slot = Slot.objects.get(pk=task["slot"])
    claims.release(slot, why="test")
    for login in ("wu", "zhao"):
        perturbed(joined(project, login), sentence_of(project), login)
    assert "我门大前天在学校看老帅。" in client.get(f"{WORK}/kept").content.decode()


def test_per_9_a_reviewer_accepts_one_and_returns_one_whose_author_reads_why(project):
    sentence = waiting_case(project)
    client = signed_in(reviewer(project))
    page = client.get(REVIEW)
    data = page.context["data"]
    assert [row["number"] for row in data["rows"]] == [1, 2]
    checks = [{"position": 1, "decision": "accepted"}, {"position": 2, "decision": None}]
    draft = {"rev": 0, "payload": {"checks": checks, "note": "", "active_ms": 1}}
    assert client.put(data["urls"]["draft"], json.dumps(draft)).status_code == 200
    body = {"version": data["version"], "client_key": str(uuid4())}
    refused = sent(client, data["urls"]["finalise"], {**body, "payload": {"checks": checks}})
    assert refused.status_code == 422
    assert [problem["field"] for problem in refused.json()["problems"]] == ["check-2"]
    checks[1] = {"position": 2, "decision": "returned", "reasons": ["unnatural"], "note": "no one"}
    decided = sent(client, data["urls"]["finalise"], {**body, "payload": {"checks": checks}})
    assert decided.json() == {"next": REVIEW}
    assert client.get(f"{REVIEW}/history").status_code == 200
    over = client.get(f"{REVIEW}/{sentence.pk}").content.decode()
    assert "no one" in over
    author = signed_in(Member.objects.select_related("project", "person").get(person__login="p2"))
    mine = author.get("/").context["projects"][0]
    assert [(entry.id, entry.count) for entry in mine.entries] == [("work", 1)]
    assert author.get(WORK).context["task"]["returned"]["note"] == "no one"
    assert "no one" in author.get(f"{WORK}/t/1").content.decode()
    undone = client.post(f"{REVIEW}/{sentence.pk}/undo", follow=True)
    assert undone.context["data"]["draft"]["payload"]["checks"][1]["decision"] == "returned"


def test_a_note_on_a_check_that_is_too_long_is_refused_with_a_reason(project):
    waiting_case(project)
    client = signed_in(reviewer(project))
    data = client.get(REVIEW).context["data"]
    checks = [{"position": n, "decision": "accepted"} for n in (1, 2)]
    body = {"version": data["version"], "client_key": str(uuid4())}
    payload = {"checks": checks, "note": "x" * 10_001}
    refused = sent(client, data["urls"]["finalise"], {**body, "payload": payload})
    assert refused.status_code == 422
    (problem,) = refused.json()["problems"]
    assert (problem["field"], "too long" in problem["message"]) == ("note", True)


def test_per_9_an_edited_variant_is_counted_by_itself_and_named_in_the_language_of_its_author(
    project,
):
    sentence = waiting_case(project)
    checked(reviewer(project), accept(1), edit(2, "我", "大前天在学校看老", "。"))
    rita = Member.objects.select_related("project", "person").get(person__login="rita")
    history = signed_in(rita).get(f"{REVIEW}/history").content.decode()
    assert f"#{sentence.number}: 1 variant accepted, 1 variant edited" in history
    p2 = Member.objects.select_related("project", "person").get(person__login="p2")
    author = signed_in(p2, "zh-hans").get(f"{WORK}/t/1")
    assert [row["check"].decision for row in author.context["variants"]] == ["edited"]
    assert [
        member_figures(member).acceptance for member in (p2, Member.objects.get(person__login="p1"))
    ] == [0.0, 1.0]
    assert "已修改" in author.content.decode()


def test_of_several_checks_of_a_variant_its_author_sees_the_last(database):
    """As pay counts it, in whatever order the database has the rows."""
    project = a_perturbation(CHINESE[2:], perturb_edits=1)
    waiting_case(project)
    rita = reviewer(project)
    review = checked(rita, accept(1), give_back(2)).review
    submission = Submission.objects.get(slot__no=2)
    # No act of ours makes a second one now: the rows are written as they might come to be.
    for key, decision in ((1002, CheckDecision.ACCEPTED), (1001, CheckDecision.RETURNED)):
        again = Review.objects.create(
            sentence=submission.sentence,
            reviewer=rita.person,
            kind=review.kind,
            decision=review.decision,
            client_key=uuid4(),
        )
        VariantCheck.objects.create(
            pk=key,
            review=again,
            slot=submission.slot,
            variant=submission.variant,
            decision=decision,
        )
    (row,) = variants_context([submission])["variants"]
    assert (row["check"].pk, row["check"].decision) == (1002, CheckDecision.ACCEPTED)


def test_a_check_offers_nothing_that_only_corrections_have(project):
    waiting_case(project)
    client = signed_in(reviewer(project))
    page = client.get(REVIEW)
    addresses = page.context["addresses"]
    assert f'action="{addresses["hand"]}"' in page.content.decode()
    assert f'action="{addresses["more"]}"' not in page.content.decode()
    body = {"more": 1, "version": page.context["task"].version}
    assert client.post(addresses["more"], body).status_code == 404


def test_a_manager_sees_variants_and_checks_and_has_one_made_again(project):
    sentence = waiting_case(project)
    checked(reviewer(project), accept(1), accept(2))
    boss = Member.objects.select_related("project", "person").get(is_manager=True)
    client = signed_in(boss)
    url = "/p/perturb/manage/sentences/1"
    page = client.get(url)
    assert len(page.context["made_again"]) == 2
    assert [entry.kind for entry in page.context["entries"]].count("review") == 1
    client.post(f"{url}/reopen", {"reason": "once more", "position": "2"})
    sentence.refresh_from_db()
    assert sentence.state == SentenceState.ANNOTATING
    settings = client.get("/p/perturb/manage/settings")
    assert "perturb_edits" in settings.context["form"].fields
    assert "placeholder" not in settings.context["form"].fields
    values = dict.fromkeys(settings.context["form"].fields, "") | {
        name: value
        for name, value in settings.context["form"].initial.items()
        if value not in (None, False)
    }
    values |= {"perturb_edits": "4", "seen": settings.context["seen"]}
    assert client.post("/p/perturb/manage/settings", values).status_code == 302
    assert Project.objects.get().rules.perturb_edits == 4


def test_the_history_of_a_case_names_who_sent_a_variant_back_and_only_managers_see_it(project):
    sentence = waiting_case(project)
    rita, url = reviewer(project), "/p/perturb/manage/sentences/1"
    checked(rita, give_back(1), accept(2))
    boss = signed_in(Member.objects.select_related("project", "person").get(is_manager=True))

    def senders() -> list[str]:
        entries = boss.get(url).context["entries"]
        return [entry.who for entry in entries if "sent back" in entry.title]

    assert senders() == [rita.person.name], "and not the author, who did nothing"
    author = Member.objects.select_related("project", "person").get(person__login="p1")
    perturbed(author, sentence_of(project), WORDS[2])
    checked(rita, accept(1))
    boss.post(f"{url}/reopen", {"reason": "once more", "position": "2"})
    assert senders() == [rita.person.name, "Boss"]
    for member in (author, rita):  # ROL-5, ROL-6
        assert signed_in(member).get(url).status_code == 404
    sentence.refresh_from_db()
    assert sentence.state == SentenceState.ANNOTATING


def test_a_case_has_no_button_for_more_annotators(project):
    boss = signed_in(Member.objects.get(project=project, person__login="boss"))
    page = "/p/perturb/manage/sentences/1"
    assert f"{page}/raise" not in boss.get(page).content.decode()
    boss.post(f"{page}/raise", {"more": "1"})
    assert sentence_of(project).needed == project.annotators
