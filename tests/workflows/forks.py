"""Run `gecbench` commands as forks of one process that has imported what they import.

    python forks.py SOCKET

A workflow starts two dozen commands, and half of them would import torch and transformers again,
which takes most of their time. The program `gecbench` that `write_client` writes asks at the
socket; the fork has its words, folder, environment and files.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from gecbench.cli import main

CLIENT = """#!{python} -SE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({place!r})
    words = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [words], [0, 1, 2])
    sys.exit(int(server.recv(9)))
"""
IMPORTED = (
    *("torch", "transformers", "accelerate", "gecbench.api.train", "gecbench.models"),
    *("gecbench.models.tagger.training", "gecbench.models.seq2seq.training"),
)


def write_client(folder: Path, place: Path) -> None:
    """Write a program `gecbench` that runs its words in a fork."""
    path = folder / "gecbench"
    path.write_text(CLIENT.format(python=sys.executable, place=str(place)), "utf-8")
    path.chmod(0o755)


def serve(place: str) -> None:
    """Fork for each client."""
    for name in IMPORTED:
        importlib.import_module(name)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        while True:
            client, _ = server.accept()
            if os.fork() == 0:
                server.close()
                _answer(client)
            client.close()
            with suppress(ChildProcessError):  # forget those that have ended
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _answer(client: socket.socket) -> NoReturn:
    """Run a command in a fork of its own, and send how it ended."""
    message, files, *_ = socket.recv_fds(client, 1 << 20, 3)
    words, folder, environment = json.loads(message)
    command = os.fork()
    if command:
        _, status = os.waitpid(command, 0)
        client.sendall(str(os.waitstatus_to_exitcode(status) % 256).encode())
        os._exit(0)
    client.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    # What the first process had open may have been a file of another kind.
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, closefd=False)  # noqa: SIM115
        for number, mode in enumerate(("r", "w", "w"))
    )
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["gecbench", *words]
    main()
    sys.exit()


if __name__ == "__main__":
    serve(sys.argv[1])
