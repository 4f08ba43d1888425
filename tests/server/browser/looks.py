"""Whether a page is for everybody: what axe finds, and how wide it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Page

THEMES = (("light", "zh-hans"), ("dark", "en"))
"""Each theme and each language once: colours depend on no language, names on no colour."""

VIOLATIONS = {"resultTypes": ["violations"]}
"""Axe collects nothing about rules that hold, which is most of its answer."""

each_theme_and_language = pytest.mark.parametrize(("theme", "language"), THEMES)


def findings(page: Page) -> list[str]:
    """What axe calls serious or critical."""
    result = Axe().run(page, options=VIOLATIONS)
    return [
        f"{rule['id']}: {rule['nodes'][0]['html'][:200]} {rule['nodes'][0]['failureSummary'][:300]}"
        for rule in result.response["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


def wide(page: Page) -> list[int]:
    """The width of what is in the page, and that of the window."""
    return page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
