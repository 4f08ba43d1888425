"""The disk of the server is full: nothing half written, the text stays, and work goes on after."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from server.browser.atwork import at_work, project, replace_all, wait_for_state
from server.live import Live
from server.survival.clients import Browser, Crowd, script
from server.survival.scenes import clean, nothing_lost, scene

from gecbench.server.models import Draft

FULL = 507
LONG = "长" * 1500


class Disk:
    """A small disk that can be filled and emptied again."""

    def __init__(self, folder: Path) -> None:
        self.filler = folder / "filler"

    def fill(self) -> None:
        """Take all that is left."""
        with suppress(OSError), self.filler.open("ab", buffering=0) as out:
            while out.write(bytes(4096)) == 4096:
                pass

    def make_room(self) -> None:
        """Give it back."""
        self.filler.unlink()


@pytest.fixture
def small(tmp_path: Path, live_template: Path) -> Iterator[tuple[Live, Disk]]:
    """A server whose data folder lies on a disk of its own, of 8 MB."""
    folder = tmp_path / "site"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mount.returncode:
        pytest.skip(f"a small disk cannot be mounted, that needs root: {mount.stderr.strip()}")
    shutil.copytree(live_template, folder, dirs_exist_ok=True)
    live = Live(folder, "--workers", "2", GECBENCH_RATE_LIMITS="0")
    try:
        live.start()
        yield live, Disk(folder)
    finally:
        live.kill()
        subprocess.run(["umount", "-l", str(folder)], check=True)


def filled_up(browser: Browser, disk: Disk, task: dict[str, object]) -> int:
    """Save drafts until the disk is full; the revision of the last that was taken."""
    rev = task["draft"]["rev"] if task["draft"] else 0
    for n in range(2000):
        if n:  # one has been saved while there was room
            disk.fill()
        body = {"rev": rev, "payload": {"decision": "corrected", "texts": [f"{n}{LONG}"]}}
        answer = browser.ask("PUT", task["draftUrl"], body)
        if answer.status == FULL:
            assert answer.json["error"] == "disk_full"
            return rev
        assert answer.status == 200, answer.text
        rev = answer.json["rev"]
    pytest.fail("the disk was never full")


def test_a_full_disk_answers_507_and_leaves_nothing_half_written(small):
    """Section 5.2: draft, submission and page; the same key is taken when there is room."""
    live, disk = small
    people, _ = scene(live, 20, annotators=1)
    browser, crowd = Browser(live, people[0]), Crowd(live)
    task = script(browser.ask("GET", "/p/one/work").text, "page")["task"]
    rev = filled_up(browser, disk, task)
    body = {"decision": "corrected", "texts": [LONG], "version": task["version"]}
    body |= {"client_key": str(uuid4()), "confirmed": True}
    answer = browser.ask("POST", task["submitUrl"], body)
    assert (answer.status, answer.json["error"]) == (FULL, "disk_full")
    again = browser.ask("GET", "/p/one/work")
    assert again.status == 200, "what is there can still be read"
    assert script(again.text, "page")["task"]["draft"]["rev"] == rev
    disk.make_room()
    clean(live)
    with live.rows():
        assert Draft.objects.get().rev == rev
    assert browser.ask("POST", task["submitUrl"], body).status == 200
    browser.close()
    crowd.record.submissions[body["client_key"]] = (task["slot"], LONG)
    nothing_lost(live, crowd.record)


def test_a_full_disk_keeps_the_text_in_the_page_and_saves_it_later(small, browser):
    """Section 5.2: the text stays in the box, the state says that it is not on the server."""
    live, disk = small
    project(live, "li", "bo")
    other = Browser(live, "bo")
    task = script(other.ask("GET", "/p/one/work").text, "page")["task"]
    page = at_work(live, browser, "li")
    filled_up(other, disk, task)
    replace_all(page, "磁盘满了也不丢。" * 300)
    wait_for_state(page, "full")
    assert page.locator("#reference-0").input_value() == "磁盘满了也不丢。" * 300
    assert (
        "The server's disk is full, kept on this computer" in page.locator("#saving").inner_text()
    )
    disk.make_room()
    wait_for_state(page, "saved")
    other.close()
    with live.rows():
        saved = Draft.objects.get(person__login="li")
    assert saved.payload["texts"] == ["磁盘满了也不丢。" * 300]
    page.context.close()
