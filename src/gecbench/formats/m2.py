"""m2: tokens and edits, in ERRANT's dialect and in ChERRANT's, which adds lines of targets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gecbench.core.edit import DETECTED, Edit, apply
from gecbench.core.errors import (
    CorpusError,
    EditError,
    FormatError,
    Message,
    OptionAdvice,
    Place,
    count_noun,
    quote,
)
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import NOT_KEPT, Corpus, EditSet, Rewrite, Sample
from gecbench.edits.alignment import common_prefix
from gecbench.formats.texts import (
    CHINESE,
    ERROR_FREE,
    UNANNOTATABLE,
    check_cell,
    error_place,
    format_rows,
    is_number,
    loss,
    loss_of,
    parse_rows,
    sample_place,
)
from gecbench.formats.texts import blocks as text_blocks

BARS = "|||"
NONE = "-NONE-"
NOOP = "noop"
NOT_ANNOTATED = "NA"
MAXMATCH = "m2-maxmatch"
_OR_MAXMATCH = OptionAdvice(
    f", or read the file as the MaxMatch scorer does: {{option}} {MAXMATCH}", "--from"
)
_S_LINE, _T_LINE = Message("the S line"), Message("the T line")
_CORRECTION, _LABEL = Message("the correction"), Message("a label")


def join(tokens: Sequence[str], *, targets: bool) -> str:
    """Join tokens to a text: without spaces in ChERRANT's dialect, which has target lines."""
    return ("" if targets else " ").join(tokens)


Block = Sequence[tuple[int, str]]
"""Numbered lines, those of a sentence or some of them."""

# A lines: one edit, or the declaration that there is none.

_NO_SPAN = ["-1", "-1"]


class Annotation(NamedTuple):
    """What one line says.

    Args:
        coder: A number, as it stands in the file.
        label: The type; noop and NA where there is no edit.
        edit: None for noop and NA.
    """

    coder: str
    label: str
    edit: Edit | None


Annotations = Sequence[tuple[int, Annotation]]
"""Each with the number of its line."""


def parse(line: str, source: tuple[str, ...], *, or_maxmatch: bool = False) -> Annotation:
    """Parse an A line.

    Args:
        line: The line.
        source: Tokens.
        or_maxmatch: Whether the MaxMatch scorer takes a span that ends after the source.

    Raises:
        FormatError: It breaks a rule.
    """
    head, label, correction, coder = fields_of(line)
    span = head[2:].split(" ")
    if label in (NOOP, NOT_ANNOTATED):
        if span != _NO_SPAN or correction not in ("", NONE):
            raise FormatError("type {label} needs span -1 -1 and correction -NONE-", label=label)
        return Annotation(coder, label, None)
    start, end = _span(span, len(source), or_maxmatch=or_maxmatch)
    texts = [
        () if text == NONE else tokens_of(text, _CORRECTION)
        for text in correction.split("||")  # CoNLL's files have alternatives
    ]
    return Annotation(coder, label, edit_of(start, end, label, texts, source))


def edit_of(
    start: int,
    end: int,
    label: str,
    texts: Sequence[tuple[str, ...]],
    source: tuple[str, ...],
) -> Edit:
    """An edit by its type and the texts that stand beside it, at least one.

    An edit of type UNK or Um was detected, not corrected. Where another text than the source's
    stands beside it all the same, that is kept as an alternative: the official MaxMatch scorer
    uses it.
    """
    first, *others = texts
    if label in DETECTED:
        proposals = () if first == source[start:end] and not others else tuple(texts)
        return Edit(start, end, None, label, proposals)
    return Edit(start, end, first, label, tuple(others))


def tokens_of(text: str, what: str) -> tuple[str, ...]:
    """The tokens of a text; () where it is empty.

    Raises:
        FormatError: Tokens are not parted by exactly one space.
    """
    tokens = text.split(" ") if text else []
    if tokens != text.split():
        if "" in tokens:
            raise FormatError(
                "{what} has an empty token: two spaces in a row, or one at an end; part "
                "tokens by one space",
                what=what,
            )
        raise FormatError(
            "{what} has white space inside the token {token!r}; part tokens by one space",
            what=what,
            token=next(token for token in tokens if token.split() != [token]),
        )
    return tuple(tokens)


