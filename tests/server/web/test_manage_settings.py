"""The settings of a project: kept, refused beside the field, and never silently overwritten."""

from __future__ import annotations

import pytest
from server.web.asking import Asking
from server.web.controls import controls_in
from server.web.managed import HERE, boss, project
from server.workflow.stories import sentence_of, somebody
from surface.conftest import expect

from gecbench.core.errors import GecbenchError
from gecbench.server.models import Audit, Project, Sentence, Slot
from gecbench.server.workflow import management, projects

__all__ = ["boss", "expect", "project"]


def settings_of(boss: Asking, **changed: str) -> dict[str, str]:
    """What a browser would send of the settings page."""
    page = boss.get(f"{HERE}/settings").context
    sent = {field.html_name: field.value() for field in page["form"]}
    sent["seen"] = page["seen"]
    every = {**sent, **changed}
    return {key: value for key, value in every.items() if value != "" and value is not False}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_what_the_settings_ask_is_what_it_was(project, boss, expect, language):
    boss = Asking(somebody("boss"), language=language)
    expect(f"server/settings-{language}", controls_in(boss.html(f"{HERE}/settings")) + "\n")
    root = Asking(somebody("root", is_administrator=True), language=language)
    expect(f"server/new-project-{language}", controls_in(root.html("/projects/new")) + "\n")


def test_settings_sent_back_as_they_are_change_nothing(project, boss):
    before = Audit.objects.count()
    boss.client.post(f"{HERE}/settings", settings_of(boss))
    assert Audit.objects.count() == before


def test_settings_are_kept_and_recorded(project, boss):
    fields = settings_of(
        boss,
        name="New name",
        annotators="4",
        max_references="1",
        lease_minutes="45",
        reveal_after="never",
        study_gate="yes",
        placeholder_aliases="[MC]\n\n[X]\n",
        **{"rule-CON-9": "block", "rule-CON-1": "off"},
    )
    answer = boss.client.post(f"{HERE}/settings", fields)
    assert answer.status_code == 302
    project.refresh_from_db()
    rules = project.rules
    assert (project.name, project.annotators, project.max_references) == ("New name", 4, 1)
    assert (rules.lease_minutes, rules.reveal_after, rules.study_gate) == (45, None, True)
    assert rules.placeholder_aliases == ("[MC]", "[X]")
    assert (rules.level("CON-9"), rules.level("CON-1")) == ("block", "off")
    assert sentence_of(project).needed == 4
    assert Audit.objects.filter(what="project.changed").count() == 1
    boss.client.post(f"{HERE}/settings", settings_of(boss, **{"rule-CON-1": "block"}))
    project.refresh_from_db()
    assert project.rules.level("CON-1") == "block"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("annotators", "21"),
        ("annotators", "many"),
        ("lease_minutes", "0"),
        ("reveal_after", "101"),
        ("complaints_to", "nobody"),
        ("name", " "),
        ("name", "x" * 151),
        ("instructions", "x" * 501),
        ("rule-CON-1", "shout"),
    ],
)
def test_a_setting_that_means_nothing_is_said_beside_it_and_nothing_is_changed(
    project, boss, name, value
):
    fields = {**settings_of(boss, lease_minutes="45"), name: value}
    answer = boss.client.post(f"{HERE}/settings", fields)
    assert answer.status_code == 422
    assert f'id="{name}_error"' in answer.content.decode()
    if name != "lease_minutes":
        assert answer.context["form"]["lease_minutes"].value() == "45"
    assert Project.objects.get(slug="story").rules.lease_minutes == 30


