"""The forms of a page, as a browser would send them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

FREE = {"", "text", "search", "number", "date", "hidden", "email"}
"""Kinds of fields that hold what somebody typed, or what a script could change."""


@dataclass
class Form:
    """One form.

    Args:
        action: Where it goes; "" is its own page.
        method: As it says.
        fields: Name to what it holds now.
    """

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._open: Form | None = None
        self._area = ""
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        name, form = attributes.get("name", ""), self._open
        if tag == "form":
            method = attributes.get("method", "get").lower()
            self._open = Form(attributes.get("action", ""), method)
            self.found.append(self._open)
        elif form is None:
            return
        elif tag == "textarea":
            self._area = name
            form.fields[name] = ""
        elif tag == "select":
            self._select = name
            form.fields.setdefault(name, "")
        elif tag == "option" and self._select and not form.fields[self._select]:
            form.fields[self._select] = attributes.get("value", "")
        elif tag in ("input", "button") and name and name != "csrfmiddlewaretoken":
            kind = attributes.get("type", "")
            if (
                kind not in ("radio", "checkbox")
                or "checked" in attributes
                or name not in form.fields
            ):
                required = "1" if "required" in attributes and kind in FREE else ""
                form.fields[name] = attributes.get("value", "") or required

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "textarea":
            self._area = ""
        elif tag == "select":
            self._select = ""

    def handle_data(self, data: str) -> None:
        if self._area and self._open is not None:
            self._open.fields[self._area] += data


def forms_in(html: str) -> list[Form]:
    """All forms of a page."""
    reader = _Forms()
    reader.feed(html)
    return reader.found