def fields_of(line: str, *, leftmost: bool = False) -> tuple[str, str, str, str]:
    """The span with its A, the type, the correction and the coder of a line.

    Args:
        line: The line.
        leftmost: Where more than three bars stand in a row, the first three divide; else that is
            refused.

    Raises:
        FormatError: It is no A line, or its fields cannot be told.
    """
    if not line.startswith("A "):
        if line.startswith("S "):
            raise FormatError("a second S line in the block; put a blank line before it")
        raise FormatError(
            "{text} is no line of M2, which begin with S, A, or T and a number; remove it",
            text=quote(line),
        )
    fields = line.split(BARS)
    if len(fields) != 6:
        raise FormatError(
            "{count} fields instead of 6, as A start "
            "end|||type|||correction|||REQUIRED|||-NONE-|||coder; is there a ||| inside"
            " a text?",
            count=len(fields),
        )
    if not leftmost and "|" in line.replace(BARS, "") and any(field[:1] == "|" for field in fields):
        raise FormatError(
            "more than three bars in a row, so where a field ends is not certain; "
            "replace the | at the end of the type or correction"
        )
    head, label, correction, _required, _comment, coder = fields
    if not is_number(coder):
        raise FormatError("the coder is {coder}; number the coders from 0", coder=quote(coder))
    return head, label, correction, coder


def _span(span: list[str], length: int, *, or_maxmatch: bool) -> tuple[int, int]:
    if span == _NO_SPAN:
        raise FormatError("span -1 -1 belongs to the types noop and NA alone")
    if len(span) != 2 or not all(map(is_number, span)):
        raise FormatError(
            "the span is {text}; it is two token numbers, start end", text=quote(" ".join(span))
        )
    start, end = map(int, span)
    if start > end:
        raise FormatError(
            "edit span '{start} {end}' is reversed; M2 spans are start end", start=start, end=end
        )
    if end > length:
        message = Message(
            "edit span '{start} {end}' ends after the source, which has {length} tokens",
            start=start,
            end=end,
            length=length,
        )
        if or_maxmatch:
            message = Message("{message}; correct it{option}", message=message, option=_OR_MAXMATCH)
        raise FormatError(message)
    return start, end


def declaration(annotation: Annotation) -> Rewrite:
    """What a line of type noop or NA declares."""
    if annotation.label == NOOP:
        return Rewrite(error_free=True, edit_sets=((),), annotator=annotation.coder)
    return Rewrite(unannotatable=True, annotator=annotation.coder)


def _apply(
    path: Path, annotations: Annotations, tokens: tuple[str, ...], *, or_maxmatch: bool = False
) -> tuple[EditSet, tuple[str, ...]]:
    """Apply the edits of one set; they and the corrected tokens, in the order of the file.

    Raises:
        FormatError: Names the line of an edit that overlaps one before it.
    """
    rows = [(n, edit) for n, (_, _, edit) in annotations if edit is not None]
    edits = tuple([edit for _, edit in rows])
    try:
        return edits, apply(edits, tokens)
    except EditError as error:
        # The spans lie in the source, so two neighbours overlap: the first such are named.
        rows.sort(key=lambda row: (row[1].start, row[1].end))
        line = next(
            max(m, n) for (m, first), (n, second) in pairwise(rows) if second.start < first.end
        )
        at = Place(path, line)
        if or_maxmatch:
            raise FormatError(
                "{message}; remove one of them{option}",
                at=at,
                message=error.message,
                option=_OR_MAXMATCH,
            ) from error
        raise FormatError("{message}; remove one of them", at=at, message=error.message) from error


def detects_only(edits: EditSet) -> bool:
    """Whether some edit detects an error without correcting it."""
    return any(edit.replacement is None for edit in edits)


# T lines of ChERRANT's dialect: reference k in edit set n, then the target's tokens.


class Target(NamedTuple):
    """A T line and the A lines under it.

    Args:
        n: Line number.
        k: Reference.
        a: Edit set of the reference; None before a mark.
        body: Tokens or a mark.
        annotations: Its A lines.
    """

    n: int
    k: int
    a: int | None
    body: str
    annotations: list[tuple[int, Annotation]]

    def __str__(self) -> str:
        """The beginning of the line."""
        return f"T{self.k}" if self.a is None else f"T{self.k}-A{self.a}"


def is_target(line: str) -> bool:
    """Whether a line is a T line."""
    return line.startswith("T") and line[1:2].isdecimal()


