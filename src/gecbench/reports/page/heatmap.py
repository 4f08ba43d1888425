"""The heat map of difficulty: every source sentence, its errors the deeper the harder they are.

What GoToScorer's `-heat` shows (gotutiyan/GTS 5d120c3), for any weights and any text, as one HTML
file that needs no other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

from gecbench import __version__
from gecbench.analysis.difficulty import Difficulty
from gecbench.core.errors import MissingExtraError
from gecbench.edits.chunks import FALSE, KEPT, RIGHT, WRONG, Chunk
from gecbench.reports.grid import columns_of
from gecbench.reports.page.html import policy
from gecbench.reports.report import Language, Words
from gecbench.reports.theme import properties
from gecbench.text.tokens import spans

if TYPE_CHECKING:
    from markupsafe import Markup


# What the heat map shows of a sentence, as JSON values.


ERROR, ALARM = 0, 1

Mark = tuple[str, int, float, int, str, list[int], list[int]]
"""Text, `ERROR` or `ALARM`, weight, place of the type, correction, systems that are right on it,
and systems that change it otherwise."""


def values(found: Difficulty, sources: Mapping[str, str]) -> dict[str, object]:
    """Return what the page needs of one result.

    Args:
        found: Weights, verdicts and chunks.
        sources: Texts by id; where the tokens are not those of a text, as after normalisation,
            the tokens are shown.
    """
    touching = _touching(found, sources)
    types = sorted({found.table.label(at, chunk) or "" for at, chunk in _errors(found)})
    table = found.weighting.table(found.voters)
    rows = []
    for at, name in enumerate(found.table.ids):
        pieces = list(_pieces(found, at, sources.get(name), types, touching=touching))
        value = sum(w for w, c in _weighted(found, at) if c.edit is not None)
        rows.append([name, round(value, 4), pieces])
    return {
        "corpus": found.corpus,
        "reference": found.reference,
        "origin": found.origin,
        "voters": found.voters,
        "systems": list(found.table.verdicts),
        "types": types,
        "range": [round(table[-1], 4), round(table[0], 4)],
        "notes": list(found.notes),
        "signature": str(found.signature),
        "sentences": rows,
    }


def _errors(found: Difficulty) -> Iterator[tuple[int, Chunk]]:
    for at, chunks in enumerate(found.table.chunks):
        for chunk in chunks:
            if chunk.edit is not None:
                yield at, chunk


def _weighted(found: Difficulty, at: int) -> Iterator[tuple[float, Chunk]]:
    return zip(found.weights[at], found.table.chunks[at], strict=True)


def _pieces(
    found: Difficulty,
    at: int,
    source: str | None,
    types: Sequence[str],
    *,
    touching: bool,
) -> Iterator[str | Mark]:
    """Yield plain text and marks from left to right; together they are the whole text."""
    tokens = found.table.references[at].tokens
    text, places = _laid_out(source, tokens, touching=touching)
    done = 0
    for place, (weight, chunk) in enumerate(_weighted(found, at)):
        letters = {name: rows[at][place] for name, rows in found.table.verdicts.items()}
        if chunk.edit is None and FALSE not in letters.values():
            continue
        start, end = _characters(chunk, places, len(text))
        if text[done:start]:
            yield text[done:start]
        new = () if chunk.edit is None else found.table.references[at].edits[chunk.edit].replacement
        said = _joined(new or (), touching=touching)
        yield _mark(chunk, weight, letters, text[start:end], said, _type(found, at, chunk, types))
        done = end
    if text[done:]:
        yield text[done:]


def _type(found: Difficulty, at: int, chunk: Chunk, types: Sequence[str]) -> int:
    label = found.table.label(at, chunk)
    return -1 if label is None else types.index(label)


def _mark(
    chunk: Chunk,
    weight: float,
    letters: Mapping[str, str],
    text: str,
    correction: str,
    type_: int,
) -> Mark:
    right = [i for i, letter in enumerate(letters.values()) if letter in (RIGHT, KEPT)]
    other = [i for i, letter in enumerate(letters.values()) if letter in (FALSE, WRONG)]
    if chunk.edit is None:
        return (text, ALARM, round(weight, 4), type_, correction, [], other)
    return (text, ERROR, round(weight, 4), type_, correction, right, other)


def _laid_out(
    source: str | None, tokens: Sequence[str], *, touching: bool
) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return a text and where its tokens are in it."""
    found = spans(source, tokens) if source is not None else None
    if source is not None and found is not None:
        return source, found
    text = _joined(tokens, touching=touching)
    return text, spans(text, tokens) or ()


def _characters(chunk: Chunk, places: Sequence[tuple[int, int]], length: int) -> tuple[int, int]:
    """Return where a chunk begins and ends in the text."""
    if chunk.start < chunk.end:
        return places[chunk.start][0], places[chunk.end - 1][1]
    at = places[chunk.start][0] if chunk.start < len(places) else length
    return at, at


def _touching(found: Difficulty, sources: Mapping[str, str]) -> bool:
    """Say whether tokens are mostly written without space between, as characters are."""
    gaps = []
    for name, reference in zip(found.table.ids, found.table.references, strict=True):
        places = spans(sources[name], reference.tokens) if name in sources else None
        gaps += [b[0] == a[1] for a, b in pairwise(places or ())]
    if not gaps:
        gaps = [len(token) == 1 for one in found.table.references for token in one.tokens]
    return 2 * sum(gaps) > len(gaps)


