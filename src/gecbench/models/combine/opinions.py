"""From what systems wrote to what they propose: edits of the same tokens for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gecbench.core.corrector import TextEdit
from gecbench.core.edit import Edit, check
from gecbench.core.errors import CorpusError, EditError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme
from gecbench.formats.losses import counted
from gecbench.formats.texts import text_of
from gecbench.lang.given import completed, target
from gecbench.models.combine.candidates import Opinion
from gecbench.models.rewriting import edits_between
from gecbench.text.tokens import token_texts

Watch = Callable[[Sequence[Sample]], Iterator[Sample]]

Texts = dict[tuple[str, str], Extraction]
"""Extractions by the id of a sentence and a text that some system made of it."""


class Proposed(NamedTuple):
    """What all systems propose for one sentence.

    Args:
        sample: The sentence.
        tokens: What the edits count in; the characters of the source where there is no scheme.
        opinions: Of each system.
        rewrites: What each system made of it, edits given or found.
    """

    sample: Sample
    tokens: Sequence[str]
    opinions: tuple[Opinion, ...]
    rewrites: tuple[Rewrite, ...]


@dataclass(slots=True)
class Collector:
    """Collects what systems propose, and counts what takes no part in it.

    Args:
        corpus: The sentences.
        systems: Joined to the corpus.
        scheme: Asked for only when a text has to be turned into edits; None takes a plain
            alignment of the texts.
        tokens: For a plain alignment, the kind of its tokens: a name of `text.tokens`.
        anew: Find edits also where they are given, if the text is known.
    """

    corpus: Corpus
    systems: Sequence[SystemOutput]
    scheme: Callable[[], Scheme] | None
    tokens: str = "zh"
    anew: bool = False
    found: int = 0
    given: int = 0
    _aside: Counter[tuple[str, str]] = field(default_factory=Counter)

    def rows(self, watch: Watch = iter) -> Iterator[Proposed]:
        """Yield what is proposed for each sentence of the corpus, in its order.

        Raises:
            CorpusError: Systems' edits count in different tokens, or cannot be applied together.
        """
        known = self._extracted(watch) if self.scheme else {}
        for sample in self.corpus.samples:
            rewrites = tuple(self._rewrite(system, sample) for system in self.systems)
            yield (
                self._plain(sample, rewrites)
                if self.scheme is None
                else self._tokenised(sample, rewrites, known)
            )

    def notes(self) -> list[str]:
        """Return what a user must know of what took no part, a sentence each."""
        notes = [
            f"{name}: {what.format(counted(n, 'sentence'))}"
            for (name, what), n in self._aside.items()
        ]
        if self.found and self.given:
            notes.append(
                "some edits were given and others found between texts; say a scheme to find all "
                "anew, or they may differ where they mean the same"
            )
        return notes

    def _rewrite(self, system: SystemOutput, sample: Sample) -> Rewrite:
        """Return what a system made of a sentence: the first of its versions."""
        versions = system.hypotheses[sample.id]
        if len(versions) > 1:
            self._aside[system.system, "of several versions of {} the first votes"] += 1
        if versions[0].unannotatable:
            self._aside[system.system, "{} declared unannotatable: counted as unchanged"] += 1
        return versions[0]

    def _plain(self, sample: Sample, rewrites: tuple[Rewrite, ...]) -> Proposed:
        """Return edits in characters, white space included."""
        opinions = []
        for system, rewrite in zip(self.systems, rewrites, strict=True):
            if _unchanged(rewrite):
                opinions.append(Opinion(()))
                continue
            own = Sample(sample.id, sample.source, tokens=system.tokens.get(sample.id, ()))
            text = text_of(own, rewrite, "zh" if self.tokens == "zh" else None)
            found = edits_between(sample.source, text, tokens=self.tokens)
            opinions.append(Opinion(tuple(map(of_characters, found))))
        return Proposed(sample, sample.source, tuple(opinions), rewrites)

    def _tokenised(self, sample: Sample, rewrites: tuple[Rewrite, ...], known: Texts) -> Proposed:
        """Return edits of a scheme, or given ones."""
        tokens = self._tokens(sample, rewrites)
        made = []
        for system, rewrite in zip(self.systems, rewrites, strict=True):
            own = system.tokens.get(sample.id, ())
            if _unchanged(rewrite):
                made.append(Rewrite(error_free=True, edit_sets=((),)))
                continue
            if self._is_found(rewrite):
                extraction = known[sample.id, self._text(rewrite, own)]
                sets = completed(rewrite, own, extraction, self._scheme())
                self.found += 1
            else:
                _check(sample, system, rewrite, own, tokens)
                sets = rewrite.edit_sets
                self.given += any(sets)
            if any(edit.replacement is None for edit in sets[0]):
                self._aside[system.system, "{} with errors detected, not corrected: no votes"] += 1
            made.append(Rewrite(edit_sets=sets))
        opinions = tuple(Opinion(each.edit_sets[0]) for each in made)
        states = tuple(
            own if own.unannotatable else new for own, new in zip(rewrites, made, strict=True)
        )
        return Proposed(sample, tokens, opinions, states)

    def _tokens(self, sample: Sample, rewrites: Sequence[Rewrite]) -> tuple[str, ...]:
        """Return the tokens of a sentence: the scheme's, or those of given edits."""
        if not any(map(self._is_found, rewrites)):
            for system in self.systems:
                if own := system.tokens.get(sample.id, ()):
                    return own
        return self._scheme().parse_source(sample.source).tokens

    def _is_found(self, rewrite: Rewrite) -> bool:
        """Return whether the edits of a rewrite are found here, not given."""
        return rewrite.text is not None and (self.anew or not rewrite.edit_sets)

    def _text(self, rewrite: Rewrite, tokens: tuple[str, ...]) -> str:
        """Return the text of a rewrite that has one, as the scheme sees it."""
        return target(rewrite, tokens, self._scheme()) or ""

    def _extracted(self, watch: Watch) -> Texts:
        """Return the edits of all texts that need be found, each distinct pair once."""
        wanted: dict[tuple[str, str], None] = {}
        for sample in self.corpus.samples:
            for system in self.systems:
                rewrite = system.hypotheses[sample.id][0]
                if self._is_found(rewrite):
                    text = self._text(rewrite, system.tokens.get(sample.id, ()))
                    wanted[sample.id, text] = None
        if not wanted:
            return {}
        scheme = self._scheme()
        if scheme.batch:
            sources = {sample.id: sample.source for sample in self.corpus.samples}
            pairs = [(sources[name], text) for name, text in wanted]
            return dict(zip(wanted, scheme.batch(pairs), strict=True))
        by_sample: dict[str, list[str]] = {}
        for name, text in wanted:
            by_sample.setdefault(name, []).append(text)
        made: Texts = {}
        for sample in watch(self.corpus.samples):
            source = scheme.parse_source(sample.source)
            for text in by_sample.get(sample.id, ()):
                made[sample.id, text] = scheme.extract(source, scheme.parse_target(text))
        return made

    def _scheme(self) -> Scheme:
        if self.scheme is None:
            raise CorpusError(f"{self.corpus.name}: no scheme of edits is there to be asked")
        return self.scheme()


def of_characters(edit: TextEdit) -> Edit:
    """Return an edit of a text as one whose tokens are characters."""
    return Edit(edit.start, edit.end, tuple(edit.replacement), edit.label)


def words_in(characters: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return the words in some characters of a text; `kind` is a name of `text.tokens`."""
    return tuple(token_texts("".join(characters), kind))


def _unchanged(rewrite: Rewrite) -> bool:
    return rewrite.error_free or rewrite.unannotatable


def _check(
    sample: Sample,
    system: SystemOutput,
    rewrite: Rewrite,
    own: tuple[str, ...],
    tokens: tuple[str, ...],
) -> None:
    """Refuse given edits that count in other tokens, or cannot be applied together."""
    where = f"{system.system}: sentence {sample.id!r}"
    if own != tokens:
        raise CorpusError(
            f"{where}: its edits count in {len(own)} tokens, those of other systems in "
            f"{len(tokens)} others; give all outputs as texts, or say a scheme to find all anew"
        )
    try:
        check(rewrite.edit_sets[0], len(own))
    except EditError as error:
        raise CorpusError(f"{where}: {error}; give the output as a text") from error
