"""The repository's Markdown as a site: pages stay as GitHub shows them.

Pages beside `docs` come in, README.md as the first. In the Chinese site `PAGE.zh.md` takes the
place of `PAGE.md`. Links to files that are no page lose their target: there is no public address.
"""

from __future__ import annotations

import html
import logging
import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PLACES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "docs/README.md": "all-pages.md",
    "docs/adr": "adr/001-token-spans.md",
}
"""Where something of the repository is in the site, if not at its place in `docs`."""
SOURCES = {page: place for place, page in PLACES.items() if place.endswith(".md")}
TOP = "/@top/"
"""Stands for the folder of both sites, which MkDocs does not know, until a page is written."""
LINK = re.compile(r"^```.*?^```|`[^`\n]+`|(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", re.M | re.S)
TARGET = re.compile(r'(?:href|src)="([^"]+)"')

log = logging.getLogger("mkdocs.hooks.repository")


def is_chinese(config: MkDocsConfig) -> bool:
    return config.theme["language"] == "zh"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Choose the language's files, add those beside `docs`, fill the navigation's asterisks."""
    for file in list(files):
        if file.src_uri == "README.md" or file.src_uri.endswith(".zh.md"):
            files.remove(file)
    for page in SOURCES:
        files.append(File.generated(config, page, content=""))
    others = sorted({file.src_uri for file in files.documentation_pages()} - named(config.nav))
    config.nav = expanded(config.nav, others)
    return files


def named(entry: Any) -> set[str]:
    """The pages that an entry of the navigation names."""
    parts = entry.values() if isinstance(entry, dict) else entry
    return {entry} if isinstance(entry, str) else set().union(*map(named, parts))


def expanded(entry: Any, pages: list[str]) -> list[Any]:
    """An entry of the navigation, as a list; a folder with an asterisk is its pages among these."""
    if isinstance(entry, dict):
        ((title, parts),) = entry.items()
        return [{title: parts if isinstance(parts, str) else expanded(parts, pages)}]
    if isinstance(entry, list):
        return [each for part in entry for each in expanded(part, pages)]
    folder = entry.removesuffix("*")
    if folder == entry:
        return [entry]
    return [page for page in pages if posixpath.join(posixpath.dirname(page), "") == folder]


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Translate titles of sections, by title, and of pages, by place."""
    titles = config.extra.get("titles", {})

    def translate(items: list[Any]) -> None:
        for item in items:
            key = item.file.src_uri if item.is_page else item.title
            if key in titles:
                item.title = titles[key]
            translate(item.children or [])

    translate(nav.items)
    return nav


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:
    """Read the page in the site's language, if there is one, else in English."""
    path = translation(page.file.src_uri) if is_chinese(config) else None
    path = path or ROOT / source(page.file.src_uri)
    return path.read_text("utf-8") if path.is_file() else None


def source(page: str) -> str:
    """Where a page of the site is in the repository."""
    return SOURCES.get(page, f"docs/{page}")


def translation(page: str) -> Path | None:
    """The Chinese form of a page."""
    path = (ROOT / source(page)).with_suffix(".zh.md")
    return path if path.is_file() else None


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to pages of the site, and leave those without one as texts."""
    uri = page.file.src_uri
    chinese, translated = is_chinese(config), is_chinese(config) and translation(uri) is not None

    def replace(link: re.Match[str]) -> str:
        mark, text, target, anchor = link.groups(default="")
        if not target or ":" in target:
            start = link.string.rfind("\n", 0, link.start()) + 1
            in_table = link.string.startswith("|", start)
            text = link[0].replace("```bash\n# tested\n", "```bash\n")
            return text.replace(r"\|", "|") if in_table else text  # GitHub needs the stroke
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source(uri)), target))
        english = place.replace(".zh.md", ".md")
        site = PLACES.get(english) or english.removeprefix("docs/")
        file = files.get_file_from_path(site)
        if file is None:
            return text
        if (place == english) == chinese and text in ("中文", "English"):
            folder = "" if chinese else "zh/"
            return f'<a href="{TOP}{folder}{file.url.removeprefix("./")}">{text}</a>'
        if chinese and not translated and translation(site):
            anchor = ""  # headings there are Chinese
        return f"{mark}[{text}]({posixpath.relpath(site, posixpath.dirname(uri) or '.')}{anchor})"

    markdown = LINK.sub(replace, markdown)
    is_generated = uri.startswith("reference/") and not uri.startswith("reference/python/")
    if chinese and not translated and not is_generated:
        pages = posixpath.relpath("all-pages.md", posixpath.dirname(uri) or ".")
        markdown = markdown.replace("\n", f"\n\n*本页只有英文（[哪些页面有中文]({pages})）。*\n", 1)
    return markdown


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, **_: Any) -> None:
    """Let the choice of languages lead to the same page."""
    url = page.url.removeprefix("./")
    config.extra["alternate"] = [
        {"name": "English", "lang": "en", "link": f"{TOP}{url}"},
        {"name": "中文", "lang": "zh", "link": f"{TOP}zh/{url}"},
    ]


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Make addresses from the top of both sites relative."""
    up = "../" * (page.url.count("/") - page.url.startswith("./") + is_chinese(config))
    return output.replace(f'="{TOP}', f'="{up or "./"}')


def on_post_build(config: MkDocsConfig) -> None:
    """Warn about links in both sites that lead nowhere; the Chinese one is built last."""
    if not is_chinese(config):
        return
    top = Path(config.site_dir).parent
    for page in top.rglob("*.html"):
        if page.name == "404.html":
            continue
        for target in set(TARGET.findall(page.read_text("utf-8"))):
            path = unquote(html.unescape(target).partition("#")[0].partition("?")[0])
            if not path or ":" in path or path.startswith("//"):
                continue
            file = page.parent / path
            if not (file / "index.html" if file.is_dir() else file).is_file():
                log.warning("%s has a link that leads nowhere: %s", page.relative_to(top), target)
