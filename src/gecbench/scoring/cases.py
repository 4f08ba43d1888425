"""From a corpus and systems' outputs to what metrics see of each sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import cast

from gecbench.backends import SEGMENTERS
from gecbench.core.case import Case, CaseRewrite, Part
from gecbench.core.edit import Sentence, apply
from gecbench.core.errors import (
    CorpusError,
    EditError,
    Message,
    UnknownNameError,
    UsageError,
    quote,
)
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.formats.texts import text_of
from gecbench.lang.zh.char import parse
from gecbench.scoring.extractor import CorpusEdits, Decision, Extractor, is_declared

Tokens = tuple[str, ...]


def split_at_spaces(text: str) -> Tokens:
    """The tokens of a text that white space divides."""
    return tuple(text.split())


@dataclass(frozen=True, slots=True)
class Cases:
    """The sentences of a corpus with all systems, for any number of metrics.

    Args:
        by_system: In the order of the corpus.
        edits: Where edits come from; None where no metric needed any but gold edits of the file.
        gold_edits_extracted: Whether gold edits were extracted, because a file has none.
    """

    by_system: Mapping[str, Sequence[Case]]
    edits: CorpusEdits | None = None
    gold_edits_extracted: bool = False


def decide_gold_edits(corpus: Corpus, extractor: Extractor) -> Decision | None:
    """Decide whose gold edits count where files lack some; None where they lack none."""
    part = _without_gold_edits(corpus)
    return extractor.decide(replace(corpus, samples=part)) if part else None


def make_cases(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    needs: frozenset[Part],
    extractor: Extractor,
    *,
    decision: Decision | None = None,
    segment: Callable[[str], Tokens] = split_at_spaces,
) -> Cases:
    """Make the cases of all systems.

    Args:
        corpus: The data.
        systems: With outputs for every sample.
        needs: Which parts of a case the metrics read; no other is made.
        extractor: Finds edits.
        decision: Whose edits count, decided for the corpus that these sentences are a part of
            (`Extractor.decide`); None decides it for these.
        segment: Tokens of a text, for metrics that compare it with gold edits.

    Raises:
        CorpusError: Edits cannot be used (`Extractor.extract`).
    """
    part = _without_gold_edits(corpus) if "gold_edits" in needs else ()
    edits = None
    if "edits" in needs:
        edits = extractor.extract(corpus, systems, decision)
    elif part:
        edits = extractor.extract(replace(corpus, samples=part), decision=decision)
    samples = {sample.id: sample for sample in edits.corpus.samples} if edits else {}
    scheme = edits.scheme if edits else None
    without_gold = {sample.id for sample in part}
    sentences = []
    for sample in corpus.samples:
        with_edits = samples.get(sample.id, sample)
        gold, parse = sample, None
        if scheme and sample.id in without_gold:
            gold, parse = with_edits, scheme.parse_target
        sentences.append(_Sentence(sample, with_edits, gold, needs, corpus.lang, segment, parse))
    outputs = edits.systems if edits and "edits" in needs else systems
    return Cases(
        {
            system.system: [sentence.case(system, output) for sentence in sentences]
            for system, output in zip(systems, outputs, strict=True)
        },
        edits,
        gold_edits_extracted=any(not all(map(is_declared, s.references)) for s in part),
    )


def _without_gold_edits(corpus: Corpus) -> tuple[Sample, ...]:
    """The sentences whose gold edits have to be extracted."""
    return tuple(sample for sample in corpus.samples if not _has_gold_edits(sample))


def _has_gold_edits(sample: Sample) -> bool:
    """Whether all references of a sentence have edits, or need none."""
    tokenised = bool(sample.tokens) or not sample.source.strip()
    return tokenised and all(r.edit_sets or is_declared(r) for r in sample.references)


class _Sentence:
    """One sentence, whose references are made ready once for all systems.

    Args:
        sample: As read.
        with_edits: With the edits that count.
        gold: Which of the two the gold edits are of.
        needs: Which parts of a case the metrics read.
        lang: Of the corpus.
        segment: Tokens of a text.
        parse: Tokens of a text where gold edits were extracted; None where a file has them.
    """

    def __init__(
        self,
        sample: Sample,
        with_edits: Sample,
        gold: Sample,
        needs: frozenset[Part],
        lang: str | None,
        segment: Callable[[str], Tokens],
        parse: Callable[[str], Sentence] | None,
    ) -> None:
        self.sample, self.needs, self.lang = sample, needs, lang
        self.segment, self.parse = segment, parse
        self.edit_tokens = with_edits.tokens if "edits" in needs else ()
        self.gold_tokens = gold.tokens if "gold_edits" in needs else ()
        remedy = "score such references by m2 or sent-m2, or give them as texts"
        references = zip(sample.references, with_edits.references, gold.references, strict=True)
        self.references = tuple(
            self._rewrite(
                rewrite,
                rewrite_with_edits,
                self._text(rewrite, sample.tokens, remedy) if "texts" in needs else "",
                gold_edits=gold_rewrite.edit_sets[0]
                if "gold_edits" in needs and not is_declared(rewrite)
                else (),
            )
            for rewrite, rewrite_with_edits, gold_rewrite in references
        )

    def case(self, system: SystemOutput, with_edits: SystemOutput) -> Case:
        """The sentence with a system, whose outputs are as read and with their edits."""
        name, tokens = self.sample.id, system.tokens.get(self.sample.id, ())
        hypotheses = []
        for rewrite, rewrite_with_edits in zip(
            system.hypotheses[name], with_edits.hypotheses[name], strict=True
        ):
            text = ""
            if self.needs != {"edits"}:
                text = self._text(rewrite, tokens, f"give the output of {system.system} as texts")
            result_tokens = (
                self._divide(rewrite, tokens, text) if "gold_edits" in self.needs else ()
            )
            hypotheses.append(
                self._rewrite(rewrite, rewrite_with_edits, text, tokens=result_tokens)
            )
        return Case(
            name,
            tuple(hypotheses),
            self.references,
            self.sample.source,
            self.gold_tokens,
            self.edit_tokens,
        )

    def _rewrite(
        self,
        rewrite: Rewrite,
        with_edits: Rewrite,
        text: str,
        *,
        gold_edits: EditSet = (),
        tokens: Tokens = (),
    ) -> CaseRewrite:
        sets = with_edits.edit_sets if "edits" in self.needs and not is_declared(rewrite) else ()
        return CaseRewrite(
            sets[0] if len(sets) == 1 else tuple(chain.from_iterable(sets)),
            rewrite.unannotatable,
            text,
            gold_edits,
            tokens,
            tuple(map(len, sets)) if len(sets) > 1 else (),
        )

    def _divide(self, rewrite: Rewrite, tokens: Tokens, text: str) -> Tokens:
        """A hypothesis in tokens like those that gold edits count in."""
        if is_declared(rewrite):
            return self.gold_tokens
        if self.parse is not None:
            return self.parse(text).tokens
        if rewrite.edit_sets and tokens == self.gold_tokens:
            return _apply(rewrite.edit_sets[0], tokens) or self.segment(text)
        return self.segment(text)

    def _text(self, rewrite: Rewrite, tokens: Tokens, remedy: str) -> str:
        """The text of a rewrite; that of one without corrections is the source.

        Raises:
            CorpusError: It is known only by edits that cannot be applied.
        """
        if is_declared(rewrite):
            return self.sample.source
        if rewrite.text is not None:
            return rewrite.text
        try:
            return text_of(replace(self.sample, tokens=tokens), rewrite, self.lang)
        except CorpusError as error:
            raise CorpusError(
                f"{error}, so that no text can be made of the edits; {remedy}"
            ) from error


def _apply(edits: EditSet, tokens: Tokens) -> Tokens:
    """What edits make of tokens; one that was written twice is applied once."""
    for edit_set in (edits, tuple(dict.fromkeys(edits))):
        try:
            return apply(edit_set, tokens)
        except EditError:
            continue
    return ()


# Segmenters by name, and whether texts are divided as those that they are compared with.


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A way to divide texts.

    Args:
        name: With the version of what does it; stands in signatures.
        divide: The tokens of a text.
        reads_blanks: Whether it divides texts as they stand, by their white space; others get
            texts that nothing has divided.
    """

    name: str
    divide: Callable[[str], tuple[str, ...]]
    reads_blanks: bool = False


