"""Fitting a profile to a corpus: how many errors of which types, lengths and words it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, EditError
from gecbench.core.sample import Corpus
from gecbench.datasets.corrupt.profile import Fitted, Profile, kind_of
from gecbench.edits.apply import apply
from gecbench.lang.zh.parse import PLACEHOLDER

_LONGEST = 8
"""Tokens of a confusion at most; longer ones are rewritings, which nobody repeats."""

_MOST_ERRORS = 30
_CHINESE_REST: Mapping[str, tuple[str, ...]] = {
    "S": ("spelling-sound", "spelling-shape", "word-misused", "word-misused"),
    "M": (),  # left out by lengths
    "R": ("word-redundant", "word-redundant", "punctuation-redundant"),
    "W": (),  # exchanged by lengths
}
_NOT_ERRORS = frozenset(("noop", "UNK", "Um", "NA"))


class Fit(NamedTuple):
    """A profile, and what could not be taken into it.

    Args:
        profile: To corrupt with.
        pairs: Sentences with one of their references, which it was fitted to.
        edits: That these have.
        kept: Of these, how many are confusions of the profile.
        left_out: Edits that are not in it, by reason.
    """

    profile: Profile
    pairs: int
    edits: int
    kept: int
    left_out: Mapping[str, int]


class _Type:
    """What was seen of one type."""

    def __init__(self) -> None:
        self.edits = 0
        self.lengths: Counter[tuple[int, int]] = Counter()
        self.confusions: Counter[tuple[str, str]] = Counter()
        self.beside: Counter[tuple[str, str, str, str]] = Counter()
        self.moves: Counter[tuple[int, int]] = Counter()


def fit(
    corpus: Corpus, language: Literal["zh", "en"], known: Iterable[str], *, least: int = 2
) -> Fit:
    """Return the profile of a corpus whose references have edits.

    Every reference counts, with its first edit set: an edit of source and target is turned round,
    so what was wrong is written for what is right. What is missing or too much is also counted
    with the word before it.

    Args:
        corpus: Its references have edits, of any scheme; their labels are the types.
        language: Of the corpus.
        known: Types that rules make; those of the same name make what is too rare to be kept.
        least: Occurrences from which a confusion is kept.

    Raises:
        CorpusError: No reference has an edit, or one says nothing.
    """
    seen: dict[str, _Type] = defaultdict(_Type)
    numbers: Counter[int] = Counter()
    left_out: Counter[str] = Counter()
    occurrences = _Occurrences(language)
    for tokens, edits, target in _pairs(corpus, left_out):
        count = 0
        occurrences.add(target)
        for edit in edits:
            if why := _unusable(edit, tokens):
                left_out[why] += 1
                continue
            count += 1
            _see(seen[_type_of(edit, language)], edit, tokens, language)
        numbers[min(count, _MOST_ERRORS)] += 1
    edits_seen = sum(one.edits for one in seen.values())
    if not edits_seen:
        raise CorpusError(f"{corpus.name}: no reference has an edit, so nothing can be fitted")
    fitted = [
        _fitted(name, one, occurrences, least, language, frozenset(known))
        for name, one in sorted(seen.items(), key=lambda item: (-item[1].edits, item[0]))
    ]
    made = [one for one in fitted if _makeable(one)]
    for one in (one for one in fitted if one not in made):
        left_out[f"type {one.name}: nothing that is repeated"] += one.edits
    return Fit(
        _profile(made, numbers, language, corpus),
        numbers.total(),
        edits_seen,
        sum(count for one in made for _, _, count, _ in one.confusions),
        dict(left_out.most_common()),
    )


def _unusable(edit: Edit, tokens: Sequence[str]) -> str:
    """Return why an edit shows no error; "" where it does."""
    if edit.replacement is None or edit.label in _NOT_ERRORS:
        return "detected, not corrected"
    unchanged = tuple(tokens[edit.start : edit.end]) == edit.replacement
    return "changes nothing" if unchanged else ""


def _profile(
    made: Sequence[Fitted],
    numbers: Counter[int],
    language: Literal["zh", "en"],
    corpus: Corpus,
) -> Profile:
    correct = numbers[0] / numbers.total()
    most = max(numbers)
    return Profile(
        language=language,
        about=f"fitted to {corpus.name}",
        types={one.name: float(one.edits) for one in made},
        errors=tuple(float(numbers[n]) for n in range(1, most + 1)),
        correct=round(correct, 6),
        fitted=tuple(made),
    )


def _pairs(
    corpus: Corpus, left_out: Counter[str]
) -> Iterator[tuple[Sequence[str], Sequence[Edit], Sequence[str]]]:
    """Yield the tokens, edits and corrected tokens of each reference that can be applied."""
    for sample in corpus.samples:
        for rewrite in sample.references:
            if rewrite.unannotatable:
                continue
            edits = rewrite.edit_sets[0] if rewrite.edit_sets else ()
            if not (edits or rewrite.error_free or rewrite.edit_sets):
                raise CorpusError(
                    f"sentence {sample.id!r} has a reference without edits; find them first "
                    "(gecbench edits)"
                )
            tokens = sample.tokens or tuple(sample.source.split())
            real = [edit for edit in edits if edit.replacement is not None]
            try:
                target = apply(real, tokens)
            except EditError:  # MaxMatch allows it
                left_out["in a reference whose edits overlap"] += len(real)
                continue
            yield tokens, edits, target


def _see(one: _Type, edit: Edit, tokens: Sequence[str], language: str) -> None:
    """Count an edit: what it replaces is what was written wrongly."""
    replacement = edit.replacement or ()
    wrong_tokens = tokens[edit.start : edit.end]
    glue = "" if language == "zh" else " "
    wrong, right = glue.join(wrong_tokens), glue.join(replacement)
    one.edits += 1
    sizes = (len(wrong), len(right)) if language == "zh" else (len(wrong_tokens), len(replacement))
    one.lengths[sizes] += 1
    stretches = _exchanged(wrong_tokens, replacement) if sorted(wrong) == sorted(right) else None
    if stretches:
        one.moves[stretches] += 1
        return
    if max(sizes) > _LONGEST or not (_usable(wrong, language) and _usable(right, language)):
        return
    one.confusions[right, wrong] += 1
    if not wrong or not right:
        before = tokens[edit.start - 1] if edit.start else ""
        if before and _usable(before, language):
            context = before + glue + right if right else before
            written = before + glue + wrong if wrong else before
            one.beside[right, wrong, context, written] += 1


def _type_of(edit: Edit, language: str) -> str:
    """Return the type of an edit; zh-char's two parts of a word-order edit are what they do."""
    label = edit.label or edit.op
    if language == "zh" and label in ("W:R", "W:M"):
        return label[2:]
    return label


