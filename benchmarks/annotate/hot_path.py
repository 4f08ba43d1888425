"""Measures what one request costs: CPU and statements, in one process, without HTTP.

    python benchmarks/annotate/hot_path.py FOLDER
    python benchmarks/annotate/hot_path.py FOLDER --profile draft
    python benchmarks/annotate/hot_path.py FOLDER --database postgresql://me@localhost/empty

It makes the data folder if there is none, and calls the server's application as gunicorn does: no
client and no other request takes part, so that the medians can be compared on a busy machine.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import json
import os
import pstats
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import team
from clients import changed
from place import HERE, Place, write_sentences


def main() -> None:
    """Make the folder, and print what requests cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument(
        "--database", default="", help="postgresql://... of the folder; else SQLite"
    )
    parser.add_argument("--perturb", action="store_true", help="variants of cases, by zh-char")
    parser.add_argument("--tasks", type=int, default=100, help="handed in while it is measured")
    parser.add_argument("--profile", metavar="KIND", help="of a kind of request, instead")
    parser.add_argument("--statements", metavar="KIND", help="print those of its last request")
    options = parser.parse_args()
    if not options.folder.exists():
        make_site(options.folder, options.database, options.sentences, perturb=options.perturb)
    os.environ["GECBENCH_RATE_LIMITS"] = "0"
    if options.database:
        os.environ["GECBENCH_DATABASE_URL"] = options.database
    from gecbench.server.site.folder import open_site

    open_site(options.folder)
    from gecbench.server.site.serving import collect_static_files, load

    collect_static_files()
    meter = Meter(load(), options.profile)
    meter.work(10)
    meter.clear()
    meter.work(options.tasks)
    if options.profile:
        pstats.Stats(meter.profile).sort_stats("tottime").print_stats(45)
        pstats.Stats(meter.profile).sort_stats("cumtime").print_stats(90)
        return
    if options.statements:
        print(*meter.last[options.statements], sep="\n\n")
        return
    print("| request | requests | statements | CPU ms: median | lowest quarter | by the clock |")
    print("|---|--:|--:|--:|--:|--:|")
    for kind, times in meter.times.items():
        middle, quarter = statistics.median(times), statistics.quantiles(times, n=4)[0]
        count, clock = (
            statistics.median(meter.statements[kind]),
            statistics.median(meter.clock[kind]),
        )
        print(
            f"| {kind} | {len(times)} | {count:.0f} | {middle:.2f} | {quarter:.2f} | {clock:.2f} |"
        )


def make_site(folder: Path, database: str, sentences: int, *, perturb: bool) -> None:
    """Make a project with people and sentences, as `load.py` does."""
    place = Place(folder, database, 1)
    folder.parent.mkdir(parents=True, exist_ok=True)
    place.gecbench("init", folder)
    place.python(HERE / "team.py", folder, 50, 3, "robustgec" if perturb else "mucgec")
    text = folder.parent / f"{folder.name}{'.tsv' if perturb else '.txt'}"
    write_sentences(text, sentences, wrong=perturb)
    words = ("--scheme", "zh-char") if perturb else ()
    place.gecbench("import", text, "--project", team.SLUG, "--data", folder, *words)


