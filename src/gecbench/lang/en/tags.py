"""What labels of a pipeline mean for ERRANT's types (ERRANT 3.0.2, en/classifier.py)."""

from __future__ import annotations

from gecbench.core.errors import GecbenchError

RARE = frozenset(("INTJ", "NUM", "SYM", "X"))
"""Parts of speech that name no type."""

CLITICS = frozenset(("'d", "'ll", "'m", "n't", "'re", "'s", "'ve"))

BY_DEPENDENCY = {
    "acomp": "ADJ",
    "advmod": "ADV",
    "amod": "ADJ",
    "det": "DET",
    "prep": "PREP",
    "prt": "PART",
    "punct": "PUNCT",
}
"""Dependency labels that name a type where the parts of speech do not."""

_TAGS = {
    "ADJ": "AFX JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "CONJ": "CC",
    "DET": "DT PDT PRP$ WDT WP$",
    "INTJ": "UH",
    "NOUN": "NN NNP NNPS NNS",
    "NUM": "CD",
    "PART": "POS RP TO",
    "PREP": "IN",
    "PRON": "EX PRP WP",
    "PUNCT": "'' `` \"\" , . : -LRB- -RRB- HYPH",
    "SPACE": "SP _SP",
    "SYM": "# $ SYM",
    "VERB": "BES HVS MD VB VBD VBG VBN VBP VBZ",
    "X": "ADD FW GW LS NFP NIL XX",
}
_CLASSES = {tag: name for name, tags in _TAGS.items() for tag in tags.split()}


def class_of(tag: str, token: str) -> str:
    """Return the part of speech of a fine tag of the Penn Treebank, as "NOUN" or "PREP".

    Differs from ERRANT where the tag is unknown: there a KeyError ends the run.

    Raises:
        GecbenchError: The tag is not one of the Penn Treebank; names the token that has it.

    >>> class_of("IN", "of")
    'PREP'
    """
    try:
        return _CLASSES[tag]
    except KeyError:
        raise GecbenchError(
            f"the pipeline gives {token!r} the fine tag {tag!r}, which is not one of the Penn "
            "Treebank; ERRANT's types need a pipeline with these tags, as en_core_web_sm"
        ) from None