def _usable(text: str, language: str) -> bool:
    """Return whether one side of a confusion can stand in a table.

    A placeholder cannot, nor a token with a blank, nor, in Chinese, parts of Latin words.
    """
    if PLACEHOLDER in text:
        return False
    if language != "zh":
        return " ".join(text.split()) == text
    return not any(c.isspace() or (c.isascii() and c.isalnum()) for c in text)


def _exchanged(wrong: Sequence[str], right: Sequence[str]) -> tuple[int, int] | None:
    """Return the lengths of the two stretches that were exchanged, those of the right text.

    What stands between them, where there is something, counts with the second. In Chinese a
    token of several characters counts as many.
    """
    for cut in range(1, len(wrong)):
        if tuple(wrong[cut:]) + tuple(wrong[:cut]) == tuple(right):
            sizes = sum(map(len, wrong[cut:])), sum(map(len, wrong[:cut]))
            return sizes if all(map(_single, wrong)) else (len(wrong) - cut, cut)
    if len(wrong) > 1 and wrong[0] != right[0]:
        return 1, len(wrong) - 1
    return None


def _single(token: str) -> bool:
    return not token.isascii()


class _Occurrences:
    """How often pieces stand in the corrected texts."""

    def __init__(self, language: str) -> None:
        self._chinese = language == "zh"
        self._counts: Counter[str] = Counter()
        self.gaps = 0

    def add(self, target: Sequence[str]) -> None:
        """Count all pieces of a corrected text up to a length."""
        units = "".join(target) if self._chinese else [word.lower() for word in target]
        self.gaps += len(units) + 1
        for length in range(1, _LONGEST + 1):
            for start in range(len(units) - length + 1):
                piece = units[start : start + length]
                self._counts[piece if isinstance(piece, str) else " ".join(piece)] += 1

    def of(self, piece: str) -> int:
        """Return how often a piece stands there; of nothing, how many gaps there are."""
        if not piece:
            return self.gaps
        return self._counts[piece if self._chinese else piece.lower()]


