"""Chinese pages say what their English pages say: the same headings in number, the same code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gecbench.cli import gecbench as commands
from gecbench.formats import FORMATS
from gecbench.metrics import METRICS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.zh.md", *sorted((ROOT / "docs").rglob("*.zh.md"))]
"""The first has examples of its own: Chinese sentences come before English ones."""
BLOCK = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1$", re.M | re.S)
COMMENT = re.compile(r"(^|\s+)#(?!!)(?! tested$| needs ).*$", re.M)
"""A comment in an example, which may be translated."""
FIGURE = re.compile(r"[*]*[-+]?[\d.,]+%?[*]*|`[^`]+`")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s:]+\.md)(?:#[^)\s]*)?\)")


def english(page: Path) -> Path:
    return page.with_name(page.name.replace(".zh.md", ".md"))


def examples(page: Path) -> list[str]:
    """The commands and programs of a page; blocks of text may be in either language."""
    return [
        COMMENT.sub("", code)
        for _, kind, code in BLOCK.findall(page.read_text("utf-8"))
        if kind in ("bash", "python", "json", "yaml", "toml")
    ]


def levels(page: Path) -> list[int]:
    """How deep each heading is."""
    text = BLOCK.sub("", page.read_text("utf-8"))
    return [len(heading) for heading in re.findall(r"^(#+) ", text, re.M)]


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: str(page.relative_to(ROOT)))
def test_a_chinese_page_has_the_headings_and_examples_of_the_english_one(page: Path):
    assert levels(page) == levels(english(page))
    assert examples(page) == examples(english(page))


def figures(page: Path) -> list[list[str]]:
    """The cells of each row of a table that are numbers, or code alone."""
    text = BLOCK.sub("", page.read_text("utf-8"))
    rows = [row.replace(r"\|", "/").split("|") for row in re.findall(r"^\|(.*)\|$", text, re.M)]
    return [[cell.strip() for cell in row if FIGURE.fullmatch(cell.strip())] for row in rows]


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_of_a_chinese_page_have_the_rows_and_figures_of_the_english_one(page: Path):
    assert figures(page) == figures(english(page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_chinese_page_lead_to_chinese_pages_where_there_are_some(page: Path):
    text = BLOCK.sub("", page.read_text("utf-8"))
    targets = [target for name, target in LINK.findall(text) if name != "English"]
    lost = [target for target in targets if not (page.parent / target).is_file()]
    english_ones = [
        target
        for target in targets
        if not target.endswith(".zh.md") and (page.parent / target).with_suffix(".zh.md").is_file()
    ]
    assert lost == []
    assert english_ones == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_in_two_languages_offers_the_other(page: Path):
    assert f"({english(page).name})" in page.read_text("utf-8")
    assert f"({page.name})" in english(page).read_text("utf-8")


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("metrics/README.zh.md", METRICS),
        ("formats.zh.md", FORMATS),
        ("commands.zh.md", [name for name in commands.list_commands(None) if name != "annotate"]),
    ],
)
def test_every_name_is_in_the_chinese_list(page: str, names: list[str]):
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert [name for name in names if not re.search(rf"`(gecbench )?{name}\b", text)] == []
