"""From edits of tokens to a text that keeps the white space of its source."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.edit import Edit, check
from gecbench.core.errors import CorpusError
from gecbench.text.spans import spans


def placed(source: str, tokens: Sequence[str], edits: Sequence[Edit], *, between: str) -> str:
    """Return the text that edits of its tokens make of a source.

    White space stays where nothing changed, and at both ends. A deletion takes the white space
    before it along, unless that would join the words on its two sides.

    Args:
        source: The text.
        tokens: Its tokens, with nothing but white space between them.
        edits: In the order of their spans, with replacements.
        between: What stands between two new tokens: "" in Chinese, " " in English.

    Raises:
        EditError: Edits overlap, or one ends after the source.
        CorpusError: The tokens are not those of the text.

    >>> placed("I has  a a cat.", "I has a a cat .".split(), [Edit(2, 3, ())], between=" ")
    'I has a cat.'
    """
    if not edits:
        return source
    check(edits, len(tokens))
    made = _Text(_gaps(source, tokens), between)
    done = 0
    for edit in edits:
        made.keep(tokens, done, edit.start)
        made.put(edit)
        done = edit.end
    made.keep(tokens, done, len(tokens))
    return made.ended()


def _gaps(source: str, tokens: Sequence[str]) -> list[str]:
    """Return the white space before each token, and that after the last."""
    found = spans(source, tokens)
    if found is None:
        raise CorpusError(
            f"the tokens {' '.join(tokens[:8])!r}... are not those of the source {source[:30]!r}"
        )
    starts = [*(start for start, _ in found), len(source)]
    ends = [0, *(end for _, end in found)]
    return [source[end:start] for end, start in zip(ends, starts, strict=True)]


class _Text:
    """A text as it grows.

    Args:
        gaps: White space before each token of the source, and after the last.
        between: What parts two new tokens.
    """

    def __init__(self, gaps: Sequence[str], between: str) -> None:
        self._gaps = gaps
        self._between = between
        self._pieces: list[str] = []
        self._gap = gaps[0]
        """White space before whatever comes next."""

    def keep(self, tokens: Sequence[str], start: int, end: int) -> None:
        """Go on with tokens of the source."""
        for at in range(start, end):
            self._pieces += (self._gap, tokens[at])
            self._gap = self._gaps[at + 1]

    def put(self, edit: Edit) -> None:
        """Go on with what an edit puts in the place of its span."""
        new = self._between.join(edit.replacement or ())
        if edit.start == edit.end:
            self._insert(new, at_end=edit.start == len(self._gaps) - 1)
        elif new:
            self._pieces += (self._gap, new)
            self._gap = self._gaps[edit.end]
        else:
            self._delete(edit.end)

    def ended(self) -> str:
        """Return the text."""
        return "".join((*self._pieces, self._gap))

    def _insert(self, new: str, *, at_end: bool) -> None:
        """Put words between two of the source; what parts them from these is kept or made."""
        if not self._pieces:
            self._pieces += (self._gap, new)
            self._gap = "" if at_end else self._between
        elif self._gap and self._between and not at_end:
            self._pieces += (self._gap, new)
            self._gap = self._between
        else:  # nothing parts the two, as before a full stop, or new words cling to those before
            self._pieces += (self._between, new)

    def _delete(self, end: int) -> None:
        after = self._gaps[end]
        at_end = end == len(self._gaps) - 1
        if not self._pieces:
            self._gap += after if at_end else ""
        elif after or at_end:
            self._gap = after