def test_an_option_set_by_a_program_to_what_the_form_does_not_offer_is_kept(project, boss):
    projects.change_project(project, by=somebody("boss"), options={"reveal_after": 7})
    boss.client.post(f"{HERE}/settings", settings_of(boss, lease_minutes="20"))
    project.refresh_from_db()
    assert (project.rules.reveal_after, project.rules.lease_minutes) == (7, 20)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Somebody changed the settings"), ("zh-hans", "有人更改了设置")]
)
def test_issue_5_a_stale_form_loses_neither_what_others_kept_nor_what_was_typed(
    project, boss, language, words
):
    mine = settings_of(boss, name="Renamed", lease_minutes="45")
    theirs = settings_of(boss, instructions="read twice", **{"rule-CON-9": "block"})
    assert boss.client.post(f"{HERE}/settings", theirs).status_code == 302
    boss = Asking(somebody("boss"), language=language)
    answer = boss.client.post(f"{HERE}/settings", mine)
    assert answer.status_code == 409
    assert words in answer.content.decode()
    project.refresh_from_db()
    assert project.name == "Story"
    assert (project.rules.instructions, project.rules.level("CON-9")) == ("read twice", "block")
    typed = answer.context["form"]
    assert (typed["name"].value(), typed["lease_minutes"].value()) == ("Renamed", "45")
    fields = [pair for _, fields in answer.context["groups"] for pair in fields]
    assert {field.name: now for field, now in fields if now} == {
        "name": "Story",
        "lease_minutes": "30",
        "instructions": "read twice",
    }
    assert [rule for rule, _, _, now in answer.context["rules"] if now] == ["CON-9"]


def test_issue_5_a_form_that_was_looked_at_again_is_kept(project, boss):
    old = settings_of(boss, name="Renamed")
    projects.change_project(project, by=somebody("boss"), max_references=2)
    stale = boss.client.post(f"{HERE}/settings", old)
    again = {**old, "max_references": "2", "seen": stale.context["seen"]}
    assert boss.client.post(f"{HERE}/settings", again).status_code == 302
    project.refresh_from_db()
    assert (project.name, project.max_references) == ("Renamed", 2)


def test_issue_5_a_form_that_is_wrong_and_stale_stays_stale(project, boss):
    old = settings_of(boss, lease_minutes="0")
    projects.change_project(project, by=somebody("boss"), name="Theirs")
    wrong = boss.client.post(f"{HERE}/settings", old)
    assert wrong.status_code == 422
    corrected = {**old, "lease_minutes": "20", "seen": wrong.context["seen"]}
    assert boss.client.post(f"{HERE}/settings", corrected).status_code == 409
    project.refresh_from_db()
    assert (project.name, project.rules.lease_minutes) == ("Theirs", 30)


def test_issue_5_a_form_without_its_digest_is_stale(project, boss):
    fields = {key: value for key, value in settings_of(boss, name="New").items() if key != "seen"}
    assert boss.client.post(f"{HERE}/settings", fields).status_code == 409
    assert Project.objects.get().name == "Story"


def test_issue_5_an_interrupted_raise_of_n_is_finished_from_the_page(project, boss, monkeypatch):
    batches = []
    first = management._raise

    def killed(sentences, needed):
        if batches:
            raise GecbenchError("the power is gone")
        batches.append(needed)
        first(sentences, needed)

    monkeypatch.setattr(management, "BATCH", 2)
    monkeypatch.setattr(management, "_raise", killed)
    boss.client.post(f"{HERE}/settings", settings_of(boss, annotators="5"))
    monkeypatch.undo()
    assert sorted(Sentence.objects.values_list("needed", flat=True)) == [2, 5, 5]
    assert "Also bring 1 undecided sentence" in boss.html(f"{HERE}/settings")
    boss.client.post(f"{HERE}/settings", settings_of(boss, name="Renamed"))
    assert Slot.objects.count() == 12
    boss.client.post(f"{HERE}/settings", settings_of(boss, fit="yes"))
    assert set(Sentence.objects.values_list("needed", flat=True)) == {5}
    assert Slot.objects.count() == 15
    assert "Also bring" not in boss.html(f"{HERE}/settings")
    assert Audit.objects.filter(what="project.changed").count() == 2
