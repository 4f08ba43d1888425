"""Strategies for the nouns of the core, aimed at boundaries."""

from __future__ import annotations

from hypothesis import strategies as st

from gecbench.core.edit import DETECTED, Edit
from gecbench.core.sample import Corpus, Rewrite, Sample

NASTY = [
    "",
    "a",
    "好",
    " ",
    "\u3000",
    "😀",
    "👩‍💻",
    "e\u0301",
    "Ａ１",
    "|",
    "||",
    "|||",
    "-NONE-",
    "noop",
    "没有错误",
    "沒 有錯誤",
    "无法标注",
    "[缺失成分]",
    "\t",
    "\n",
    "\r\n",
    "\u2028",
    "\ufeff",
    "\\ud800",
    '{"a": 1}',
    "S a b",
]
"""What formats stumble over."""

CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(CHARACTERS, max_size=8),
    st.lists(st.sampled_from(NASTY), max_size=3).map("".join),
)
WORDS = st.one_of(st.sampled_from(["a", "好", "😀", "Ａ", "a|b", "[缺失成分]"]), TEXTS)
TAME = st.sampled_from(["a", "好", "😀", "Ａ", "a|b", "[缺失成分]", "e\u0301", "noop", "S"])
"""Tokens that every format holds."""
NAMES = st.one_of(st.sampled_from(["0", "1", "2", "10", "Ann", "李"]), TEXTS)
LABELS = st.sampled_from(["M", "R", "S", "W", "R:VERB:TENSE", "UNK", "noop", "", None, "|"])


@st.composite
def edit_sets(
    draw: st.DrawFn, length: int, words: st.SearchStrategy[str] = WORDS
) -> tuple[Edit, ...]:
    """Edits over a source of `length` tokens, in any order, that do not overlap."""
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=6)))
    edits = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):  # an odd one is left over
        replacement = draw(st.none() | st.lists(words, max_size=3).map(tuple))
        others = draw(st.lists(st.lists(words, max_size=2).map(tuple), max_size=1).map(tuple))
        label = draw(LABELS)
        # A type that detects is read as an edit that corrects nothing.
        edits.append(Edit(start, end, None if label in DETECTED else replacement, label, others))
    return tuple(draw(st.permutations(edits)))


@st.composite
def rewrites(draw: st.DrawFn, length: int) -> Rewrite:
    """A rewrite of a source of `length` tokens, in any of its states."""
    state = draw(st.sampled_from(["text", "error_free", "unannotatable", "edits"]))
    sets = draw(
        st.lists(edit_sets(length), min_size=state == "edits", max_size=2).map(tuple)
        if state in ("text", "edits")
        else st.sampled_from([(), ((),)])
    )
    return Rewrite(
        text=draw(TEXTS) if state == "text" else None,
        error_free=state == "error_free",
        unannotatable=state == "unannotatable",
        edit_sets=sets,
        annotator=draw(st.none() | NAMES.filter(str.strip)),
        capped=draw(st.booleans()),
    )


@st.composite
def samples(draw: st.DrawFn, name: str) -> Sample:
    """A sample with any texts."""
    tokens = draw(st.lists(WORDS, max_size=5).map(tuple))
    return Sample(
        name,
        draw(TEXTS.filter(bool)),
        draw(st.lists(rewrites(len(tokens)), max_size=3).map(tuple)),
        draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
        tokens,
    )


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """A corpus of anything that the core allows."""
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    return Corpus(
        draw(TEXTS),
        tuple(draw(samples(name)) for name in names),
        draw(st.sampled_from([None, "zh", "en", "de-AT"])),
        draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
    )


@st.composite
def plain_corpora(draw: st.DrawFn) -> Corpus:
    """A corpus of texts, as files of texts hold it, but for their content."""
    width = draw(st.integers(0, 2))
    states = st.one_of(
        TEXTS.map(lambda text: Rewrite(text=text)),
        st.sampled_from([Rewrite(error_free=True), Rewrite(unannotatable=True)]),
    )
    samples = [
        Sample(str(n), draw(TEXTS), tuple(draw(states) for _ in range(width)))
        for n in range(1, draw(st.integers(1, 4)) + 1)
    ]
    return Corpus("x", tuple(samples), draw(st.sampled_from([None, "zh"])))


@st.composite
def edited_corpora(draw: st.DrawFn) -> Corpus:
    """A corpus of edits whose texts follow from them, as M2 holds it, but for their content."""
    lang = draw(st.sampled_from([None, "zh"]))
    words = draw(st.sampled_from([TAME, TAME, WORDS]))
    samples = []
    for n in range(1, draw(st.integers(1, 3)) + 1):
        tokens = draw(st.lists(words, min_size=1, max_size=5).map(tuple))
        source = ("" if lang == "zh" else " ").join(tokens)
        references = draw(_edited(tokens, lang, words))
        samples.append(Sample(str(n), source, references, tokens=tokens))
    return Corpus("x", tuple(samples), lang)


@st.composite
def _edited(
    draw: st.DrawFn,
    tokens: tuple[str, ...],
    lang: str | None,
    words: st.SearchStrategy[str],
) -> tuple[Rewrite, ...]:
    references = []
    for k in range(draw(st.integers(1, 3))):
        edits = draw(_labelled_edits(tokens, words))
        state = draw(st.sampled_from(["edits", "error_free", "unannotatable"]))
        if state == "edits" and edits:
            references.append(_rewrite(edits, tokens, str(k), "" if lang == "zh" else " "))
        elif state == "unannotatable":
            references.append(Rewrite(unannotatable=True, annotator=str(k)))
        else:
            references.append(Rewrite(error_free=True, edit_sets=((),), annotator=str(k)))
    return tuple(references)


@st.composite
def _labelled_edits(
    draw: st.DrawFn, tokens: tuple[str, ...], words: st.SearchStrategy[str]
) -> tuple[Edit, ...]:
    edits = []
    for edit in draw(edit_sets(len(tokens), words)):
        if edit.replacement is None:
            edits.append(Edit(edit.start, edit.end, None, "UNK"))
        else:
            label = draw(st.sampled_from(["M", "S", "R:VERB", ""]))
            edits.append(Edit(edit.start, edit.end, edit.replacement, label, edit.alternatives))
    return tuple(edits)


def _rewrite(
    edits: tuple[Edit, ...], tokens: tuple[str, ...], annotator: str, space: str
) -> Rewrite:
    """The rewrite that edits lead to, made the slow way: from the last edit to the first."""
    target = list(tokens)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end))[::-1]:
        if edit.replacement is not None:
            target[edit.start : edit.end] = edit.replacement
    open_ends = any(edit.replacement is None for edit in edits)
    return Rewrite(
        text=None if open_ends else space.join(target), edit_sets=(edits,), annotator=annotator
    )