def _fitted(
    name: str,
    one: _Type,
    occurrences: _Occurrences,
    least: int,
    language: str,
    known: frozenset[str],
) -> Fitted:
    """Return a type with the confusions that were seen often enough, sorted."""
    counts = Counter(one.confusions)
    kept: Counter[tuple[str, str]] = Counter()
    for (right, wrong, context, written), count in one.beside.items():
        if count >= least:  # with its neighbour, a word is more surely what it was
            kept[context, written] += count
            counts[right, wrong] -= count
    for pair, count in counts.items():
        if count >= least:
            kept[pair] += count
    rows = tuple(
        (right, wrong, count, max(count, occurrences.of(right)))
        for (right, wrong), count in sorted(kept.items(), key=lambda i: (-i[1], i[0]))
    )
    rest = one.edits - kept.total() - one.moves.total()
    by = _rest_by(name, language, known)
    return Fitted(
        name=name,
        edits=one.edits,
        lengths=tuple((a, b, n) for (a, b), n in sorted(one.lengths.items(), key=_often)),
        rest=round(rest / one.edits, 6),
        by=by,
        confusions=rows,
        moves=tuple((a, b, n) for (a, b), n in sorted(one.moves.items(), key=_often)),
    )


def _often(item: tuple[tuple[int, int], int]) -> tuple[int, tuple[int, int]]:
    return -item[1], item[0]


def _rest_by(name: str, language: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return the types of rules that make what a corpus shows too seldom."""
    if language == "zh":
        return _CHINESE_REST.get(name[:1], ())
    if name in known:
        return (name,)
    return ("M:OTHER",) if name.startswith("M:") else ()


def _makeable(one: Fitted) -> bool:
    """Return whether something can be made of a type."""
    return bool(one.confusions or one.moves or one.by or kind_of(one.lengths))


def toml_of_profile(profile: Profile, notes: Sequence[str]) -> str:
    """Return a profile as TOML, comments first; reading it gives the same profile."""
    rows = [f"# {note}" for note in notes]
    for field in msgspec.structs.fields(Profile):
        value = getattr(profile, field.name)
        if field.name not in ("types", "fitted", "source"):
            rows.append(f"{field.name} = {_value(value)}")
    for table, values in (("types", profile.types), ("source", profile.source)):
        rows += ["", f"[{table}]"]
        rows += [f"{_value(key)} = {_value(value)}" for key, value in values.items()]
    for one in profile.fitted:
        rows += ["", "[[fitted]]", f"name = {_value(one.name)}", f"edits = {one.edits}"]
        rows += [f"rest = {_value(one.rest)}", f"by = {_value(one.by)}"]
        for key in ("lengths", "moves", "confusions"):
            rows.append(f"{key} = [")
            rows += [f"  {_value(row)}," for row in getattr(one, key)]
            rows.append("]")
    return "\n".join(rows) + "\n"


def _value(value: object) -> str:
    """Return a value in TOML; JSON's strings, numbers and lists are TOML's, but for U+007F."""
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
