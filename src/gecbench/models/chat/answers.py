"""From the answer of a language model to a correction: only a correction gets through."""

from __future__ import annotations

import re

from gecbench.chat.profile import Bounds, SpacingRule
from gecbench.core.corrector import Correction
from gecbench.core.edit import Edit
from gecbench.edits.alignment import changes
from gecbench.models.text import correction_between
from gecbench.text.tokens import token_texts, tokens_of

# White space of answers: a sentence in tokens, as corpora have them, stays in tokens.

_TOKENISED = re.compile(
    r"\S\s+(?:[.,!?;:。，！？；：](?:\s|$)|n['’]t\b|['’](?:s|m|d|re|ve|ll)\b)", re.I
)
# As fine as tokenisers of corpora cut: "do n't", "John 's"; numbers stay whole.
_FINE = re.compile(
    r"[0-9]+(?:[.,:][0-9]+)*"
    r"|[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|m|d|re|ve|ll)\b"
    r"|[A-Za-z\u00c0-\u024f]+|\S",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[.,!?;:)\]”]|n['’]t|['’](?:s|m|d|re|ve|ll)", re.IGNORECASE)
_OPENING = "([“"


def restore_spacing(source: str, answer: str, spacing: SpacingRule = "auto") -> str:
    """Give an answer the white space of its source wherever both have the same tokens.

    Chat models write "day." where a corpus has "day ." for tokens; scored as it is, every full
    stop would be a wrong edit.

    Args:
        source: The text that a model was to correct.
        answer: The text that it wrote.
        spacing: "source" does it always; "auto" where the source has spaces before punctuation
            or contractions, so that in plain text spaces can be corrected; "answer" never.

    >>> restore_spacing("He do n't go to schools .", "He doesn't go to school.")
    "He does n't go to school ."
    >>> restore_spacing("Hello ,world", "Hello, world")
    'Hello, world'
    """
    tokenised = _TOKENISED.search(source) is not None
    if source == answer or spacing == "answer" or (spacing == "auto" and not tokenised):
        return answer
    left, right = list(_FINE.finditer(source)), list(_FINE.finditer(answer))
    if not right:
        return answer
    source_index = _equal_tokens([m.group() for m in left], [m.group() for m in right])
    pieces = [answer[: right[0].start()]]
    for k, token in enumerate(right):
        pieces.append(token.group())
        if k + 1 == len(right):
            pieces.append(answer[token.end() :])
        elif k in source_index and source_index.get(k + 1) == source_index[k] + 1:
            at = source_index[k]
            pieces.append(source[left[at].end() : left[at + 1].start()])
        else:
            gap = answer[token.end() : right[k + 1].start()]
            pieces.append(gap or " " * (tokenised and _is_gap(answer, token, right[k + 1])))
    return "".join(pieces)


def _equal_tokens(left: list[str], right: list[str]) -> dict[int, int]:
    """Find the places on the right of the tokens that are on the left, too, with theirs."""
    indices: dict[int, int] = {}
    i = j = 0
    for edit in (*changes(left, right), Edit(len(left), len(left), ())):
        indices |= zip(range(j, j + edit.start - i), range(i, edit.start), strict=True)
        i, j = edit.end, j + edit.start - i + len(edit.replacement or ())
    return indices


def _is_gap(answer: str, left: re.Match[str], right: re.Match[str]) -> bool:
    """Say whether a tokeniser would write a space between two tokens of the answer."""
    rest = answer[right.end() : right.end() + 1]
    closes = _CLOSING.fullmatch(right.group()) and (not rest.strip() or rest in '.,!?;:)]”"')
    return bool(closes) or left.group() in _OPENING


# What in an answer is the correction, and whether it is one.

_SHORT = 5
_FAR = 0.5
_WHOLE = 4
"""Words that are put in or taken out together with the end of a sentence: a sentence, then."""
_MOST_MARKS = 8
"""Quotes, labels and list marks within one another; no model means more."""

