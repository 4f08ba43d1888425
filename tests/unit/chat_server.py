"""A chat server that does what a test wants: answers, errors, silence, half an answer."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Act:
    """What the server does with one request."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    promised: int = 0  # bytes beyond the body that the length promises
    hangs_up: bool = False


def answer_with(text: str | None, finish: str = "stop", usage: bool = True, **more: object) -> Act:
    """Answer with a message."""
    body: dict[str, Any] = {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}]
    }
    if usage:
        body["usage"] = {"prompt_tokens": 10, "completion_tokens": 4}
    return Act(json.dumps(body).encode(), **more)


def fail_with(status: int, message: str = "no", **headers: str) -> Act:
    """Answer with an error as OpenAI's servers do."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act(json.dumps({"error": {"message": message}}).encode(), status, named)


def stream(*pieces: str, done: bool = True, finish: str | None = "stop") -> Act:
    """Answer in server-sent events."""
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    if finish:
        events.append({"choices": [{"delta": {}, "finish_reason": finish}]})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events] + ["data: [DONE]\n\n"] * done
    return Act("".join(lines).encode(), headers={"Content-Type": "text/event-stream"})


Script = Callable[[int, str], Act]
"""From the number of a request, from 1, and the last message to what is done."""


def correction_of(text: str) -> str:
    """What the scripted server knows of grammar."""
    return text.replace("高心", "高兴").replace("He go ", "He goes ")


class Server(ThreadingHTTPServer):
    """Many connect at once; those that the queue has no room for try again only a second later."""

    request_queue_size = 64


class Scripted:
    """The server: what it does is a function that a test sets."""

    def __init__(self) -> None:
        self.script: Script = lambda _, text: answer_with(correction_of(text))
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.http = Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def asked(self) -> list[str]:
        """The last messages of all requests."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server.lock:
                    server.bodies.append(body)
                    server.headers.append(dict(self.headers))
                    number = len(server.bodies)
                act = server.script(number, body["messages"][-1]["content"])
                time.sleep(act.delay)
                if act.hangs_up:
                    self.close_connection = True
                    return
                self.send_response(act.status)
                for name, value in {"Content-Type": "application/json", **act.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(act.body) + act.promised))
                self.end_headers()
                self.wfile.write(act.body)
                self.close_connection = bool(act.promised)

            def handle(self) -> None:
                # The client has left, as tests of timeouts want it to.
                with contextlib.suppress(OSError):
                    super().handle()

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        return Handler
