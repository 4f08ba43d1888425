"""Whatever a guideline's Markdown holds, what comes out can do nothing but be read."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.errors import FormatError
from gecbench.server.guidelines import search
from gecbench.server.guidelines.rendering import LARGEST, cleaner, render_markdown

HTML = (
    "<script>alert(1)</script>",
    "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script\n>alert(1)</script\n>",
    "<script/x>alert(1)</script>",
    "<<script>alert(1)//<</script>",
    "<img src=x onerror=alert(1)>",
    "<img/src='x'/onerror=alert(1)>",
    "<img src=x onerror\n=\nalert(1)>",
    '<IMG SRC="jav&#x09;ascript:alert(1);">',
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)//",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href='javascript:alert(1)'><text x=20 y=20>x</text></a></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)>#x'/></svg>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<math href='javascript:alert(1)'>x</math>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<body onload=alert(1)>",
    "<base href=https://evil.example/>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<div style='background:url(javascript:alert(1))'>x</div>",
    "<p style=position:fixed;inset:0>x</p>",
    "<form action=https://evil.example><button>x</button></form>",
    "<input autofocus onfocus=alert(1)>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><script>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='https://ok.example' onclick=alert(1)>x</a>",
    "<a hx-get=/admin hx-trigger=load>x</a>",
    "<div hx-on:click=alert(1) hx-post=/logout>x</div>",
    "<!--><script>alert(1)</script>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?><script>alert(1)</script>",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\\<script>alert(1)\\</script>",
    "</dd></dl><script>alert(1)</script>",
    "</code></pre><img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "' autofocus onfocus=alert(1) x='",
    "\x00<script>alert(1)</script>",
    "<s\x00cript>alert(1)</script>",
    "<script>alert(1)</script>\ud800",
    "{{ constructor.constructor('alert(1)')() }}",
    "{% load static %}{{ settings.SECRET_KEY }}",
    "<custom-element onclick=alert(1)>x</custom-element>",
)
ADDRESSES = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "  javascript:alert(1)",
    "java\tscript:alert(1)",
    "java&#10;script:alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A&#x61&#x76&#x61script:alert(1)",
    "javascript&colon;alert(1)",
    "\x01javascript:alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "data:image/png;base64,iVBORw0KGgo=",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "file:///etc/passwd",
    "blob:https://ok.example/1",
    "filesystem:https://ok.example/1",
    "feed:javascript:alert(1)",
    "view-source:javascript:alert(1)",
    "//evil.example/x",
    "/logout",
    "../../admin",
    "\\\\evil.example\\x",
    "https:evil.example",
    "ftp://evil.example",
    "tel:110",
    "?delete=1",
    "https&#58;//ok.example&quot; onmouseover=&quot;alert(1)",
    'https://ok.example/" onmouseover="alert(1)',
    '#" onmouseover="alert(1)',
    "#javascript:alert(1)",
    "%6aavascript:alert(1)",
)
TAGS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "blockquote", "pre", "hr", "ul", "ol", "li"}
TAGS |= {"dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"a", "br", "code", "del", "em", "ins", "s", "span", "strong"}
CLASSES = "pair pair-source pair-wrong pair-right pair-note pair-word image wide left center right"
VALUES = {
    "class": re.compile("|".join(CLASSES.split())),
    "id": re.compile(r"guide-[\w.-]+"),
    "href": re.compile(r"(https?://|mailto:|#guide-)[^\s\x00]*", re.IGNORECASE),
    "title": re.compile(r".*", re.DOTALL),
    "rel": re.compile("noopener noreferrer"),
    "start": re.compile(r"\d+"),
    "tabindex": re.compile("0"),
    "aria-hidden": re.compile("true"),
}


class Judge(HTMLParser):
    """Lists what a page may not hold."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.faults += [] if tag in TAGS else [tag]
        for name, value in attrs:
            allowed = VALUES.get(name)
            if allowed is None or not allowed.fullmatch(value or ""):
                self.faults.append(f"{name}={value}")

    def handle_comment(self, data):
        self.faults.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def faults(html: str) -> list[str]:
    judge = Judge()
    judge.feed(html)
    judge.close()
    return judge.faults


