"""The language of a corpus, and what in it is for another language."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.errors import UsageError
from gecbench.core.language import Language
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme
from gecbench.core.score import WarningNote
from gecbench.lang import LANGUAGES, find_language, language_of, language_warning
from gecbench.lang.detection import detect


def corpus_language(corpus: Corpus, scheme: str | None = None) -> Language:
    """The language of a corpus: the declared one, else the one that its texts show.

    Args:
        corpus: Its `lang` is what the caller or the file says.
        scheme: Name of the one that somebody chose; it decides where neither says.

    Raises:
        UsageError: It cannot be told; asks for --lang.
    """
    texts = (sample.source for sample in corpus.samples)
    code = corpus.lang or detect(texts)
    if code is None and scheme is not None:
        prefix = scheme.partition("-")[0]
        return language_of(prefix if prefix in LANGUAGES else "xx")
    return find_language(code, (), corpus.name)


def check_language(corpus: Corpus, scheme: Scheme, name: str | None = None) -> None:
    """Refuse a scheme of another language than the corpus is in.

    Args:
        corpus: Its declared language counts, else the one that its texts show.
        scheme: Of one language, or of any.
        name: What the user called the scheme, if that is not its own name, as errant, which is
            en-errant without a pipeline.

    Raises:
        UsageError: Names both.
    """
    if scheme.lang == "xx":
        return
    code = corpus.lang or detect(sample.source for sample in corpus.samples)
    if code is not None and language_of(code).code != scheme.lang:
        is_or_seems = "is" if corpus.lang else "looks like"
        otherwise = "" if corpus.lang else f", or say --lang {scheme.lang} if it is that"
        raise UsageError(
            f"{corpus.name}: scheme {name or scheme.name} is for language {scheme.lang!r}, "
            f"the corpus {is_or_seems} {code!r}; choose another by --scheme, as errant, "
            f"which needs --spacy-model NAME for a language other than English{otherwise}"
        )


def default_scheme(corpus: Corpus) -> str:
    """The name of the scheme for a corpus's language.

    Raises:
        UsageError: The language cannot be told; asks for --lang.
    """
    return corpus_language(corpus).scheme


def language_notes(corpus: Corpus) -> list[str]:
    """What a reader should know of how the language of a corpus was found, if anything."""
    texts = [sample.source for sample in corpus.samples]
    if corpus.lang:
        warning = language_warning(corpus.lang, texts, corpus.name)
        return [warning] if warning else []
    detected = detect(texts)
    if detected is None or detected in LANGUAGES:
        return []
    return [f"{corpus.name}: language: {detected} (detected); if it is another, name it by --lang"]


def normaliser_notes(corpus: Corpus, language: Language, names: Sequence[str]) -> list[str]:
    """Warn of changes of texts that are for another language than the corpus is in."""
    languages = [language_of(code) for code in LANGUAGES]
    owners = {name: known.code for known in languages for name in known.normalisers}
    return [
        WarningNote(
            f"{corpus.name}: --normalise {name} is for language {owners[name]!r}, "
            f"the corpus is {language.code!r}; leave it out, or change --lang"
        )
        for name in names
        if name in owners and language.code != "xx" and name not in language.normalisers
    ]
