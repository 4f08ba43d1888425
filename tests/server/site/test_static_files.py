"""Static files of a running site: names with hashes, kept by browsers for ever."""

import re
from pathlib import Path

import httpx
import pytest
from server.live import Live

pytestmark = pytest.mark.slow
HASHED = re.compile(r"\.[0-9a-f]{12}\.(?:js|css|svg)$")
IMPORTED = re.compile(r'(?:from |import |new URL\()"\./([^"]+)"')


def test_pages_name_hashed_files_that_browsers_keep(live: Live):
    page = httpx.get(f"{live.url}/login").text
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(files) >= 3
    for file in files:
        assert HASHED.search(file), file
        answer = httpx.get(live.url + file)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"], file


def test_our_modules_import_hashed_files_that_exist(live: Live):
    folder = live.folder / "static" / "gecbench"
    modules = list(folder.glob("*.js"))
    imported = [
        (module, name) for module in modules for name in IMPORTED.findall(module.read_text("utf-8"))
    ]
    assert len(imported) > 20
    for module, name in imported:
        assert HASHED.search(name), f"{module.name} imports {name}"
        assert Path(folder, name).is_file(), f"{module.name} imports {name}"
