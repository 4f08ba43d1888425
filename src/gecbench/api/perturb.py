"""Synthetic perturbations of what surrounds errors; to train with, never to evaluate on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, cast

import gecbench
from gecbench.api.files import fingerprint_of
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
from gecbench.core.options import Option
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
    OPERATIONS,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a perturbation works with.

    Args:
        filler: "frequency", or "mask:NAME" with a masked language model by name or folder.
        words: A text, or lines of word TAB count, whose words take the place of others; None
            counts the corrected sentences themselves. Of frequency alone.
        pos: Match parts of speech; None does so for frequency.
        spacy_model: The pipeline that knows parts of speech where blanks divide words; None takes
            gecbench's own for English.
        top: How many words a masked language model offers; None means 20.
        device: Where that model runs; "" is a GPU if there is one.
        batch: How many places it fills at a time; None means 64.
        tokens: "zh", "en" or "space"; None finds out.
    """

    filler: Annotated[
        str,
        Option(
            "--filler",
            "frequency, or mask:NAME, a masked language model by name or folder.",
        ),
    ] = FREQUENCY
    words: Annotated[
        Path | str | None,
        Option(
            "--words",
            "frequency: a text, or lines of word TAB count, to take words from instead of CORPUS.",
        ),
    ] = None
    pos: Annotated[
        bool | None,
        Option(
            "--pos/--no-pos",
            "frequency: put words in the place of the same part of speech, or not (default: do).",
        ),
    ] = None
    spacy_model: Annotated[
        str | Path | None,
        Option(
            "--spacy-model",
            "frequency: the pipeline that knows parts of speech, instead of gecbench's own.",
            metavar="NAME",
        ),
    ] = None
    top: Annotated[
        int | None,
        Option("--top", "mask: choose among so many likeliest words (default: 20)."),
    ] = None
    device: Annotated[
        str, Option("--device", "mask: cpu, cuda, ... (default: a GPU if there is one).")
    ] = ""
    batch: Annotated[
        int | None, Option("--batch", "mask: so many places at a time (default: 64).")
    ] = None
    tokens: Annotated[
        str | None,
        Option(
            "--tokens",
            "Chinese characters, English words, or what blanks divide, else found out.",
            choices=tuple(TOKEN_KINDS),
        ),
    ] = None

    @property
    def model(self) -> str:
        """The name of the masked language model; "" where there is none."""
        kind, _, name = self.filler.partition(":")
        return name if kind == MASK else ""


def perturb(
    given: Corpus | PerturbedSet,
    *,
    variants: int = 5,
    operations: Sequence[str] = OPERATIONS,
    insertion: str = RANDOM,
    seed: int = 1,
    each_reference: bool = False,
    means: Means | None = None,
    source: str | None = None,
    watch: Watch = unwatched,
) -> Perturbed:
    """Return variants of sentences whose context is changed and whose errors are not.

    Args:
        given: A corpus with references; or perturbed cases, whose originals are perturbed anew.
        variants: Of each sentence. One that has fewer different ones is left out and reported.
        operations: Each variant has exactly one of substitute, insert and delete.
        insertion: "random" inserts any word of the vocabulary, "fill" one that a masked language
            model finds likely there.
        seed: Of all choices.
        each_reference: A case for each reference of a sentence, instead of the first.
        means: What words are taken from.
        source: Says in the provenance where `given` comes from; None is a hash of its sentences.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: An option is wrong, something is missing, or no sentence can be perturbed.
    """
    means = means or Means()
    plan = _plan(variants, operations, insertion, seed, means)
    language, gathered = _gathered(given, each=each_reference)
    texts = [pair.target for pair in gathered.pairs]
    kind = means.tokens or kind_of(language, texts)
    filler, words, how = _filler(gathered.pairs, kind, language, means, watch, given.name)
    made, report = run(gathered.pairs, words, kind=kind, filler=filler, plan=plan, watch=watch)
    report = replace(
        report,
        sentences=report.sentences + sum(map(len, gathered.left_out.values())),
        left_out={**gathered.left_out, **report.left_out},
    )
    told = {
        **{name: text for name, text in given.provenance.items() if name != NOT_KEPT},
        **_provenance(plan, filler.name, kind, how, source or f"sha256 {digest(gathered.pairs)}"),
        "references": "each" if each_reference else "first",
    }
    cases = PerturbedSet(f"{given.name}-{SYNTHETIC}", made, language.code, told)
    return Perturbed(cases, report)