def _references(path: Path, rows: Block, tokens: tuple[str, ...]) -> list[Rewrite]:
    """The rewrites of a block in ChERRANT's dialect.

    Raises:
        FormatError: A T line is out of order, lacks its A lines, or is not what they make.
    """
    by_reference: list[list[Target]] = []
    last: Target | None = None
    for n, line in rows:
        with error_place(Place(path, n)):
            if is_target(line):
                last = _target(n, line, last)
                if last.a:  # neither a mark nor the first edit set
                    by_reference[-1].append(last)
                else:
                    by_reference.append([last])
                continue
            annotation = parse(line, tokens)
            if last is None:
                raise FormatError(
                    "an A line before the first T line; in a file with T lines every reference "
                    "begins with one"
                )
            if annotation.coder != str(last.k):
                raise FormatError(
                    "coder {coder} under {last}; write {number}",
                    coder=annotation.coder,
                    last=last,
                    number=last.k,
                )
            last.annotations.append((n, annotation))
    return [_rewrite(path, targets, tokens) for targets in by_reference]


def _target(n: int, line: str, last: Target | None) -> Target:
    """Parse a T line that follows another one."""
    head, _, body = line[1:].partition(" ")
    k, dash, a = head.partition("-A")
    numbers = [k, a] if dash else [k]
    if not all(map(is_number, numbers)):
        raise FormatError(
            "{text} is no reference; write T0, T0-A0 and so on", text=quote("T" + head)
        )
    if not dash and body not in (ERROR_FREE, UNANNOTATABLE):
        raise FormatError(
            "T{number} stands before {text}; without -A it stands before 没有错误 or 无法标注",
            number=head,
            text=quote(body),
        )
    target = Target(n, int(k), int(a) if dash else None, body, [])
    number = last.k + 1 if last else 0
    following: list[tuple[int, int | None]] = [(number, None), (number, 0)]
    if last and last.a is not None:
        following.append((last.k, last.a + 1))
    if (target.k, target.a) in following:
        return target
    if last is None:
        raise FormatError(
            "{target} at the beginning is out of order; references count from T0, edit sets "
            "from A0",
            target=target,
        )
    raise FormatError(
        "{target} after {before} is out of order; references count from T0, edit sets from A0",
        target=target,
        before=last,
    )


def _rewrite(path: Path, targets: Sequence[Target], tokens: tuple[str, ...]) -> Rewrite:
    first = targets[0]
    if first.a is None:
        label = NOOP if first.body == ERROR_FREE else NOT_ANNOTATED
        if [annotation.label for _, annotation in first.annotations] != [label]:
            raise FormatError(
                "{target} {mark} needs exactly one A line, of type {label}",
                at=Place(path, first.n),
                target=first,
                mark=first.body,
                label=label,
            )
        return declaration(first.annotations[0][1])
    sets = [_edits(path, target, tokens) for target in targets]
    text = sets[0][1]
    for target, (_, other) in zip(targets, sets, strict=True):
        if other != text:
            raise FormatError(
                "{target} is another text than {before}; edit sets of one reference make one text",
                at=Place(path, target.n),
                target=target,
                before=first,
            )
    edit_sets = tuple([edits for edits, _ in sets])
    detects = any(map(detects_only, edit_sets))
    return Rewrite(None if detects else text, edit_sets=edit_sets, annotator=str(first.k))


def _edits(path: Path, target: Target, tokens: tuple[str, ...]) -> tuple[EditSet, str]:
    """The edits of one set, and the text that they make.

    Texts are compared, not tokens: at word level ChERRANT drops an edit that only divides words
    (毒气体 -> 毒 气体), so its T line may have other tokens than its A lines make.
    """
    for n, (_, label, edit) in target.annotations:
        if edit is None:
            raise FormatError(
                "type {label} under {target}, which is a target; it belongs under T{number}"
                " 没有错误 or 无法标注",
                at=Place(path, n),
                label=label,
                target=target,
                number=target.k,
            )
    with error_place(Place(path, target.n)):
        if not target.annotations:
            raise FormatError(
                "{target} has no A line; a reference without edits is T{number} 没有错误 and a "
                "noop line",
                target=target,
                number=target.k,
            )
        expected = "".join(tokens_of(target.body, _T_LINE))
        edits, result = _apply(path, target.annotations, tokens)
        text = "".join(result)
        if text != expected:
            i = common_prefix(text, expected)
            raise FormatError(
                "{target} goes on with {found} after {count}, its A lines make {made}; correct "
                "one of them",
                target=target,
                found=quote(expected[i:]),
                count=Message("{count} character", count=i)
                if i == 1
                else Message("{count} characters", count=i),
                made=quote(text[i:]),
            )
    return edits, text


# M2 files to samples, in both dialects.