SPACES = Segmenter("spaces", split_at_spaces, reads_blanks=True)
"""Divides texts at white space."""


def split_characters(text: str) -> Tokens:
    """The characters of a text, as the Chinese schemes of edits take it."""
    return parse(text).tokens


_CHARACTERS = Segmenter("characters", split_characters)
_BUILT_IN: Mapping[str, Segmenter] = {known.name: known for known in (SPACES, _CHARACTERS)}


def segmenter(name: str | None, corpus: Corpus) -> Segmenter:
    """The segmenter of that name; None means as the corpus is divided.

    Args:
        name: As "spaces", "characters", "jieba"; with a model after a colon where the program
            has several, as "ltp:FOLDER".
        corpus: Whose tokens show how it is divided: at white space, or else into characters.

    Raises:
        UnknownNameError: There is no such segmenter.
        MissingExtraError: Its program is not installed.
        ResourceError: Its model is not here.
    """
    if name is None:
        return _segmenter_like(corpus)
    kind, colon, model = name.partition(":")
    if kind in _BUILT_IN:
        if colon:
            raise UsageError(f"segmenter {kind} takes no model, as {model!r}; write {kind} alone")
        return _BUILT_IN[kind]
    if kind not in SEGMENTERS:
        raise UnknownNameError("segmenter", name, [*_BUILT_IN, *SEGMENTERS])
    make = resolve("segmenter", kind, SEGMENTERS)
    return Segmenter(*cast("Callable[[str], tuple[str, Callable[[str], Tokens]]]", make)(model))


