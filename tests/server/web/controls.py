"""What a page asks for, in words: each control with its label, its help, its limits and choices."""

from __future__ import annotations

from html.parser import HTMLParser

_KEPT = ("type", "min", "max", "maxlength")
_VOID = ("input", "link", "meta", "br", "hr", "img")


class _Controls(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.controls: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, str] = {}
        self._open: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        keys = [attributes[name] for name in ("id", "for") if attributes.get(name)]
        if tag in ("input", "select", "textarea") and attributes.get("type") != "hidden":
            name = attributes.get("name", "")
            self.controls.append((tag, attributes))
            keys = [f"{len(self.controls)} {name}"]
        elif tag == "label" and not keys:
            keys = [f"{len(self.controls) + 1} label"]
        elif tag == "legend":
            self.controls.append((tag, {}))
            keys = [f"{len(self.controls)} legend"]
        elif tag == "option":
            keys = [f"{len(self.controls)} option {attributes['value']}"]
            keys[0] += " *" if "selected" in attributes else ""
        if tag not in _VOID:
            self._open.append((tag, keys))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        for tag, keys in self._open:
            if tag == "select" and self._open[-1][0] == "option":
                continue
            for key in keys:
                self.texts[key] = self.texts.get(key, "") + data


def controls_in(html: str) -> str:
    """Return a paragraph for each control of a page, in order."""
    page = _Controls()
    page.feed(html)
    texts = {key: " ".join(text.split()) for key, text in page.texts.items()}
    return "\n".join(
        "\n".join(_lines(n, tag, attributes, texts))
        for n, (tag, attributes) in enumerate(page.controls, 1)
        if tag == "legend" or attributes.get("name") not in (None, "", "csrfmiddlewaretoken")
    )


def _lines(n: int, tag: str, attributes: dict[str, str], texts: dict[str, str]) -> list[str]:
    if tag == "legend":
        return [f"\n== {texts[f'{n} legend']}"]
    name, value = attributes["name"], attributes.get("value", "")
    if attributes.get("type") == "checkbox":
        value = "on" if "checked" in attributes else "off"
    if attributes.get("type") == "radio":
        value += " *" if "checked" in attributes else ""
    if tag == "textarea":
        value = texts.get(f"{n} {name}", "")
    limits = "".join(f" {key}={attributes[key]}" for key in _KEPT if attributes.get(key))
    lines = [f"{name} ({tag}{limits}): {value}".rstrip()]
    named = attributes.get("aria-labelledby", attributes.get("id", "")).split()
    named.append(f"{n} label")
    lines += [f"  {texts[key]}" for key in named if texts.get(key)]
    lines += [f"  {texts[key]}" for key in attributes.get("aria-describedby", "").split()]
    start = f"{n} option "
    lines += [
        f"  - {k[len(start) :]}: {words}" for k, words in texts.items() if k.startswith(start)
    ]
    return lines
