"""The language of a corpus, and what in it is for another language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gecbench.core.errors import Message, UsageError
from gecbench.core.language import Language
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme
from gecbench.core.score import WarningNote
from gecbench.lang import (
    LANGUAGES,
    find_language,
    language_of,
    language_warning,
    mixture_warning,
)
from gecbench.lang.detection import detect
from gecbench.scoring.metric import Metric

if TYPE_CHECKING:
    from gecbench.core.perturbed import PerturbedSet


def corpus_language(corpus: Corpus, scheme: str | None = None) -> Language:
    """The language of a corpus: the declared one, else the one that its texts show.

    Args:
        corpus: Its `lang` is what the caller or the file says.
        scheme: Name of the one that somebody chose; it decides where neither says.

    Raises:
        UsageError: It cannot be told; asks for --lang.
    """
    if corpus.lang:
        return language_of(corpus.lang)
    texts = corpus.sources
    if scheme is not None and detect(texts) is None:
        prefix = scheme.partition("-")[0]
        return language_of(prefix if prefix in LANGUAGES else "xx")
    return find_language(None, texts, corpus.name)


def check_language(corpus: Corpus, scheme: Scheme, name: str | None = None) -> None:
    """Refuse a scheme, or its pipeline, of another language than the corpus is in.

    Args:
        corpus: Its declared language counts, else the one that its texts show.
        scheme: Of one language, or of any.
        name: What the user called the scheme, if that is not its own name, as errant, which is
            en-errant without a pipeline.

    Raises:
        UsageError: Names both.
    """
    if scheme.lang == scheme.pipeline_lang == "xx":
        return
    code = corpus.lang or detect(corpus.sources)
    if code is not None and scheme.lang not in ("xx", language_of(code).code):
        is_or_seems = "is" if corpus.lang else "looks like"
        otherwise = "" if corpus.lang else f", or say --lang {scheme.lang} if it is that"
        language = language_of(code)
        if name == "errant":
            which = "scheme errant without --spacy-model"
            advice = f"name a pipeline for {code!r} by --spacy-model NAME"
        else:
            which = f"scheme {name or scheme.name}"
            advice = (
                "take errant by --scheme, with --spacy-model NAME"
                if language.code == "xx"
                else f"leave --scheme out for {language.scheme}, the one for {code!r}"
            )
        raise UsageError(
            f"{corpus.name}: {which} is for language {scheme.lang!r}, "
            f"the corpus {is_or_seems} {code!r}; {advice}{otherwise}"
        )
    if scheme.pipeline:
        check_pipeline(corpus, scheme.pipeline, scheme.pipeline_lang)


def check_pipeline(corpus: Corpus | PerturbedSet, pipeline: str, lang: str) -> None:
    """Refuse a spaCy pipeline for another language than the texts are in.

    One for several languages ("xx") takes any, and any takes texts that are declared "xx".

    Args:
        corpus: Its language is what it declares, else what its texts show.
        pipeline: Its name.
        lang: Code of the pipeline's language.

    Raises:
        UsageError: Names both.
    """
    corpus = corpus if isinstance(corpus, Corpus) else corpus.corpus()
    code = corpus.lang or detect(corpus.sources)
    pipeline_lang = language_of(lang).code
    if code is None or language_of(code).code in ("xx", pipeline_lang) or pipeline_lang == "xx":
        return
    if {language_of(code).code, pipeline_lang} <= _NORWEGIAN:
        return
    is_or_seems = "are in" if corpus.lang else "look like"
    otherwise = "" if corpus.lang else f", or say --lang {pipeline_lang} if they are in that"
    raise UsageError(
        f"{corpus.name}: pipeline {pipeline} is for language {pipeline_lang!r}, "
        f"the texts {is_or_seems} {code!r}; name one for {code!r} by --spacy-model (or "
        f"GECBENCH_SPACY_MODEL){otherwise}"
    )


_NORWEGIAN = frozenset({"nb", "nn", "no"})
"""Codes that spaCy, py3langid and corpora use for one another."""


def default_scheme(corpus: Corpus) -> str:
    """The name of the scheme for a corpus's language.

    Raises:
        UsageError: The language cannot be told; asks for --lang.
    """
    return corpus_language(corpus).scheme


def language_notes(corpus: Corpus) -> list[str]:
    """What a reader should know of how the language of a corpus was found, if anything."""
    texts = corpus.sources
    if corpus.lang:
        warning = language_warning(corpus.lang, texts, corpus.name)
        return [warning] if warning else []
    detected = detect(texts)
    mixture = mixture_warning((sample.id for sample in corpus.samples), texts, corpus.name)
    notes: list[str] = [mixture] if mixture else []
    if detected is not None and detected not in LANGUAGES:
        notes.append(
            Message(
                "{corpus}: no language is declared, its texts look like {language!r}; if that is "
                "wrong, name it by --lang",
                corpus=corpus.name,
                language=detected,
            )
        )
    return notes


def normaliser_notes(corpus: Corpus, language: Language, names: Sequence[str]) -> list[str]:
    """Warn of changes of texts that are for another language than the corpus is in."""
    languages = [language_of(code) for code in LANGUAGES]
    owners = {name: known.code for known in languages for name in known.normalisers}
    return [
        WarningNote(
            "{corpus}: --normalise {name} is for language {owner!r}, the corpus is {language!r}; "
            "leave it out, or change --lang",
            corpus=corpus.name,
            name=name,
            owner=owners[name],
            language=language.code,
        )
        for name in names
        if name in owners and language.code != "xx" and name not in language.normalisers
    ]


def with_language_of_metrics(corpus: Corpus, kinds: Iterable[type[Metric[Any]]]) -> Corpus:
    """Put a corpus whose texts do not show their language into that of the metrics.

    Args:
        corpus: Returned as it is where anything says its language.
        kinds: They decide if all that are for certain languages are for one.
    """
    languages = {kind.languages for kind in kinds if kind.languages}
    if corpus.lang or len(languages) != 1 or detect(corpus.sources):
        return corpus
    ((code, *others),) = languages
    return corpus if others else replace(corpus, lang=code)


def metrics_of_other_languages(
    metrics: Sequence[Metric[Any]], corpus: Corpus, language: Language
) -> dict[str, str]:
    """Name the metrics that are not for a language, and why they do not apply.

    Raises:
        UsageError: None of them applies.
    """
    refused: dict[str, str] = {
        metric.name: Message(
            "{metric} is for language {languages}, corpus {corpus!r} is in {language}",
            metric=metric.name,
            languages=" and ".join(metric.languages),
            corpus=corpus.name,
            language=language.code,
        )
        for metric in metrics
        if metric.languages and language.code not in metric.languages
    }
    if len(refused) == len(metrics):
        or_lang = "" if corpus.lang else ", or name the language by --lang if it is another"
        another = "edits" if language.metric in refused else language.metric
        raise UsageError(f"{'; '.join(refused.values())}; take --metric {another}{or_lang}")
    return refused
