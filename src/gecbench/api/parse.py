"""Dependency trees of texts, and of sentences with errors by way of their corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.api.options import AnyScheme, quiet
from gecbench.api.schemes import scheme_for
from gecbench.backends.spacy import Pipeline, describe
from gecbench.backends.transformers import need_torch
from gecbench.core.edit import TokenAttributes
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import encode_text, path_of, write_stream
from gecbench.core.options import check_least
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme, Watch, no_progress
from gecbench.formats.reading import Sources
from gecbench.formats.texts import text_of
from gecbench.lang import LANGUAGES, check_language, language_of, language_warning
from gecbench.models import CARD, MODEL
from gecbench.models.syntax.trees import (
    ERROR_LABELS,
    Tree,
    conllu_lines,
    project,
    read_conllu,
    split_words,
)
from gecbench.text.tokens import guess_kind, token_texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPACY, CONLLU = "spacy:", (".conllu", ".conllu.gz")
_CHUNK = 1000
_PLACEHOLDER = "[缺失成分]"
"""What annotators of Chinese write for words that they cannot know."""

Parsed = tuple[Tree, "NDArray[np.float32] | None"]
"""A tree, and the probabilities of heads where the parser has them: a row for each word, column 0
the root's."""


@dataclass(frozen=True, slots=True)
class TreeSource:
    """Where trees come from.

    Args:
        name: What it is, as "pipeline en_core_web_sm", for messages.
        languages: Codes of the languages that it is for; without any it takes all.
        tokens: What words are in its texts, a name of `text.tokens`.
        parse: Sentences to trees; None where there is none.
        has_heads: Whether it gives distributions of heads.
    """

    name: str
    languages: tuple[str, ...]
    tokens: str
    parse: Callable[[Sequence[tuple[str, ...]]], list[Parsed | None]]
    has_heads: bool = False


def open_trees(spec: str) -> TreeSource:
    """Open a parser, a pipeline, or a file of trees.

    Args:
        spec: The folder of a parser that gecbench trained; "spacy:" and the name or folder of a
            pipeline, or the code of a language that gecbench brings one for; or a CoNLL-U file,
            whose sentences are found by their text.

    Raises:
        UsageError: There is no such pipeline.
        GecbenchError: There is no such parser, or it cannot be read.
    """
    if spec.startswith(SPACY):
        name: str | Path = spec.removeprefix(SPACY)
        if name in LANGUAGES and (ours := language_of(str(name)).pipeline):
            name = ours
        return _pipeline_trees(Pipeline(describe(name)))
    if spec.endswith(CONLLU):
        return _trees_of_file(path_of(spec))
    need_torch()
    from gecbench.models.syntax.parser import read_parser

    folder = path_of(spec)
    inside = folder / MODEL
    if not (folder / CARD).is_file() and (inside / CARD).is_file():
        folder = inside
    parser = read_parser(folder)
    return TreeSource(
        f"parser {parser.shape.name}",
        tuple(parser.card.languages),
        parser.card.tokens,
        lambda sentences: list(parser.parse(sentences)),
        has_heads=True,
    )


def _pipeline_trees(pipeline: Pipeline) -> TreeSource:
    def parse(sentences: Sequence[tuple[str, ...]]) -> list[Parsed | None]:
        attributes = pipeline.words([words for words in sentences if words], parsed=True)
        return [_tree_of(words, next(attributes)) if words else None for words in sentences]

    languages, tokens = (pipeline.lang,), language_of(pipeline.lang).tokens
    return TreeSource(f"pipeline {pipeline.name}", languages, tokens, parse)


def _tree_of(words: tuple[str, ...], attributes: TokenAttributes) -> Parsed:
    """The tree that a pipeline found; at a root it has the word itself as head."""
    heads = (0 if head == place else head + 1 for place, head in enumerate(attributes.heads))
    return Tree(words, tuple(heads), attributes.deps), None


def _trees_of_file(path: Path) -> TreeSource:
    trees = {"".join(tree.words): tree for tree in read_conllu(path)}

    def parse(sentences: Sequence[tuple[str, ...]]) -> list[Parsed | None]:
        pairs = ((words, trees.get("".join(words))) for words in sentences)
        tokenised = [split_words(tree, words) if tree else None for words, tree in pairs]
        return [(tree, None) if tree else None for tree in tokenised]

    return TreeSource(f"file {path}", (), "", parse)


def parse_file(
    trees: TreeSource,
    source: Sources,
    output: Path,
    *,
    lang: str | None = None,
    heads: int | None = None,
    say: Callable[[str], None] = quiet,
) -> dict[str, int]:
    """Write the trees of the sentences in a file as CoNLL-U.

    Args:
        trees: What parses.
        source: The sentences; of a corpus its sources.
        output: The file; "-" is standard output.
        lang: Code of the language of the texts, which says what words are where the trees do not;
            None takes what the file says, else what the texts show.
        heads: Write so many of the likeliest heads of each word, with their probabilities, into
            the last column, as Heads=2:0.91|5:0.06; 0 writes all of them, exactly.
        say: Told what a user should know of the texts.

    Returns:
        What was parsed and left out, counted, in words a user understands.

    Raises:
        UsageError: Heads are asked for that only a parser of gecbench gives; or the texts are in
            a language that the parser is not for.
    """
    if heads is not None and not trees.has_heads:
        raise UsageError(
            "only a parser that gecbench trained gives probabilities of heads; leave --heads out "
            "(in Python: heads=), or name its folder"
        )
    if heads is not None:
        check_least("heads", heads, 0)
    texts = iter(source.texts)
    first = list(islice(texts, _CHUNK))
    _check_texts(trees, first, lang or source.lang, source.path.name, say)
    counts = Counter[str]()

    def pieces() -> Iterator[bytes]:
        ids = (sample.id for sample in source.corpus.samples) if source.corpus else None
        rows = zip(
            ids or map(str, numbers(1)), chain(first, texts), strict=False
        )  # numbers never end
        while chunk := list(islice(rows, _CHUNK)):
            tokens = [_words(trees, text, lang) for _, text in chunk]
            for (id_, text), parsed in zip(chunk, trees.parse(tokens), strict=True):
                if parsed is None:
                    counts["left out: no tree"] += 1
                    continue
                counts["trees"] += 1
                misc = () if heads is None else _head_columns(parsed[1], heads)
                lines = conllu_lines(parsed[0], {"sent_id": id_, "text": text}, misc)
                yield encode_text(output, lines)

    write_stream(output, pieces())
    return dict(counts)


