"""The live diff and hints in a real browser: the same tables of cases as in Python, and drawing."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path

import pytest
import regex
from server import diff_cases, hint_cases, perturbation_cases

from gecbench.server.rules.diff import diff, is_han, tokenize
from gecbench.server.rules.perturbation import derive

STATIC = Path(str(files("gecbench.server") / "web" / "static"))
WORDS = {
    "delete": "delete",
    "insert": "insert",
    "moveFrom": "moved away",
    "moveTo": "moved here",
    "pause": ", ",
    "space": "white space, not counted",
}
PAGE = """<!doctype html><meta charset="utf-8"><title>diff</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/gecbench/diff.css"><body><p id="out"></p></body>"""
CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"


class Pages(SimpleHTTPRequestHandler):
    """The static files as they are served, under the site's content security policy."""

    def do_GET(self) -> None:
        if self.path != "/":
            super().do_GET()
            return
        page = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", CSP)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The address of the files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=str(STATIC))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def page(browser):
    """A page that may load the modules; what it complains of fails the test."""
    with served() as address:
        opened = browser.new_page()
        console: list[str] = []
        opened.on("console", lambda message: console.append(message.text))
        opened.on("pageerror", lambda error: console.append(str(error)))
        opened.goto(address)
        yield opened
        opened.close()
        assert console == []


def plain(case: diff_cases.Case) -> dict[str, object]:
    """What Python finds, as the browser says it."""
    difference = diff(case.source, case.target, lang=case.lang, placeholder=case.placeholder)
    return {
        "edits": difference.edits,
        "pieces": [
            {
                "op": piece.op,
                "source": piece.source,
                "target": piece.target,
                "edits": list(piece.edits),
                "move": piece.move,
            }
            for piece in difference.pieces
        ],
    }


ASKED = [
    [case.source, case.target, {"lang": case.lang, "placeholder": case.placeholder}]
    for case in diff_cases.CASES
]


def test_the_browser_finds_what_python_finds(page):
    in_browser = page.evaluate(
        """async (asked) => {
          const { diff } = await import("/gecbench/diff.js");
          return asked.map((one) => diff(...one));
        }""",
        ASKED,
    )
    assert len(in_browser) == len(diff_cases.CASES) >= 500
    wrong = [
        (case, result)
        for case, result in zip(diff_cases.CASES, in_browser, strict=True)
        if result != plain(case)
    ]
    assert wrong == []


def test_per_3_per_6_the_browser_makes_of_gaps_what_python_makes(page):
    questions = [
        [case.original, [[chip.source, chip.target] for chip in case.chips], case.gaps, case.lang]
        for case in perturbation_cases.CASES
    ]
    in_browser = page.evaluate(
        """async (asked) => {
          const { joinGaps, measureChange } = await import("/gecbench/perturbation.js");
          return asked.map(([original, pairs, gaps, lang]) => {
            const chips = pairs.map(([source, target]) => ({ source, target }));
            const texts = ["source", "target"].map((side) => joinGaps(gaps, chips, side, lang));
            const before = joinGaps(original, chips, "source", lang);
            const { edits, changed, tokens } = measureChange(before, texts[0], lang);
            return [...texts, edits, changed, tokens];
          });
        }""",
        questions,
    )
    expected = [
        [*derive(case.gaps, case.chips, case.lang), *case.change]
        for case in perturbation_cases.CASES
    ]
    assert in_browser == expected


def test_a_worker_finds_the_same_under_the_sites_policy(page):
    in_browser = page.evaluate(
        """async (asked) => {
          const worker = new Worker("/gecbench/diff-worker.js", { type: "module" });
          const answers = [];
          const all = new Promise((resolve, reject) => {
            worker.addEventListener("error", ({ message }) => reject(new Error(message)));
            worker.addEventListener("message", ({ data }) => {
              answers.push(data);
              if (answers.length === asked.length) resolve(answers);
            });
          });
          asked.forEach(([source, target, options], id) =>
            worker.postMessage({ id, source, target, options }));
          await all;
          worker.terminate();
          return answers;
        }""",
        ASKED[-4:],
    )
    expected = [{"id": n, **plain(case)} for n, case in enumerate(diff_cases.CASES[-4:])]
    assert in_browser == expected


def test_without_options_it_is_chinese_with_the_usual_placeholder(page):
    in_browser = page.evaluate(
        """async () => (await import("/gecbench/diff.js")).diff("我去", "我[缺失成分]去")"""
    )
    assert in_browser == plain(diff_cases.Case("我去", "我[缺失成分]去"))


def test_graphemes_are_those_of_the_browsers_own_segmenter(page):
    texts = sorted({text for case in diff_cases.CASES for text in case[:2]})
    in_browser = page.evaluate(
        """(texts) => {
          const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
          return texts.map((text) => Array.from(segmenter.segment(text), ({ segment }) => segment));
        }""",
        texts,
    )
    for text, graphemes in zip(texts, in_browser, strict=True):
        assert regex.findall(r"\X", text) == graphemes


