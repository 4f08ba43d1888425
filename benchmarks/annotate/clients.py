"""People who work over HTTP: real sessions, connections kept open, and a clock for each request."""

from __future__ import annotations

import html
import http.client
import json
import math
import random
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from team import MANAGER, PASSWORD, SLUG

DRAFTS = 7
"""Drafts of one task: one every two seconds, and the submission after about fifteen."""


class Clock:
    """How long requests took, by kind, and what went wrong."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.submissions: set[str] = set()
        self.drafts: set[tuple[int, int]] = set()
        self.retries: list[str] | None = None
        """Requests that found no host; None counts them as errors and sends them once."""
        self.since = math.inf

    def took(self, kind: str, began: float, wrong: str = "") -> None:
        """Note one request; those that began before `since` are warming up."""
        seconds = time.monotonic() - began
        with self._lock:
            if wrong:
                self.errors.append(wrong)
            if began >= self.since:
                self.times[kind].append(seconds)


PATIENCE = 60
"""Seconds for which a page tries again."""


class Person:
    """Somebody with a session."""

    def __init__(self, port: int, clock: Clock) -> None:
        self.open = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.clock = clock
        self.cookies: dict[str, str] = {}

    def ask(self, kind: str, method: str, path: str, body: object = None) -> tuple[int, str]:
        """One request; whatever is no success counts as an error."""
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        headers["Accept"] = "text/html" if method == "GET" else "application/json"
        sent = None
        if body is not None:
            sent = json.dumps(body).encode()
            headers |= {"Content-Type": "application/json"}
            headers["X-CSRFToken"] = self.cookies.get("gecbench_csrf", "")
        began = time.monotonic()
        while True:
            try:
                self.open.request(method, path, sent, headers)
                answer = self.open.getresponse()
                text = answer.read().decode()
                problem = str(answer.status) if answer.status in (502, 503, 504) else ""
            except (OSError, http.client.HTTPException) as error:
                self.open.close()
                problem = repr(error)
                if self.clock.retries is None:
                    self.clock.took(kind, began, f"{kind}: {problem}")
                    return 0, ""
            if self.clock.retries is None or not problem or time.monotonic() > began + PATIENCE:
                break
            self.clock.retries.append(f"{kind}: {problem}")
            time.sleep(1)  # as a page does at first
        if problem and not self.open.sock:
            self.clock.took(kind, began, f"{kind}: {problem}")
            return 0, ""
        for line in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        good = answer.status in (200, 302)
        self.clock.took(kind, began, "" if good else f"{kind}: {answer.status} {text[:200]}")
        return answer.status, text

    def sign_in(self, login: str) -> None:
        """Sign in as people do, by name and password."""
        self.ask("sign-in page", "GET", "/login")
        self.ask("sign in", "POST", "/login", {"login": login, "password": PASSWORD})

    def script(self, text: str, name: str) -> Any:
        """Return the JSON that a page holds under an id, None where there is none."""
        match = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', text)
        return json.loads(match[1]) if match else None


def changed(task: Mapping[str, Any], mark: str) -> list[str]:
    """The text of a task with something added; of a case its gaps, the first one changed."""
    if "gaps" in task:
        return [mark + task["gaps"][0], *task["gaps"][1:]]
    return [task["text"] + mark]


class Work:
    """What people do until told to stop.

    Args:
        port: Where the server listens.
        think: Seconds between the drafts of a person; 0 never waits.
    """

    def __init__(self, port: int, clock: Clock, think: float) -> None:
        self.port, self.clock, self.think = port, clock, think
        self.stopping = threading.Event()

    def person(self, login: str) -> Person:
        """Return somebody who has signed in."""
        person = Person(self.port, self.clock)
        person.sign_in(login)
        return person

    def wait(self, seconds: float) -> None:
        """Wait about so long."""
        if self.think:
            self.stopping.wait(seconds * random.uniform(0.5, 1.5))

    def annotate(self, me: Person) -> None:
        """Drafts, a submission, the next task from its answer; now and then the page again."""
        self.wait(self.think)
        task = self.task(me)
        done = 0
        while not self.stopping.is_set():
            if task is None:
                self.wait(1)
                task = self.task(me)
                continue
            self.drafts(me, task)
            if self.stopping.is_set():
                return
            task = self.submit(me, task)
            done += 1
            if done % 4 == 0:
                task = self.task(me)

    def task(self, me: Person) -> Any:
        """Open the work page."""
        status, text = me.ask("work page", "GET", f"/p/{SLUG}/work")
        page = me.script(text, "page") if status == 200 else None
        return page["task"] if page else None

    def drafts(self, me: Person, task: Mapping[str, Any]) -> None:
        """Save drafts as the text grows."""
        rev = task["draft"]["rev"] if task["draft"] else 0
        for n in range(DRAFTS if self.think else 2):
            self.wait(self.think)
            if self.stopping.is_set():
                return
            texts = changed(task, f"改{n}")
            body = {"rev": rev, "payload": {"decision": "corrected", "texts": texts}}
            status, answer = me.ask("draft", "PUT", task["draftUrl"], body)
            if status == 200:
                rev = json.loads(answer)["rev"]
                self.clock.drafts.add((task["slot"], rev))
            elif status == 409:  # an answer was lost on its way: the page knows its own text again
                rev = json.loads(answer).get("rev", rev)

    def submit(self, me: Person, task: Mapping[str, Any]) -> Any:
        """Hand in; the next task comes in the answer."""
        body = {
            "decision": "corrected",
            "texts": changed(task, f"改好{uuid4().hex[: 6 if 'gaps' in task else 2]}"),
            "version": task["version"],
            "client_key": str(uuid4()),
            "confirmed": True,
            "active_ms": 15000,
        }
        status, answer = me.ask("submit and next", "POST", task["submitUrl"], body)
        if status == 200:
            self.clock.submissions.add(str(body["client_key"]))
        return json.loads(answer)["next"] if status == 200 else None

    def review(self, me: Person) -> None:
        """Open the next review and decide it."""
        while not self.stopping.is_set():
            data = self.review_page(me)
            self.wait(2 * self.think)
            if data is None:
                self.stopping.wait(0.2)
            elif not self.stopping.is_set():
                self.decide(me, data)

    def review_page(self, me: Person) -> Any:
        """Open the review page; an empty queue is another kind of page."""
        began = time.monotonic()
        _, text = me.ask("review, asked", "GET", f"/p/{SLUG}/review")
        data = me.script(text, "review-data") or me.script(text, "check-data")
        if data is not None:
            self.clock.took("review page", began)
        return data

    def decide(self, me: Person, data: Mapping[str, Any]) -> None:
        """Call all texts right, but for the last of several now and then."""
        if "chips" in data:
            checks = [{"position": row["number"], "decision": "accepted"} for row in data["rows"]]
            payload: dict[str, object] = {"checks": checks}
            self.finalise(me, data, payload)
            return
        rows: dict[str, dict[str, object]] = {row["key"]: {"correct": True} for row in data["rows"]}
        if len(rows) > 1 and random.random() < 0.3:
            rows[data["rows"][-1]["key"]] = {"correct": False, "reasons": ["erroneous"]}
        self.finalise(me, data, {"decision": "corrected", "rows": rows, "confirmed": True})

    def finalise(self, me: Person, data: Mapping[str, Any], payload: object) -> None:
        """Send what was decided."""
        body = {"version": data["version"], "client_key": str(uuid4()), "payload": payload}
        me.ask("finalise", "POST", data["urls"]["finalise"], body)

    def manage(self, me: Person) -> None:
        """Page through the list of sentences."""
        path = f"/p/{SLUG}/manage/sentences"
        while not self.stopping.is_set():
            path = self.list_page(me, path)
            self.wait(self.think)
            if not self.think:
                self.stopping.wait(0.2)

    def list_page(self, me: Person, path: str) -> str:
        """Open a page of the list; the address of the next."""
        _, text = me.ask("list of sentences", "GET", path)
        match = re.search(r'href="(\?[^"]*after=[^"]*)" rel="next"', text)
        here = f"/p/{SLUG}/manage/sentences"
        return here + html.unescape(match[1]) if match else here


def crowd(work: Work, who: Mapping[str, str]) -> list[threading.Thread]:
    """Return threads of everybody, signed in, not started."""
    jobs: dict[str, Callable[[Person], None]] = {
        "annotator": work.annotate,
        "reviewer": work.review,
        "manager": work.manage,
    }
    return [
        threading.Thread(target=jobs[role], args=(work.person(login),), name=login)
        for login, role in who.items()
        if role != "manager" or login == MANAGER
    ]
