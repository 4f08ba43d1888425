"""The tokens of one side of an edit, as the rules of ERRANT's types read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gecbench.core.sentence import Sentence, Words
from gecbench.lang.en.tags import class_of
from gecbench.lang.en.words import words_of


class UnparsedError(Exception):
    """A rule asks for a dependency of a sentence that was not parsed; `Classifier` catches it."""


class Side(NamedTuple):
    """Some neighbouring tokens of a sentence, and what the pipeline says of it.

    Args:
        forms: The tokens.
        lowers: Their lower-case forms.
        start: Place of the first in its sentence.
        sentence: All tokens.
        words: What the pipeline says of all tokens.
    """

    forms: tuple[str, ...]
    lowers: tuple[str, ...]
    start: int
    sentence: tuple[str, ...]
    words: Words

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Base forms."""
        return self.words.lemmas[self.start : self.start + len(self.forms)]

    @property
    def pos(self) -> list[str]:
        """Parts of speech that the fine tags stand for, as "PREP".

        Raises:
            GecbenchError: A tag is not one of the Penn Treebank.
        """
        tags = self.words.tags[self.start : self.start + len(self.forms)]
        return list(map(class_of, tags, self.forms))

    @property
    def deps(self) -> tuple[str, ...]:
        """Dependency labels.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        if not self.words.deps:
            raise UnparsedError
        return self.words.deps[self.start : self.start + len(self.forms)]

    def without_last(self) -> Side:
        """Return all tokens but the last."""
        return self._replace(forms=self.forms[:-1], lowers=self.lowers[:-1])

    def first(self) -> Word:
        """Return the first token."""
        at, words = self.start, self.words
        tag, form = words.tags[at], self.forms[0]
        return Word(form, self.lowers[0], words.lemmas[at], tag, class_of(tag, form), self)


class Word(NamedTuple):
    """One token.

    Args:
        form: As it is written.
        lower: The same in lower case.
        lemma: Its base form.
        tag: Its fine tag.
        pos: The part of speech that the fine tag stands for.
        side: Where it begins a side of an edit.
    """

    form: str
    lower: str
    lemma: str
    tag: str
    pos: str
    side: Side

    @property
    def dep(self) -> str:
        """Dependency label.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        return self.side.deps[0]

    def has_auxiliary(self) -> bool:
        """Return whether something labelled aux or auxpass depends on the word.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        return any(dep in ("aux", "auxpass") for dep, _ in self._dependents())

    def first_auxiliary_of_head(self) -> str | None:
        """Return the first that depends on the word's head by a label which starts with aux.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        found = self._dependents(of_head=True)
        return next((form for dep, form in found if dep.startswith("aux")), None)

    def _dependents(self, *, of_head: bool = False) -> Iterator[tuple[str, str]]:
        """Yield label and form of what depends on the word, or on its head, in text order."""
        at, words = self.side.start, self.side.words
        if not words.deps:
            raise UnparsedError
        head = words.heads[at] if of_head else at
        for place, its_head in enumerate(words.heads):
            if its_head == head and place != head:  # a root is its own head
                yield words.deps[place], self.side.sentence[place]


def side(sentence: Sentence, start: int, end: int) -> Side:
    """Return the tokens of a half-open span.

    Raises:
        GecbenchError: The sentence has not been through a pipeline.
    """
    forms = sentence.tokens[start:end]
    lowers = tuple([form.lower() for form in forms])
    return Side(forms, lowers, start, sentence.tokens, words_of(sentence))
