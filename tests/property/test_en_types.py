"""Types of random edits: the installed ERRANT's own, and never from dependencies not there."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from gecbench.core.edit import Sentence, TokenAttributes
from gecbench.lang.en.alignment import Span, merge, steps
from gecbench.lang.en.classify import Classifier

_FORMS = """
The the THE a an A that what to To go goes going went gone Go ca can wo will n't 's ' 'd not no
other another your yours was were is been good well after later though thought therefor therefore
acat cat A-cat - sub way subway , . ( ) () !" most more freer free colour color recieve receive xx
zz health healthy all everything each's Straße ΑΣ ας 😀 in of off three four houses studying
learning transport travel stress stressed exiting exciting human people quite quiet high height
hole whole knew new their there thing think too our out i at 'S Sha shall Was OTHER
"""
_TAGS = """
JJ JJR NN NNS NNP VB VBD VBG VBN VBP VBZ MD RB DT PRP PRP$ IN TO RP POS CD UH CC , . FW WDT HYPH
"""
_POS = "ADJ ADV NOUN VERB AUX PART PROPN DET PRON ADP NUM PUNCT INTJ X"
_DEPS = """
aux auxpass aux:pass acomp amod advmod det prep prt punct nsubj nsubjpass dobj pobj poss conj
"""
FORMS, TAGS, POS, DEPS = _FORMS.split(), _TAGS.split(), _POS.split(), _DEPS.split()
VERBS = [tag for tag in TAGS if tag.startswith("VB")]


def analysed(dice: random.Random, forms: list[str]) -> Sentence:
    """A sentence whose tokens hang on one root, or one of them on a second head."""
    tags = dice.choice([TAGS, VERBS, dice.sample(TAGS, 2)])
    pos = dice.choice([POS, dice.sample(POS, 2)])
    deps = dice.choice([DEPS, DEPS[:3], dice.sample(DEPS, 2)])
    root = dice.randrange(len(forms)) if forms else 0
    heads = [root] * len(forms)
    if len(forms) > root + 2 and dice.random() < 0.5:
        heads[root + 2] = root + 1
    words = TokenAttributes(
        lemmas=tuple(dice.choice([form.lower()[:2], "go", "go"]) for form in forms),
        pos=tuple(dice.choices(pos, k=len(forms))),
        tags=tuple(dice.choices(tags, k=len(forms))),
        deps=tuple("ROOT" if at == root else dice.choice(deps) for at in range(len(forms))),
        heads=tuple(heads),
    )
    return Sentence(" ".join(forms), tuple(forms), words=words)


def random_pair(dice: random.Random) -> tuple[Sentence, Sentence]:
    known = dice.sample(FORMS, dice.randrange(1, 8)) if dice.random() < 0.6 else FORMS
    source = dice.choices(known, k=dice.randrange(7))
    target = list(source)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(target) + 1)
        piece = target[at : at + dice.randrange(1, 3)]
        del target[at : at + len(piece) * dice.randrange(2)]
        to = dice.randrange(len(target) + 1)
        target[to:to] = piece if dice.random() < 0.4 else [dice.choice(FORMS)]
    target = [token.swapcase() if dice.random() < 0.1 else token for token in target]
    return analysed(dice, source), analysed(dice, target)


def edits(dice: random.Random, source: Sentence, target: Sentence) -> list[Span]:
    """Edits as they are made, and one token for one, which types have most rules for."""
    actual_steps = steps(source, target)
    spans = [
        *merge(actual_steps, source, target),
        *merge(actual_steps, source, target, "all-merge"),
    ]
    if source.tokens and target.tokens:
        i, j = dice.randrange(len(source.tokens)), dice.randrange(len(target.tokens))
        spans.append((i, i + 1, j, j + 1))
    return spans


def unparsed(sentence: Sentence) -> Sentence:
    return replace(sentence, words=replace(sentence.words, deps=(), heads=()))


def test_a_type_given_without_dependencies_is_the_one_given_with_any():
    classifier = Classifier(frozenset(FORMS[::2]), lambda word: word.lower()[:4])
    dice = random.Random(40)
    settled = open_ = 0
    for _ in range(2000):
        source, target = random_pair(dice)
        for span in edits(dice, source, target):
            label = classifier.label(unparsed(source), unparsed(target), span)
            settled, open_ = settled + (label is not None), open_ + (label is None)
            if label is not None:
                assert classifier.label(source, target, span) == label
    assert min(settled, open_) > 500


def test_types_and_edits_are_those_of_the_installed_errant():
    pytest.importorskip("spacy")
    pytest.importorskip("errant")
    from errant.alignment import Alignment
    from errant.annotator import Annotator
    from errant.en import classifier as official
    from errant.en import merger
    from spacy import blank
    from spacy.tokens import Doc

    vocab = blank("en").vocab
    annotator = Annotator("en", None, merger, official)
    classifier = Classifier(frozenset(official.spell), official.stemmer.stem)

    def as_doc(sentence: Sentence) -> Doc:
        words = sentence.words
        rows = {"lemmas": words.lemmas, "pos": words.pos, "tags": words.tags}
        rows |= {"deps": words.deps, "heads": words.heads}
        forms = list(sentence.tokens)
        return (
            Doc(vocab, forms, **{key: list(row) for key, row in rows.items()})
            if forms
            else (Doc(vocab, []))
        )

    dice = random.Random(41)
    seen = set()
    for _ in range(1000):
        source, target = random_pair(dice)
        first, second = as_doc(source), as_doc(target)
        for levenshtein in (False, True):
            want = Alignment(first, second, levenshtein)
            actual_steps = steps(source, target, levenshtein=levenshtein)
            assert list(map(tuple, actual_steps)) == want.align_seq
            for strategy in ("rules", "all-split", "all-merge", "all-equal"):
                spans = [
                    (edit.o_start, edit.o_end, edit.c_start, edit.c_end)
                    for edit in annotator.merge(want, strategy)
                ]
                assert list(merge(actual_steps, source, target, strategy)) == spans
        for span in edits(dice, source, target):
            label = annotator.import_edit(first, second, list(span), min=False).type
            assert classifier.label(source, target, span) == label, (source, target, span)
            seen.add(label)
    assert len(seen) > 45
