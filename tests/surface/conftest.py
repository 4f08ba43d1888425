"""Compare with expected files; `pytest tests/surface --update-surface` writes them again.

A change of an expected file is a change that users see: it belongs in a commit that says why.
"""

from __future__ import annotations

import base64
import difflib
import gc
import gzip
import io
import json
import math
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NoReturn

import pytest

from gecbench import __version__, sample
from gecbench.cli import main
from gecbench.datasets import catalog

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
SAMPLES = Path(sample("zh", "corpus.jsonl")).parents[1]

PICTURES = {".html", ".svg", ".png", ".pdf"}
VOLATILE = (
    (rf"\b{re.escape(__version__)}\b", "VERSION"),
    (
        r"\b(spacy|opencc|pypinyin|jieba|pkuseg|sacrebleu|symspellpy|unicode)(\W+)[\d.]*\d",
        r"\1\2VERSION",
    ),
    (r"(?m)^(% )?note: .*$", r"\1note: ..."),
)
"""What may differ between machines and days, and sentences for people."""

DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


is_close = partial(math.isclose, rel_tol=1e-11, abs_tol=1e-14)


def same(first: str, second: str) -> bool:
    """Say whether texts are equal, but for the last digits of unrounded numbers.

    Those depend on the processor, because SciPy and NumPy add in the order that is fastest on it.
    """
    if DECIMAL.split(first) != DECIMAL.split(second):
        return False
    numbers = zip(DECIMAL.findall(first), DECIMAL.findall(second), strict=True)
    return all(
        a == b or (max(len(a), len(b)) > 15 and is_close(float(a), float(b))) for a, b in numbers
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-surface", action="store_true", help="write expected files again")


def stable(text: str) -> str:
    """Replace what is volatile; notes in JSON are sentences, so only their number stays."""
    for pattern, replacement in VOLATILE:
        text = re.sub(pattern, replacement, text)
    notes = re.compile(r'("notes": \[)(.*?)(?=\n? *\])', re.DOTALL)
    return notes.sub(lambda m: m[1] + re.sub(r'"(?:[^"\\]|\\.)*"', '"..."', m[2]), text)


@pytest.fixture
def expect(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with expected/NAME.txt."""

    def expect(name: str, text: str) -> None:
        path = EXPECTED / f"{name}.txt"
        if request.config.getoption("update_surface", default=False):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
        if not path.is_file():
            pytest.fail(f"{path} is missing; run: pytest tests/surface --update-surface")
        before = path.read_text("utf-8")
        if not same(before, text):
            pairs = (part.splitlines() for part in (before, text))
            diff = "\n".join(difflib.unified_diff(*pairs, "expected", "now", lineterm=""))
            pytest.fail(f"{name} is not what {path} has:\n{diff}", pytrace=False)

    return expect


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders that commands share, so that each resource is compiled and parsed once."""
    folder = tmp_path_factory.mktemp("caches")
    return {"XDG_CACHE_HOME": str(folder), "GECBENCH_PARSE_CACHE": str(folder / "parses")}


@pytest.fixture
def gecbench(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    caches: dict[str, str],
) -> Iterator[Callable[[str], tuple[int, str]]]:
    """Run a command line in a folder with zh/, en/ and inputs/; return exit code and results.

    Results are what is printed and the files that are written. In the line, SHARED is the folder
    of reference data, and `< FILE` is standard input.
    """
    for folder in (SAMPLES / "zh", SAMPLES / "en", HERE / "inputs"):
        shutil.copytree(folder, tmp_path / folder.name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GECBENCH_SPACY_MODEL", raising=False)
    monkeypatch.setattr(catalog, "distribution", _no_package)  # weights are optional
    for name, value in caches.items():
        monkeypatch.setenv(name, value)
    threshold = gc.get_threshold()

    def run(line: str) -> tuple[int, str]:
        places = {str(tmp_path): "HERE", str(SAMPLES): "SAMPLES"}
        if "SHARED" in line:
            places[str(request.getfixturevalue("shared") / "data")] = "SHARED"
        command, _, source = line.partition(" < ")
        words = shlex.split(command)
        for place, name in places.items():
            words = [word.replace(name, place) for word in words]
        before = files(tmp_path)
        code, text = run_main(words, Path(source).read_bytes() if source else b"", monkeypatch)
        for path, content in files(tmp_path).items():
            if content != before.get(path):
                text += f"--- {path}\n"
                text += content.decode() if path.suffix not in PICTURES else data_of(content)
        for place, name in places.items():
            text = text.replace(place, name)
        return code, f"$ gecbench {line}\n{stable(text)}"

    yield run
    gc.set_threshold(*threshold)


def _no_package(name: str) -> NoReturn:
    raise PackageNotFoundError(name)


def run_main(words: list[str], stdin: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """Run the command line in this process; return exit code and standard output."""
    contents = {"stdin": stdin, "stdout": b"", "stderr": b""}
    streams = {name: io.TextIOWrapper(io.BytesIO(c), "utf-8") for name, c in contents.items()}
    code = 0
    with monkeypatch.context() as patch:
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        try:
            main(words)
        except SystemExit as error:
            code = int(error.code or 0)
    output, messages = (streams[name] for name in ("stdout", "stderr"))
    messages.seek(0)
    sys.stderr.write(messages.read())  # shown where a test fails
    output.seek(0)
    return code, output.read()


def data_of(content: bytes) -> str:
    """Return the data of a page, an item a line; of a picture, nothing."""
    match = re.search(rb'<script [^>]*id="data">([^<]*)<', content)
    if match is None:
        return "(a picture)\n"
    packed = match[1].strip()
    text = packed if packed[:1] in b"[{" else gzip.decompress(base64.b64decode(packed))
    data = json.loads(text)
    downloads = data.pop("files", {}) if isinstance(data, dict) else {}
    items = sorted(data.items()) if isinstance(data, dict) else data
    return "".join(
        [f"{json.dumps(item, ensure_ascii=False)}\n" for item in items]
        + [f"--- to download: {name}\n{text}" for name, text in downloads.items()]
    )


def files(folder: Path) -> dict[Path, bytes]:
    """Return the content of every file."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
