"""A model goes to a hub and comes back by huggingface_hub's own ways."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from messages import assert_is_line
from tiny_taggers import PAIRS

COMMIT = "a" * 40


class Hub(BaseHTTPRequestHandler):
    """Answer as the hub's API what is asked for to push a small folder and to fetch it."""

    def log_message(self, *_arguments: object) -> None:
        """Print nothing."""

    def answer(self, content: object, status: int = 200, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_POST(self) -> None:
        files = self.server.files
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/api/validate-yaml" and self.headers["Authorization"] != "Bearer secret":
            self.answer({"error": "who are you?"}, 401)
        elif self.path == "/api/repos/create":
            self.answer({"url": f"http://{self.headers['Host']}/mine/tagger"})
        elif self.path == "/api/validate-yaml":
            self.answer({"errors": [], "warnings": []})
        elif self.path == "/api/models/mine/tagger/preupload/main":
            how = {"uploadMode": "regular", "shouldIgnore": False}
            self.answer({"files": [{"path": f["path"], **how} for f in json.loads(body)["files"]]})
        elif self.path == "/api/models/mine/tagger/commit/main":
            for line in body.splitlines():
                row = json.loads(line)
                if row["key"] == "file":
                    files[row["value"]["path"]] = base64.b64decode(row["value"]["content"])
            address = f"http://{self.headers['Host']}/mine/tagger/commit/{COMMIT}"
            self.answer({"commitUrl": address, "commitOid": COMMIT})
        else:
            self.answer({}, 404)

    def do_GET(self) -> None:
        files = self.server.files
        path = self.path.partition("?")[0]
        inside = path.removeprefix(f"/mine/tagger/resolve/{COMMIT}/")
        hashes = {name: hashlib.sha1(content).hexdigest() for name, content in files.items()}
        if path in (f"/api/models/mine/tagger/revision/{name}" for name in ("main", COMMIT)):
            self.answer({"id": "mine/tagger", "sha": COMMIT})
        elif path == f"/api/models/mine/tagger/tree/{COMMIT}":
            self.answer(
                [
                    {"type": "file", "path": name, "size": len(content), "oid": hashes[name]}
                    for name, content in files.items()
                ]
            )
        elif inside in files:
            self.answer(files[inside], X_Repo_Commit=COMMIT, ETag=f'"{hashes[inside]}"')
        else:
            self.answer({}, 404)

    def do_HEAD(self) -> None:
        self.do_GET()


@pytest.fixture
def hub() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        server.files = {}
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.slow
def test_a_model_is_pushed_as_the_docs_say_and_loaded_by_its_name(
    hub, tmp_path, tagger_folder
) -> None:
    address = f"http://127.0.0.1:{hub.server_port}"
    environment = {**os.environ, "HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "home")}
    environment |= {"HF_HUB_OFFLINE": "0", "HF_TOKEN": "secret", "NO_PROXY": "*"}
    source, target = (side[0] for side in zip(*PAIRS["zh"], strict=True))
    (tmp_path / "input.txt").write_text(f"{source}\n", encoding="utf-8")

    def run(*words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, words)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=200,
            cwd=tmp_path,
            env=environment | more,
        )

    folder = tagger_folder("zh", "convolution")
    upload = ("upload", "mine/tagger", folder)
    refused = run(Path(sys.executable).with_name("hf"), *upload, HF_TOKEN="other")
    assert refused.returncode != 0
    assert not hub.files
    pushed = run(Path(sys.executable).with_name("hf"), *upload)
    assert pushed.returncode == 0, pushed.stderr
    assert hub.files == {path.name: path.read_bytes() for path in folder.iterdir()}
    correct = (sys.executable, "-m", "gecbench", "correct")
    for name in ("hub:mine/tagger", f"hub:mine/tagger@{COMMIT}"):
        corrected = run(*correct, name, "input.txt", "--to", "lines")
        assert corrected.stdout == f"{target}\n", corrected.stderr
    missing = run(*correct, "hub:mine/nothing", "input.txt")
    assert missing.returncode == 1
    assert_is_line(missing.stderr, "hub:mine/nothing", "404")
