"""ChERRANT's resources: how their lines are read, and how their compiled form is kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from messages import expect_error

from gecbench.core.errors import MissingExtraError
from gecbench.edits.features import FeatureCosts
from gecbench.lang.zh.cherrant import load_costs, scheme

CILIN = """\
Aa01A01= 桌 椅子
Bb02B02= 桌 凳
Aa01A02= 凳
Dc01A01= 狮
"""
CONFUSION = """\
桌 鲸 凳
狮 鲸
狮 兽
 桌 兽
长词 兽 桌
兽 长词
"""
BOTH = {"cilin.txt": CILIN.encode("gbk"), "confusion_dict.txt": CONFUSION.encode()}


def load(cache: Path, files: dict[str, bytes] = BOTH, say=lambda _: None) -> FeatureCosts:
    return load_costs(files.__getitem__, cache, say)


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], float]:
    table = load(tmp_path_factory.mktemp("compiled"))
    return lambda first, second: table.cost(ord(first), ord(second))


@pytest.mark.parametrize(
    ("first", "second", "sem", "sound"),
    [
        ("桌", "凳", 2 * 3 / 6.0, 0.0),  # Bb02 and Aa01 by their last lines; confused
        ("凳", "桌", 2 * 3 / 6.0, 0.0),  # in both directions
        ("桌", "狮", 2 * 3 / 6.0, 0.5),
        ("凳", "狮", 2 * 2 / 6.0, 0.5),  # 01 alone is equal
        ("桌", "鲸", 4 / 6.0, 0.0),  # not in the thesaurus
        ("狮", "鲸", 4 / 6.0, 0.5),  # a later line replaced this
        ("狮", "兽", 4 / 6.0, 0.0),
        ("狮", "师", 4 / 6.0, 0.0),  # one sound
        ("椅", "狮", 4 / 6.0, 0.5),  # stands in a longer word only
    ],
)
def test_lines_are_read_as_cherrant_reads_them(costs, first, second, sem, sound):
    assert costs(first, second) == (sem + sound) + 0.25


def test_a_line_that_starts_with_a_space_defines_nothing(costs):
    assert costs("桌", "兽") == (4 / 6.0 + 0.5) + 0.25


@pytest.mark.parametrize(
    ("first", "second", "pos"),
    [
        ("，", "、", 0.0),
        ("。", "，", 0.499),
        ("。", "！", 0.499),
        ("a", "b", 0.25),
        ("a", ",", 0.499),
    ],
)
def test_marks_are_those_of_the_list(costs, first, second, pos):
    assert costs(first, second) == (4 / 6.0 + 0.5) + pos


def test_what_is_no_common_character_has_no_sound(costs):
    assert costs("〇", "零") == (4 / 6.0 + 0.5) + 0.25


def test_the_measured_examples_of_the_specification(shared: Path, cache: Path):
    files = ("cilin.txt", "confusion_dict.txt")
    real = load(cache, {name: (shared / "data/cherrant" / name).read_bytes() for name in files})
    measured = {"的地": 0.25, "买卖": 0.25, "他她": 1.25, "看见": 1.75}
    assert {pair: real.cost(*map(ord, pair)) for pair in measured} == measured
    assert [round(real.cost(*map(ord, pair)), 4) for pair in ("在再", "ab", "。，")] == [
        0.9167,
        1.4167,
        1.6657,
    ]


def test_it_is_compiled_once_and_said_once(tmp_path: Path):
    notes: list[str] = []
    first = load(tmp_path / "new" / "cache", say=notes.append)
    two = load(tmp_path / "new" / "cache", say=notes.append)
    (path,) = (tmp_path / "new" / "cache").iterdir()
    assert notes == [f"compiling ChERRANT's resources, once, into {path}"]
    assert first.data == two.data == path.read_bytes()


def test_what_it_is_made_of_names_it(tmp_path: Path):
    first = load(tmp_path)
    other = load(tmp_path, {**BOTH, "cilin.txt": BOTH["cilin.txt"] + b"Ae01A01= A\n"})
    third = load(tmp_path, {**BOTH, "confusion_dict.txt": b""})
    assert len({first.data, other.data, third.data}) == 3
    assert len(list(tmp_path.iterdir())) == 3
    assert load(tmp_path).data == first.data
    assert first.provenance["cilin"] != other.provenance["cilin"]
    assert first.provenance["confusion"] == other.provenance["confusion"]
    assert set(first.provenance) == {"cilin", "confusion", "pypinyin"}


COMPILE = """
import sys
from pathlib import Path
from gecbench.lang.zh.cherrant import load_costs

def wait(_):
    print("compiling", flush=True)
    sys.stdin.readline()

folder = Path(sys.argv[1])
load_costs(lambda name: (folder / name).read_bytes(), folder / "cache", wait)
"""


def test_two_processes_that_compile_at_once_end_with_one_whole_file(tmp_path: Path):
    for name, content in BOTH.items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", COMPILE, str(tmp_path)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    # Both have seen that there is no file before either may go on.
    assert [process.stdout.readline() for process in both] == ["compiling\n"] * 2
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in both:
        process.communicate()
    assert [process.returncode for process in both] == [0, 0]
    (path,) = (tmp_path / "cache").iterdir()
    assert path.read_bytes() == load(tmp_path / "alone").data


@pytest.mark.parametrize("how", ["cut", "emptied"])
def test_a_damaged_cache_is_made_anew_and_that_is_said(tmp_path: Path, how: str):
    content = load(tmp_path).data
    (path,) = tmp_path.iterdir()
    path.write_bytes(content[:-1] if how == "cut" else b"")
    notes: list[str] = []
    assert load(tmp_path, say=notes.append).data == content
    assert notes[0] == f"note: {path}: damaged or cut; it is made again"
    assert path.read_bytes() == content


def test_without_a_cache_the_table_is_made_and_that_is_said(tmp_path: Path):
    (tmp_path / "file").touch()
    notes: list[str] = []
    costs = load(tmp_path / "file" / "cache", say=notes.append)
    assert costs.data == load(tmp_path / "cache").data
    assert notes[1].startswith(f"note: not kept for the next time: {tmp_path}/file/cache")
    assert "XDG_CACHE_HOME" in notes[1]


def test_without_pypinyin_the_command_that_brings_it_is_said(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    with expect_error(MissingExtraError, "pypinyin", "'gecbench[zh]'"):
        load(tmp_path)
    assert list(tmp_path.iterdir()) == []


def context_of(cache: Path) -> SimpleNamespace:
    return SimpleNamespace(
        resource=lambda _, file: BOTH[file], cache_folder=lambda: cache, say=lambda _: None
    )


def test_without_opencc_the_command_that_brings_it_is_said(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "opencc", None)
    context = context_of(tmp_path)
    with expect_error(MissingExtraError, "OpenCC", "gecbench[zh]"):
        scheme(context)
    assert scheme(context, simplify=False).signature["simplify"] == "no"


def test_targets_alone_are_simplified(tmp_path: Path):
    context = context_of(tmp_path)
    new_scheme = scheme(context)
    assert new_scheme.parse_target("這 個").tokens == ("这", "个")
    assert new_scheme.parse_source("這 個").tokens == ("這", "個")
    assert new_scheme.signature["simplify"].startswith("t2s(opencc ")
    assert scheme(context, simplify=False).parse_target("這").tokens == ("這",)
