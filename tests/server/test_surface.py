"""What users and programs rely on in the annotation server: addresses, REST, files, tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.urls import URLPattern, URLResolver, get_resolver
from server.conftest import sqlite, use
from server.worlds import there, world_database  # noqa: F401  # fixtures
from surface.conftest import expect  # noqa: F401  # a fixture

from gecbench import __version__
from gecbench.server.import_export.exports import ExportOptions, export, formats_of
from gecbench.server.models import Project, Release
from gecbench.server.rest.urls import api
from gecbench.server.web.permissions import access_of

VOLATILE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?", "TIME", False),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "KEY", True),
    (r"\b[0-9a-f]{64}\b", "SHA256", True),
    (r"\bP[a-z2-7]{10}\b", "PSEUDONYM", True),
    (re.escape(f'"gecbench": "{__version__}"'), '"gecbench": VERSION', False),
)
"""Pattern, name, and whether equal values have to stay equal: they are numbered then."""


def stable(text: str) -> str:
    """Replace what differs from site to site, equal values by equal names."""
    for pattern, name, numbered in VOLATILE:
        values: dict[str, str] = {}
        for value in re.findall(pattern, text):
            values.setdefault(value, f"{name}-{len(values) + 1}" if numbered else name)
            text = text.replace(value, values[value])
    return text


def addresses(patterns, before: str = "") -> Iterator[str]:
    """Yield a line for each address: its path, its name and who may come."""
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            access = access_of(pattern.callback)
            who = " ".join([access.who, *sorted(access.roles)]) if access else "-"
            yield f"/{path}  {pattern.name}  {who}"


def test_addresses_are_what_they_were(expect):  # noqa: F811
    lines = sorted(addresses(get_resolver().url_patterns))
    expect("server/addresses", "".join(f"{line}\n" for line in lines))


def test_the_rest_schema_is_what_it_was(expect):  # noqa: F811
    schema = api.get_openapi_schema()
    schema["info"]["version"] = "VERSION"
    expect("server/rest", json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def test_tables_are_what_they_were(expect, migrated_sqlite: Path):  # noqa: F811
    use(sqlite(migrated_sqlite))
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name")
        statements = [statement for (statement,) in cursor.fetchall()]
    connection.close()
    expect("server/tables", "".join(f"{statement}\n" for statement in statements))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, ExportOptions(name)) for name in formats_of("rewrite")),
        ("mucgec-leave-out", ExportOptions("mucgec", unannotatable="leave_out")),
        ("jsonl-leave-out", ExportOptions("jsonl", unannotatable="leave_out")),
        ("submissions-names", ExportOptions("submissions", names=True)),
        ("annotations-names", ExportOptions("annotations", names=True)),
    ],
)
def test_exports_are_what_they_were(expect, there, name: str, options: ExportOptions):  # noqa: F811
    files = export(Project.objects.get(slug="one"), options)
    parts = [
        f"--- {file.ending}\n{b''.join(file.content).decode()}".replace("\r", "\\r")
        for file in files
    ]
    expect(f"server/export-{name}", stable("".join(parts)))


def test_a_release_says_what_it_said(expect, there):  # noqa: F811
    manifest = Release.objects.get(project__slug="one").manifest
    expect("server/release", stable(json.dumps(manifest, ensure_ascii=False, indent=1)) + "\n")
