"""People at work over HTTP: they read pages, save drafts, hand in and review, and try again.

Only what the server has said yes to counts as acknowledged. Where the connection breaks, the same
request goes out again with the same `client_key`, as the page does.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from uuid import uuid4

from server.live import Live

TOKEN = "t" * 32
"""Any secret that cookie and header share; a page would have got one from the server."""

PATIENCE = 60.0
TRANSIENT = {502, 503, 504}


def script(page: str, name: str) -> dict[str, object] | None:
    """The JSON that a page holds under an id."""
    match = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(match[1]) if match else None


def new_texts(task: Mapping[str, object]) -> list[str]:
    """What somebody writes for a task that nobody wrote before: a correction, or gaps."""
    *before, last = task.get("gaps", [task["text"]])
    return [*before, f"{last[:-1]}改{uuid4().hex[:8]}{last[-1]}"]


def text_of(task: Mapping[str, object], texts: Sequence[str]) -> str:
    """What is stored of texts: the correction, or the variant with its errors between the gaps."""
    errors = [chip["source"] for chip in task.get("chips", [])]
    return "".join(chain.from_iterable(zip_longest(texts, errors, fillvalue="")))


@dataclass
class Answer:
    """What the server said."""

    status: int
    text: str

    @property
    def json(self) -> dict[str, object]:
        return json.loads(self.text)


class Browser:
    """One person's connection, kept open; signed in by a cookie."""

    def __init__(self, live: Live, login: str) -> None:
        self.port = live.port
        cookie = f"gecbench_session={live.cookie(login)['value']}; gecbench_csrf={TOKEN}"
        self.headers = {"Cookie": cookie, "X-CSRFToken": TOKEN, "Accept": "application/json"}
        self.open: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        """One request; raises OSError or HTTPException where no whole answer came."""
        if self.open is None:
            self.open = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            sent = None if body is None else json.dumps(body).encode()
            accept = {"Accept": "text/html"} if method == "GET" else {}
            headers = {**self.headers, "Content-Type": "application/json", **accept}
            self.open.request(method, path, sent, headers)
            response = self.open.getresponse()
            return Answer(response.status, response.read().decode())
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        if self.open is not None:
            self.open.close()
            self.open = None


@dataclass
class Record:
    """What the server has acknowledged, and what it should not have said.

    Args:
        submissions: Client key to slot and text: the correction, or the source of the variant.
        drafts: Slot and revision.
        reviews: Client key to the sentence.
        strange: Answers that nobody should get.
        retried: How many requests had to go out again.
    """

    submissions: dict[str, tuple[int, str]] = field(default_factory=dict)
    drafts: list[tuple[int, int]] = field(default_factory=list)
    reviews: dict[str, int] = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)
    retried: int = 0


