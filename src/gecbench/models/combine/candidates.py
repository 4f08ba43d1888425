"""What systems propose for one sentence: each change once, with all who propose it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from gecbench.core.corrector import TextEdit
from gecbench.core.edit import Edit, check
from gecbench.core.errors import UsageError, count_noun
from gecbench.core.language import Language
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.texts import text_of
from gecbench.models.text import edits_between
from gecbench.scoring.extractor import CorpusEdits, Extractor
from gecbench.text.tokens import token_texts

ChangeKind = Literal["order", "spelling"]
"""Kinds of change that may have a threshold of their own, whatever label they bear."""

Similar = Callable[[str, str], bool]
"""Says of a text and its replacement, both of one length, whether this is a spelling error."""

ChangeKey = tuple[tuple[int, int, tuple[str, ...]], ...]
"""What counts as one proposal: spans of the source and what stands instead, in order."""


class Proposal(NamedTuple):
    """What one system proposes for a sentence.

    Args:
        edits: That do not overlap; () where it changes nothing.
        scores: Of each edit, in [0, 1]; () where the system has none.
    """

    edits: EditSet
    scores: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that one system or several propose: an edit, or a move, which is two.

    Args:
        edits: In the order of their spans, labelled as most of the backers label them.
        backers: Places of the systems that propose it.
        kind: None for all that is neither word order nor spelling.
        score: Mean of the scores of its backers; None where there are none.
    """

    edits: EditSet
    backers: frozenset[int]
    kind: ChangeKind | None
    score: float | None

    @property
    def key(self) -> ChangeKey:
        """What it does, which no other candidate of the sentence does."""
        return _key(self.edits)


def _key(edits: EditSet) -> ChangeKey:
    return tuple((edit.start, edit.end, edit.replacement or ()) for edit in edits)


def collect_candidates(
    source: Sequence[str],
    proposals: Sequence[Proposal],
    *,
    all_moves: bool = False,
    similar: Similar | None = None,
    tokens: str = "",
) -> list[Candidate]:
    """Collect the changes that systems propose, in an order that does not depend on theirs.

    Args:
        source: What the edits' spans count: tokens, or the characters of a text.
        proposals: One for each system.
        all_moves: Join every deletion and insertion of the same tokens into one change; else only
            those labelled W:R and W:M, as the scheme zh-char does.
        similar: Which substitutions are spelling errors, beside those that a label calls so.
        tokens: What characters are divided into, a name of `text.tokens`; "" where the source is
            tokens itself.

    Raises:
        EditError: Edits of one system overlap, or one ends after the source.
    """
    changes: dict[ChangeKey, list[tuple[int, EditSet, float | None]]] = {}
    for system, proposal in enumerate(proposals):
        for edits, score in _changes(source, proposal, tokens, all_moves=all_moves):
            changes.setdefault(_key(edits), []).append((system, edits, score))
    result = []
    for key in sorted(changes):
        systems, edit_sets, all_scores = zip(*changes[key], strict=True)
        edits = _with_usual_labels(edit_sets)
        scores = sorted(score for score in all_scores if score is not None)
        score = sum(scores) / len(scores) if scores else None
        kind = _kind(source, edits, similar, tokens)
        result.append(Candidate(edits, frozenset(systems), kind, score))
    return result


def correcting_edits(source: Sequence[str], edits: Iterable[Edit]) -> EditSet:
    """Select the edits that correct something, in order; insertions at one place become one.

    Edits that only detect, or put in place what stands there already, propose nothing.

    Raises:
        EditError: Edits overlap, or one ends after the source.
    """
    corrections = tuple(
        edit
        for edit in edits
        if edit.replacement is not None and edit.replacement != tuple(source[edit.start : edit.end])
    )
    check(corrections, len(source))
    result: list[Edit] = []
    for edit in sorted(corrections, key=lambda edit: (edit.start, edit.end)):
        last = result[-1] if result else None
        if last and last.start == last.end == edit.start == edit.end:
            both = (*(last.replacement or ()), *(edit.replacement or ()))
            result[-1] = Edit(edit.start, edit.end, both, last.label)
        else:
            result.append(edit)
    return tuple(result)


