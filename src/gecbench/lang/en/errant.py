"""The scheme en-errant: exactly ERRANT's edits, given the same spaCy pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from gecbench.core.edit import Edit, Sentence, TokenAttributes, check
from gecbench.core.errors import Message, MissingExtraError, ResourceError, UsageError
from gecbench.core.files import read_bytes
from gecbench.core.sample import EditSet
from gecbench.core.scheme import Extraction, Reader, Scheme, SchemeContext, Watch
from gecbench.lang.en import PIPELINE
from gecbench.lang.en.alignment import Span, Strategy, merge, steps
from gecbench.lang.en.classify import UNKNOWN, Classifier

# Annotators' edits with ERRANT's types, as `errant_m2 -gold` writes them (ERRANT 3.0.2,
# commands/m2_to_m2.py and edit.py).


def correct(edits: Sequence[Edit], source: Tokens) -> tuple[Tokens, tuple[tuple[Edit, Span], ...]]:
    """Apply edits to a source; the corrected tokens, and each edit with the spans it joins.

    The edits come back sorted by place; of several insertions at one place the first listed is
    the first. One that only detects joins its span with the same tokens of the target.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another; ERRANT applies
            such edits one after the other.
    """
    check(edits, len(source))
    tokens: list[str] = []
    edit_spans: list[tuple[Edit, Span]] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        tokens += source[at : edit.start]
        start = len(tokens)
        tokens += source[edit.start : edit.end] if edit.replacement is None else edit.replacement
        edit_spans.append((edit, (edit.start, edit.end, start, len(tokens))))
        at = edit.end
    return (*tokens, *source[at:]), tuple(edit_spans)


def keep(
    edit_spans: Sequence[tuple[Edit, Span]],
    source: Sentence,
    target: Sentence,
    classifier: Types,
    *,
    minimise: bool = True,
    relabel: bool = True,
) -> tuple[Edit, ...] | None:
    """The edits that `correct` joined, as `errant_m2 -gold` writes them.

    What an edit only detects is not minimised. An edit that changes nothing becomes one that
    only detects, if it is relabelled.

    Args:
        edit_spans: Edits with their spans in source and target.
        source: What the learner wrote.
        target: What the edits make of it.
        classifier: Gives the types.
        minimise: Strip tokens that are the same on both sides, and in all alternatives, from the
            beginning and then from the end.
        relabel: Give ERRANT's types in place of the annotator's.

    Returns:
        None where a type depends on dependencies and a sentence has none (`Classifier.label`).
    """
    results: list[Edit] = []
    for edit, span in edit_spans:
        if edit.replacement is None:
            results.append(replace(edit, label=UNKNOWN) if relabel else edit)
            continue
        edit, span = _minimise(edit, span, source.tokens) if minimise else (edit, span)
        label = classifier.label(source, target, span) if relabel else edit.label
        if relabel and label is None:
            return None
        edit = replace(edit, label=label)
        results.append(_detection(edit, source.tokens) if label == UNKNOWN and relabel else edit)
    return tuple(results)


def _detection(edit: Edit, source: Tokens) -> Edit:
    """An edit that changes nothing as one that only detects."""
    texts = (edit.replacement or (), *edit.alternatives)
    proposals = () if texts == (source[edit.start : edit.end],) else texts
    return Edit(edit.start, edit.end, None, UNKNOWN, proposals)


def _minimise(edit: Edit, span: Span, source: Tokens) -> tuple[Edit, Span]:
    """An edit and its spans without what is the same at both ends."""
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


Tokens = tuple[str, ...]
Spans = tuple[tuple[int, int, int, int], ...]

_AT_ONCE = 8192
"""Pairs whose documents are in memory at one time."""

_NOTHING = Extraction(((),))


class Types(Protocol):
    """What finds the types of edits."""

    def label(self, source: Sentence, target: Sentence, span: Span) -> str | None:
        """The type of an edit; None where it depends on dependencies not yet known."""
        ...


def parse(text: str) -> Sentence:
    """Divide a text at white space, as ERRANT does.

    >>> parse("It 's fine .").tokens
    ('It', "'s", 'fine', '.')
    """
    return Sentence(text, tuple(text.split()))


_OWN_PIPELINE = Message(
    "edits were found with gecbench's own small spaCy pipeline; published ERRANT figures were made "
    "with en_core_web_sm (python -m spacy download en_core_web_sm, then "
    "--spacy-model en_core_web_sm)"
)


def scheme(
    context: SchemeContext,
    *,
    spacy_model: str | Path | None = None,
    merging: Strategy = "rules",
    levenshtein: bool = False,
    parse_cache: Path | None = None,
) -> Scheme:
    """The scheme.

    Without types, edits have no label, no sentence is parsed for dependencies, and the word list
    is not read; spans and corrections are the same.

    Args:
        context: Loads the pipeline: parts of speech, lemmas and, where a type depends on them,
            dependencies.
        spacy_model: The pipeline, by name or folder; None is gecbench's own.
        merging: How steps of the alignment become edits; ERRANT's -merge.
        levenshtein: Align by plain edit distance; ERRANT's -lev.
        parse_cache: Folder to keep in what the pipeline said of sentences.
    """
    classifier = None
    if context.types:
        words = load_resources()
        classifier = Classifier(words.dictionary, words.stem)
    return scheme_of(
        "en-errant",
        "en",
        classifier,
        {"dictionary": dictionary_digest()[:8]},
        reader=context.reader(spacy_model or PIPELINE, parse_cache),
        merging=merging,
        levenshtein=levenshtein,
        watch=context.watch,
        notes=() if spacy_model else (_OWN_PIPELINE,),
    )


def scheme_of(
    name: str,
    lang: str,
    classifier: Types | None,
    resources: Mapping[str, str],
    *,
    reader: Reader,
    merging: Strategy,
    levenshtein: bool,
    watch: Watch,
    notes: tuple[str, ...],
) -> Scheme:
    """A scheme that aligns and merges as ERRANT; see `scheme` for the other arguments.

    Args:
        name: Of the scheme.
        lang: Language code.
        classifier: Finds the types; None gives edits no label.
        resources: What the signature says of them.
    """
    errant = _Errant(reader, classifier, merging, levenshtein, watch)
    signature = {
        "scheme": name,
        "granularity": "word",
        "merging": merging,
        "spacy-model": reader.version,
        **resources,
    }
    if levenshtein:
        signature["alignment"] = "levenshtein"

    def extract(source: Sentence, target: Sentence) -> Extraction:
        return errant.batch([(source.text, target.text)])[0]

    return Scheme(
        name=name,
        lang=lang,
        parse_source=parse,
        parse_target=parse,
        extract=extract,
        join=" ".join,
        signature=signature,
        defaults={"merging": "rules", "alignment": ""},
        batch=errant.batch,
        has_type=_has_type,
        keep_spans=errant.keep,
        notes=notes,
        pipeline=reader.name,
        pipeline_lang=reader.lang,
    )


@dataclass(slots=True)
class _Errant:
    """Finds edits; each distinct sentence is read once."""

    reader: Reader
    classifier: Types | None
    merging: Strategy
    levenshtein: bool
    watch: Watch
    _sentences: dict[Tokens, Sentence] = field(default_factory=dict)

    def batch(self, pairs: Sequence[tuple[str, str]]) -> list[Extraction]:
        """The edits of pairs of source and target text."""
        extractions: list[Extraction] = []
        for first in range(0, len(pairs), _AT_ONCE):
            batch = [
                (tuple(source.split()), tuple(target.split()))
                for source, target in pairs[first : first + _AT_ONCE]
            ]
            extractions += self._extract(batch)
            self.reader.forget()
        return extractions

    def keep(
        self,
        annotations: Sequence[tuple[EditSet, Tokens]],
        *,
        minimise: bool,
        relabel: bool,
    ) -> list[EditSet]:
        """Annotators' edits with ERRANT's types, as `errant_m2 -gold` writes them.

        Raises:
            UsageError: The scheme was made without types.
        """
        classifier = self.classifier
        if classifier is None:
            raise UsageError("given edits are kept by a scheme with types; make it with types=True")
        corrections = [correct(edits, tokens) for edits, tokens in annotations]
        sides = [
            (source, target)
            for (_, source), (target, _) in zip(annotations, corrections, strict=True)
        ]
        if relabel:
            self._tag([tokens for pair in sides for tokens in pair])

        def keep_set(at: int) -> EditSet | None:
            source, target = (self._sentences.get(t, Sentence("", t)) for t in sides[at])
            return keep(
                corrections[at][1], source, target, classifier, minimise=minimise, relabel=relabel
            )

        edit_sets = [keep_set(at) for at in range(len(sides))]
        unparsed = [at for at, edits in enumerate(edit_sets) if edits is None]
        self._parse([tokens for at in unparsed for tokens in sides[at]])
        for at in unparsed:
            edit_sets[at] = keep_set(at)
        self.reader.forget()
        return [edits for edits in edit_sets if edits is not None]

    def _extract(self, pairs: Sequence[tuple[Tokens, Tokens]]) -> list[Extraction]:
        different = [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
        self._tag([tokens for pair in different for tokens in pair])
        spans = {pair: self._spans(*pair) for pair in different}
        labels: dict[tuple[Tokens, Tokens], list[str | None]] = {}
        if self.classifier:
            labels = {pair: self._labels(*pair, spans[pair]) for pair in different}
            unparsed = [pair for pair, types in labels.items() if None in types]
            self._parse(
                [
                    side
                    for pair in unparsed
                    for side in _unparsed_sides(pair, spans[pair], labels[pair])
                ]
            )
            labels |= {pair: self._labels(*pair, spans[pair]) for pair in unparsed}
        extractions = {
            pair: Extraction((_edits(pair[1], spans[pair], labels.get(pair)),))
            for pair in different
        }
        return [extractions.get(pair, _NOTHING) for pair in pairs]

    def _tag(self, sentences: Iterable[Tokens]) -> None:
        """Have sentences that are not known tagged."""
        new = [tokens for tokens in dict.fromkeys(sentences) if tokens not in self._sentences]
        texts = [tokens for tokens in new if tokens]
        results = self.reader.words(texts, parsed=False, again=self.classifier is not None)
        for tokens, words in zip(self.watch("tagging", texts), results, strict=True):
            self._sentences[tokens] = Sentence(" ".join(tokens), tokens, words=words)
        if len(texts) < len(new):
            self._sentences[()] = Sentence("", (), words=TokenAttributes((), (), ()))

    def _parse(self, sentences: Iterable[Tokens]) -> None:
        """Have the dependencies of known sentences found."""
        new = [tokens for tokens in dict.fromkeys(sentences) if not self._is_parsed(tokens)]
        results = self.reader.words(new, parsed=True)
        for tokens, words in zip(self.watch("parsing", new), results, strict=True):
            self._sentences[tokens] = replace(self._sentences[tokens], words=words)

    def _is_parsed(self, tokens: Tokens) -> bool:
        words = self._sentences[tokens].words
        return not tokens or (words is not None and bool(words.heads))

    def _spans(self, source: Tokens, target: Tokens) -> Spans:
        source_sentence, target_sentence = self._sentences[source], self._sentences[target]
        path = steps(source_sentence, target_sentence, levenshtein=self.levenshtein)
        return tuple(merge(path, source_sentence, target_sentence, self.merging))

    def _labels(self, source: Tokens, target: Tokens, spans: Spans) -> list[str | None]:
        source_sentence, target_sentence = self._sentences[source], self._sentences[target]
        classifier = cast("Types", self.classifier)
        return [classifier.label(source_sentence, target_sentence, span) for span in spans]


def _unparsed_sides(
    pair: tuple[Tokens, Tokens], spans: Spans, labels: Sequence[str | None]
) -> Iterator[Tokens]:
    """Yield the sides whose dependencies a type depends on that is still open."""
    for (start, end, target_start, target_end), label in zip(spans, labels, strict=True):
        if label is None and start < end:
            yield pair[0]
        if label is None and target_start < target_end:
            yield pair[1]


def _has_type(label: str) -> bool:
    return label == UNKNOWN or label[:2] in ("M:", "U:", "R:")


def _edits(target: Tokens, spans: Spans, labels: Sequence[str | None] | None) -> tuple[Edit, ...]:
    types = labels or [None] * len(spans)
    return tuple(
        Edit(start, end, target[target_start:target_end], label)
        for (start, end, target_start, target_end), label in zip(spans, types, strict=True)
    )


# What ERRANT's types of English read: a word list and a stemmer, from the installed errant.


_WORDS = "en/resources/en_GB-large.txt"
_STEMMER = "en/lancaster.py"


class Resources(NamedTuple):
    """The resources of one installed version of ERRANT.

    Args:
        dictionary: British words in the case in which they are listed (170,565 in 3.0.2).
        stem: The Lancaster stem of a word; it lower-cases first.
    """

    dictionary: frozenset[str]
    stem: Callable[[str], str]


@cache
def dictionary_digest() -> str:
    """The SHA-256 of the installed word list, which a signature needs without the words.

    Raises:
        MissingExtraError: errant is not installed.
        ResourceError: The installed errant has other files than 3.0.2.
    """
    return hashlib.sha256(read_bytes(_folder() / _WORDS)).hexdigest()


@cache
def load_resources() -> Resources:
    """Load the resources of the installed errant, read once in a process.

    Neither errant nor spaCy is imported, which would take a second: the word list is a file of
    the package, and its copy of NLTK's Lancaster stemmer a module that needs nothing else and
    loads in half a millisecond.

    Raises:
        MissingExtraError: errant is not installed.
        ResourceError: The installed errant has other files than 3.0.2.
    """
    folder = _folder()
    words = read_bytes(folder / _WORDS).decode("utf-8").split()
    return Resources(frozenset(words), cache(_stemmer(folder / _STEMMER)))


def _folder() -> Path:
    spec = find_spec("errant")
    if spec is None or spec.origin is None:
        raise MissingExtraError(
            Message("errant, whose word list en-errant finds misspellings by,"), "en"
        )
    folder = Path(spec.origin).parent
    for name in (_WORDS, _STEMMER):
        if not (folder / name).is_file():
            raise ResourceError("no such file; install errant 3.0.2", at=folder / name)
    return folder


def _stemmer(path: Path) -> Callable[[str], str]:
    spec = spec_from_file_location("_errant_lancaster", path)
    if spec is None or spec.loader is None:
        raise ResourceError("not a Python module; install errant 3.0.2", at=path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    stem: Callable[[str], str] = module.LancasterStemmer().stem
    return stem
