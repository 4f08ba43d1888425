"""Texts: those of a case, the pieces that metrics over texts count, and changes of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Literal

from gecbench.core.case import Case
from gecbench.core.edit import Edit, apply
from gecbench.core.errors import (
    CorpusError,
    EditError,
    Message,
    quote,
)
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.lang.zh.char import parse
from gecbench.text import Normalisation, normalisation

Unit = Literal["word", "character", "spaced-character"]
UNITS: tuple[Unit, ...] = ("word", "character", "spaced-character")


def references(case: Case) -> tuple[str, ...]:
    """The texts of the references, without those declared impossible to annotate."""
    return tuple(version.text for version in case.references if not version.unannotatable)


def characters(text: str) -> str:
    """The code points of a text without any white space.

    >>> characters("他 是 学生")
    '他是学生'
    """
    return "".join(text.split())


def pieces(text: str, unit: Unit) -> Sequence[str]:
    """What a text consists of.

    Args:
        text: Any text.
        unit: "word": what white space divides; "character": the code points without white
            space; "spaced-character": all code points, but for white space at the ends.
    """
    if unit == "word":
        return text.split()
    return characters(text) if unit == "character" else text.strip()


def longest_common(source: str, text: str) -> int:
    """The length of the longest common subsequence.

    A row of the usual table as the bits of one number (Hyyro, "Bit-parallel LCS-length
    computation revisited", 2004): a bit is 0 where the row grows.
    """
    bits: dict[str, int] = {}
    for at, character in enumerate(source):
        bits[character] = bits.get(character, 0) | 1 << at
    row = full = (1 << len(source)) - 1
    for character in text:
        hits = row & bits.get(character, 0)
        row = (row + hits | row - hits) & full
    return len(source) - row.bit_count()


# Counts of n-grams, and what two texts share.


Grams = Mapping[tuple[str, ...], int]


def count(pieces: Sequence[str], order: int) -> tuple[Grams, ...]:
    """How often each n-gram occurs, for n = 1 to `order`.

    >>> dict(count("好好好", 2)[1])
    {('好', '好'): 2}
    """
    shifted = [pieces[first:] for first in range(order)]
    # Not strict: the sequences end one after the other, the shortest with the last n-gram.
    return tuple(Counter(zip(*shifted[:n], strict=False)) for n in range(1, order + 1))


def totals(length: int, order: int) -> tuple[int, ...]:
    """How many n-grams a text of `length` pieces has, for n = 1 to `order`."""
    return tuple(max(length + 1 - n, 0) for n in range(1, order + 1))


def intersection(first: Grams, second: Grams) -> Grams:
    """The n-grams of both, as often as both have them."""
    return {gram: min(first[gram], second[gram]) for gram in first.keys() & second.keys()}


def overlap(first: Grams, second: Grams) -> int:
    """How many n-grams two texts share, each as often as both have it."""
    both = first.keys() & second.keys()
    return sum(map(min, map(first.__getitem__, both), map(second.__getitem__, both)))


# Named changes made of corpora and systems' outputs: texts, tokens and given edits together.

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Normaliser:
    """A chain of changes.

    Tokens and the replacements of given edits are changed one by one. An edit that no longer
    changes anything is left out, as no change is no edit; edit sets that become equal are one.

    Args:
        changes: Made in this order.
    """

    changes: Sequence[Normalisation]
    _cache: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The names of the changes with their versions, for signatures."""
        return "+".join(change.name for change in self.changes)

    def text(self, text: str) -> str:
        """A text changed."""
        if text not in self._cache:
            changed = text
            for change in self.changes:
                changed = change.change(changed)
            self._cache[text] = changed
        return self._cache[text]

    def corpus(self, corpus: Corpus) -> Corpus:
        """A corpus with its sources and references changed.

        Raises:
            CorpusError: A token would be empty or hold white space, or a text would no longer
                be what its tokens are; names the sample.
        """
        return replace(corpus, samples=tuple(map(self._sample, corpus.samples)))

    def system(self, system: SystemOutput) -> SystemOutput:
        """A system's outputs changed.

        Raises:
            CorpusError: As for a corpus; names the system, too.
        """
        tokens: dict[str, Tokens] = {}
        hypotheses: dict[str, tuple[Rewrite, ...]] = {}
        for name, rewrites in system.hypotheses.items():
            where = f"{system.system}, sample {name!r}"
            before = system.tokens.get(name, ())
            after = self._tokens(before, where)
            if name in system.tokens:
                tokens[name] = after
            hypotheses[name] = tuple(
                self._rewrite(rewrite, before, after, where) for rewrite in rewrites
            )
        return replace(system, hypotheses=hypotheses, tokens=tokens)

    def _sample(self, sample: Sample) -> Sample:
        where = f"sample {sample.id!r}"
        source, tokens = self.text(sample.source), self._tokens(sample.tokens, where)
        self._check((sample.source, sample.tokens), (source, tokens), where)
        references = tuple(
            self._rewrite(rewrite, sample.tokens, tokens, where) for rewrite in sample.references
        )
        return replace(sample, source=source, references=references, tokens=tokens)

    def _rewrite(self, rewrite: Rewrite, tokens: Tokens, changed: Tokens, where: str) -> Rewrite:
        sets = tuple(self._edits(edits, tokens, changed, where) for edits in rewrite.edit_sets)
        text = None
        if rewrite.text is not None:
            text = self.text(rewrite.text)
            for old, new in zip(rewrite.edit_sets, sets, strict=True):
                before, after = _apply(old, tokens), _apply(new, changed)
                if before is not None and after is not None:
                    self._check((rewrite.text, before), (text, after), where)
        if sets != rewrite.edit_sets:
            sets = tuple(dict.fromkeys(sets))
        return replace(rewrite, text=text, edit_sets=sets)

    def _edits(self, edits: EditSet, tokens: Tokens, changed: Tokens, where: str) -> EditSet:
        result = []
        for edit in edits:
            replacement = edit.replacement
            new = replace(
                edit,
                replacement=None if replacement is None else self._tokens(replacement, where),
                alternatives=tuple(self._tokens(tokens_, where) for tokens_ in edit.alternatives),
            )
            if _has_effect(new, changed) or not _has_effect(edit, tokens):
                result.append(new)
        return tuple(result)

    def _tokens(self, tokens: Tokens, where: str) -> Tokens:
        return tuple(self._token(token, where) for token in tokens)

    def _token(self, token: str, where: str) -> str:
        changed = self.text(token)
        if changed == token:
            return changed
        if not changed or _spaces(changed) > _spaces(token):
            raise CorpusError(
                f"{where}: {self.name} makes {changed!r} of the token {token!r}; a token cannot be "
                "empty or hold white space: leave out the change, or give texts without tokens"
            )
        return changed

    def _check(self, before: tuple[str, Tokens], after: tuple[str, Tokens], where: str) -> None:
        """Refuse changes that see more in a text than in its tokens one by one."""
        fits = zip(_fit(*before), _fit(*after), strict=True)
        if any(fit_before and not fit_after for fit_before, fit_after in fits):
            raise CorpusError(
                f"{where}: {self.name} makes {quote(after[0])} of a text and "
                f"{quote(' '.join(after[1]))} of its tokens, so given edits no longer fit; make "
                "the change before edits are found, or give texts without edits"
            )


def normalise(
    corpus: Corpus, systems: Sequence[SystemOutput], names: Sequence[str]
) -> tuple[Corpus, Sequence[SystemOutput], Mapping[str, str]]:
    """Corpus and systems with their texts changed, and what the signature says of it.

    Args:
        corpus: Whose sources and references are changed.
        systems: Whose outputs are.
        names: Of changes, made in this order.

    Raises:
        UnknownNameError: There is no such change.
        MissingExtraError: What it needs is not installed.
        CorpusError: A token would be empty or hold white space, or a text would no longer be
            what its tokens are; names the sample.
    """
    if not names:
        return corpus, systems, {}
    normaliser = Normaliser([normalisation(name) for name in names])
    changed = tuple(map(normaliser.system, systems))
    return normaliser.corpus(corpus), changed, {"normalise": normaliser.name}


def change_notes(
    before: tuple[Corpus, Sequence[SystemOutput]], after: tuple[Corpus, Sequence[SystemOutput]]
) -> list[str]:
    """How many texts were changed, and what else became of them.

    Args:
        before: A corpus and systems' outputs.
        after: The same, normalised.
    """
    samples = list(zip(before[0].samples, after[0].samples, strict=True))
    sources = [(b.source, a.source) for b, a in samples]
    references = [p for b, a in samples for p in zip(b.references, a.references, strict=True)]
    pairs: dict[str, list[tuple[Rewrite, Rewrite]]] = {Message("references"): references}
    for b, a in zip(before[1], after[1], strict=True):
        pairs[Message("outputs of {system}", system=b.system)] = [
            pair
            for s, _ in samples
            for pair in zip(b.hypotheses[s.id], a.hypotheses[s.id], strict=True)
        ]
    changes: dict[str, Sequence[tuple[object, object]]] = {Message("sources"): sources, **pairs}
    shares = [
        Message(
            "{changed} of {number} {what}",
            changed=sum(b != a for b, a in rows),
            number=len(rows),
            what=what,
        )
        for what, rows in changes.items()
    ]
    whole = reduce(lambda a, b: Message("{first}, {second}", first=a, second=b), shares)
    notes: list[str] = [Message("normalising changed {shares}", shares=whole)]
    rewrites = [pair for rows in pairs.values() for pair in rows]
    lost = sum(sum(map(len, b.edit_sets)) - sum(map(len, a.edit_sets)) for b, a in rewrites)
    if lost:
        notes.append(
            Message(
                "edits that change nothing any more, or repeat another edit set, left out: {count}",
                count=lost,
            )
        )
    texts = [*sources, *((b.text or "", a.text or "") for b, a in rewrites)]
    longer = sum(_spaces(a) > _spaces(b) for b, a in texts)
    if longer:
        notes.append(Message("texts that normalising put white space into: {count}", count=longer))
    return notes


def _fit(text: str, tokens: Tokens) -> tuple[bool, bool]:
    """Whether tokens are the characters of a text, and whether they make it up."""
    return parse(text).tokens == tokens, characters(text) == characters("".join(tokens))


def _apply(edits: EditSet, tokens: Tokens) -> Tokens | None:
    """What edits make of tokens; None where they cannot be applied together."""
    try:
        return apply(edits, tokens)
    except EditError:
        return None


def _has_effect(edit: Edit, tokens: Tokens) -> bool:
    """Whether an edit, or an alternative that it has, changes its tokens."""
    span = tokens[edit.start : edit.end]
    return any(text != span for text in (edit.replacement, *edit.alternatives))


def _spaces(text: str) -> int:
    return sum(map(str.isspace, text))