def _changes(
    source: Sequence[str], proposal: Proposal, tokens: str, *, all_moves: bool
) -> Iterator[tuple[EditSet, float | None]]:
    """Yield the changes of one system; a move is as sure as its less sure half."""
    edits = correcting_edits(source, proposal.edits)
    # Of several insertions at one place the last has the score.
    scores = {(e.start, e.end): s for e, s in zip(proposal.edits, proposal.scores, strict=False)}
    partners = _moves(source, edits, tokens, all_moves=all_moves)
    for at, edit in enumerate(edits):
        other = partners.get(at, at)
        if at > other:
            continue
        change = (edit,) if at == other else (edit, edits[other])
        part_scores = (scores.get((part.start, part.end)) for part in change)
        yield change, min((score for score in part_scores if score is not None), default=None)


def _moves(
    source: Sequence[str], edits: EditSet, tokens: str, *, all_moves: bool
) -> dict[int, int]:
    """Find the places of deletions and insertions that are moves, each with its other half.

    MuCGEC's definition (Zhang et al. 2022, section 6.2): a deletion and an insertion of the same
    tokens are one word-order edit. Each deletion, from the left, takes the leftmost insertion of
    the same tokens that is still free, as in the scheme zh-char. White space does not count.
    """
    halves = [at for at, edit in enumerate(edits) if all_moves or edit.label in ("W:R", "W:M")]
    free: dict[tuple[str, ...], list[int]] = {}
    for at in halves:
        if edits[at].op == "M" and (new := _words(edits[at].replacement or (), tokens)):
            free.setdefault(new, []).append(at)
    partners: dict[int, int] = {}
    for at in halves:
        edit = edits[at]
        if edit.op == "R" and (others := free.get(_words(source[edit.start : edit.end], tokens))):
            other = others.pop(0)
            partners |= {at: other, other: at}
    return partners


def _with_usual_labels(edit_sets: Sequence[EditSet]) -> EditSet:
    """Choose the edits with the most frequent labels; of equally frequent ones the first by name.

    So the order of the systems does not matter.
    """
    counts = Counter(tuple(edit.label for edit in edits) for edits in edit_sets)

    def rank(edits: EditSet) -> tuple[int, list[str]]:
        labels = tuple(edit.label for edit in edits)
        return -counts[labels], [label or "\uffff" for label in labels]

    return min(edit_sets, key=rank)


def _kind(
    source: Sequence[str], edits: EditSet, similar: Similar | None, tokens: str
) -> ChangeKind | None:
    """Say whether a change is one of word order or of spelling.

    Labels decide where they can: W and W:... (ChERRANT), R:WO and R:SPELL (ERRANT), S:SPELL
    (ChERRANT at word level). Else a permutation of the tokens it replaces is word order.
    """
    if len(edits) > 1:
        return "order"
    (edit,) = edits
    label = edit.label or ""
    if label == "W" or label.startswith("W:") or label.endswith(":WO"):
        return "order"
    if label.endswith(":SPELL"):
        return "spelling"
    before = _words(source[edit.start : edit.end], tokens)
    after = _words(edit.replacement or (), tokens)
    if len(before) > 1 and before != after and sorted(before) == sorted(after):
        return "order"
    old, new = "".join(before), "".join(after)
    if similar and old and len(old) == len(new) and similar(old, new):
        return "spelling"
    return None


def _words(units: Sequence[str], tokens: str) -> tuple[str, ...]:
    """Divide a piece of the source or of a replacement, if it is characters, into tokens."""
    return tuple(token_texts("".join(units), tokens)) if tokens else tuple(units)


# From what systems wrote to what they propose: edits of the same tokens for all of them.


class SentenceProposals(NamedTuple):
    """What all systems propose for one sentence.

    Args:
        sample: The sentence.
        tokens: What the edits count in; the characters of the source where there is no scheme.
        proposals: Of each system.
        rewrites: What each system made of it, with its edits.
        joiner: What stands between two new tokens: "" or a blank.
    """

    sample: Sample
    tokens: Sequence[str]
    proposals: tuple[Proposal, ...]
    rewrites: tuple[Rewrite, ...]
    joiner: str = ""