def sniff(lines: Sequence[str]) -> bool:
    """Whether what follows the first line that is not blank, an S line, is M2 too.

    A text may begin with "S " as well, so a blank line must follow, or somewhere a T line or
    the three bars between two fields.
    """
    after = lines[next(n for n, line in enumerate(lines, 1) if line.strip()) :]
    return not "".join(after[:1]).strip() or any(BARS in ln or is_target(ln) for ln in after)


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the blocks as samples whose ids are "1", "2", ...

    A file with a target line is in ChERRANT's dialect: Chinese, tokens joined without spaces.
    The fields "required" and "comment" are not kept. Edits of a set keep the order of the file.
    A block without A lines is error free for an annotator without a name, as in m2scorer
    (util.py, load_annotation) and ERRANT.

    Raises:
        FormatError: Names the first line that breaks a rule of the format.
    """
    lines = list(lines)
    targets = any(map(is_target, lines))
    rows = (
        (block[0][0], _sample(path, str(k), block, targets=targets))
        for k, block in enumerate(blocks(path, lines), 1)
    )
    lang = CHINESE if targets else None
    return Corpus(name_of(path), (), lang, provenance(lines)), rows


def provenance(lines: Iterable[str], notes: Sequence[str] = ()) -> dict[str, str]:
    """How many lines say something in the fields that are not kept, and more notes."""
    usual = f"{BARS}REQUIRED{BARS}{NONE}{BARS}"
    count = sum(line.startswith("A ") and usual not in line for line in lines)
    fields = [f"the fields required and comment of {count_noun(count, 'A line')}"] if count else []
    notes = [*fields, *notes]
    return {NOT_KEPT: "; ".join(notes)} if notes else {}


def blocks(path: Path, lines: Iterable[str]) -> Iterator[Block]:
    """Yield the blocks of an M2 file.

    Raises:
        FormatError: There is none, or one does not begin with an S line.
    """
    n = 0
    for block in text_blocks(lines):
        n, first = block[0]
        if first != "S" and not first.startswith("S "):
            raise FormatError(
                "the block begins with {text}; it begins with an S line, and blank lines "
                "stand only between blocks",
                at=Place(path, n),
                text=quote(first),
            )
        yield block
    if not n:
        raise FormatError(
            "there is no S line; M2 begins with one: S token token", at=Place(path, 1)
        )


def _sample(path: Path, name: str, block: Block, *, targets: bool) -> Sample:
    (n, first), *rows = block
    with error_place(Place(path, n)):
        tokens = tokens_of(first[2:], _S_LINE)
        if not tokens:
            raise FormatError("the S line has no token; remove the block")
        if not rows and targets:
            raise FormatError(
                "the block has no T line; in a file with T lines every block has one (T0 "
                "没有错误 if it is error free)"
            )
    if not rows:
        rewrites = [Rewrite(error_free=True, edit_sets=((),))]
    elif targets:
        rewrites = _references(path, rows, tokens)
    else:
        rewrites = _coders(path, rows, tokens)
    return Sample(name, join(tokens, targets=targets), tuple(rewrites), tokens=tokens)


def _coders(path: Path, rows: Block, tokens: tuple[str, ...]) -> list[Rewrite]:
    """The rewrites of a block in ERRANT's dialect, in order of first appearance."""
    coders: dict[str, list[tuple[int, Annotation]]] = {}
    parse_line = partial(parse, source=tokens, or_maxmatch=True)
    for n, annotation in parse_rows(path, rows, parse_line):
        coders.setdefault(annotation.coder, []).append((n, annotation))
    return [_coder(path, annotations, tokens) for annotations in coders.values()]


def _coder(path: Path, annotations: Annotations, tokens: tuple[str, ...]) -> Rewrite:
    for n, (coder, label, edit) in annotations:
        if edit is None and len(annotations) > 1:
            raise FormatError(
                "type {label} stands beside another line of coder {coder}; remove one of them",
                at=Place(path, n),
                label=label,
                coder=coder,
            )
    _, first = annotations[0]
    if first.edit is None:
        return declaration(first)
    edits, result = _apply(path, annotations, tokens, or_maxmatch=True)
    text = None if detects_only(edits) else " ".join(result)
    return Rewrite(text=text, edit_sets=(edits,), annotator=first.coder)


