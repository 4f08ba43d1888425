"""The heat map of difficulty: every source sentence, its errors the deeper the harder they are.

What GoToScorer's `-heat` shows (gotutiyan/GTS 5d120c3), for any weights and any text, as one HTML
file that needs no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from gecbench.analysis.difficulty import Difficulty
from gecbench.core.frames import columns_of
from gecbench.edits.chunks import FALSE, KEPT, RIGHT, WRONG, Chunk
from gecbench.reports import PageLanguage
from gecbench.reports.page import interface_words, json_in_page, render_page
from gecbench.text.tokens import spans

# What the heat map shows of a sentence, as JSON values.


ERROR, ALARM = 0, 1

Mark = tuple[str, int, float, int, str, list[int], list[int]]
"""Text, `ERROR` or `ALARM`, weight, place of the type, correction, systems that are right on it,
and systems that change it otherwise."""


def values(result: Difficulty, sources: Mapping[str, str]) -> dict[str, object]:
    """Collect what the page needs of one result.

    Args:
        result: Weights, verdicts and chunks.
        sources: Texts by id; where the tokens are not those of a text, as after normalisation,
            the tokens are shown.
    """
    touching = _touching(result, sources)
    types = sorted(
        {
            result.table.label(index, chunk) or ""
            for index, chunks in enumerate(result.table.chunks)
            for chunk in chunks
            if chunk.edit is not None
        }
    )
    table = result.weighting.table(result.voters)
    rows = []
    for index, name in enumerate(result.table.ids):
        pieces = list(_pieces(result, index, sources.get(name), types, touching=touching))
        value = sum(w for w, c in _weights_and_chunks(result, index) if c.edit is not None)
        rows.append([name, round(value, 4), pieces])
    return {
        "corpus": result.corpus,
        "reference": result.reference,
        "origin": result.origin,
        "voters": result.voters,
        "systems": list(result.table.verdicts),
        "types": types,
        "range": [round(table[-1], 4), round(table[0], 4)],
        "notes": list(result.notes),
        "signature": str(result.signature),
        "sentences": rows,
    }


def _weights_and_chunks(result: Difficulty, index: int) -> Iterator[tuple[float, Chunk]]:
    return zip(result.weights[index], result.table.chunks[index], strict=True)


def _pieces(
    result: Difficulty,
    index: int,
    source: str | None,
    types: Sequence[str],
    *,
    touching: bool,
) -> Iterator[str | Mark]:
    """Yield plain text and marks from left to right; together they are the whole text."""
    tokens = result.table.references[index].tokens
    text, places = _place_tokens(source, tokens, touching=touching)
    position = 0
    for place, (weight, chunk) in enumerate(_weights_and_chunks(result, index)):
        letters = {name: rows[index][place] for name, rows in result.table.verdicts.items()}
        if chunk.edit is None and FALSE not in letters.values():
            continue
        start, end = _characters(chunk, places, len(text))
        if text[position:start]:
            yield text[position:start]
        edit = None if chunk.edit is None else result.table.references[index].edits[chunk.edit]
        correction = _join_tokens((edit.replacement or ()) if edit else (), touching=touching)
        label = result.table.label(index, chunk)
        type_ = -1 if label is None else types.index(label)
        kind, right_letters = (ERROR, (RIGHT, KEPT)) if edit else (ALARM, ())
        right = [i for i, letter in enumerate(letters.values()) if letter in right_letters]
        other = [i for i, letter in enumerate(letters.values()) if letter in (FALSE, WRONG)]
        yield (text[start:end], kind, round(weight, 4), type_, correction, right, other)
        position = end
    if text[position:]:
        yield text[position:]


def _place_tokens(
    source: str | None, tokens: Sequence[str], *, touching: bool
) -> tuple[str, Sequence[tuple[int, int]]]:
    """A text and where its tokens are in it."""
    places = spans(source, tokens) if source is not None else None
    if source is not None and places is not None:
        return source, places
    text = _join_tokens(tokens, touching=touching)
    return text, spans(text, tokens) or ()


def _characters(chunk: Chunk, places: Sequence[tuple[int, int]], length: int) -> tuple[int, int]:
    """Where a chunk begins and ends in the text."""
    if chunk.start < chunk.end:
        return places[chunk.start][0], places[chunk.end - 1][1]
    place = places[chunk.start][0] if chunk.start < len(places) else length
    return place, place


def _touching(result: Difficulty, sources: Mapping[str, str]) -> bool:
    """Say whether tokens are mostly written without space between, as characters are."""
    gaps = []
    for name, reference in zip(result.table.ids, result.table.references, strict=True):
        places = spans(sources[name], reference.tokens) if name in sources else None
        gaps += [b[0] == a[1] for a, b in pairwise(places or ())]
    if not gaps:
        gaps = [len(t) == 1 for reference in result.table.references for t in reference.tokens]
    return 2 * sum(gaps) > len(gaps)


def _join_tokens(tokens: Sequence[str], *, touching: bool) -> str:
    """Join tokens as text, with spaces except where none are written."""
    text = ""
    for token in tokens:
        apart = text and token and not (touching or _wide(text[-1]) or _wide(token[0]))
        text += f" {token}" if apart else token
    return text


def _wide(character: str) -> bool:
    return columns_of(character) == 2


# Writes the heat map as one HTML file.


def heat_map(
    results: Sequence[Difficulty],
    sources: Sequence[Mapping[str, str]],
    language: PageLanguage = "en",
) -> str:
    """Write the page as HTML: it opens offline and loads nothing.

    Args:
        results: What is shown, one at a time where there are several.
        sources: For each result the texts of its sentences by id.
        language: Of the interface when the page is opened; a switch in it changes that.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    words = interface_words("heatmap")
    data = [values(result, texts) for result, texts in zip(results, sources, strict=True)]
    return render_page(
        "heatmap.html",
        styles=["heatmap.css"],
        scripts=["heatmap.js"],
        language=language,
        lang={"en": "en", "zh": "zh-Hans"}[language],
        corpora=list(dict.fromkeys(result.corpus for result in results)),
        say={key: text.in_(language) for key, text in words.items()},
        words=json_in_page({key: [text.en, text.zh] for key, text in words.items()}),
        data=json_in_page(data),
    )
