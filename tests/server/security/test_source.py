"""What would let a text become more than text stands nowhere in the sources of the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gecbench.server

ROOT = Path(gecbench.server.__file__).parent
PYTHON = re.compile(
    r"mark_safe|format_html|SafeString|SafeText|html_safe|__html__|autoescape|\bRawSQL\b"
    r"|\.extra\(|csrf_exempt|xframe_options_exempt|\bpickle\b|\bmarshal\b|yaml\.load|\beval\("
    r"|\bexec\(|shell=True|os\.system|\bxml\b\.|lxml|zipfile|tempfile\.mktemp"
)
CLEANED = {
    "web/guidelines.py": {"SafeString", "format_html"},
    "web/manage/projects.py": {"format_html"},
    "web/differences.py": {"SafeString", "format_html"},
    "web/review/context.py": {"SafeString"},
    "web/study.py": {"SafeString"},
    "import_export/releases.py": {"zipfile"},
    "statistics/pieces.py": {"RawSQL"},
    "web/metrics.py": {"csrf_exempt"},
}
"""Where HTML is marked as safe (it comes from guidelines/rendering.py, which has strict tests, or
Django escapes it), where an archive is written (none is ever read), and where SQL is written by
hand: two constants, whose one value is a parameter. What reads counters changes nothing."""

SCRIPT = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment"
    r"|\beval\s*\(|new\s+Function|srcdoc|DOMParser|setHTML|javascript:|\.setAttribute\(\s*[\"']on"
    r"|setTimeout\(\s*[\"'`]|setInterval\(\s*[\"'`]|\.cssText|postMessage\([^)]*[\"']\*[\"']"
    r"|parseHTMLUnsafe|\bhtmx\.config|location\s*=\s*[^=]*\+"
)
PAGE = re.compile(
    r"\|\s*(?:safe|safeseq)\b|\bautoescape\b|<script(?![^>]*\bsrc=)|\son(?!e\b)[a-z]+\s*="
    r"|\sstyle\s*=|<style|javascript:|hx-on|hx-vals=.js:|hx-ext|srcdoc|https?://(?!www\.w3\.org)"
    r"|target=[\"']_blank[\"'](?![^>]*noopener)",
    re.IGNORECASE,
)


def matches_in(pattern: re.Pattern[str], *endings: str) -> dict[str, set[str]]:
    """Files in which a pattern stands, and what it found."""
    there: dict[str, set[str]] = {}
    for path in sorted(ROOT.rglob("*")):
        if path.suffix in endings and "migrations" not in path.parts:
            hits = set(pattern.findall(path.read_text("utf-8")))
            if hits:
                there[path.relative_to(ROOT).as_posix()] = hits
    return there


def test_no_python_marks_a_text_as_html_or_runs_it():
    assert matches_in(PYTHON, ".py") == CLEANED


def test_what_is_marked_as_html_was_cleaned_before():
    for name in CLEANED:
        text = (ROOT / name).read_text("utf-8")
        for argument in re.findall(r"SafeString\(([^\n]*)\)", text):
            assert re.match(r"(?:section\.html\b|\"\"|rendered?\()", argument), (name, argument)


def test_no_script_makes_html_or_code_of_a_text():
    """`swap: "innerHTML"` is htmx's name for a place, for pages that templates have escaped.

    The page on quality reads the site's own page of an error by a parser that runs nothing, and
    shows the text of its heading as text.
    """
    assert matches_in(SCRIPT, ".js") == {
        "web/static/gecbench/guideline-drawer.js": {"innerHTML"},
        "web/static/gecbench/quality.js": {"DOMParser"},
    }


MAILS = {
    f"web/templates/account/password_mail{part}.html": {"autoescape"} for part in ("", "_subject")
}
"""Plain text, which no browser reads as HTML."""


def test_no_template_has_raw_values_inline_code_or_foreign_hosts():
    assert matches_in(PAGE, ".html") == MAILS


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (PYTHON, "return mark_safe(text)"),
        (PYTHON, "format_html('<b>{}</b>', text)"),
        (PYTHON, "@csrf_exempt"),
        (SCRIPT, "box.innerHTML = text"),
        (SCRIPT, "box.insertAdjacentHTML('beforeend', text)"),
        (SCRIPT, "new  Function(text)"),
        (SCRIPT, "setTimeout('alert(1)')"),
        (PAGE, "{{ text|safe }}"),
        (PAGE, "{% autoescape off %}"),
        (PAGE, "<script>let a = 1;</script>"),
        (PAGE, '<a onclick="x()">'),
        (PAGE, '<p style="color: red">'),
        (PAGE, '<img src="https://example.org/x.png">'),
    ],
)
def test_the_search_sees_what_it_is_for(pattern: re.Pattern[str], text: str):
    assert pattern.search(text)
