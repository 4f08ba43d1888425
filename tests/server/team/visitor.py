"""A person at the pages over HTTP: cookies, forms with their tokens, JSON as scripts send it."""

from __future__ import annotations

import html
import http.client
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

IDLE = 20.0
Fields = Mapping[str, str] | Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Page:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def data(self, name: str) -> Any:
        """The JSON that the page holds under an id; None where it has none."""
        match = re.search(
            rf'<script id="{name}" type="application/json">(.*?)</script>', self.text, re.S
        )
        return json.loads(match[1]) if match else None

    def all(self, pattern: str) -> list[str]:
        """Whatever matches, unescaped, without repetition."""
        return list(dict.fromkeys(map(html.unescape, re.findall(pattern, self.text))))

    def form(self, action: str) -> dict[str, str]:
        """The hidden fields of the form that goes to an address; {} where there is none."""
        match = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', self.text, re.S)
        hidden = re.findall(
            r'<input type="hidden" name="([^"]+)" value="([^"]*)"', match[0] if match else ""
        )
        return dict(hidden)


class Visitor:
    """A person with a browser's manners: follows redirects, keeps cookies, sends tokens."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies: dict[str, str] = {}
        self.token = ""
        self.asked = 0
        self.last = time.monotonic()

    def get(self, path: str, *, expect: int = 200) -> Page:
        """Open a page."""
        return self._ask("GET", path, b"", {"Accept": "text/html"}, expect)

    def post(
        self, path: str, fields: Fields = (), *, expect: int = 200, token: str | None = None
    ) -> Page:
        """Send a form, as a click on its button does, and follow where it leads."""
        pairs = list(fields.items()) if isinstance(fields, Mapping) else list(fields)
        pairs.append(("csrfmiddlewaretoken", self.token if token is None else token))
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
        return self._ask("POST", path, urlencode(pairs).encode(), headers, expect)

    def send(
        self, path: str, body: object, *, method: str = "POST", expect: Sequence[int] = (200,)
    ) -> Page:
        """Send JSON, as the page's script does."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "X-CSRFToken": self.token,
        }
        return self._ask(method, path, json.dumps(body).encode(), headers, *expect)

    def upload(self, path: str, name: str, content: str) -> Page:
        """Send a file."""
        edge = uuid4().hex
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
            f"{self.token}\r\n",
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f"Content-Type: text/plain\r\n\r\n{content}\r\n",
            f"--{edge}--\r\n",
        ]
        headers = {"Content-Type": f"multipart/form-data; boundary={edge}", "Accept": "text/html"}
        return self._ask("POST", path, "".join(parts).encode(), headers, 200)

    def _ask(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], *expect: int
    ) -> Page:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if time.monotonic() - self.last > IDLE:
            self.connection.close()  # the server closes what is idle; a browser opens a new one
        self.last = time.monotonic()
        self.connection.request(
            method, path, body, {"Accept-Language": "en", **headers, "Cookie": cookie}
        )
        answer = self.connection.getresponse()
        page = Page(answer.status, dict(answer.getheaders()), answer.read())
        self.asked += 1
        for name, value in re.findall(
            r"^([^=]+)=([^;]*)", "\n".join(answer.headers.get_all("Set-Cookie") or ()), re.M
        ):
            self.cookies[name] = value
        if answer.status in (301, 302, 303):
            assert method == "GET" or 200 in expect, f"{method} {path} led to {page.headers}"
            return self.get(page.headers["Location"])
        assert page.status in expect, f"{method} {path}: {page.status}\n{page.text[-3000:]}"
        if page.headers.get("Content-Type", "").startswith("text/html"):
            tokens = page.all(r'name="csrfmiddlewaretoken" value="([^"]+)"')
            tokens += page.all(r"X-CSRFToken(?:&quot;|\"): (?:&quot;|\")([^&\"]+)")
            self.token = tokens[0] if tokens else self.token
        return page

    def signs_in(self, login: str, password: str) -> None:
        """Sign in by the form."""
        self.get("/login")
        self.post("/login", {"login": login, "password": password})

    def close(self) -> None:
        """Leave."""
        self.connection.close()
