"""Edits that somebody gave, in ERRANT's terms (ERRANT 3.0.2, commands/m2_to_m2.py and edit.py).

`errant_m2 -gold` keeps the annotator's spans (`keep`); `-auto` aligns the corrected text anew and
adds what was only detected (`mix`). Detected only are edits without a replacement, which is how
gecbench reads the type UNK, and those of NUCLE's type Um, whose replacement is a mere proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gecbench.core.edit import Edit, check
from gecbench.core.sentence import Sentence
from gecbench.lang.en.classify import UNKNOWN, Classifier
from gecbench.lang.en.run import Span

_UNCLEAR = "Um"

Tokens = tuple[str, ...]


def detects_only(edit: Edit) -> bool:
    """Return whether an edit leaves its span as it is."""
    return edit.replacement is None or edit.label == _UNCLEAR


def correct(edits: Sequence[Edit], source: Tokens) -> tuple[Tokens, tuple[tuple[Edit, Span], ...]]:
    """Return the tokens that edits make of a source, and each edit with the spans it joins.

    The edits come back sorted by place; of several insertions at one place the first listed is
    the first. One that only detects joins its span with the same tokens of the target.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another; ERRANT applies
            such edits one after the other.
    """
    check(edits, len(source))
    made: list[str] = []
    joined: list[tuple[Edit, Span]] = []
    at = 0
    for edit in sorted(edits, key=_place):
        made += source[at : edit.start]
        start = len(made)
        corrects = edit.replacement is not None and not detects_only(edit)
        made += edit.replacement or () if corrects else source[edit.start : edit.end]
        joined.append((edit, (edit.start, edit.end, start, len(made))))
        at = edit.end
    return (*made, *source[at:]), tuple(joined)


def keep(
    joined: Sequence[tuple[Edit, Span]],
    source: Sentence,
    target: Sentence,
    classifier: Classifier,
    *,
    minimise: bool = True,
    relabel: bool = True,
) -> tuple[Edit, ...] | None:
    """Return the edits that `correct` joined, as `errant_m2 -gold` writes them.

    What an edit only detects is not minimised. An edit that changes nothing becomes one that
    only detects, if it is relabelled.

    Args:
        joined: Edits with their spans in source and target.
        source: What the learner wrote.
        target: What the edits make of it.
        classifier: Gives the types.
        minimise: Strip tokens that are the same on both sides, and in all alternatives, from the
            beginning and then from the end.
        relabel: Give ERRANT's types in place of the annotator's.

    Returns:
        None where a type depends on dependencies and a sentence has none (`Classifier.label`).
    """
    kept: list[Edit] = []
    for edit, span in joined:
        if detects_only(edit):
            kept.append(_detection(edit, source.tokens, relabel=relabel))
            continue
        edit, span = _minimised(edit, span, source.tokens) if minimise else (edit, span)
        label = classifier.label(source, target, span) if relabel else edit.label
        if relabel and label is None:
            return None
        unchanged = relabel and label == UNKNOWN
        edit = replace(edit, label=label)
        kept.append(_detection(edit, source.tokens, relabel=True) if unchanged else edit)
    return tuple(kept)


def mix(
    edits: Sequence[Edit], automatic: Sequence[Edit], source: Tokens, *, relabel: bool = True
) -> tuple[Edit, ...]:
    """Return automatic edits and, of those given, the ones that only detect, sorted by place.

    That is what `errant_m2 -auto` writes. At one place the given edits come first.
    """
    given = sorted(edits, key=_place)
    detections = [_detection(e, source, relabel=relabel) for e in given if detects_only(e)]
    return tuple(sorted([*detections, *automatic], key=_place))


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _detection(edit: Edit, source: Tokens, *, relabel: bool) -> Edit:
    """Return an edit without replacement and of type UNK; its proposal stays an alternative."""
    if edit.replacement is None or not relabel:
        return edit
    texts = (edit.replacement, *edit.alternatives)
    proposals = () if texts == (source[edit.start : edit.end],) else texts
    return Edit(edit.start, edit.end, None, UNKNOWN, proposals)


def _minimised(edit: Edit, span: Span, source: Tokens) -> tuple[Edit, Span]:
    """Return an edit and its spans without what is the same at both ends."""
    start, end, target_start, target_end = span
    texts = (edit.replacement or (), *edit.alternatives)
    while start < end and all(text[:1] == source[start : start + 1] for text in texts):
        texts = tuple([text[1:] for text in texts])
        start, target_start = start + 1, target_start + 1
    while start < end and all(text[-1:] == source[end - 1 : end] for text in texts):
        texts = tuple([text[:-1] for text in texts])
        end, target_end = end - 1, target_end - 1
    shorter = Edit(start, end, texts[0], edit.label, texts[1:])
    return shorter, (start, end, target_start, target_end)
