"""Pay in a real browser: a formula, its preview, a closed period, one's own statement."""

from __future__ import annotations

from datetime import timedelta

import pytest
from server.browser.test_practice import examine
from server.workflow.paying import PLAIN, closed, paying
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, waiting
from server.workflow.stories import correction

from gecbench.server.models import PayFormula, PayStatement


def worked(live, language: str) -> None:
    """Three annotators and a reviewer; a period is closed, and a second formula is written."""
    from gecbench.server.workflow import pay

    with live.rows():
        for login in ("boss", "a1", "a2", "a3", "rita"):
            live.person(login, language=language)
        answers = [correction(GOOD, active_ms=90_000), correction(BAD, active_ms=15_000)]
        project = waiting(*answers, correction(GOOD, FAIR, active_ms=240_000), slug="one")
        finalised(project)
        paying(project)
        settled, pay.SETTLED = pay.SETTLED, timedelta(seconds=-9)
        closed(project)
        pay.SETTLED = settled
        pay.save_formula(project, PLAIN.model_copy(update={"window": 50}), by=None)


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("zh-hans", 390)])
def test_a_manager_writes_a_formula_and_everybody_reads_their_statement(
    live, browser, language, width
):
    worked(live, language)
    with live.rows():
        statement = PayStatement.objects.select_related("period").get(person__login="a3")
    page = live.page(browser, "boss", viewport={"width": width, "height": 800})
    page.set_default_timeout(20_000)
    faults = []

    def seen(name: str) -> None:
        faults.extend(examine(page, name, language))

    here = "/p/one/manage/pay"
    for name, url in (
        ("pay", here),
        ("pay-version", f"{here}/formula/2"),
        ("pay-period", f"{here}/periods/{statement.period_id}"),
        ("pay-lines", f"{here}/statements/{statement.pk}"),
        ("pay-formula", f"{here}/formula?from=acceptance"),
    ):
        page.goto(url)
        seen(name)
    page.locator("#annotation").fill("much")
    page.locator("form.settings button.primary").click()
    page.locator("#annotation_error").wait_for()
    seen("pay-formula-wrong")
    page.locator("#annotation").fill("0.80")
    page.locator("form.settings button.primary").click()
    page.wait_for_url("**/pay/formula/3")
    page.locator("form[method=post] button.primary").click()
    page.locator("h1 .tag.good").wait_for()
    with live.rows():
        assert PayFormula.objects.filter(version=3, activations__isnull=False).exists()
    page.context.close()
    page = live.page(browser, "a3", viewport={"width": width, "height": 800})
    page.goto("/p/one/pay")
    seen("own-statements")
    page.locator("td a").first.click()
    page.wait_for_url(f"**/p/one/pay/{statement.pk}")
    seen("own-statement")
    assert faults == []
    page.context.close()
