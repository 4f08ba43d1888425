"""Quality inspection in a real browser: rated by keyboard, in both languages, on two widths."""

from __future__ import annotations

import pytest
from server.browser.atreview import press
from server.browser.test_practice import examine
from server.workflow.inspecting import begun, rated
from server.workflow.practising import known
from server.workflow.reviewing import member_of

from gecbench.server.choices import Purpose, Role
from gecbench.server.models import InspectionRound, Project, Rating


def inspecting(live, language: str) -> Project:
    """A round of two items; the other judge has rated both."""
    from gecbench.server.workflow import members, projects

    with live.rows():
        boss = live.person("boss", language=language)
        options = {"undo_seconds": 60}
        project = projects.create_project(
            slug="one", name="One", lang="zh", by=boss, options=options
        )
        known(project, Purpose.REAL, 3)
        for login in ("jane", "john"):
            person = live.person(login, language=language)
            members.add_member(project, person, roles=[Role.JUDGE], by=boss)
            project.refresh_from_db()
            projects.acknowledge(project.guideline, person)
        for item in begun(project, 2).items.all():
            rated(project, "john", item, item.position > 1, True, note="“句” 多余")
    return project


@pytest.mark.parametrize(("language", "width"), [("en", 390), ("zh-hans", 1280)])
def test_a_judge_rates_discusses_and_resolves_by_keyboard(live, browser, language, width):
    project = inspecting(live, language)
    page = live.page(browser, "jane", viewport={"width": width, "height": 800})
    page.set_default_timeout(20_000)
    faults = []

    def seen(name: str) -> None:
        faults.extend(examine(page, f"inspection-{name}", language))

    page.goto("/p/one/")
    page.locator("#rating-form").wait_for()
    seen("item")
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.locator("#next:focus").wait_for()
    page.reload()  # what was chosen stays
    assert page.locator("#rating-form :checked").count() == 2
    page.keyboard.press("3")
    page.keyboard.press("n")
    page.keyboard.insert_text("可以")
    seen("chosen")
    press(page, "Control+Enter")
    page.locator("#undo:not([hidden])").wait_for()
    seen("undo")
    page.keyboard.press("Alt+z")
    page.locator(".message.success").wait_for()
    assert page.locator("#rating-form :checked").count() == 2, "as it was"
    page.locator("#note").focus()
    press(page, "Control+Enter")
    page.locator("#undo:not([hidden])").wait_for()
    with live.rows():
        InspectionRound.objects.update(undo_seconds=0)  # what follows needs no minute
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.locator("#next:focus").wait_for()
    page.keyboard.press("Enter")
    page.locator("a.primary[href$=disagreements]").wait_for()
    seen("done")
    page.goto("/p/one/judge/disagreements")
    seen("disagreements")
    page.locator(".item-link").click()
    page.locator("#say").fill("原句的“句句”是重复。")
    seen("discussion")
    page.locator("#say").press("Tab")
    page.keyboard.press("Enter")
    page.locator(".said.mine").wait_for()
    page.locator("[name=accept][value=yes]").check()
    page.locator("[name=note]").fill("同意")
    page.keyboard.press("Enter")
    page.locator(".message.success").wait_for()
    seen("resolved")
    with live.rows():
        assert Rating.objects.filter(judge__member=member_of(project, "jane")).count() == 4
    assert faults == []
    page.context.close()
    boss = live.page(browser, "boss", viewport={"width": width, "height": 800})
    boss.set_default_timeout(20_000)
    with live.rows():
        pk = project.inspections.get().pk
    for name in ("", "/new", f"/{pk}"):
        boss.goto(f"/p/one/manage/inspection{name}")
        faults += examine(boss, f"inspection-manage{name.replace('/', '-')}", language)
    # The table of the paper is read without scrolling sideways, on a phone, too.
    first = boss.locator(".scroll:has(table)").first
    assert first.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
    assert faults == []
    boss.context.close()
