"""Who cannot come in, in a browser: a lock, a link, a mail; another clock.

The visitor reads Chinese, the manager English.
"""

from __future__ import annotations

import os
import re
import socketserver
import threading
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from server.browser.looks import findings, wide

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

NEW = "staple staple staple"


class _Letters(socketserver.StreamRequestHandler):
    """As much SMTP as a client needs to leave a mail."""

    def handle(self) -> None:
        def say(line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        say("220 here")
        while line := self.rfile.readline().strip().upper():
            if line == b"DATA":
                say("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.letters.append(b"".join(lines))  # type: ignore[attr-defined]
                self.server.came.release()  # type: ignore[attr-defined]
            say("221 bye" if line == b"QUIT" else "250 ok")
            if line == b"QUIT":
                return


@pytest.fixture
def post_office() -> Iterator[socketserver.ThreadingTCPServer]:
    """A mail server that keeps what it gets."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Letters) as server:
        server.daemon_threads = True
        server.letters, server.came = [], threading.Semaphore(0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def look(page, name: str) -> None:
    """No serious finding, and no width lost on a telephone; keep pictures where asked."""
    assert findings(page) == [], name
    folder = os.environ.get("GECBENCH_PICTURES", "")
    for width, height in ((390, 800), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert wide(page) == [width, width], name
        if folder:
            page.screenshot(path=str(Path(folder) / f"{name}-{width}.png"), full_page=True)


def sign_in(page, password: str) -> None:
    page.goto("/login")
    page.fill("#login", "li")
    page.fill("#password", password)
    page.keyboard.press("Enter")


def test_whoever_cannot_come_in_finds_a_way(make_live, browser, post_office):
    from server.workflow.stories import a_project, joined

    port = post_office.server_address[1]
    live = make_live(
        *("--workers", "1"),
        GECBENCH_SMTP=f"smtp://127.0.0.1:{port}",
        GECBENCH_MAIL_FROM="gec@site.example",
        GECBENCH_TIME_ZONE="Asia/Shanghai",
    )
    with live.rows():
        live.person("li", name="李薇", language="zh-hans")
        live.person("boss", name="王敏", language="en")
        project = a_project(1, manager="boss")
        member = joined(project, "li")
    visitor = browser.new_context(base_url=live.url, locale="zh-CN").new_page()
    boss = live.page(browser, "boss")

    for _ in range(5):
        sign_in(visitor, "not the password")
        visitor.locator("[role=alert]").wait_for()
    assert re.search(r"锁定 1[45] 分钟", visitor.locator("[role=alert]").inner_text())
    look(visitor, "locked")
    boss.goto(f"/p/story/manage/members/{member.pk}")
    look(boss, "member-locked")
    boss.locator("form[action$=unlock] button").click()
    boss.get_by_text("The lock is lifted").wait_for()
    boss.locator("form[action$=password] button").click()
    link = boss.locator("input[readonly]").input_value()
    look(boss, "member-link")

    visitor.goto(link)
    assert visitor.url.endswith("/set-password")
    visitor.fill("#password", NEW)
    visitor.fill("#again", "something else")
    visitor.keyboard.press("Enter")
    visitor.locator(".problem").wait_for()
    visitor.fill("#password", NEW)
    visitor.fill("#again", NEW)
    visitor.keyboard.press("Enter")
    visitor.wait_for_url(live.url + "/")
    visitor.goto(link)
    assert visitor.locator("form input[type=password]").count() == 0
    look(visitor, "link-over")

    visitor.goto("/account")
    assert visitor.locator("#time_zone option").first.inner_text() == "与本站一致：Asia/Shanghai"
    visitor.select_option("#time_zone", "America/New_York")
    visitor.locator("form[action$=change] button.primary").click()
    visitor.wait_for_load_state()
    assert visitor.locator("html").get_attribute("data-zone") == "America/New_York"
    visitor.goto("/account/password")
    visitor.fill("#email", "li@site.example")
    visitor.fill("#current", NEW)
    visitor.locator("button[value=email]").click()
    visitor.locator(".messages").wait_for()
    visitor.context.clear_cookies(name="gecbench_session")

    visitor.goto("/login")
    visitor.locator("a[href='/password']").click()
    visitor.fill("#email", "li@site.example")
    visitor.keyboard.press("Enter")
    visitor.locator("[role=status]").wait_for()
    look(visitor, "mail-sent")
    assert post_office.came.acquire(timeout=30)
    letter = message_from_bytes(post_office.letters[0], policy=policy.default)
    assert letter["To"] == "li@site.example"
    body = letter.get_content()
    assert "李薇" in body
    visitor.goto(urlsplit(re.search(r"http://\S+", body)[0]).path)
    visitor.fill("#password", f"{NEW} again")
    visitor.fill("#again", f"{NEW} again")
    visitor.keyboard.press("Enter")
    visitor.wait_for_url(live.url + "/")
    visitor.context.close()
    boss.context.close()


def test_a_guideline_that_was_typed_is_not_lost_to_the_form_for_signing_in(live, browser):
    from server.workflow.stories import a_project

    from gecbench.server.models import Session

    with live.rows():
        live.person("boss")
        a_project(1, manager="boss")
    page = live.page(browser, "boss")
    questions: list[str] = []
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    page.goto("/p/story/manage/guideline")
    page.locator("#markdown").press_sequentially("# Typed for an hour\n")
    page.locator("button[hx-post]").click()
    page.locator("#preview h2, #preview h3").first.wait_for()
    assert questions == []
    with live.rows():
        Session.objects.all().delete()
    with page.expect_event("dialog"):
        page.locator("button[hx-post]").click()
    assert questions == ["beforeunload"]
    assert "Typed for an hour" in page.locator("#markdown").input_value()