def test_browser_and_python_agree_on_every_character_that_python_knows(page):
    """As a mark, in a word, after an apostrophe, between digits, and as white space.

    Which are Chinese is asked of every character. Chinese ones and syllables of Hangul are two
    thirds of them, and tokens treat each of the two kinds alike: of those, a hundredth is enough.
    """
    known = [
        code
        for code in range(0x110000)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")
    ]
    han = page.evaluate(
        """async (known) => {
          const { isHan } = await import("/gecbench/diff.js");
          return known.filter((code) => isHan(String.fromCodePoint(code)));
        }""",
        known,
    )
    assert han == [code for code in known if is_han(chr(code))]
    many = {*han, *range(0xAC00, 0xD7A4)}
    known = [code for code in known if code not in many or code % 100 == 0]
    in_browser = page.evaluate(
        """async (known) => {
          const { tokenize } = await import("/gecbench/diff.js");
          const length = ({ form }) => [...form].length;
          const ends = (text, lang) => tokenize(text, lang, "").map(length).join();
          return known.map((code) => {
            const c = String.fromCodePoint(code);
            return `${ends(`1.${c} a${c}b'${c}`, "en")} ${ends(`a${c}`, "zh")}`;
          });
        }""",
        known,
    )
    odd = [
        f"U+{code:04X}"
        for code, facts in zip(known, in_browser, strict=True)
        if facts != facts_of(chr(code))
    ]
    assert odd == []


def facts_of(character: str) -> str:
    text = f"1.{character} a{character}b'{character}"
    english, chinese = (
        ",".join(str(len(token.form)) for token in tokenize(text, lang, ""))
        for text, lang in ((text, "en"), (f"a{character}", "zh"))
    )
    return f"{english} {chinese}"


def test_the_browser_finds_the_same_hints(page):
    questions = [
        [case.source, case.text,
         {"lang": case.lang, "placeholder": case.placeholder, "aliases": list(case.aliases)}]
        for case in hint_cases.CASES
    ]  # fmt: skip
    in_browser, codes = page.evaluate(
        """async (asked) => {
          const { findHints, CODES } = await import("/gecbench/hints.js");
          return [asked.map((one) => findHints(...one)), CODES];
        }""",
        questions,
    )
    assert codes == list(hint_cases.CODES)
    for case, hints in zip(hint_cases.CASES, in_browser, strict=True):
        assert [(hint["code"], hint["text"], hint["repair"]) for hint in hints] == list(case.found)
        for hint, same in zip(hints, hint_cases.hints(case), strict=True):
            text = case.source if hint["code"] == "lost_word" else case.text
            units = len(text[: same.start].encode("utf-16-le")) // 2
            assert hint["start"] == units
            assert hint["end"] == units + len(same.text.encode("utf-16-le")) // 2


def test_the_message_of_a_hint_is_the_pages(page):
    shown = page.evaluate(
        """async (words) => {
          const { findHints, formatHint } = await import("/gecbench/hints.js");
          return findHints("我用OK说", "我,你{text}  （").map((one) => formatHint(one, words));
        }""",
        {code: f"{code}: {{text}} {{repair}}" for code in hint_cases.CODES},
    )
    assert shown == [
        "half_width: , ，",
        "double_space:     ",
        "unpaired: （ ",
        "lost_word: OK ",
    ]


def drawn(page, *arguments: object):
    """Draw a diff into the page."""
    page.evaluate(
        """async ([source, target, options, words]) => {
          const { diff } = await import("/gecbench/diff.js");
          const { drawDiff } = await import("/gecbench/draw-diff.js");
          const { pieces } = diff(source, target, options);
          drawDiff(document.getElementById("out"), pieces, words, options.placeholder);
        }""",
        [*arguments, WORDS],
    )
    return page.locator("#out")


def test_what_is_drawn_can_be_heard(page):
    shown = drawn(page, "我门舒舍", "我们宿舍", {"lang": "zh"})
    assert shown.text_content() == "我delete 门舒, insert 们宿, 舍"
    moved = drawn(page, "昨天我去", "我昨天去", {"lang": "zh"})
    assert moved.text_content() == "moved here 我, 昨天moved away 我, 去"


def test_elements_carry_the_numbers_of_edits_and_moves(page):
    shown = drawn(page, "昨天我去舒舍", "我昨天去宿舍了", {"lang": "zh"})
    numbers = shown.locator("[data-edits]").evaluate_all(
        "all => all.map((one) => [one.tagName, one.className, one.dataset.edits, one.dataset.move])"
    )
    assert numbers == [
        ["INS", "diff-move", "1", "1"],
        ["DEL", "diff-move", "2", "1"],
        ["DEL", "diff-delete", "3", None],
        ["INS", "diff-insert", "3", None],
        ["INS", "diff-insert", "4", None],
    ]


def test_the_placeholder_is_a_chip_and_white_space_is_marked(page):
    shown = drawn(page, "我 去[MC]", "我[MC]去 [MC]家", {"lang": "zh", "placeholder": "[MC]"})
    assert shown.locator(".diff-chip").all_text_contents() == ["[MC]", "[MC]"]
    marked = drawn(page, "我 去 他", "我去  他", {"lang": "zh"})
    spaces = marked.locator(".diff-space").evaluate_all(
        "all => all.map((one) => [one.className, one.title, one.textContent])"
    )
    title = WORDS["space"]
    assert spaces == [
        ["diff-space diff-space-removed", title, " "],
        ["diff-space diff-space-added", title, "  "],
    ]


@pytest.mark.parametrize("hostile", ["<img src=x onerror=alert(1)>", "<script>1</script>&amp;"])
def test_texts_are_never_read_as_html(page, hostile: str):
    shown = drawn(page, "我", hostile, {"lang": "zh", "placeholder": hostile})
    assert hostile in shown.text_content()
    assert page.locator("#out img, #out script").count() == 0


def test_drawing_again_replaces_what_was_there(page):
    drawn(page, "我", "你", {"lang": "zh"})
    assert drawn(page, "我", "我", {"lang": "zh"}).text_content() == "我"