# Samples to M2: ChERRANT's dialect for Chinese, ERRANT's for everything else.


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write the blocks of a corpus, byte for byte as ChERRANT and ERRANT write them.

    A deletion is -NONE- in ChERRANT's dialect and an empty field in ERRANT's, as in the files of
    ERRANT 3.0.2 and CoNLL-2014.

    Raises:
        CorpusError: The edits are not extracted, or names the sample with a token or label that
            would be read back as something else.
    """
    return {"": format_rows(corpus, "m2", partial(write_block, targets=corpus.lang == CHINESE))}


def coders(sample: Sample, *, targets: bool) -> list[str]:
    """The coder of each reference.

    In ERRANT's dialect that is the annotator, where all have different numbers; else the place.
    """
    names = [rewrite.annotator or "" for rewrite in sample.references]
    are_numbers = all(map(is_number, names))
    if are_numbers and len(set(names)) == len(names) and not targets:
        return names
    return [str(k) for k in range(len(names))]


def _is_bare(sample: Sample) -> bool:
    """Whether nobody annotated a sentence, which ERRANT's dialect says by no A line."""
    states = [(r.error_free, r.annotator, r.edit_sets) for r in sample.references]
    return states == [(True, None, ((),))]


def _lacks_edits(sample: Sample) -> bool:
    if not sample.tokens:
        return bool(sample.references and sample.source.strip())
    return not all(r.edit_sets or r.unannotatable for r in sample.references)


def write_block(sample: Sample, *, targets: bool) -> str:
    """Write the lines of a sentence, in ChERRANT's dialect with `targets`, else in ERRANT's.

    Raises:
        CorpusError: As `pieces`, without naming the sample.
    """
    tokens = sample.tokens
    if _lacks_edits(sample):
        raise CorpusError("m2 holds edits; extract them first: gecbench edits CORPUS")
    if not sample.references:
        raise _refusal(Message("m2 reads a sentence without references as error free"))
    if not tokens:
        raise CorpusError("the source has no token, which m2 cannot hold; leave it out")
    lines = [f"S {_phrase(tokens)}"]
    if targets or not _is_bare(sample):
        names = coders(sample, targets=targets)
        for k, (rewrite, coder) in enumerate(zip(sample.references, names, strict=True)):
            lines += _reference(tokens, k, rewrite, coder, targets=targets)
    return "\n".join(lines) + "\n"


def _reference(
    tokens: tuple[str, ...], k: int, rewrite: Rewrite, coder: str, *, targets: bool
) -> list[str]:
    if rewrite.unannotatable and not rewrite.edit_sets:
        return _mark(UNANNOTATABLE, NOT_ANNOTATED, coder, targets=targets)
    if rewrite.edit_sets == ((),) and not rewrite.unannotatable:
        return _mark(ERROR_FREE, NOOP, coder, targets=targets)
    if rewrite.error_free or rewrite.unannotatable or () in rewrite.edit_sets:
        raise _refusal(f"reference {k} has edits and is said to need none")
    edit_sets = rewrite.edit_sets if targets else rewrite.edit_sets[:1]
    phrases = [apply(edits, tokens) for edits in edit_sets]
    if not targets:
        return _annotations(tokens, edit_sets[0], coder, deletion="")
    if len(set(map("".join, phrases))) > 1:
        raise _refusal(f"edit sets of reference {k} make different texts")
    lines = []
    for a, (edits, phrase) in enumerate(zip(edit_sets, phrases, strict=True)):
        lines.append(f"T{k}-A{a} {_phrase(phrase)}")
        lines += _annotations(tokens, edits, coder, deletion=NONE)
    return lines


def _mark(mark: str, label: str, coder: str, *, targets: bool) -> list[str]:
    line = _annotation(-1, -1, label, NONE, coder)
    return [f"T{coder} {mark}", line] if targets else [line]


def _annotations(
    tokens: tuple[str, ...], edits: EditSet, coder: str, *, deletion: str
) -> list[str]:
    """The A lines of edits; `deletion` is what stands for a replacement without tokens."""
    lines = []
    for edit in edits:
        source = tokens[edit.start : edit.end]
        label, correction = _label(source, edit), _correction(source, edit, deletion)
        lines.append(_annotation(edit.start, edit.end, label, correction, coder))
    return lines


def _label(source: tuple[str, ...], edit: Edit) -> str:
    label = edit.label
    if edit.replacement is None and label not in DETECTED:
        raise _refusal(f"an edit without replacement has label {label!r}, not UNK or Um")
    if edit.replacement is None and edit.alternatives == (source,):
        raise _refusal("an edit without replacement has the source as its alternative")
    if label is None:
        raise _refusal("an edit has no label")
    if label in (NOOP, NOT_ANNOTATED) or (label in DETECTED and edit.replacement is not None):
        raise _refusal(f"the label {label!r} of an edit means in m2 that there is none")
    check_cell(label, _LABEL, "m2")
    _check_bars(label, BARS)
    return label


