"""What is particular to a language, in one value; `gecbench.lang` has those that we know."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from gecbench.core.files import read_lines

Unit = Literal["character", "word"]
Tokens = Literal["zh", "en", "space"]
"""Names of the kinds of tokens in `gecbench.text.tokens`."""


@dataclass(frozen=True, slots=True)
class Splitter:
    """Where sentences end, beside what holds in every language; `gecbench.text.tokens` reads it.

    Args:
        marks: Characters that end a sentence before white space, as . ? and ! do.
        abbreviations: What a full stop behind it makes an abbreviation, not the end of a sentence;
            initials, one capital of A to Z, are abbreviations in every language.
        quotes: Quotation marks beside those of English. Behind a mark that ends a sentence they
            close, before an abbreviation they open.
        spaced_quotes: Quotation marks that also close behind a blank, as in French.
        ordinals: Whether a number of up to three digits with a full stop is an ordinal, as in
            "3. Mai"; a year ends a sentence.
    """

    marks: str = ""
    abbreviations: tuple[str, ...] = (
        *("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "etc", "e.g", "i.e", "cf", "No"),
    )
    quotes: str = ""
    spaced_quotes: str = ""
    ordinals: bool = False


@dataclass(frozen=True, slots=True)
class Language:
    """A language as far as gecbench has to know it.

    Args:
        code: ISO 639 code, as "zh"; "xx" is any language.
        name: In English.
        name_zh: In Chinese.
        script: ISO 15924 code of the script that its texts are written in, as "Hans".
        joiner: What stands between the tokens of a text: "" or a blank.
        unit: What lengths are counted in, and n-grams made of.
        tokens: How `gecbench.text.tokens` finds its tokens in a text that nobody has divided.
        scheme: Default scheme of edits.
        metric: Default metric over edits.
        offline_scheme: Scheme that needs nothing fetched, for scores while a model is trained.
        splitter: Where its sentences end.
        normalisers: Changes of texts that are for it and few others, names of
            `gecbench.text`, as t2s; all others are for any language.
        segmenter: Program that divides its texts into words, where no blank does, of
            `gecbench.backends`; "" where blanks do.
        pipeline: Folder of the spaCy pipeline for it that gecbench brings; None where it has none.
        prompt: Packaged prompt that asks a causal model to correct, as "zh-minimal"; "" where
            there is none for the language.
        chat_prompt: The same for a chat model.
        instruction: The same that a causal model is fine-tuned with.
    """

    code: str
    name: str
    name_zh: str
    script: str
    joiner: str
    unit: Unit
    tokens: Tokens
    scheme: str
    metric: str
    offline_scheme: str
    splitter: Splitter = Splitter()
    normalisers: tuple[str, ...] = ()
    segmenter: str = ""
    pipeline: Path | None = None
    prompt: str = ""
    chat_prompt: str = ""
    instruction: str = ""

    def join(self, tokens: tuple[str, ...]) -> str:
        """The text of a token sequence."""
        return self.joiner.join(tokens)

    def units(self, text: str) -> tuple[str, ...]:
        """What the length of a text is counted in: characters, or words between blanks.

        White space is no character.
        """
        return tuple(text.split()) if self.unit == "word" else tuple("".join(text.split()))


# Changes of form that a tagger's label names without naming the word: case, verb form, plural.


Transform = Callable[[str], str | None]
"""From a token to its other form; None where it has none. Several tokens come with blanks."""


Namer = Callable[[str, str], tuple[str, ...]]
"""From a token and another form of it to the names that may lead there, likeliest first."""


@dataclass(frozen=True, slots=True)
class Transforms:
    """The changes of form of a language.

    Args:
        functions: Name, as "CASE_LOWER", to what it does.
        joins: What may join two tokens into one, "" or a hyphen; () in a language that writes no
            blanks.
        namer: Says which transforms to try; it only saves time.
    """

    functions: Mapping[str, Transform] = field(default_factory=dict)
    joins: tuple[str, ...] = ()
    namer: Namer = lambda _token, _target: ()

    def apply(self, name: str, token: str) -> str | None:
        """Apply a transform of a token; None where it does nothing: keep it."""
        function = self.functions.get(name)
        form = function(token) if function else None
        return None if form == token else form

    def explain(self, token: str, target: str) -> str | None:
        """Find the transform that leads from a token to another, or None."""
        if token == target:
            return None
        return next(
            (name for name in self.namer(token, target) if self.apply(name, token) == target), None
        )


# Codes of languages.


@cache
def _two_letters() -> Mapping[str, str]:
    """Code of ISO 639-2 or 639-3 to that of ISO 639-1, all of which are here.

    The table is from the aliases of languages in Unicode CLDR: codes of ISO 639-2 (both of those
    languages that have two, as ger and deu), and of ISO 639-3 for the language that a code of two
    letters usually means, as cmn for zh. Codes of languages that have none of two letters, as
    yue, are not listed.
    """
    lines = read_lines(Path(__file__).with_name("codes.txt"))[1:]
    return dict(pair.split("-") for line in lines for pair in line.split())


def normalise_code(code: str) -> str | None:
    """The code of a language as it is compared and written; None if it is no code.

    Args:
        code: Of ISO 639, two or three letters in any case. One of three becomes that of two for
            the same language, if there is one; what stands behind a hyphen stays. One of two has
            to be in ISO 639-1, or "xx": "cn" and "jp" are codes of countries.

    >>> normalise_code("deu"), normalise_code("ZH-Hans"), normalise_code("zh-")
    ('de', 'zh-Hans', 'zh')
    >>> normalise_code("cn") is None
    True
    """
    match = re.fullmatch(r"([A-Za-z]{2,3})(?:-([A-Za-z0-9-]*))?", code)
    if match is None:
        return None
    letters = match[1].lower()
    if len(letters) == 3:
        letters = _two_letters().get(letters, letters)
    elif letters != "xx" and letters not in _two_letters().values():
        return None
    return f"{letters}-{match[2]}" if match[2] else letters
