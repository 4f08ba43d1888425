"""No text does anything but be read: all payloads, all pages, a real browser, a strict policy."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import pytest
from django.db import connection
from server.conftest import Furnish
from server.live import DATABASE, Live
from server.security.hostile import BUNDLES, hostile
from server.security.payloads import PAYLOADS

from gecbench.server.rules.text import clean

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WATCH = """
globalThis.pwned = [];
for (const name of ["alert", "confirm", "prompt", "print"])
  globalThis[name] = () => { globalThis.pwned.push(name); };
document.addEventListener("securitypolicyviolation", (event) => {
  globalThis.pwned.push(`policy ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
});
"""
LOOK = r"""() => {
  const own = new Set(["A","ARTICLE","ASIDE","BDI","BLOCKQUOTE","BODY","BR","BUTTON","CAPTION",
    "CIRCLE","CODE","COL","COLGROUP","DD","DEFS","DEL","DETAILS","DIALOG","DIV","DL","DT","EM",
    "FIELDSET","FIGCAPTION","FIGURE","FOOTER","FORM","G","H1","H2","H3","H4","H5","H6","HEADER",
    "HEAD","HR","HTML","I","INPUT","INS","KBD","LABEL","LEGEND","LI","LINE","LINK","MAIN","MARK",
    "META","METER","NAV","OL","OPTGROUP","OPTION","OUTPUT","P","PATH","POLYLINE","PRE","PROGRESS",
    "RECT","S","SCRIPT","SECTION","SELECT","SMALL","SPAN","STRONG","SUB","SUMMARY","SUP","SVG",
    "TABLE","TBODY","TD","TEMPLATE","TEXT","TEXTAREA","TFOOT","TH","THEAD","TIME","TITLE","TR",
    "U","UL","B","DFN","Q","ABBR","SEARCH","CITE","DATALIST","DESC","POLYGON","USE","SYMBOL",
    "PICTURE","SOURCE","IMG","NOSCRIPT"]);
  const strange = [], here = location.origin;
  const texts = [document.title];
  for (const one of document.querySelectorAll("*")) {
    const tag = one.tagName.toUpperCase(), said = `${tag} ${one.outerHTML.slice(0, 160)}`;
    if (!own.has(tag)) strange.push(said);
    if (tag === "SCRIPT" && one.type !== "application/json" &&
        !(one.src.startsWith(`${here}/static/`) && !one.textContent)) strange.push(said);
    if ("value" in one && typeof one.value === "string") texts.push(one.value);
    for (const { name, value } of one.attributes) {
      texts.push(value);
      const low = value.replace(/[\x00-\x20]/g, "").toLowerCase();
      if (name === "style" && !/^(?:(?:min-|max-)?(?:width|height): [\d.]+px; ?)*$/.test(value))
        strange.push(`${name} of ${said}`);
      if (/^on|^srcdoc$|^hx-on|^data-hx|^hx-ext|hx-boost|^background$|pwn/i.test(name))
        strange.push(`${name} of ${said}`);
      if (/^(href|src|action|formaction|data|poster|cite|xlink:href)$/i.test(name) &&
          /^(javascript|vbscript|data|blob|view-source|file):/.test(low) && tag !== "LINK")
        strange.push(`${name} of ${said}`);
      if (/^(src|action|formaction)$/i.test(name) && !new URL(value, location.href).href
          .startsWith(`${here}/`)) strange.push(`${name} of ${said}`);
      if (/^(id|class|name|for|type)$/.test(name) && /pwn/.test(value))
        strange.push(`${name} of ${said}`);
      const plain = value.replace(/"X-CSRFToken": "[A-Za-z0-9]{64}"/, "");  // may have pwn in it
      if (/^hx-/.test(name) && /pwn|alert|js:|logout/.test(plain))
        strange.push(`${name} of ${said}`);
    }
  }
  texts.push(document.documentElement.textContent);
  return { ran: globalThis.pwned, strange, text: texts.join("\n"),
           links: [...document.querySelectorAll("a[href]")].map((one) => one.href) };
}"""


SAVED = re.compile(r"download|/account/data$|/SHA256SUMS$|/manifest[^/]*$")
"""Addresses whose answer a browser saves and does not open."""


@dataclass
class Seen:
    """What the pages of one person did and showed."""

    harm: list[str] = field(default_factory=list)
    pages: Counter[str] = field(default_factory=Counter)
    text: list[str] = field(default_factory=list)


def shape(url: str) -> str:
    """An address without its numbers and queries: pages of one template look alike."""
    path = urlsplit(url).path
    return re.sub(r"/\d+|/(?:lim|err|work|type|sec)[^/]*$", "/*", path)


class Walker:
    """Opens pages and looks at what they are made of."""

    def __init__(self, page: Page, seen: Seen) -> None:
        self.page, self.seen = page, seen
        page.add_init_script(WATCH)
        page.on("dialog", lambda dialog: (seen.harm.append(f"dialog {page.url}"), dialog.dismiss()))
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: seen.harm.append(f"error {page.url}: {error}"))
        page.on("request", self._asked)
        page.set_default_timeout(30_000)

    def _on_console(self, message: Any) -> None:
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            self.seen.harm.append(f"policy {self.page.url}: {message.text}")

    def _asked(self, request: Any) -> None:
        here = urlsplit(self.page.url or "about:blank").netloc
        there = urlsplit(request.url)
        if there.scheme.startswith("http") and here and there.netloc != here:
            self.seen.harm.append(f"request to {request.url}")

    def look(self) -> list[str]:
        """What the page is made of now; its links."""
        state = self.page.evaluate(LOOK)
        where = self.page.url[:120]
        self.seen.harm += [f"{where}: {harm}" for harm in (*state["ran"], *state["strange"])]
        self.seen.text.append(state["text"])
        return state["links"]

    def open(self, url: str) -> list[str]:
        self.page.goto(url)
        self.seen.pages[shape(self.page.url)] += 1
        return self.look()

    def walk(self, *starts: str, origin: str, alike: int = 2, most: int = 70) -> None:
        """Open pages, then what they link to, a few of each kind."""
        waiting, known = list(starts), set(starts)
        kinds: Counter[str] = Counter()
        while waiting and most:
            url, most = waiting.pop(0), most - 1
            for link in self.open(url):
                plain = link.partition("#")[0]
                kind = shape(plain)
                if not plain.startswith(origin) or plain in known or SAVED.search(kind):
                    continue
                if (
                    re.search(r"/releases/\*/|\.(csv|json|xlsx|tsv|jsonl|m2|txt)$", kind)
                    or kinds[kind] >= alike
                ):
                    continue
                kinds[kind] += 1
                known.add(plain)
                waiting.append(plain)


@pytest.fixture
def full(live: Live, furnished: Furnish, tmp_path: Path) -> Live:
    furnished("hostile", hostile)
    connection.close()
    path = (tmp_path / "site.sqlite3").rename(tmp_path / DATABASE)
    with closing(sqlite3.connect(path)) as rows:  # pages as large as those of the server's file
        for words in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=4096", "VACUUM"):
            rows.execute(words)
    live.empty(tmp_path)
    with live.rows():
        live.person("root", is_administrator=True, language="en", name=PAYLOADS[1])
    return live


def walker(live: Live, browser: Browser, login: str, seen: Seen) -> Iterator[Walker]:
    page = live.page(browser, login)
    yield Walker(page, seen)
    page.context.close()


def tried(live: Live) -> dict[str, list[str]]:
    """The pages of the items that people have tried to mend: links alone may not lead there."""
    from gecbench.server.models import StudyTry

    pages: dict[str, list[str]] = {}
    with live.rows():
        for attempt in StudyTry.objects.select_related("study__person").order_by("study"):
            pages.setdefault(attempt.study.person.login, []).append(f"study/{attempt.study_id}")
    return {who: paths[:2] for who, paths in pages.items()}


QUERIES = (
    "manage/sentences?q={}&state={}&source={}&after={}",
    "guide/search?q={}",
    "guide?version={}",
    "guide/{}",
    "work?task={}&after={}",
    "work/history?before={}",
    "review/history?before={}",
    "study?state={}",
    "problems?state={}",
    "manage/audit?before={}&what={}&who={}",
    "manage/members?sort={}",
    "manage/quality?source={}&scheme={}&since={}&until={}",
    "manage/import/{}",
    "{}",
)


STARTS = {
    "boss": (
        *("manage/", "manage/sentences", "manage/members", "manage/releases", "manage/guideline"),
        *("manage/audit", "manage/settings", "manage/quality", "manage/import"),
        *("manage/export", "problems?state=all", "manage/inspection", "manage/pay"),
    ),
    "root": ("manage/",),
    "a0": ("work", "study", "problems?state=all", "guide", "work/history", "me", "pay"),
    "a1": ("work/skipped", "work/kept", "study?state=closed"),
    "rita": ("review", "review/history", "problems?state=all", "pay"),
    "rolf": ("review", "problems"),
    "j0": ("judge", "judge/disagreements"),
}
"""Who looks, and where they begin, below the project."""


def test_no_text_runs_makes_an_element_or_asks_anybody(full, browser):
    """Section 5.3, XSS: no dialog, no report of the policy, no element, no foreign request."""
    root, seen = f"{full.url}/p/hostile/", Seen()
    tries = tried(full)
    for who, starts in STARTS.items():
        for visit in walker(full, browser, who, seen):
            own_pages = ("", "account", "account/tokens", "account/keys", "account/sessions")
            visit.walk(
                *(f"{full.url}/{path}" for path in own_pages),
                *(root + path for path in (*starts, *tries.get(who, ()))),
                origin=full.url,
                most=44 if who == "boss" else 18,
            )
            if who in ("boss", "a0"):
                visit_addresses(visit, root)
    assert sorted(set(seen.harm)) == []
    text = "\n".join(seen.text)
    assert [payload for payload in PAYLOADS if clean(payload).text not in text] == [], (
        "shown as written"
    )
    hidden = [marker for marker in SHOWN if not re.search(rf"{marker}\d+ ", text)]
    assert hidden == [], "fields that no page showed"
    assert len(seen.pages) > 25, seen.pages


SHOWN = [
    "来源",
    "坏",
    "不可",
    "试",
    "诉",
    "说",
    "案",
    "稿",
    "草",
    "派",
    "撤",
    "变更",
    "发布",
    "候",
    "选",
    *("问", "议", "定"),
]
"""What each bundle begins with (hostile.py): its field. Golden texts are drawn in pieces."""


def visit_addresses(visit: Walker, root: str) -> None:
    """Addresses that hold payloads in each of their parts."""
    for n, query in enumerate(QUERIES):
        bad = quote(BUNDLES[n % len(BUNDLES)][:1500], safe="")
        visit.open(root + query.replace("{}", bad))
