"""The types of edits in words: the labels of ERRANT and ChERRANT, as "M:DET"."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.reports.report import Words

_OPERATIONS: Mapping[str, Words] = {
    "M": Words("missing", "缺失"),
    "R": Words("wrong", "替换"),
    "U": Words("unnecessary", "多余"),
    "S": Words("redundant", "冗余"),
    "W": Words("word order", "语序"),
    "UNK": Words("detected, not corrected", "仅标出，未改正"),
    "Um": Words("detected, not corrected", "仅标出，未改正"),
}
_CATEGORIES: Mapping[str, Words] = {
    "ADJ": Words("adjective", "形容词"),
    "ADJ:FORM": Words("form of adjective", "形容词形式"),
    "ADV": Words("adverb", "副词"),
    "AUX": Words("auxiliary", "助动词或助词"),
    "CONJ": Words("conjunction", "连词"),
    "CONTR": Words("contraction", "缩写"),
    "DET": Words("determiner", "限定词"),
    "INTJ": Words("interjection", "叹词"),
    "MORPH": Words("word form", "词形"),
    "NOUN": Words("noun", "名词"),
    "NOUN:INFL": Words("noun inflection", "名词屈折"),
    "NOUN:NUM": Words("noun number", "名词单复数"),
    "NOUN:POSS": Words("noun possessive", "名词所有格"),
    "NUM": Words("numeral", "数词"),
    "ORTH": Words("capitals or spaces", "大小写或空格"),
    "OTHER": Words("other", "其他"),
    "PART": Words("particle", "小品词"),
    "PREP": Words("preposition", "介词"),
    "PRON": Words("pronoun", "代词"),
    "PUNCT": Words("punctuation", "标点"),
    "QUAN": Words("measure word", "量词"),
    "SPELL": Words("spelling", "拼写"),
    "VERB": Words("verb", "动词"),
    "VERB:FORM": Words("verb form", "动词形式"),
    "VERB:INFL": Words("verb inflection", "动词屈折"),
    "VERB:SVA": Words("subject-verb agreement", "主谓一致"),
    "VERB:TENSE": Words("verb tense", "动词时态"),
    "WO": Words("word order", "语序"),
}


def type_words(label: str) -> Words | None:
    """A type of edits, its operation or its category in words; None for labels of others.

    >>> type_words("M:DET")
    Words(en='missing determiner', zh='缺失：限定词')
    >>> type_words("VERB:TENSE").en, type_words("R").zh
    ('verb tense', '替换')
    """
    if label in _OPERATIONS:
        return _OPERATIONS[label]
    if label in _CATEGORIES:
        return _CATEGORIES[label]
    operation, _, category = label.partition(":")
    if operation not in _OPERATIONS or category not in _CATEGORIES:
        return None
    action, part = _OPERATIONS[operation], _CATEGORIES[category]
    separator = ": " if category == "OTHER" else " "
    return Words(f"{action.en}{separator}{part.en}", f"{action.zh}：{part.zh}")