PLACES = {
    "paragraph": "{}",
    "heading": "# {}",
    "explicit id": "# Title {{#{}}}",
    "attributes": "# Title {{#a onclick={}}}",
    "link text": "[{}](https://ok.example)",
    "link title": "[x](https://ok.example '{}')",
    "link target": "[x]({})",
    "bracketed target": "[x](<{}>)",
    "reference": "[x]\n\n[x]: {}",
    "autolink": "<{}>",
    "image": "![{0}]({0} '{0}')",
    "code": "`{}`",
    "language of code": "```{0}\n{0}\n```",
    "wrong": "```pair\n✗ {0}\n✓ right {0}\n> {0}\n```",
    "source": "```pair\n= {0}\n✗ x\n{0}\n```",
    "remark link": "```pair\n> [x]({})\n```",
    "table": "| {0} | b |\n|:-:|--:|\n| {0} | c |",
    "list": "- {0}\n  1. {0}\n\n> {0}",
    "html block": "<div>\n{}\n</div>",
}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.replace(" ", "-"))
def test_gui_1_no_payload_does_harm_wherever_it_stands(place):
    harmful = {
        payload: harm
        for payload in HTML + ADDRESSES
        if (harm := faults(render_markdown(PLACES[place].format(payload)).html))
    }
    assert harmful == {}


def test_the_second_wall_holds_alone():
    harmful = []
    for payload in HTML + ADDRESSES:
        plain = payload.replace("\ud800", "")  # rendering replaces what cannot be encoded
        link = f'<a href="{plain}" onclick="x" class="y">x</a>'
        for html in (plain, link, f"<p>{plain}</p>"):
            harm = faults(cleaner().clean(html))
            harmful += [(html, fault) for fault in harm if not fault.startswith("href=#")]
    assert harmful == []


def test_the_judge_sees_harm():
    assert faults("<script>") == ["script"]
    assert faults('<a href="javascript:x" onclick="y">') == ["href=javascript:x", "onclick=y"]
    assert faults('<p class="z"><!-- c --><p id="main">') == ["class=z", " c ", "id=main"]


def test_typed_html_shows_as_it_was_typed():
    assert (
        render_markdown("a <b>c</b>").html
        == '<div id="guide-start"><p>a &lt;b&gt;c&lt;/b&gt;</p>\n</div>'
    )


def test_html_typed_in_examples_and_descriptions_shows_as_it_was_typed():
    pairs = "```pair\n✗ <b> a <u> c\n✓ <b> a c\n\n✗ <b> a c\n✓ <b> a <u> c\n```"
    html = render_markdown(pairs + "\n\n![<b>](https://x.example)").html
    assert html.count("&lt;b&gt;") == 5
    assert re.findall("<(?:del|ins)>(.*?)</", html) == [" &lt;u&gt;"] * 2


def test_only_addresses_of_the_web_mail_and_sections_become_links():
    markdown = "[a](https://x.example) [b](HTTP://x.example) [c](mailto:a@x.example) [d](#e)"
    assert re.findall('href="([^"]*)"', render_markdown(markdown).html) == [
        "https://x.example",
        "HTTP://x.example",
        "mailto:a@x.example",
        "#guide-e",
    ]
    left = "[a](/b) [c](ftp://x.example) [d](javascript:e)"
    assert left in render_markdown(left).html


SIGNS = "#*_`~[]()<>!|:-=+>&;\"'\\{}✗✓=x \n\n\t\r\x00\ud800🙂a中，"
WORDS = ("```pair\n", "```", "](", "{#a}", "<b>", "1. ", "> ", "    ", "https://x.example", "|-|\n")
MARKDOWN = st.lists(st.sampled_from((*SIGNS, *WORDS)), max_size=60).map("".join)


@given(MARKDOWN | st.text())
def test_no_markdown_raises_or_does_harm_and_equal_ones_render_equally(markdown):
    page = render_markdown(markdown, lang="zh")
    assert faults(page.html) == []
    assert page == render_markdown(markdown, lang="zh")
    ids = re.findall(r' id="([^"]*)"', page.html)
    assert ids == [section.anchor for section in page.sections]
    assert len(set(ids)) == len(ids)
    assert all(hit.section in page.sections for hit in search(page.sections, markdown[:20]))


@pytest.mark.parametrize(
    "nasty",
    ["[" * 5000, "*a " * 5000, "> " * 5000, "![" * 3000, "`" * 5000, "<" * 9000, "- " * 3000],
)
def test_deep_and_unclosed_markdown_is_rendered(nasty):
    assert faults(render_markdown(nasty).html) == []


def test_a_document_over_one_megabyte_is_refused():
    assert render_markdown("中" * (LARGEST // 3)).sections
    with pytest.raises(FormatError, match="has 1,000,002 bytes, at most 1,000,000 are accepted"):
        render_markdown("中" * (LARGEST // 3 + 1))
