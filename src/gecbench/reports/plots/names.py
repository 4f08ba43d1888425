"""Names of systems and categories cut to the room that they have, so that each stays its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gecbench.reports.plots.look import wrapped

_KEPT = 3
"""Of a prefix that names share, so many characters stay at least where it makes room."""


def shortened(names: Sequence[str], columns: int, lines: int) -> list[str]:
    r"""Return names in lines of at most some columns, no two different ones alike.

    A name too long ends with an ellipsis; where several would then look the same, they are cut in
    the middle instead, else at the start that they share, else they get their number.

    >>> shortened(["seq2seq-large-one", "seq2seq-large-two", "tagger"], 11, 1)
    ['seq2s…e-one', 'seq2s…e-two', 'tagger']
    """
    whole = list(dict.fromkeys(names))
    found = {name: wrapped(name, columns, lines) for name in whole}
    for alike in _alike(found):
        taken = {text for name, text in found.items() if name not in alike}
        for cut in _cuts(alike, columns, lines):
            made = [cut(name) for name in alike]
            if len(set(made)) == len(made) and not taken.intersection(made):
                found.update(zip(alike, made, strict=True))
                break
    return [found[name] for name in names]


def _alike(found: dict[str, str]) -> list[list[str]]:
    """Return the names that came out the same, in groups."""
    groups: dict[str, list[str]] = {}
    for name, text in found.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _cuts(alike: list[str], columns: int, lines: int) -> Iterator[Callable[[str], str]]:
    """Yield ways to shorten names that share how they begin; the last tells all names apart."""
    shortest = min(map(len, alike))
    shared = next(n for n in range(shortest + 1) if len({name[: n + 1] for name in alike}) > 1)
    yield lambda name: _fitting(name, columns, lines, _middle)
    yield lambda name: wrapped("…" + name[max(0, shared - _KEPT) :], columns, lines)
    yield lambda name: _fitting("…" + name[max(0, shared - _KEPT) :], columns, lines, _middle)
    end = "…{}".format
    yield lambda name: _fitting(
        name, columns, lines, lambda text, kept: text[:kept] + end(alike.index(name) + 1)
    )


def _middle(text: str, kept: int) -> str:
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def _fitting(text: str, columns: int, lines: int, cut: Callable[[str, int], str]) -> str:
    """Return a text with as many characters as fit into the lines, at least none."""
    made = (cut(text, kept) for kept in range(min(len(text) - 1, columns * lines), 0, -1))
    broken = (wrapped(each, columns, len(text) + lines) for each in made)
    return next((each for each in broken if each.count("\n") < lines), cut(text, 0))
