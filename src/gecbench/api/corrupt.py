"""Synthetic errors: corrupting correct texts, by rules or as a real corpus errs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

import msgspec

from gecbench import __version__
from gecbench.api.extract import extract
from gecbench.api.schemes import corpus_language
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO, write_text
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme
from gecbench.datasets.catalog import data_folder, data_set, locate
from gecbench.datasets.corrupt.corrupt import (
    Counts,
    LabelFile,
    Labels,
    To,
    load_corruption,
    load_corruptor,
    texts_of,
)
from gecbench.datasets.corrupt.corrupt import corrupt as run
from gecbench.datasets.corrupt.fitting import Fit, toml_of_profile
from gecbench.datasets.corrupt.fitting import fit as run_fit
from gecbench.datasets.corrupt.profile import Profile, load_profile, profile_names, with_settings
from gecbench.lang import CORRUPTIONS, find_language, language_of
from gecbench.models.tags.derive import derive_labels
from gecbench.models.tags.labels import transforms_for
from gecbench.text.tokens import token_texts

_FIRST = 200


def corrupt(
    texts: Path | str,
    output: Path | str,
    profile: Profile | str = "",
    *,
    seed: int = 0,
    settings: Mapping[str, str] | None = None,
    format: str | None = None,
    lang: str | None = None,
    to: To = "jsonl",
    labels: Path | str | None = None,
    folder: Path | None = None,
    mirror: Path | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> Counts:
    """Make errors in correct texts, write pairs, and return what was made.

    The same texts, profile and seed give the same bytes; a sentence's errors depend on its place
    in the file, not on those around it.

    Args:
        texts: A file in any format: the references of a corpus that has some, else its sources.
        output: File for the pairs.
        profile: Itself, a packaged one's name, or the path of one; "" takes the default one of
            the language of the texts.
        seed: Of all that is random.
        settings: Keys of the profile that differ, `types.NAME` for the weight of one type.
        format: Of the texts; None finds out.
        lang: Code of their language; None finds out. It decides the default profile alone.
        to: jsonl, with an edit for each error that says its type; or pairs, source TAB target.
        labels: File for the labels of a tagger that lead from source to target.
        folder: Where data sets lie, for a profile that asks for one.
        mirror: Looked at before it.
        progress: Told how many sentences were read.

    Raises:
        GecbenchError: The profile is wrong, or a file cannot be read or written.
    """
    label_path = None if labels is None else Path(labels)
    _check_apart(Path(texts), Path(output), label_path)
    corpus, rows = texts_of(Path(texts), format=format)
    name = "given" if isinstance(profile, Profile) else profile
    if not name:
        first = list(islice(rows, _FIRST))
        rows = chain(first, rows)
        name = _default(lang, [text for _, text in first if text], corpus)
    chosen = load_profile(name) if isinstance(profile, str) else profile
    chosen = with_settings(chosen, settings or {})
    label_file = None
    if label_path is not None:
        language = language_of(chosen.language)
        tokens = chosen.tokens if language.joiner else language.tokens
        about = {"lang": chosen.language, "tokens": tokens}
        label_file = LabelFile(label_path, labels_for(chosen.language, tokens), about)
    return run(
        corpus,
        rows,
        Path(output),
        load_corruptor(chosen, name, partial(_shapes, folder, mirror)),
        chosen,
        name=name,
        seed=seed,
        to=to,
        label_file=label_file,
        progress=progress,
    )


def _shapes(folder: Path | None, mirror: Path | None) -> Path:
    """Return the table of shapes of ChERRANT's data set."""
    return locate(
        data_set("cherrant"), "char_meta.txt", folder=folder or data_folder(), mirror=mirror
    )


def _check_apart(texts: Path, output: Path, labels: Path | None) -> None:
    """Refuse files of which one would take the place of another."""
    named = [("the texts", texts), ("the output", output)]
    named += [("the labels", labels)] if labels is not None else []
    for k, (what, one) in enumerate(named):
        for other_name, other in named[:k]:
            if STDIO in (str(one), str(other)):
                clash = str(one) == str(other) and other_name != "the texts"
            else:
                clash = one.resolve() == other.resolve()
            if clash:
                raise UsageError(f"{one}: is {other_name} and {what}; name another file")


def _default(lang: str | None, texts: Sequence[str], corpus: str) -> str:
    """Return the name of the default profile of the texts' language."""
    language = find_language(lang, texts, corpus)
    name = f"{language.code}-default"
    if name not in profile_names():
        raise UsageError(
            f"{corpus}: there is no default profile for language {language.code!r}, only "
            f"{' and '.join(profile_names())}; name a profile of your own by --profile"
        )
    return name


def labels_for(language: str, tokens: str) -> Labels:
    """Return what makes the labels of a pair: those that a tagger's training derives from it.

    All labels of a token stand in one list, as `models.tags.derive.derive_labels` gives them; what
    training learns in its first round is the first that is not $KEEP (`first_labels`).

    >>> labels_for("zh", "zh")("我今天高心。", "我今天很高兴。")[1][3:6]
    (('$KEEP', '$APPEND_很'), ('$KEEP',), ('$REPLACE_兴',))
    """
    transforms = transforms_for(language)

    def label(source: str, target: str) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        one, two = token_texts(source, tokens), token_texts(target, tokens)
        return one, derive_labels(one, two, transforms)

    return label


def fit(
    corpus: Corpus,
    output: Path | str | None = None,
    *,
    scheme: Scheme | None = None,
    least: int = 2,
) -> Fit:
    """Return, and write, the profile of a corpus: its errors by number, type, length and words.

    Args:
        corpus: With references. Edits that they bring are taken as they are, the types with them.
        output: File for the profile, TOML; None writes none.
        scheme: Finds the edits, anew where there are some; None needs those of the corpus.
        least: Occurrences from which a confusion is kept.

    Raises:
        UsageError: `least` is below 1, or a reference has no edits and there is no scheme.
        CorpusError: There is nothing to fit to.
    """
    if least < 1:
        raise UsageError(f"the least count is {least}; a confusion is seen at least once")
    language = language_of(scheme.lang) if scheme else corpus_language(corpus)
    if language.code not in CORRUPTIONS:
        raise UsageError(
            f"language {language.code!r} cannot be fitted, only {' and '.join(CORRUPTIONS)}"
        )
    edited = corpus if scheme is None else extract(corpus, scheme)
    empty = Profile(language=language.code, types={})
    corruption = load_corruption(empty, partial(_shapes, None, None))
    found = run_fit(edited, language, corruption, least=least)
    by = {"scheme": scheme.name, **scheme.signature} if scheme else {"scheme": "given edits"}
    source = {
        "corpus": corpus.name,
        "pairs": str(found.pairs),
        "edits": str(found.edits),
        "least": str(least),
        **by,
        "gecbench": __version__,
    }
    found = found._replace(profile=msgspec.structs.replace(found.profile, source=source))
    if output is not None:
        write_text(Path(output), toml_of_profile(found.profile, _NOTES))
    return found


_NOTES = (
    "A profile of gecbench corrupt, fitted to a corpus. It holds words of that corpus: whoever may",
    "not pass on the corpus should ask whether he may pass on this file.",
    "confusions: right, wrong, how often, how often the right one stands in the corrections.",
)
