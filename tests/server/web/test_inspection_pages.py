"""The judge's pages and the manager's: rating, taking back, discussing, and the report."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from server.web.asking import Asking
from server.workflow.inspecting import JUDGES, begun, both, inspected, rated
from server.workflow.reviewing import member_of
from server.workflow.stories import joined

from gecbench.cli.annotate import project as commands
from gecbench.server.models import InspectionRound, Person, Rating, Resolution
from gecbench.server.web.navigation import standings
from gecbench.server.workflow import members


@pytest.fixture
def project(site):
    return inspected()


def judges(project) -> list[Asking]:
    return [Asking(member_of(project, login)) for login in JUDGES]


def test_a_judge_rates_one_item_after_another_and_comes_back_by_undo(site):
    project = inspected(undo_seconds=60)
    items = list(begun(project, 2).items.order_by("position"))
    jane = Asking(member_of(project, "jane"))
    page = jane.html("/p/story/judge")
    assert "1 / 2" in page
    assert page.count("<ins") + page.count("<del") > 0
    assert 'class="pick good"' in page
    refused = jane.form(f"/p/story/judge/{items[0].pk}", **{"accept-meaning": "no", "note": "why"})
    assert refused.status_code == 422
    assert refused.content.decode().count("Not rated yet.") == 1
    assert ">why</textarea>" in refused.content.decode()
    whole = {"accept-grammaticality": "yes", "accept-meaning": "no", "note": "why"}
    assert jane.form(f"/p/story/judge/{items[0].pk}", **whole).status_code == 302
    page = jane.html("/p/story/judge")
    assert "2 / 2" in page
    assert "Item 1 is rated." in page
    assert jane.form(f"/p/story/judge/{items[0].pk}/undo").status_code == 302
    page = jane.html(f"/p/story/judge/{items[0].pk}")
    assert re.search(r'value="no"[^>]*checked', page), "what was chosen is there again"
    assert Rating.objects.count() == 2


def test_the_menu_and_the_home_page_count_what_waits_for_a_judge(project):
    items = list(begun(project).items.order_by("position"))
    jane, john = judges(project)
    assert 'href="/p/story/judge"' in jane.html("/")
    assert jane.get("/p/story/").url == "/p/story/judge"
    both(project, items[0], (True, True), (False, True))
    rated(project, "jane", items[1])
    counts = [
        standings(Person.objects.get(login=login).pk, [project.pk])[project.pk]["inspections"]
        for login in (*JUDGES, "boss")
    ]
    assert counts == [2 + 1, 3 + 1, 0]
    assert "You are a judge of first: 4 items" in john.html("/")


def test_jud_1_no_page_of_a_judge_shows_the_other_ones_rating_before_both_have_rated(site):
    """A site where the other one accepts and one where they reject look the same."""
    project = inspected()
    item = begun(project, 1).items.get()
    john = Asking(member_of(project, "john"))
    paths = ("/", "/p/story/judge", f"/p/story/judge/{item.pk}", "/p/story/judge/disagreements")
    pages = []
    for accept in (True, False):
        rated(project, "jane", item, accept, accept, note=f"secret {accept}")
        pages.append([re.sub(r"[\w-]{32,}", "", john.html(path)) for path in paths])
        if accept:
            Asking(member_of(project, "jane")).form(f"/p/story/judge/{item.pk}/undo")
    assert pages[0] == pages[1]
    assert "secret" not in "".join(pages[0])


def test_jud_3_a_disagreement_is_discussed_and_resolved_on_its_page(project):
    items = list(begun(project).items.order_by("position"))
    both(project, items[0], (True, True), (False, True))
    jane, john = judges(project)
    page = john.html("/p/story/judge/disagreements")
    assert "unresolved" in page
    here = f"/p/story/judge/{items[0].pk}"
    assert here in page
    assert john.form(f"{here}/say", text="The particle is missing.").status_code == 302
    assert "The particle is missing." in jane.html(here)
    assert jane.form(f"{here}/say", text=" ").status_code == 422
    words = {"criterion": "grammaticality", "accept": "no", "note": "agreed"}
    assert jane.form(f"{here}/resolve", **words).status_code == 302
    assert Resolution.objects.get().accept is False
    boss = Asking(member_of(project, "boss"))
    assert "agreed" in boss.html(here), "managers may read it"
    assert boss.get(f"/p/story/judge/{items[1].pk}").status_code == 404
    assert ">unresolved<" not in john.html("/p/story/judge/disagreements")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_manager_draws_a_sample_and_reads_the_report_of_table_3(project, language):
    boss = Asking(member_of(project, "boss"), language=language)
    form = boss.get("/p/story/manage/inspection/new").context["form"]
    fields = {name: form[name].value() or "" for name in form.fields if name != "judges"}
    assert (fields["key_0"], fields["key_2"], fields["size"]) == ("grammaticality", "fluency", 6)
    refused = boss.form("/p/story/manage/inspection/new", **fields | {"size": 9})
    assert refused.status_code == 422
    chosen = [member_of(project, login).pk for login in JUDGES]
    broken = {**fields, "judges": chosen, "key_1": "a b", "seed": 3}
    refused = boss.form("/p/story/manage/inspection/new", **broken)
    assert list(refused.context["form"].errors) == ["key_1"]
    round_form = {**fields, "judges": chosen, "seed": 3, "key_0": "", "en_0": "", "zh_0": ""}
    assert boss.form("/p/story/manage/inspection/new", **round_form).status_code == 302
    drawn = InspectionRound.objects.get()
    assert (drawn.seed, drawn.size) == (3, 6)
    assert [criterion["key"] for criterion in drawn.criteria] == ["meaning", "fluency"]
    assert "<table" not in boss.html(f"/p/story/manage/inspection/{drawn.pk}"), "nothing is rated"
    for item in drawn.items.all():
        both(project, item, (True, item.position > 1), (True, True))
    page = boss.html(f"/p/story/manage/inspection/{drawn.pk}")
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    fluency = "流畅" if language != "en" else "fluency"
    assert [fluency, "100.0", "0.0", "83.3"] in cells
    assert boss.form(f"/p/story/manage/inspection/{drawn.pk}/close").status_code == 302
    assert InspectionRound.objects.get().state == "closed"
    assert "first" not in boss.html("/p/story/manage/inspection")
    assert boss.get("/p/story/manage/inspection/999").status_code == 404
    assert "inspection." not in boss.html("/p/story/manage/audit")


def test_a_manager_names_another_judge_for_one_who_has_left(project):
    drawn = begun(project)
    rated(project, "jane", drawn.items.get(position=1))
    here = f"/p/story/manage/inspection/{drawn.pk}"
    boss = Asking(member_of(project, "boss"))
    assert 'name="successor"' not in boss.html(here), "there is nobody else"
    mary = joined(project, "mary", "judge")
    members.change_member(member_of(project, "jane"), by=None, status="left")
    assert "does not judge now" in boss.html(here)
    for wrong in ("", member_of(project, "john").pk):
        assert boss.form(f"{here}/judge", no="1", successor=wrong).status_code == 302
        assert drawn.judges.count() == 2
    assert boss.form(f"{here}/judge", no="1", successor=mary.pk).status_code == 302
    page = boss.html(here)
    assert "Mary: 1 / 4" in page
    assert re.search(r"Judge 1 before</dt>\s*<dd>Jane<", page)
    assert Asking(mary).get("/p/story/judge").context["item"].position == 2
    boss.form(f"{here}/close")
    assert boss.form(f"{here}/judge", no="2", successor=mary.pk).status_code == 302
    assert drawn.judges.count() == 3


def test_the_command_prints_the_report_by_the_ending_of_the_file(project, monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "open_project", lambda *_: project)

    def run(*words: str):
        return CliRunner().invoke(commands.judgements, ["story", *words])

    assert "no round of inspection" in str(run().exception)
    for item in begun(project).items.all():
        both(project, item, (True, True), (item.position > 1, True))
    assert "grammaticality" in run().stdout
    file = tmp_path / "judgements.csv"
    assert run("--round", "first", "-o", str(file)).exit_code == 0
    assert file.read_text("utf-8").splitlines()[1] == "grammaticality,1.0,0.0,0.75"
    assert "'second'" in str(run("--round", "second").exception)