class Meter:
    """Sends requests, and notes what each costs.

    Args:
        application: What an HTTP server calls.
        profiled: The kind of request to profile; None is none.
    """

    def __init__(self, application: Callable[..., Any], profiled: str | None) -> None:
        self.application, self.profiled = application, profiled
        self.profile = cProfile.Profile(time.thread_time)
        self.cookies: dict[str, dict[str, str]] = defaultdict(dict)
        self.clear()

    def clear(self) -> None:
        """Forget what was measured."""
        self.times: dict[str, list[float]] = defaultdict(list)
        self.clock: dict[str, list[float]] = defaultdict(list)
        self.statements: dict[str, list[int]] = defaultdict(list)
        self.last: dict[str, list[str]] = {}

    def work(self, tasks: int) -> None:
        """Let three people hand in the same number of tasks each, and a reviewer decide."""
        for login in ("annotator0", "annotator1", "annotator2", "reviewer0"):
            if login not in self.cookies:
                self.ask(login, "sign-in page", "GET", "/login")
                body = {"login": login, "password": team.PASSWORD}
                self.ask(login, "sign in", "POST", "/login", body)
        for n in range(tasks):
            self.annotate(f"annotator{n % 3}")
            if n % 3 == 0:
                self.review("reviewer0")

    def annotate(self, who: str) -> None:
        """Open the page, save three drafts, hand in."""
        task = script(self.ask(who, "annotation page", "GET", f"/p/{team.SLUG}/work"), "page")
        task = task["task"]
        rev = task["draft"]["rev"] if task["draft"] else 0
        for n in range(3):
            payload = {"decision": "corrected", "texts": changed(task, f"改{n}")}
            answer = self.ask(
                who, "draft", "PUT", task["draftUrl"], {"rev": rev, "payload": payload}
            )
            rev = json.loads(answer)["rev"]
        body = {
            "decision": "corrected",
            "texts": changed(task, f"改好{uuid4().hex[: 6 if 'gaps' in task else 2]}"),
            "version": task["version"],
            "client_key": str(uuid4()),
            "confirmed": True,
            "active_ms": 15000,
        }
        self.ask(who, "submit and next", "POST", task["submitUrl"], body)

    def review(self, who: str) -> None:
        """Decide a review, if there is one."""
        page = self.ask(who, "review page", "GET", f"/p/{team.SLUG}/review")
        data = script(page, "review-data") or script(page, "check-data")
        if data is None:
            return
        payload: dict[str, object]
        if "chips" in data:
            checks = [{"position": row["number"], "decision": "accepted"} for row in data["rows"]]
            payload = {"checks": checks}
        else:
            rows = {row["key"]: {"correct": True} for row in data["rows"]}
            payload = {"decision": "corrected", "rows": rows, "confirmed": True}
        body = {"version": data["version"], "client_key": str(uuid4()), "payload": payload}
        self.ask(who, "decide a review", "POST", data["urls"]["finalise"], body)

    def ask(self, who: str, kind: str, method: str, path: str, body: object = None) -> str:
        """Send a request and return the body of its answer.

        Raises:
            RuntimeError: It is an error.
        """
        from django.db import connection

        sent = b"" if body is None else json.dumps(body).encode()
        cookies = self.cookies[who]
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8700",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "127.0.0.1:8700",
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "HTTP_ACCEPT": "text/html" if method == "GET" else "application/json",
            "HTTP_X_CSRFTOKEN": cookies.get("gecbench_csrf", ""),
            "CONTENT_TYPE": "application/json" if sent else "",
            "CONTENT_LENGTH": str(len(sent)),
            "wsgi.input": io.BytesIO(sent),
            "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http",
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
        }
        status: list[str] = []

        def start_response(line: str, headers: list[tuple[str, str]], error: Any = None) -> None:
            del error
            status.append(line)
            for name, value in headers:
                if name == "Set-Cookie":
                    key, _, rest = value.strip().partition("=")
                    cookies[key] = rest.partition(";")[0]

        statements: list[str] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            statements.append(f"{sql} {params}")
            return execute(sql, params, many, context)

        if connection.connection is not None and kind not in self.last:
            connection.execute_wrappers.append(note)
        if kind == self.profiled:
            self.profile.enable()
        began, clock = time.thread_time(), time.monotonic()
        answer = self.application(environ, start_response)
        text = b"".join(answer).decode()
        answer.close()
        took, waited = time.thread_time() - began, time.monotonic() - clock
        self.profile.disable()
        if note in connection.execute_wrappers:
            connection.execute_wrappers.remove(note)
            self.last[kind] = statements
            self.statements[kind].append(len(statements))
        else:
            self.times[kind].append(1000 * took)
            self.clock[kind].append(1000 * waited)
        if status[0][:3] not in ("200", "302"):
            raise RuntimeError(f"{kind}: {status[0]} {text[:500]}")
        return text


def script(page: str, name: str) -> Any:
    """Read the JSON that a page holds under an id; None where there is none."""
    match = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page)
    return json.loads(match[1]) if match else None


if __name__ == "__main__":
    main()