@dataclass(slots=True)
class Collector:
    """Collects what systems propose, and counts what takes no part in it.

    Args:
        corpus: The sentences.
        systems: Joined to the corpus.
        extractor: Finds edits; None takes a plain alignment of the texts.
        language: Of the texts; a plain alignment is of its tokens.
        edits: What was extracted; None before, and without an extractor.
    """

    corpus: Corpus
    systems: Sequence[SystemOutput]
    extractor: Extractor | None
    language: Language
    edits: CorpusEdits | None = None
    _unused: Counter[tuple[str, str]] = field(default_factory=Counter)

    def rows(self) -> Iterator[SentenceProposals]:
        """Yield what is proposed for each sentence of the corpus, in its order.

        Raises:
            CorpusError: Systems' edits count in different tokens, or cannot be applied together.
            UsageError: The scheme has no tokens for the blanks of the texts.
        """
        systems = [self._first_versions(system) for system in self.systems]
        if self.extractor is None:
            yield from (self._align(sample, systems) for sample in self.corpus.samples)
            return
        # References take no part, so the tokens are those of the first system that has edits.
        samples = tuple(
            replace(
                sample,
                references=(),
                tokens=next((t for s in systems if (t := s.tokens.get(sample.id))), ()),
            )
            for sample in self.corpus.samples
        )
        corpus = replace(self.corpus, samples=samples, provenance={})
        self.edits = self.extractor.extract(corpus, systems)
        joiner = self._joiner(self.edits.scheme)
        rows = zip(self.corpus.samples, self.edits.corpus.samples, strict=True)
        for original, sample in rows:
            rewrites = tuple(s.hypotheses[sample.id][0] for s in self.edits.systems)
            edit_sets = [rewrite.edit_sets[0] if rewrite.edit_sets else () for rewrite in rewrites]
            for system, edits in zip(systems, edit_sets, strict=True):
                if any(edit.replacement is None for edit in edits):
                    what = "{} with errors detected, not corrected: no votes"
                    self._unused[system.system, what] += 1
            proposals = tuple(map(Proposal, edit_sets))
            yield SentenceProposals(original, sample.tokens, proposals, rewrites, joiner)

    def _joiner(self, scheme: Scheme | None) -> str:
        """What stands between tokens; refuse a scheme after which blanks cannot be put back."""
        if scheme is None:
            return self.language.joiner
        texts = (sample.source.split() for sample in self.corpus.samples)
        if self.language.joiner and not scheme.joiner and any(len(words) > 1 for words in texts):
            raise UsageError(
                f"{self.corpus.name}: scheme {scheme.name} leaves out the blanks of the texts, so "
                "that no text can be made of the edits that win; take a scheme over words, as "
                f"--scheme {self.language.scheme}, or --scheme none"
            )
        return scheme.joiner

    def notes(self) -> list[str]:
        """Say what a user must know of what took no part, a sentence each."""
        notes = [
            f"{name}: {what.format(count_noun(n, 'sentence'))}"
            for (name, what), n in self._unused.items()
        ]
        if self.edits and self.edits.warning:
            notes.append(self.edits.warning)
        return notes

    def _first_versions(self, system: SystemOutput) -> SystemOutput:
        """Reduce a system to the first of its versions of each sentence of the corpus."""
        hypotheses = {}
        for sample in self.corpus.samples:
            versions = system.hypotheses[sample.id]
            if len(versions) > 1:
                self._unused[system.system, "of several versions of {} the first votes"] += 1
            if versions[0].unannotatable:
                self._unused[system.system, "{} declared unannotatable: counted as unchanged"] += 1
            hypotheses[sample.id] = versions[:1]
        return replace(system, hypotheses=hypotheses)

    def _align(self, sample: Sample, systems: Sequence[SystemOutput]) -> SentenceProposals:
        """Align the texts of all systems in characters, white space included."""
        language = self.language
        rewrites = tuple(system.hypotheses[sample.id][0] for system in systems)
        proposals = []
        for system, rewrite in zip(systems, rewrites, strict=True):
            edits: EditSet = ()
            if not (rewrite.error_free or rewrite.unannotatable):
                tokenised = replace(sample, tokens=system.tokens.get(sample.id, ()), references=())
                text = text_of(tokenised, rewrite, language.code)
                changes = edits_between(sample.source, text, tokens=language.tokens)
                edits = tuple(map(character_edit, changes))
            proposals.append(Proposal(edits))
        return SentenceProposals(sample, sample.source, tuple(proposals), rewrites)


def character_edit(edit: TextEdit) -> Edit:
    """Convert an edit of a text to one whose tokens are characters."""
    return Edit(edit.start, edit.end, tuple(edit.replacement), edit.label)