class Crowd:
    """Threads of annotators and reviewers, until told to stop."""

    def __init__(self, live: Live, slug: str = "one") -> None:
        self.live, self.slug = live, slug
        self.stopping = threading.Event()
        self.record = Record()
        self.threads: list[threading.Thread] = []

    @contextmanager
    def working(self, annotators: Sequence[str], reviewers: Sequence[str] = ()):
        """The people work while the block runs; then each ends what is under way."""
        jobs = [(login, self.annotate) for login in annotators]
        jobs += [(login, self.review) for login in reviewers]
        for login, job in jobs:
            browser = Browser(self.live, login)
            self.threads.append(threading.Thread(target=self._guarded, args=(job, browser)))
        for thread in self.threads:
            thread.start()
        try:
            yield self
        finally:
            self.stopping.set()
            for thread in self.threads:
                thread.join(2 * PATIENCE)
        assert not any(thread.is_alive() for thread in self.threads)
        assert not self.record.strange, self.record.strange[:3]

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Let them work until something has happened."""
        end = time.monotonic() + 2 * PATIENCE
        while not true():
            assert time.monotonic() < end, f"the work stands still: {self.record.strange}"
            time.sleep(0.05)

    def _guarded(self, job: Callable[[Browser], None], browser: Browser) -> None:
        try:
            job(browser)
        except Exception as error:  # noqa: BLE001  # shown by the main thread
            self.record.strange.append(repr(error))
        finally:
            browser.close()

    def surely(self, browser: Browser, method: str, path: str, body: object = None) -> Answer:
        """One request, sent again until an answer comes."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                answer = browser.ask(method, path, body)
                if answer.status not in TRANSIENT:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() > end:
                raise TimeoutError(f"{method} {path} had no answer for {PATIENCE} s")
            self.record.retried += 1
            time.sleep(0.05)

    def annotate(self, browser: Browser) -> None:
        """Work on one task after the other: a draft, then the submission."""
        task = None
        while not self.stopping.is_set():
            if task is None:
                page = self.surely(browser, "GET", f"/p/{self.slug}/work")
                task = self._task(page)
                if task is None:
                    return
            texts = new_texts(task)
            if not self.draft(browser, task, texts):
                task = None  # what came of it is in the page anew
                continue
            task = self.hand_in(browser, task, texts)

    def _task(self, page: Answer) -> Mapping[str, object] | None:
        if page.status != 200:
            self.record.strange.append(f"work {page.status} {page.text[:200]}")
            return None
        return script(page.text, "page")["task"]

    def draft(self, browser: Browser, task: Mapping[str, object], texts: Sequence[str]) -> bool:
        """Save a draft; whether the task is still as the page thought."""
        rev = task["draft"]["rev"] if task["draft"] else 0
        payload = {"decision": "corrected", "texts": texts}
        answer = self.surely(browser, "PUT", task["draftUrl"], {"rev": rev, "payload": payload})
        if answer.status == 200:
            self.record.drafts.append((task["slot"], answer.json["rev"]))
        elif answer.status not in (409, 410):
            self.record.strange.append(f"draft {answer.status} {answer.text[:200]}")
        return answer.status == 200

    def hand_in(
        self, browser: Browser, task: Mapping[str, object], texts: Sequence[str]
    ) -> Mapping[str, object] | None:
        """Submit until it is acknowledged; the next task."""
        key = str(uuid4())
        body = {
            "decision": "corrected",
            "texts": texts,
            "version": task["version"],
            "client_key": key,
            "confirmed": True,
        }
        answer = self.surely(browser, "POST", task["submitUrl"], body)
        if answer.status != 200:
            self.record.strange.append(f"submit {answer.status} {answer.text[:200]}")
            return None
        self.record.submissions[key] = (task["slot"], text_of(task, texts))
        return answer.json["next"]

    def review(self, browser: Browser) -> None:
        """Decide one sentence after the other: all texts are right, all variants accepted."""
        while not self.stopping.is_set():
            page = self.surely(browser, "GET", f"/p/{self.slug}/review")
            data = script(page.text, "review-data") or script(page.text, "check-data")
            if data is None:
                if page.status != 200:
                    self.record.strange.append(f"review {page.status} {page.text[:200]}")
                time.sleep(0.1)
                continue
            self.finalise(browser, data)

    def finalise(self, browser: Browser, data: Mapping[str, object]) -> None:
        """Decide a sentence until it is acknowledged."""
        key = str(uuid4())
        if "chips" in data:
            checks = [{"position": row["number"], "decision": "accepted"} for row in data["rows"]]
            payload: dict[str, object] = {"checks": checks}
        else:
            rows = {row["key"]: {"correct": True} for row in data["rows"]}
            payload = {"decision": "corrected", "rows": rows, "confirmed": True}
        body = {"version": data["version"], "client_key": key, "payload": payload}
        answer = self.surely(browser, "POST", data["urls"]["finalise"], body)
        if answer.status == 200:
            self.record.reviews[key] = int(data["urls"]["finalise"].split("/")[-2])
        else:
            self.record.strange.append(f"finalise {answer.status} {answer.text[:200]}")
