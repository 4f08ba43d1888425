"""Takes the picture of a report that is in README: the first screen of a page, in Chromium.

make demo
python benchmarks/report_picture.py demo-en.html docs/analysis/images/report-en.png \
    --browser /usr/bin/chromium
"""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1180, 740
COLOURS = 128


def main() -> None:
    """Open the page, take its picture, and make the file small."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("page", type=Path, help="a report")
    parser.add_argument("picture", type=Path, help="the PNG file to write")
    parser.add_argument("--browser", type=Path, help="Chromium's program")
    arguments = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=arguments.browser, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(arguments.page.resolve().as_uri())
        page.screenshot(path=arguments.picture)
        browser.close()
    with Image.open(arguments.picture) as picture:
        small = picture.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
    small.save(arguments.picture, optimize=True)


if __name__ == "__main__":
    main()