def _joined(tokens: Sequence[str], *, touching: bool) -> str:
    """Return tokens as text, with spaces except where none are written."""
    made = ""
    for token in tokens:
        apart = made and token and not (touching or _wide(made[-1]) or _wide(token[0]))
        made += f" {token}" if apart else token
    return made


def _wide(character: str) -> bool:
    return columns_of(character) == 2


# What the heat map says, in both languages.


WORDS: Mapping[str, Words] = {
    "title": Words("Difficulty of errors", "错误的修改难度"),
    "skip": Words("Skip to the sentences", "跳到句子"),
    "language": Words("Language", "语言"),
    "theme": Words("Colours", "配色"),
    "auto": Words("as the system", "跟随系统"),
    "light": Words("light", "浅色"),
    "dark": Words("dark", "深色"),
    "lead": Words(
        "The stronger the colour of an error, the fewer systems correct it. Point at a mark, or "
        "move to it by Tab, to see its type, its correction and its weight.",
        "颜色越浓，改对该错误的系统越少。将鼠标移到标记上，或用 Tab 键移到标记，"
        "即可查看类型、修改和权重。",
    ),
    "result": Words("Reference", "参考答案"),
    "reference": Words("reference {n}", "参考答案 {n}"),
    "annotator": Words(" (annotator {name})", "（标注者 {name}）"),
    "chosen": Words("the chosen references", "各句选定的参考答案"),
    "legend": Words("Legend", "图例"),
    "error": Words("error, by weight", "错误，按权重"),
    "wrong": Words("no error, but changed by systems", "原本无错，却被系统改动"),
    "insertion": Words("something is inserted here", "此处插入内容"),
    "filters": Words("Filters", "筛选"),
    "kind": Words("Marks", "标记"),
    "both": Words("errors and wrong changes", "错误与误改"),
    "errors": Words("errors only", "仅错误"),
    "wrongs": Words("wrong changes only", "仅误改"),
    "type": Words("Type", "类型"),
    "all-types": Words("all types", "全部类型"),
    "no-type": Words("(no type)", "（无类型）"),
    "least": Words("Weight from", "权重从"),
    "most": Words("to", "到"),
    "search": Words("Search", "搜索"),
    "search-hint": Words("source, correction or id", "原文、修改或编号"),
    "order": Words("Order", "顺序"),
    "corpus-order": Words("as in the corpus", "按语料顺序"),
    "hardest": Words("hardest first", "最难的在前"),
    "weights": Words("write the weights", "显示权重"),
    "reset": Words("Reset", "重置"),
    "shown": Words("{n} of {all} sentences, {marks} marks", "{all} 句中的 {n} 句，{marks} 处标记"),
    "none": Words("No sentence matches these filters.", "没有符合条件的句子。"),
    "correction": Words("correction", "修改为"),
    "nothing": Words("(delete)", "（删除）"),
    "inserted": Words("(insert)", "（插入）"),
    "weight": Words("weight", "权重"),
    "right": Words("corrected by", "改对的系统"),
    "other": Words("changed otherwise by", "改成别的系统"),
    "changed": Words("changed by", "改动的系统"),
    "nobody": Words("no system", "无"),
    "error-head": Words("error", "错误"),
    "wrong-head": Words("no error", "无错"),
    "value": Words("difficulty", "难度"),
    "systems": Words("Systems", "系统"),
    "notes": Words("Notes", "说明"),
    "signature": Words("How the weights were made", "权重的计算方式"),
    "sentences": Words("Sentences", "句子"),
    "no-script": Words(
        "This page draws its sentences by a script; allow scripts to see them.",
        "本页用脚本显示句子，请允许运行脚本。",
    ),
}
"""By key, as the template and the script name them."""


# Writes the heat map as one HTML file.


_LANG = {"en": "en", "zh": "zh-Hans"}


def heat_map(
    results: Sequence[Difficulty],
    sources: Sequence[Mapping[str, str]],
    language: Language = "en",
) -> str:
    """Return the page as HTML: it opens offline and loads nothing.

    Args:
        results: What is shown, one at a time where there are several.
        sources: For each result the texts of its sentences by id.
        language: Of the interface when the page is opened; a switch in it changes that.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("jinja2, which writes the heat map,", "report") from error
    style, script = _style(), _read("heatmap.js")
    shown = [values(one, texts) for one, texts in zip(results, sources, strict=True)]
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        _read("heatmap.html")
    )
    return template.render(
        language=language,
        lang=_LANG[language],
        version=__version__,
        corpora=list(dict.fromkeys(one.corpus for one in results)),
        say={key: words.in_(language) for key, words in WORDS.items()},
        policy=policy(style, script),
        style=_safe(style),
        script=_safe(script),
        words=_safe(_json({key: [words.en, words.zh] for key, words in WORDS.items()})),
        data=_safe(_json(shown)),
    )


def _style() -> str:
    """Return the styles: the colours of both themes, then the page's own."""
    light, dark = properties("light"), properties("dark")
    by_system = ':root:not([data-theme="light"])'
    return (
        f":root {{\ncolor-scheme: light;\n{light}\n}}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ {by_system} {{\n"
        f"color-scheme: dark;\n{dark}\n}} }}\n"
        f'@media screen {{ :root[data-theme="dark"] {{\ncolor-scheme: dark;\n{dark}\n}} }}\n'
        + _read("heatmap.css")
    )


def _json(content: object) -> str:
    """Return JSON that no tag of its content can end."""
    made = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return made.replace("<", "\\u003c")


def _read(name: str) -> str:
    return files("gecbench.reports.page").joinpath(name).read_text("utf-8")


def _safe(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)  # our own styles and script, and JSON without "<"