_THOUGHT = re.compile(r"^\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_THOUGHT_BEFORE = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL)
_THINKING = re.compile(r"^\s*<(?:think|thinking|reasoning)>")
_MARKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]")
"""Controls, ends of lines, and what stands for a character that came in halves."""
_ENDS = frozenset(".?!。？！")
_OUTPUT = re.compile(r"<output>(.*?)(?:</output>|$)", re.DOTALL)
_FENCE = re.compile(r"^```\w*$")
_LABEL = re.compile(
    r"^(?:\*\*)?(?:"
    r"(?:the )?(?:corrected|revised|edited|fixed)(?: (?:sentence|version|text))?"
    r"|correct(?:ion| sentence)|output|answer|result"
    r"|(?:修改|改正|纠正|更正|修正|校正)(?:后|结果)?(?:的?(?:句子|文本|内容))?(?:为|如下|是)?"
    r"|正确的?(?:句子|写法|表达)?(?:为|是)?|输出|答案|结果|答"
    r")(?:\*\*)?\s*[:：](?:\*\*)?\s*",
    re.IGNORECASE,
)
_MARKER = re.compile(r"^(?:[0-9]{1,3}[.)．、]|[-*•]) +")
_QUOTES = (
    *(('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("「", "」"), ("『", "』")),
    *(("**", "**"), ("`", "`"), ("<<", ">>")),
)
_REFUSAL = re.compile(
    r"^(?:(?:i'?m|i am|we'?re) (?:(?:very|really|so) )?sorry\b.{0,20}"
    r"\b(?:can'?t|cannot|unable|not able)"
    r"|(?:sorry|apologies|unfortunately)\W.{0,30}\b(?:can'?t|cannot|unable|not able|won'?t)"
    r"|i (?:can'?t|cannot|can not|won'?t|am unable to|'?m unable to|am not able to) "
    r"(?:assist|help|comply|fulfil|provide|do (?:that|this)|process|correct|engage|answer|discuss)"
    r"|as an? (?:ai|artificial|large language|language model)"
    r"|(?:很|非常|十分)?(?:抱歉|对不起|不好意思).{0,12}(?:无法|不能|没法|没办法|不便|不可以)"
    r"|我(?:无法|不能|没法|没办法)(?:为您?|给您?|帮|提供|协助|处理|回答|满足|修改|完成|讨论)"
    r"|作为(?:一个|一名)?\s*(?:ai|人工智能|语言模型|大模型|智能助手)"
    r"|(?:您|你)的(?:请求|问题|内容).{0,12}(?:违反|不符合|敏感|无法))",
    re.IGNORECASE,
)
_UNCHANGED = re.compile(
    r"^(?:(?:the|this|your) (?:given |original )?(?:sentence|text).{0,40}"
    r"\b(?:correct|error|fine|no )"
    r"|(?:there (?:are|is) )?no (?:grammatical |grammar |explicit |spelling )?"
    r"(?:errors?|mistakes?|changes?|corrections?)\b"
    r"|(?:这|该|此|本|原)?(?:个|句)?(?:句子|句|文本|原句|话)?(?:是)?"
    r"(?:没有|无|不存在|并无)(?:明显|任何|语法|的)*(?:错误|语病|问题|病句)"
    r"|(?:这|该|此|原)?(?:个|句)?(?:句子|句|话)?(?:是|完全|本身)*正确|无需修改|不(?:用|需要?)修改)",
    re.IGNORECASE,
)


BOUNDS = Bounds()


def parse_answer(
    source: str, answer: str, *, tokens: str, bounds: Bounds = BOUNDS, finish: str = "stop"
) -> Correction:
    """Parse a model's answer: its correction, or the source with a flag that says why not.

    White space at both ends of the source is put back, models lose it.

    Args:
        source: What was to be corrected.
        answer: All that the model wrote.
        tokens: The kind of tokens that edits consist of.
        bounds: What counts as a correction.
        finish: Why the answer ended: "length" where it was cut off, "refused" by the server.

    >>> parse_answer("他今天很高心。", "改正后的句子：他今天很高兴。", tokens="zh").text
    '他今天很高兴。'
    >>> parse_answer("He go home.", "I'm sorry, but I can't help with that.", tokens="en").flags
    ('refused',)
    """
    core = source.strip()
    answer = _without_thoughts(core, answer)
    if finish in ("length", "refused"):
        return keep_source(source, "cut" if finish == "length" else "refused")
    if _THINKING.match(answer):
        return keep_source(source, "cut")
    if not answer:
        return keep_source(source, "empty")
    if answer == core:
        return Correction(source, source)
    text, explained = _extract(core, answer, tokens, bounds)
    flags = ("explained",) if explained else ()
    if text is None:
        return keep_source(source, _comment(core, answer.split("\n")[0], tokens) or "explained")
    if not text:
        return keep_source(source, "empty", *flags)
    comment = _comment(core, text, tokens)
    if not _is_near(core, text, tokens, bounds):
        return keep_source(source, *dict.fromkeys((comment or "too different", *flags)))
    if comment:
        return keep_source(source, comment)
    text = source.replace(core, restore_spacing(core, text, bounds.spacing), 1)
    return correction_between(source, text, tokens=tokens, flags=flags)


def _without_thoughts(core: str, answer: str) -> str:
    """Remove thoughts from an answer, also without those that a template opened."""
    text = answer if "\r" in core else answer.replace("\r\n", "\n")
    thoughts = _THOUGHT if _THOUGHT_BEFORE.match(core) else _THOUGHT_BEFORE
    return thoughts.sub("", text, count=1).strip()


def keep_source(source: str, *flags: str) -> Correction:
    """Keep the source as its own correction, with flags that say why."""
    return Correction(source, source, flags=flags)


def is_encodable(text: str) -> bool:
    """Say whether UTF-8 can hold a text: whether it is free of half characters."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _extract(core: str, answer: str, tokens: str, bounds: Bounds) -> tuple[str | None, bool]:
    """Extract the correction in an answer, None where it is unclear, and whether there is more."""
    if "<output>" in answer and "<output>" not in core:
        outputs = [text.strip() for text in _OUTPUT.findall(answer)]
        only = outputs[0] if len(outputs) == 1 else None
        return only, only is None or bool(_OUTPUT.sub("", answer).strip())
    lines = [line for line in answer.split("\n") if line.strip() and not _FENCE.match(line.strip())]
    if len(lines) == sum(bool(line.strip()) for line in core.split("\n")):
        return _without_marks(core, "\n".join(lines) if "```" in answer else answer), False
    if "\n" in core:
        return None, True
    # Where there is a choice, only what is surely the sentence: "I added a comma." is not.
    near = [
        text
        for text in {_without_marks(core, line) for line in lines}
        if text
        and _is_near(core, text, tokens, bounds)
        and change_ratio(core, text, tokens) <= _FAR
    ]
    return (near[0] if len(near) == 1 else None), True


def _without_marks(core: str, text: str) -> str:
    """Strip a text of the marks, label and quotes that its source does not have."""
    for _ in range(_MOST_MARKS):
        text = text.strip()
        if not _MARKER.match(core):
            text = _MARKER.sub("", text, count=1)
        if not _LABEL.match(core):
            text = _LABEL.sub("", text, count=1).strip()
        for opening, closing in _QUOTES:
            quotes = text.startswith(opening) and text.endswith(closing)
            if core.startswith(opening) or core.endswith(closing):
                continue
            if quotes and len(text) > len(opening) + len(closing):
                text = text[len(opening) : -len(closing)]
                break
        else:
            break
    return text


def _is_near(core: str, text: str, tokens: str, bounds: Bounds) -> bool:
    """Say whether a text is like its source enough to be a correction of it."""
    if not bounds.shortest * len(core) <= len(text) <= bounds.longest * len(core):
        return False
    if set(_MARKS.findall(text)) - set(core):
        return False
    if len(tokens_of(core, tokens)) < _SHORT:
        return True
    if change_ratio(core, text, tokens) > bounds.most_changed:
        return False
    return bounds.most_changed >= 1 or not _has_sentence_changed(core, text, tokens)


def _has_sentence_changed(core: str, text: str, tokens: str) -> bool:
    """Say whether a sentence is left out or put in whole: lost, or an answer to a question.

    Of the references of MuCGEC's development set 5 in 2,409 do so, of JFLEG's none in 6,004.
    """
    left = token_texts(core, tokens)
    for edit in changes(left, token_texts(text, tokens)):
        before, after = left[edit.start : edit.end], edit.replacement or ()
        run = before or after
        words = sum(token[0].isalnum() for token in run)
        if not (before and after) and words >= _WHOLE and _ENDS.intersection(run):
            return True
    return False


def _comment(core: str, text: str, tokens: str) -> str | None:
    """Find "refused" or "explained" where a text speaks of its source and does not correct it.

    A sentence may say the same words itself: what is near to its source corrects it.
    """
    plain = text.replace("’", "'").strip()
    refused, unchanged = _REFUSAL.match(plain), _UNCHANGED.match(plain)
    if not (refused or unchanged) or change_ratio(core, text, tokens) <= _FAR:
        return None
    return "refused" if refused else "explained"


def change_ratio(source: str, text: str, tokens: str) -> float:
    """Compute which share of the tokens of the longer text is changed; white space aside.

    >>> change_ratio("我今天很高心。", "我今天很高兴。", "zh")
    0.14285714285714285
    """
    left = token_texts(source, tokens)
    right = token_texts(text, tokens)
    changed = sum(
        max(edit.end - edit.start, len(edit.replacement or ())) for edit in changes(left, right)
    )
    return changed / max(len(left), len(right), 1)
