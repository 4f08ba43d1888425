"""nginx with the configuration of deploy/, before servers of this machine."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from server.live import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


def write_configuration(folder: Path, port: int, hosts: Sequence[str]) -> Path:
    """The configuration of deploy/ for plain HTTP on a port, as whoever runs the tests."""
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    servers = "".join(f"server {host} fail_timeout=2s;" for host in hosts)
    text = re.sub(r"(upstream gecbench \{).*?\}", rf"\1{servers}}}", text, count=1, flags=re.S)
    text = re.sub(r"server \{\s*listen 80;.*?\}", "", text, count=1, flags=re.S)
    text = re.sub(r"ssl_certificate.*?;", "", text)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = text.replace("X-Forwarded-Proto https", "X-Forwarded-Proto http")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    text = text.replace("http {", f"http {{ access_log off; {paths}", 1)
    text += f"daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;\n"
    path = folder / "nginx.conf"
    path.write_text(text, "utf-8")
    return path


@contextmanager
def nginx(folder: Path, hosts: Sequence[str]) -> Iterator[int]:
    """Run nginx before servers; yields its port."""
    assert NGINX is not None
    port = free_port()
    process = subprocess.Popen([NGINX, "-c", write_configuration(folder, port, hosts)])
    try:
        end = time.monotonic() + 30
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert time.monotonic() < end
            time.sleep(0.02)
        yield port
    finally:
        process.kill()
        process.wait()
