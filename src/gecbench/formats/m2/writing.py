"""Samples to M2: ChERRANT's dialect for Chinese, ERRANT's for everything else."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample
from gecbench.formats.m2.marks import (
    BARS,
    ERROR_FREE,
    NONE,
    NOOP,
    NOT_ANNOTATED,
    UNANNOTATABLE,
    UNKNOWN,
    is_number,
)
from gecbench.formats.texts import check_cell, file_of, made_of


def write(corpus: Corpus) -> Mapping[str, str]:
    """Return the blocks of a corpus, byte for byte as ChERRANT and ERRANT write them.

    A deletion is -NONE- in ChERRANT's dialect and an empty field in ERRANT's, as in the files of
    ERRANT 3.0.2 and CoNLL-2014.

    Raises:
        CorpusError: The edits are not extracted, or names the sample with a token or label that
            would be read back as something else.
    """
    targets = corpus.lang == "zh"
    return {
        "": file_of([_block(sample, targets=targets) for sample in corpus.samples], corpus, "m2")
    }


def coders(sample: Sample, *, targets: bool) -> list[str]:
    """Return the coder of each reference.

    In ERRANT's dialect that is the annotator, where all have different numbers; else the place.
    """
    names = [rewrite.annotator or "" for rewrite in sample.references]
    numbered = all(map(is_number, names))
    if numbered and len(set(names)) == len(names) and not targets:
        return names
    return [str(k) for k in range(len(names))]


def is_bare(sample: Sample) -> bool:
    """Return whether nobody annotated a sentence, which ERRANT's dialect says by no A line."""
    found = [(r.error_free, r.annotator, r.edit_sets) for r in sample.references]
    return found == [(True, None, ((),))]


def _block(sample: Sample, *, targets: bool) -> str:
    if not sample.references:
        raise _refusal(sample, "m2 reads a sentence without references as error free")
    if not sample.tokens and not sample.source.strip():
        raise CorpusError(
            f"sample {sample.id!r}: the source has no token, which m2 cannot hold; leave it out"
        )
    if not sample.tokens:
        raise _not_extracted(sample)
    lines = [f"S {_phrase(sample, sample.tokens)}"]
    if is_bare(sample) and not targets:
        return "\n".join(lines) + "\n"
    names = coders(sample, targets=targets)
    for k, (rewrite, coder) in enumerate(zip(sample.references, names, strict=True)):
        lines += _reference(sample, k, rewrite, coder, targets=targets)
    return "\n".join(lines) + "\n"


def _reference(sample: Sample, k: int, rewrite: Rewrite, coder: str, *, targets: bool) -> list[str]:
    if rewrite.unannotatable and not rewrite.edit_sets:
        return _mark(UNANNOTATABLE, NOT_ANNOTATED, coder, targets=targets)
    if not rewrite.edit_sets:
        raise _not_extracted(sample)
    if rewrite.edit_sets == ((),) and not rewrite.unannotatable:
        return _mark(ERROR_FREE, NOOP, coder, targets=targets)
    if rewrite.error_free or rewrite.unannotatable or () in rewrite.edit_sets:
        raise _refusal(sample, f"reference {k} has edits and is said to need none")
    if not targets:
        return _annotations(sample, rewrite.edit_sets[0], coder, targets=False)
    made = [made_of(sample, edits) for edits in rewrite.edit_sets]
    if len(set(map("".join, made))) > 1:
        raise _refusal(sample, f"edit sets of reference {k} make different texts")
    lines = []
    for a, edits in enumerate(rewrite.edit_sets):
        lines.append(f"T{k}-A{a} {_phrase(sample, made[a])}")
        lines += _annotations(sample, edits, coder, targets=True)
    return lines


def _mark(mark: str, label: str, coder: str, *, targets: bool) -> list[str]:
    line = _annotation(-1, -1, label, NONE, coder)
    return [f"T{coder} {mark}", line] if targets else [line]


def _annotations(sample: Sample, edits: EditSet, coder: str, *, targets: bool) -> list[str]:
    made_of(sample, edits)  # refuses edits that overlap or leave the source
    return [
        _annotation(
            edit.start,
            edit.end,
            _label(sample, edit),
            _correction(sample, edit, targets=targets),
            coder,
        )
        for edit in edits
    ]


def _label(sample: Sample, edit: Edit) -> str:
    label = edit.label
    if edit.replacement is None and label != UNKNOWN:
        raise _refusal(sample, f"an edit without replacement has label {label!r}, not UNK")
    if edit.replacement is None and edit.alternatives == (sample.tokens[edit.start : edit.end],):
        raise _refusal(sample, "an edit without replacement has the source as its alternative")
    if label is None:
        raise _refusal(sample, "an edit has no label")
    if label in (NOOP, NOT_ANNOTATED) or (label == UNKNOWN and edit.replacement is not None):
        raise _refusal(sample, f"the label {label!r} of an edit means in m2 that there is none")
    check_cell(label, sample, "a label", "m2")
    _check_bars(sample, label, BARS)
    return label


def _correction(sample: Sample, edit: Edit, *, targets: bool) -> str:
    written = edit.alternatives
    if edit.replacement is not None:
        written = (edit.replacement, *written)
    elif not written:
        written = (sample.tokens[edit.start : edit.end],)
    if written == ((),) and not targets:
        return ""
    return "||".join(_replacement(sample, each) for each in written)


def _replacement(sample: Sample, tokens: tuple[str, ...]) -> str:
    if not tokens:
        return NONE
    if tokens == (NONE,):
        raise _refusal(sample, f"the replacement {NONE!r} means in m2 that there is none")
    text = _phrase(sample, tokens)
    _check_bars(sample, text, "||")
    return text


def _check_bars(sample: Sample, text: str, divider: str) -> None:
    if divider in text or text.startswith("|") or text.endswith("|"):
        raise _refusal(sample, f"the bars in {text!r} would divide fields")


def _phrase(sample: Sample, tokens: tuple[str, ...]) -> str:
    for token in tokens:
        if token.split() != [token]:
            raise _refusal(sample, f"the token {token!r} is empty or holds white space")
    return " ".join(tokens)


def _refusal(sample: Sample, what: str) -> CorpusError:
    return CorpusError(f"sample {sample.id!r}: {what}; write it as jsonl")


def _not_extracted(sample: Sample) -> CorpusError:
    return CorpusError(
        f"sample {sample.id!r}: m2 holds edits; extract them first: gecbench edits CORPUS"
    )


def _annotation(start: int, end: int, label: str, correction: str, coder: str) -> str:
    return BARS.join((f"A {start} {end}", label, correction, "REQUIRED", NONE, coder))
