"""Calling the API as programs and pages do."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client

from gecbench.server.models import Person
from gecbench.server.rest.urls import api
from gecbench.server.workflow.accounts import make_token

ROOT = "/api/v1/"
Answer = tuple[int, object]


def answer_of(response: HttpResponseBase) -> Answer:
    """Status and what was said: JSON, or the text of a file."""
    if response.streaming:
        return response.status_code, b"".join(response.streaming_content).decode()
    text = response.content.decode()
    if "json" in response.headers.get("Content-Type", "") and text:
        return response.status_code, json.loads(text)
    return response.status_code, text


class Caller:
    """A program with a token of some scopes."""

    def __init__(self, person: Person, *scopes: str) -> None:
        _, self.secret = make_token(person, name="test", scopes=scopes or ("admin",))
        self.headers = {"authorization": f"Bearer {self.secret}"}
        self.client = Client(enforce_csrf_checks=True)

    def get(self, path: str, **query: object) -> Answer:
        return answer_of(self.client.get(ROOT + path, query, headers=self.headers))

    def post(self, path: str, body: object) -> Answer:
        return answer_of(
            self.client.post(
                ROOT + path, json.dumps(body), content_type="application/json", headers=self.headers
            )
        )

    def send(self, path: str, content: str | bytes, *columns: str, **fields: object) -> Answer:
        raw = content.encode() if isinstance(content, str) else content
        body = {
            "file": SimpleUploadedFile("file.txt", raw),
            "columns": [
                SimpleUploadedFile(f"ref{n}", column.encode()) for n, column in enumerate(columns)
            ],
            **{name: str(value) for name, value in fields.items()},
        }
        return answer_of(self.client.post(ROOT + path, body, headers=self.headers))

    def delete(self, path: str) -> Answer:
        return answer_of(self.client.delete(ROOT + path, headers=self.headers))


def operations() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Path, method and description of every operation."""
    for path, methods in api.get_openapi_schema(path_prefix="/")["paths"].items():
        for method, about in methods.items():
            yield path, method, about


def filled(path: str, slug: str) -> str:
    """An address with a project's slug and things that there are in it."""
    return ROOT + (
        path.removeprefix("/")
        .replace("{slug}", slug)
        .replace("{number}", "1")
        .replace("{format}", "submissions")
        .replace("{name}", "v1")
        .replace("{file}", "v1.tsv")
        .replace("{token_id}", "1")
        .replace("{round_id}", "1")
        .replace("{statement_id}", "1")
    )