def _check_texts(
    trees: TreeSource, texts: Sequence[str], lang: str | None, name: str, say: Callable[[str], None]
) -> None:
    """Refuse texts for their language, or say what to know before they are parsed."""
    note = check_language(trees.name, trees.languages, lang, texts)
    if note := note or language_warning(lang, texts, name):
        say(f"note: {note}")


def _words(trees: TreeSource, text: str, lang: str | None) -> tuple[str, ...]:
    kind = trees.tokens or (language_of(lang).tokens if lang else guess_kind(text))
    return tuple(token_texts(text, kind))


def _head_columns(probabilities: NDArray[np.float32] | None, number: int) -> list[str]:
    """The likeliest heads of each word, likeliest first, and their probabilities."""
    columns = []
    for row in () if probabilities is None else probabilities.tolist():
        best = sorted(range(len(row)), key=lambda head: -row[head])[: number or None]
        form = "{}:{:.4f}" if number else "{}:{!r}"
        columns.append("Heads=" + "|".join(form.format(head, row[head]) for head in best))
    return columns


def project_trees(
    trees: TreeSource,
    corpus: Corpus,
    output: Path,
    *,
    scheme: AnyScheme = None,
    repair: bool = False,
    say: Callable[[str], None] = quiet,
    watch: Watch = no_progress,
) -> dict[str, int]:
    """Write the trees of a corpus's sources as CoNLL-U, projected from those of its references.

    Args:
        trees: What parses the references, which have no errors.
        corpus: With references; each is a pair with its source.
        output: The file; "-" is standard output.
        scheme: What finds the edits from a reference to its source.
        repair: Repair trees with several roots, or without place for a word, in place of leaving
            them out.
        say: Told what a user should know of the texts.
        watch: Wraps the loop over pairs, to show progress.

    Returns:
        What was projected and left out, counted, in words a user understands.

    Raises:
        CorpusError: There is no reference.
        UsageError: The texts are in a language that the parser is not for.
    """
    sources = [sample.source for sample in corpus.samples]
    _check_texts(trees, sources, corpus.lang, corpus.name, say)
    loaded = scheme_for(corpus, scheme)
    pairs = [
        (text_of(sample, reference, corpus.lang or loaded.lang), sample.source)
        for sample in corpus.samples
        for reference in sample.references
        if not reference.unannotatable
    ]
    if not pairs:
        raise CorpusError("the corpus has no references, whose trees could be projected")
    counts = Counter[str]({"pairs": len(pairs)})

    def pieces() -> Iterator[bytes]:
        for start in watch("projecting", range(0, len(pairs), _CHUNK)):
            chunk = pairs[start : start + _CHUNK]
            for tree, source in _project(trees, loaded, chunk, counts, repair=repair):
                counts["trees"] += 1
                counts.update(f"words {n}" for n in tree.labels if n in ERROR_LABELS)
                yield encode_text(output, conllu_lines(tree, {"text": source}))

    write_stream(output, pieces())
    return dict(counts)


def _project(
    trees: TreeSource,
    scheme: Scheme,
    pairs: Sequence[tuple[str, str]],
    counts: Counter[str],
    *,
    repair: bool,
) -> Iterator[tuple[Tree, str]]:
    """Project the trees of some pairs, with their sources; what is left out is counted."""
    targets = [scheme.parse_source(target) for target, _ in pairs]
    sources = [scheme.parse_target(source) for _, source in pairs]
    extractions = (
        scheme.batch(pairs)
        if scheme.batch
        else [scheme.extract(*both) for both in zip(targets, sources, strict=True)]
    )
    parsed = trees.parse([sentence.tokens for sentence in targets])
    for (target, source), tree, sentence, extraction in zip(
        pairs, parsed, sources, extractions, strict=True
    ):
        fault, projected = "", None
        if _PLACEHOLDER in target:
            fault = f"the placeholder {_PLACEHOLDER}"
        elif tree is None:
            fault = "no tree of the corrected sentence"
        elif tree[0].fault and not repair:
            fault = f"the corrected sentence has {tree[0].fault}"
        else:
            projection = project(tree[0], extraction.edit_sets[0], repair=repair)
            projected, fault = projection.tree, projection.fault
            if not fault and projected.words != sentence.tokens:
                fault = "words that are not those of the sentence"
            if not fault and projection.unmarked:
                counts["places of missing words that no label shows"] += projection.unmarked
            if repair and not fault:
                counts["repaired"] += bool(project(tree[0], extraction.edit_sets[0]).fault)
        if fault or projected is None:
            counts[f"left out: {fault}"] += 1
        else:
            yield projected, source