def _correction(source: tuple[str, ...], edit: Edit, deletion: str) -> str:
    choices = edit.alternatives
    if edit.replacement is not None:
        choices = (edit.replacement, *choices)
    choices = choices or (source,)
    if choices == ((),):
        return deletion
    if (NONE,) in choices:
        raise _refusal(Message("the replacement '-NONE-' means in m2 that there is none"))
    texts = list(map(_phrase, choices))
    for text in texts:
        _check_bars(text, "||")
    return "||".join(text or NONE for text in texts)


def _check_bars(text: str, divider: str) -> None:
    if divider in text or text.startswith("|") or text.endswith("|"):
        raise _refusal(Message("the bars in {text!r} would divide fields", text=text))


def _phrase(tokens: tuple[str, ...]) -> str:
    for token in tokens:
        if token.split() != [token]:
            raise _refusal(
                Message("the token {token!r} is empty or holds white space", token=token)
            )
    return " ".join(tokens)


def _refusal(what: str) -> CorpusError:
    return CorpusError("{message}; write it as jsonl", message=what)


def _annotation(start: int, end: int, label: str, correction: str, coder: str) -> str:
    return BARS.join((f"A {start} {end}", label, correction, "REQUIRED", NONE, coder))


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's.

    Raises:
        CorpusError: Edits cannot be applied; names the sample.
    """
    targets = corpus.lang == CHINESE
    samples = corpus.samples
    pairs = [(sample, rewrite) for sample in samples for rewrite in sample.references]
    names = [name for sample in samples for name in coders(sample, targets=targets)]
    annotators = zip((rewrite.annotator for _, rewrite in pairs), names, strict=True)
    nameless = sum(r.annotator is None for s, r in pairs if targets or not _is_bare(s))
    numbers = sum(sample.id != str(n) for n, sample in enumerate(samples, 1))
    sources = sum(
        bool(sample.tokens) and join(sample.tokens, targets=targets) != sample.source
        for sample in samples
    )
    texts = sum(_differs(sample, rewrite, targets=targets) for sample, rewrite in pairs)
    alike = sum(r.edit_sets == ((),) and not r.error_free for _, r in pairs)
    sets = 0 if targets else sum(len(r.edit_sets) > 1 for _, r in pairs)
    other = "m2 holds edits: {}"
    return [
        *loss_of("m2", "metadata", sum(bool(sample.meta) for sample in samples), "sentence"),
        *loss_of("m2", "provenance", bool(corpus.provenance), "corpus"),
        *loss_of("m2", "ids but numbers", numbers, "sentence"),
        *loss_of("m2", "language", corpus.lang not in (None, CHINESE), "corpus"),
        *loss_of("m2", "flag that edit sets were capped", sum(r.capped for _, r in pairs)),
        *loss_of(
            "m2",
            "annotators but numbers",
            sum(annotator not in (None, name) for annotator, name in annotators),
        ),
        *loss(nameless, "reference", "m2 numbers annotators, and {} named none"),
        *loss(
            sources,
            "source",
            f"{other} read back as tokens joined, other in white space or more",
        ),
        *loss(
            texts,
            "reference",
            f"{other} with another text read back as what edits make of tokens",
        ),
        *loss(
            alike,
            "reference",
            f"{other} without edits will be read back as error free",
        ),
        *loss(
            sets,
            "reference",
            f"{other} with several edit sets read back as the first of them",
        ),
    ]


def _differs(sample: Sample, rewrite: Rewrite, *, targets: bool) -> bool:
    """Whether the text is another one than reading back gives."""
    if not any(rewrite.edit_sets):
        return False
    sets = rewrite.edit_sets if targets else rewrite.edit_sets[:1]
    if any(map(detects_only, sets)):
        return rewrite.text is not None
    with error_place(sample_place(sample), CorpusError):
        return rewrite.text != join(apply(sets[0], sample.tokens), targets=targets)


FORMAT = Format(
    name="m2",
    title="M2",
    about="tokens and edits: ChERRANT's dialect for Chinese, else ERRANT's",
    first_line=re.compile("S .*"),
    sniff=sniff,
    stream=stream,
    pieces=pieces,
    losses=losses,
    has_ids=False,
)