def _segmenter_like(corpus: Corpus) -> Segmenter:
    samples = [sample for sample in corpus.samples if sample.tokens]
    if all(" ".join(sample.tokens) == sample.source for sample in samples):
        return SPACES
    odd = next((s for s in samples if split_characters(s.source) != s.tokens), None)
    if odd is None:
        return _CHARACTERS

    def refuse(_: str) -> Tokens:
        raise UsageError(
            f"{corpus.name}: the tokens of sample {odd.id!r} are neither what white space "
            f"divides nor characters ({quote(' '.join(odd.tokens))}), so texts cannot be "
            "divided alike; choose a segmenter, or give texts with spaces between the tokens"
        )

    # Not refused at once: where edits are given on both sides, no text is divided.
    return Segmenter("as given", refuse)


def token_shares(cases: Sequence[Case]) -> list[float]:
    """How many tokens each text of a system has for each token of its source."""
    return [
        len(version.tokens) / len(case.tokens)
        for case in cases
        for version in case.hypotheses
        if version.tokens and len(case.tokens) > 1
    ]


def segmentation_notes(shares_of: Mapping[str, Sequence[float]]) -> list[str]:
    """Notes on systems whose texts are divided otherwise than the sources.

    Args:
        shares_of: The `token_shares` of each system.
    """
    notes: list[str] = []
    for system, unsorted in shares_of.items():
        shares = sorted(unsorted)
        share = shares[len(shares) // 2] if shares else 1.0
        if share < 0.5:
            notes.append(
                Message(
                    "{system}: looks unsegmented: the median text has {share:.2f} tokens for each "
                    "of its source; choose --segmenter",
                    system=system,
                    share=share,
                )
            )
        elif share > 1.4:
            notes.append(
                Message(
                    "{system}: looks divided finer than the sources: the median text has "
                    "{share:.2f} tokens for each of its source; choose another --segmenter",
                    system=system,
                    share=share,
                )
            )
    return notes


def segmenter_notes(segmenter: Segmenter, corpus: Corpus) -> list[str]:
    """A note if the segmenter does not divide all sources into the corpus's tokens.

    One that does not read blanks is asked to divide them as texts come that nothing has divided:
    without the white space between tokens.
    """
    samples = [sample for sample in corpus.samples if sample.tokens]
    texts = (s.source if segmenter.reads_blanks else "".join(s.tokens) for s in samples)
    pairs = zip(map(segmenter.divide, texts), samples, strict=True)
    alike = sum(tokens == sample.tokens for tokens, sample in pairs)
    if alike == len(samples):
        return []
    return [
        Message(
            "segmenter {segmenter} divides {alike} of {number} sources as {corpus} does; in the "
            "others, words that a system left alone can count as edits",
            segmenter=segmenter.name,
            alike=alike,
            number=len(samples),
            corpus=corpus.name,
        )
    ]