def _plan(
    variants: int, operations: Sequence[str], insertion: str, seed: int, means: Means
) -> Plan:
    """Return the plan.

    Raises:
        UsageError: An option is wrong, or would be ignored.
    """
    plan = Plan(variants=variants, operations=tuple(operations), insertion=insertion, seed=seed)
    _check(means)
    if insertion == FILL and not means.model:
        raise UsageError("insertion by filling needs a masked language model: filler mask:NAME")
    if insertion == FILL and INSERT not in plan.operations:
        raise UsageError("insertion by filling is asked for, but insert is none of the operations")
    if means.model and insertion == RANDOM and SUBSTITUTE not in plan.operations:
        raise UsageError(
            "a masked language model is asked for, but nothing is filled: allow substitute, or "
            "insertion by filling"
        )
    return plan


def _check(means: Means) -> None:
    """Refuse fillers that are unknown, and options of another filler."""
    kind, colon, name = means.filler.partition(":")
    if kind not in (FREQUENCY, MASK) or (kind == FREQUENCY and colon):
        raise UnknownNameError("filler", means.filler, (FREQUENCY, f"{MASK}:NAME"))
    if kind == MASK and not name:
        raise UsageError("filler mask needs a masked language model by name or folder: mask:NAME")
    others: Mapping[str, Mapping[str, object]] = {
        MASK: {"words": means.words, "pos": means.pos, "spacy-model": means.spacy_model},
        FREQUENCY: {"top": means.top, "device": means.device or None, "batch": means.batch},
    }
    for option, value in others[kind].items():
        if value is not None:
            raise UsageError(f"filler {kind} has no use for {option}; leave it out")
    if means.pos is False and means.spacy_model is not None:
        raise UsageError("spacy-model knows parts of speech, which --no-pos does without; say one")
    for option, number in (("top", means.top), ("batch", means.batch)):
        if number is not None and number < 1:
            raise UsageError(f"{option} is {number}; give 1 or more")
    if means.tokens is not None and means.tokens not in TOKEN_KINDS:
        raise UnknownNameError("kind of token", means.tokens, TOKEN_KINDS)


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
    pairs: Sequence[Pair], kind: str, language: Language, means: Means, watch: Watch, name: str
) -> tuple[Filler, list[Words], str]:
    """Return what fills places, the words of all pairs, and what divides them."""
    if means.model:
        # It is loaded before the words are found, for it may be missing.
        filler = _masked(means, kind)
        divide, how = _divide(kind, language, means, pos=False)
        return filler, words_of(pairs, divide, watch), how
    pos = means.pos is not False
    divide, how = _divide(kind, language, means, pos=pos)
    if means.words is not None:
        vocabulary = read_vocabulary(Path(means.words), divide, tagged=pos)
        return vocabulary, words_of(pairs, divide, watch), how
    words = words_of(pairs, divide, watch)
    return vocabulary_of(count_words(words), name), words, how


def _masked(means: Means, kind: str) -> Filler:
    from gecbench.backends.transformers import MaskedModel
    from gecbench.datasets.perturb.fillers import Masked

    by_character = not token_kind(kind).joiner
    model = MaskedModel(
        means.model, chinese=by_character, device=means.device, batch=means.batch or _BATCH
    )
    name = Path(means.model).resolve().name if Path(means.model).is_dir() else means.model
    return Masked(model, name, means.top or _TOP, by_character)


def _divide(kind: str, language: Language, means: Means, *, pos: bool) -> tuple[Divide, str]:
    """Return what divides texts into words, and its name."""
    if not token_kind(kind).joiner and (language.segmenter or means.tokens):
        return _cutting(kind, means, pos=pos)
    if not pos:
        return by_tokens(kind, None), "tokens"
    model = means.spacy_model or language.pipeline
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


def _cutting(kind: str, means: Means, *, pos: bool) -> tuple[Divide, str]:
    if means.spacy_model is not None:
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
        "gecbench": gecbench.__version__,
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
    told = {"division input": source, "division gecbench": gecbench.__version__}
    divided = divide_run(cases, test=test, dev=dev, seed=seed, provenance=told)
    stale = [path for name, path in files.items() if name not in divided.parts and path.exists()]
    if stale:
        raise GecbenchError(f"{stale[0]}: is of another division and would stay; remove it")
    made = {files[name]: write_perturbed(part) for name, part in divided.parts.items()}
    content = {path: encoded(path, text) for path, text in made.items()}
    make_folder(folder)
    write_files(content)
    return divided
