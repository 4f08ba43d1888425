"""Measures the editor in a real browser: from a key to the difference that is drawn for it.

python benchmarks/annotate/editor.py --browser /usr/bin/chromium

It makes a site, opens the work page with texts of 50 to 1000 characters, types into the middle
of each, and prints Markdown: milliseconds from the `input` event to the drawn difference.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import team
from place import LoadError, Place, write_sentences
from playwright.sync_api import Page, sync_playwright

LENGTHS = (50, 239, 500, 1000)
KEYS = 60
TARGET = "< 16 ms at 500 characters"
WATCH = """() => {
  const box = document.querySelector("#reference-0");
  const drawn = box.closest("li, section, div").parentElement;
  globalThis.took = [];
  let began = 0;
  box.addEventListener("input", () => { began = performance.now(); }, true);
  new MutationObserver(() => {
    if (began) { globalThis.took.push(performance.now() - began); began = 0; }
  }).observe(drawn, { subtree: true, childList: true, characterData: true });
}"""


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--browser", help="Path of a Chromium; else Playwright's own.")
    return parser.parse_args()


def main() -> int:
    """Measure all lengths."""
    arguments = options()
    with TemporaryDirectory() as temporary:
        place = Place(Path(temporary) / "site", "", 2)
        text = Path(temporary) / "sentences.txt"
        write_sentences(text, 200)
        place.gecbench("init", place.folder)
        place.python(Path(__file__).with_name("team.py"), place.folder, 1, 1)
        place.gecbench("import", text, "--project", team.SLUG, "--data", place.folder)
        place.start()
        try:
            measure(place, arguments.browser)
        finally:
            place.stop()
    return 0


def measure(place: Place, path: str | None) -> None:
    """Type into texts of each length and print how long a key took."""
    print(f"Key to drawn difference, {TARGET}\n")
    print("| characters | keys | p50 ms | p95 ms | longest ms |\n|--:|--:|--:|--:|--:|")
    with sync_playwright() as machine:
        browser = machine.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        sign_in(page, f"http://127.0.0.1:{place.port}")
        for length in LENGTHS:
            times = sorted(typed(page, length))
            cells = [times[int(len(times) * q)] for q in (0.5, 0.95)] + [times[-1]]
            print(f"| {length} | {len(times)} | {' | '.join(f'{cell:.1f}' for cell in cells)} |")
        browser.close()


def sign_in(page: Page, url: str) -> None:
    """Sign in and open the work page."""
    page.goto(f"{url}/login")
    page.fill("input[name=login]", "annotator0")
    page.fill("input[name=password]", team.PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/")
    page.goto(f"{url}/p/{team.SLUG}/work")
    page.locator("#reference-0").wait_for()
    page.evaluate(WATCH)


def typed(page: Page, length: int) -> list[float]:
    """Fill the box so that it is this long, type in the middle; milliseconds of each key."""
    box: Any = page.locator("#reference-0")
    source = box.input_value()
    box.fill((source * (length // len(source) + 1))[:length])
    box.evaluate("(box, at) => box.setSelectionRange(at, at)", length // 2)
    page.wait_for_timeout(1000)
    page.evaluate("() => { globalThis.took.length = 0; }")
    for n in range(KEYS):
        page.keyboard.insert_text("写改"[n % 2])
        page.wait_for_timeout(60)
    times: list[float] = page.evaluate("() => globalThis.took")
    if len(times) < KEYS // 2:
        raise LoadError(f"{length} characters: {len(times)} of {KEYS} differences were drawn")
    return times


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LoadError as error:
        sys.exit(f"editor.py: {error}")
