"""Report pages to open, and how they are opened; for the tests of the page in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gecbench.api.files import load, load_system, sample
from gecbench.api.report import report
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.reports.page import render_html

SYSTEMS = ("cautious", "eager", "fluent")

HOSTILE = (
    "</script><script>window.broken = 1</script>",
    "\"quotes' & <b>tags</b> <img src=x onerror='window.broken = 1'>",
    "مرحبا بالعالم hello שלום",
    "表情👩‍👩‍👧‍👦和𠮷野家",
    "长" * 3000,
    "{{ 7 * 7 }} {% raw %} ${window.broken = 1}",
    '=HYPERLINK("https://example.org", "来")',
)


def samples_page(once: Callable[..., str]) -> str:
    """The page of the bundled Chinese samples, made once a run."""

    def make_page() -> str:
        corpus = load(sample("zh", "corpus.jsonl"))
        systems = [load_system(sample("zh", f"{name}.txt"), corpus) for name in SYSTEMS]
        return render_html(report(corpus, systems, scheme="zh-char"), "zh")

    return once("page of samples", make_page)


def hostile_page() -> str:
    """A page whose every text tries to be something else."""
    samples = tuple(
        Sample(f"{number}: {text[:60]}", text, (Rewrite(f"{text}!"), Rewrite(error_free=True)))
        for number, text in enumerate(HOSTILE)
    )
    corpus = Corpus("</title><script>window.broken = 1</script>", samples, "zh")
    same = {sample.id: (Rewrite(sample.source),) for sample in samples}
    more = {sample.id: (Rewrite(f"{sample.source}</script>\"'<i>"),) for sample in samples}
    empty = {sample.id: (Rewrite(""),) for sample in samples}
    systems = [
        SystemOutput("<script>window.broken = 1</script>", same),
        SystemOutput('"><img src=x>', more),
        SystemOutput("empty", empty),
    ]
    title = "<script>window.broken = 1</script>"
    return render_html(report(corpus, systems, scheme="zh-char", title=title, date="</dd>"))


@dataclass
class Opened:
    """A page that is open.

    Args:
        page: Playwright's.
        said: What its console and its errors said.
        asked: Addresses that it asked for, beside its own.
    """

    page: Any
    console_messages: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def follow(self) -> None:
        """Wait until the explorer has followed the address: from then on it names a sentence."""
        self.page.wait_for_function(
            """() => {
                const asked = new URLSearchParams(location.hash.slice(1));
                asked.delete("show");
                return !location.hash.includes("=") || asked.has("s") || asked.size === 0;
            }"""
        )

    def view(self) -> dict[str, str]:
        """What the address says of the view."""
        self.follow()
        read = "Object.fromEntries(new URLSearchParams(location.hash.slice(1)))"
        return self.page.evaluate(read)

    def rows(self) -> list[str]:
        """Ids in the list, as far as they are made."""
        self.follow()
        return self.page.locator(".row .row-id").all_inner_texts()

    def result_count(self) -> int:
        """How many sentences were found."""
        self.follow()
        return int(self.page.locator(".status").inner_text().split()[0])

    def shown(self) -> str:
        """Id of the sentence that is shown."""
        self.follow()
        return self.page.locator("#sentence-id").inner_text()


@contextmanager
def opened(
    browser: Any, file: Path, address: str = "", *, language: str = "", **context: Any
) -> Iterator[Opened]:
    """Open a page from its file, and wait until its sentences are there.

    Args:
        language: That the reader has chosen before; "" is the one that the page was made in.
    """
    result = browser.new_context(**context)
    try:
        page = result.new_page()
        if language:
            page.add_init_script(f"localStorage.setItem('gecbench-language', '{language}')")
        shown = Opened(page)
        page.on("console", lambda message: shown.console_messages.append(message.text))
        page.on("pageerror", lambda error: shown.console_messages.append(str(error)))
        page.on("request", lambda request: shown.asked.append(request.url))
        page.goto(f"{file.as_uri()}{address}")
        page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        yield shown
    finally:
        result.close()
