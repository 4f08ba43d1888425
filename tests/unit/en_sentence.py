"""Sentences as a pipeline would have analysed them, in a short notation."""

from __future__ import annotations

from dataclasses import replace

from gecbench.core.edit import Sentence, TokenAttributes

_POS = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV", "DT": "DET", "IN": "ADP"}
_POS |= {"MD": "AUX", "TO": "PART", "RP": "ADP", "POS": "PART", "CD": "NUM", "PR": "PRON"}


def analysed(text: str) -> Sentence:
    """A sentence from tokens parted by spaces, each form_TAG_pos_lemma_dep_head.

    What is left out at the end is guessed: the tag is NN, the part of speech follows from the
    tag, the lemma is the form, the label is "dep", and the token is its own head.
    """
    tokens = [token.split("_") for token in text.split()]
    forms = tuple(token[0] for token in tokens)
    rows = [token + [""] * (6 - len(token)) for token in tokens]
    tags = tuple(row[1] or "NN" for row in rows)
    return Sentence(
        " ".join(forms),
        forms,
        words=TokenAttributes(
            lemmas=tuple(row[3] or row[0] for row in rows),
            pos=tuple(
                row[2] or _POS.get(tag[:2], "PUNCT" if tag in ",.:" else "X")
                for row, tag in zip(rows, tags, strict=True)
            ),
            tags=tags,
            deps=tuple(row[4] or "dep" for row in rows),
            heads=tuple(int(row[5] or at) for at, row in enumerate(rows)),
        ),
    )


def unparsed(sentence: Sentence) -> Sentence:
    """The same without dependencies."""
    return replace(sentence, words=replace(sentence.words, deps=(), heads=()))
