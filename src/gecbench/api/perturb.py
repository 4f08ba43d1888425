"""Synthetic perturbations of what surrounds errors; to train with, never to evaluate on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from gecbench import __version__
from gecbench.api.files import fingerprint_of
from gecbench.api.options import PerturbOptions
from gecbench.api.schemes import corpus_language
from gecbench.core.errors import (
    CorpusError,
    GecbenchError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
)
from gecbench.core.files import check_folder, encoded, make_folder, write_files
from gecbench.core.language import Language
from gecbench.core.perturbed import SYNTHETIC, PerturbedSet
from gecbench.core.registry import resolve
from gecbench.core.sample import NOT_KEPT, Corpus
from gecbench.core.scheme import Watch, unwatched
from gecbench.datasets.divide import PARTS, Division
from gecbench.datasets.divide import divide as divide_run
from gecbench.datasets.perturb.context import (
    Divide,
    Pair,
    Pairs,
    Words,
    by_cutting,
    by_tokens,
    digest,
    kind_of,
    pairs_of_cases,
    pairs_of_corpus,
)
from gecbench.datasets.perturb.fillers import Filler, count_words, read_vocabulary, vocabulary_of
from gecbench.datasets.perturb.variants import (
    FILL,
    INSERT,
    RANDOM,
    SUBSTITUTE,
    Plan,
    Report,
    words_of,
)
from gecbench.datasets.perturb.variants import perturb as run
from gecbench.formats.perturbed import read_perturbed, write_perturbed
from gecbench.text.tokens import TOKEN_KINDS, token_kind

FREQUENCY, MASK = "frequency", "mask"

_TOP = 20
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Perturbed:
    """Perturbed cases, and how they came to be.

    Args:
        cases: With provenance that says they are synthetic.
        report: What was made, rejected and left out.
    """

    cases: PerturbedSet
    report: Report


def perturb(
    corpus: Corpus | PerturbedSet,
    *,
    options: PerturbOptions | None = None,
    source: str | None = None,
    watch: Watch = unwatched,
) -> Perturbed:
    """Return variants of sentences whose context is changed and whose errors are not.

    Args:
        corpus: With references; or perturbed cases, whose originals are perturbed again.
        options: How.
        source: Says in the provenance where the corpus comes from; None is a hash of its sentences.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: An option is wrong, something is missing, or no sentence can be perturbed.
    """
    options = options or PerturbOptions()
    plan = _plan(options)
    language, gathered = _gathered(corpus, each=options.each_reference)
    texts = [pair.target for pair in gathered.pairs]
    kind = options.tokens or kind_of(language, texts)
    filler, words, how = _filler(gathered.pairs, kind, language, options, watch, corpus.name)
    made, report = run(gathered.pairs, words, kind=kind, filler=filler, plan=plan, watch=watch)
    report = replace(
        report,
        sentences=report.sentences + sum(map(len, gathered.left_out.values())),
        left_out={**gathered.left_out, **report.left_out},
    )
    provenance = {
        **{name: text for name, text in corpus.provenance.items() if name != NOT_KEPT},
        **_provenance(plan, filler.name, kind, how, source or f"sha256 {digest(gathered.pairs)}"),
        "references": "each" if options.each_reference else "first",
    }
    cases = PerturbedSet(f"{corpus.name}-{SYNTHETIC}", made, language.code, provenance)
    return Perturbed(cases, report)


def _plan(options: PerturbOptions) -> Plan:
    """Return the plan.

    Raises:
        UsageError: An option is wrong, or would be ignored.
    """
    plan = Plan(
        variants=options.variants,
        operations=tuple(filter(None, options.operations)),
        insertion=options.insertion,
        seed=options.seed,
    )
    _check(options)
    if plan.insertion == FILL and not options.model:
        raise UsageError("insertion by filling needs a masked language model: filler mask:NAME")
    if plan.insertion == FILL and INSERT not in plan.operations:
        raise UsageError("insertion by filling is asked for, but insert is none of the operations")
    if options.model and plan.insertion == RANDOM and SUBSTITUTE not in plan.operations:
        raise UsageError(
            "a masked language model is asked for, but nothing is filled: allow substitute, or "
            "insertion by filling"
        )
    return plan


def _check(options: PerturbOptions) -> None:
    """Refuse fillers that are unknown, and options of another filler."""
    kind, colon, name = options.filler.partition(":")
    if kind not in (FREQUENCY, MASK) or (kind == FREQUENCY and colon):
        raise UnknownNameError("filler", options.filler, (FREQUENCY, f"{MASK}:NAME"))
    if kind == MASK and not name:
        raise UsageError("filler mask needs a masked language model by name or folder: mask:NAME")
    others: Mapping[str, Mapping[str, object]] = {
        MASK: {"words": options.words, "pos": options.pos, "spacy-model": options.spacy_model},
        FREQUENCY: {"top": options.top, "device": options.device or None, "batch": options.batch},
    }
    for option, value in others[kind].items():
        if value is not None:
            raise UsageError(f"filler {kind} has no use for {option}; leave it out")
    if options.pos is False and options.spacy_model is not None:
        raise UsageError("spacy-model knows parts of speech, which --no-pos does without; say one")
    for option, number in (("top", options.top), ("batch", options.batch)):
        if number is not None and number < 1:
            raise UsageError(f"{option} is {number}; give 1 or more")
    if options.tokens is not None and options.tokens not in TOKEN_KINDS:
        raise UnknownNameError("kind of token", options.tokens, TOKEN_KINDS)


def _gathered(given: Corpus | PerturbedSet, *, each: bool) -> tuple[Language, Pairs]:
    """Return the language, and the pairs.

    Raises:
        CorpusError: There is no pair.
    """
    if isinstance(given, PerturbedSet):
        return corpus_language(given.corpus()), pairs_of_cases(given)
    language = corpus_language(given)
    gathered = pairs_of_corpus(given, language.code, each=each)
    if not gathered.pairs:
        why = ", ".join(f"{len(ids):,} {reason}" for reason, ids in gathered.left_out.items())
        raise CorpusError(
            f"{given.name}: no sentence has a reference to perturb it with ({why or 'none at all'})"
            "; give references (for text files: --reference FILE)"
        )
    return language, gathered


def _filler(
    pairs: Sequence[Pair],
    kind: str,
    language: Language,
    options: PerturbOptions,
    watch: Watch,
    name: str,
) -> tuple[Filler, list[Words], str]:
    """Return what fills places, the words of all pairs, and what divides them."""
    if options.model:
        # It is loaded before the words are found, for it may be missing.
        filler = _masked(options, kind)
        divide, how = _divide(kind, language, options, pos=False)
        return filler, words_of(pairs, divide, watch), how
    pos = options.pos is not False
    divide, how = _divide(kind, language, options, pos=pos)
    if options.words is not None:
        vocabulary = read_vocabulary(Path(options.words), divide, tagged=pos)
        return vocabulary, words_of(pairs, divide, watch), how
    words = words_of(pairs, divide, watch)
    return vocabulary_of(count_words(words), name), words, how


def _masked(options: PerturbOptions, kind: str) -> Filler:
    from gecbench.backends.transformers import MaskedModel
    from gecbench.datasets.perturb.fillers import Masked

    by_character = not token_kind(kind).joiner
    model = MaskedModel(
        options.model, chinese=by_character, device=options.device, batch=options.batch or _BATCH
    )
    name = Path(options.model).resolve().name if Path(options.model).is_dir() else options.model
    return Masked(model, name, options.top or _TOP, by_character)


def _divide(
    kind: str, language: Language, options: PerturbOptions, *, pos: bool
) -> tuple[Divide, str]:
    """Return what divides texts into words, and its name."""
    if not token_kind(kind).joiner and (language.segmenter or options.tokens):
        return _cutting(kind, options, pos=pos)
    if not pos:
        return by_tokens(kind, None), "tokens"
    model = options.spacy_model or language.pipeline
    if model is None:
        raise UsageError(
            f"gecbench has no pipeline that knows parts of speech in language {language.code!r} "
            "with blanks between words; name one by --spacy-model, or say --no-pos"
        )
    if find_spec("spacy") is None:
        raise MissingExtraError("spaCy, which knows parts of speech (--no-pos does without),", "en")
    from gecbench.backends.spacy import Pipeline, describe

    pipeline = Pipeline(describe(model))

    def tag(sentences: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        return (words.tags for words in pipeline.words(sentences, parsed=False))

    return by_tokens(kind, tag), f"tokens, parts of speech by {pipeline.version}"


def _cutting(kind: str, options: PerturbOptions, *, pos: bool) -> tuple[Divide, str]:
    if options.spacy_model is not None:
        raise UsageError("spacy-model is for words between blanks; Chinese texts take jieba's")
    if pos:
        from gecbench.backends.chinese import JiebaTagger

        tagger = JiebaTagger()
        return by_cutting(kind, tagger.cut), tagger.name
    from gecbench.backends import SEGMENTERS

    make = cast("Callable[[str], tuple[str, _Cut]]", resolve("segmenter", "jieba", SEGMENTERS))
    name, cut = make("")
    return by_cutting(kind, lambda text: [(word, "") for word in cut(text)]), name


_Cut = Callable[[str], tuple[str, ...]]


def _provenance(plan: Plan, filler: str, kind: str, how: str, source: str) -> Mapping[str, str]:
    return {
        SYNTHETIC: "perturbed by gecbench: for training alone, never for evaluation",
        "input": source,
        "seed": str(plan.seed),
        "variants": str(plan.variants),
        "operations": ",".join(plan.operations),
        "insertion": plan.insertion,
        "filler": filler,
        "tokens": kind,
        "words": how,
        "gecbench": __version__,
    }


# Perturbed cases divided into files for training, dev and test.


TEST, DEV, SEED = 2500, 500, 1


def divide(
    cases: PerturbedSet | Path | str,
    folder: Path | str,
    *,
    test: int = TEST,
    dev: int = DEV,
    seed: int = SEED,
    overwrite: bool = False,
) -> Division:
    """Write train.jsonl, dev.jsonl and test.jsonl, all of them or none, and return the parts.

    Args:
        cases: Perturbed cases, or where they lie.
        folder: Made if need be; a part without cases has no file.
        test: How many cases are for the test.
        dev: How many to stop training by; all others are to train on.
        seed: Chooses them.
        overwrite: Whether these files may take the place of those of an earlier division.

    Raises:
        GecbenchError: There are too few cases, something cannot be read or written, the folder
            holds an earlier division, or one of its files would stay.
    """
    folder = Path(folder)
    check_folder(folder)
    files = {name: folder / f"{name}.jsonl" for name in PARTS}
    if isinstance(cases, PerturbedSet):
        source = cases.name
    else:
        path = Path(cases)
        if path.resolve() in [part.resolve() for part in files.values()]:
            raise UsageError(f"{path}: a part would take its place; name another folder")
        source, cases = fingerprint_of(path), read_perturbed(path)
    earlier = [path for path in files.values() if path.exists()]
    if earlier and not overwrite:
        raise GecbenchError(f"{earlier[0]}: is there already; name another folder, or --overwrite")
    told = {"division input": source, "division gecbench": __version__}
    divided = divide_run(cases, test=test, dev=dev, seed=seed, provenance=told)
    stale = [path for name, path in files.items() if name not in divided.parts and path.exists()]
    if stale:
        raise GecbenchError(f"{stale[0]}: is of another division and would stay; remove it")
    made = {files[name]: write_perturbed(part) for name, part in divided.parts.items()}
    content = {path: encoded(path, text) for path, text in made.items()}
    make_folder(folder)
    write_files(content)
    return divided
