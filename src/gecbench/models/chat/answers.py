"""From what a language model said to a correction: only a correction gets through."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gecbench.core.corrector import Correction
from gecbench.edits.changes import changes
from gecbench.models.chat.spacing import Spacing, respaced
from gecbench.models.rewriting import rewritten
from gecbench.text.tokens import token_texts, tokens_of

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


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an answer may be to count as a correction of its source.

    Args:
        shortest: Least length of the answer, as a share of its source's, in characters.
        longest: Greatest.
        most_changed: Share of the tokens that may be changed, in [0, 1], where the source has at
            least five; one word of two is no great change.
        spacing: Whose white space counts; see `respaced`.
    """

    shortest: float = 0.5
    longest: float = 2.0
    most_changed: float = 0.8
    spacing: Spacing = "auto"


def judged(
    source: str, answer: str, *, tokens: str, bounds: Bounds = Bounds(), finish: str = "stop"
) -> Correction:
    """Return the correction in a model's answer, or the source with a flag that says why not.

    White space at both ends of the source is put back, models lose it.

    Args:
        source: What was to be corrected.
        answer: All that the model said.
        tokens: The kind of tokens that edits consist of.
        bounds: What counts as a correction.
        finish: Why the answer ended: "length" where it was cut off, "refused" by the server.

    >>> judged("他今天很高心。", "改正后的句子：他今天很高兴。", tokens="zh").text
    '他今天很高兴。'
    >>> judged("He go home.", "I'm sorry, but I can't help with that.", tokens="en").flags
    ('refused',)
    """
    core = source.strip()
    if finish in ("length", "refused"):
        return kept(source, "cut" if finish == "length" else "refused")
    said = _unthought(core, answer)
    if _THINKING.match(said):
        return kept(source, "cut")
    if not said:
        return kept(source, "empty")
    if said == core:
        return Correction(source, source)
    text, explained = _picked(core, said, tokens, bounds)
    flags = ("explained",) if explained else ()
    if text is None:
        return kept(source, _why_not(core, said.split("\n")[0], tokens) or "explained")
    if not text:
        return kept(source, "empty", *flags)
    if not _is_near(core, text, tokens, bounds):
        far = _why_not(core, text, tokens) or "too different"
        return kept(source, far, *(flag for flag in flags if flag != far))
    if why := _why_not(core, text, tokens):
        return kept(source, why)
    text = respaced(core, text, bounds.spacing)
    start = source.index(core)
    whole = source[:start] + text + source[start + len(core) :]
    return rewritten(source, whole, tokens=tokens, flags=flags)


def _unthought(core: str, answer: str) -> str:
    """Return an answer without thoughts; of those that a template opens only the end is said."""
    said = answer if "\r" in core else answer.replace("\r\n", "\n")
    thoughts = _THOUGHT if _THOUGHT_BEFORE.match(core) else _THOUGHT_BEFORE
    return thoughts.sub("", said, count=1).strip()


def kept(source: str, *flags: str) -> Correction:
    """Return the source as its own correction, with flags that say why."""
    return Correction(source, source, flags=flags)


def is_whole(text: str) -> bool:
    """Say whether UTF-8 can hold a text: whether it is free of half characters."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _picked(core: str, said: str, tokens: str, bounds: Bounds) -> tuple[str | None, bool]:
    """Return the correction in an answer, None where it cannot be told, and if there was more."""
    if "<output>" in said and "<output>" not in core:
        tagged = [text.strip() for text in _OUTPUT.findall(said)]
        only = tagged[0] if len(tagged) == 1 else None
        return only, only is None or bool(_OUTPUT.sub("", said).strip())
    lines = [line for line in said.split("\n") if line.strip() and not _FENCE.match(line.strip())]
    if len(lines) == sum(bool(line.strip()) for line in core.split("\n")):
        return _bared(core, "\n".join(lines) if "```" in said else said), False
    if "\n" in core:
        return None, True
    texts = {_bared(core, line) for line in lines}
    near = [text for text in texts if text and _is_near(core, text, tokens, bounds)]
    # Where there is a choice, only what is surely the sentence: "I added a comma." is not.
    near = [text for text in near if changed_share(core, text, tokens) <= _FAR]
    return (near[0] if len(near) == 1 else None), True


def _bared(core: str, text: str) -> str:
    """Return a text without the marks, label and quotes that its source does not have."""
    for _ in range(_MOST_MARKS):
        text = text.strip()
        if not _MARKER.match(core):
            text = _MARKER.sub("", text, count=1)
        if not _LABEL.match(core):
            text = _LABEL.sub("", text, count=1).strip()
        quotes = next((pair for pair in _QUOTES if _is_quoted(core, text, *pair)), None)
        if quotes is None:
            break
        text = text[len(quotes[0]) : -len(quotes[1])]
    return text


def _is_quoted(core: str, text: str, opening: str, closing: str) -> bool:
    """Say whether a text stands in quotes that its source does not have."""
    long = len(text) > len(opening) + len(closing)
    quoted = long and text.startswith(opening) and text.endswith(closing)
    return quoted and not (core.startswith(opening) or core.endswith(closing))


def _is_near(core: str, text: str, tokens: str, bounds: Bounds) -> bool:
    """Say whether a text is like its source enough to be a correction of it."""
    if not bounds.shortest * len(core) <= len(text) <= bounds.longest * len(core):
        return False
    if set(_MARKS.findall(text)) - set(core):
        return False
    if len(tokens_of(core, tokens)) < _SHORT:
        return True
    if changed_share(core, text, tokens) > bounds.most_changed:
        return False
    return bounds.most_changed >= 1 or not _is_sentence_off(core, text, tokens)


def _is_sentence_off(core: str, text: str, tokens: str) -> bool:
    """Say whether a sentence is left out or put in whole: lost, or an answer to what was asked.

    Of the references of MuCGEC's development set 5 in 2,409 do so, of JFLEG's none in 6,004.
    """
    left = token_texts(core, tokens)
    right = token_texts(text, tokens)
    for edit in changes(left, right):
        gone, new = left[edit.start : edit.end], edit.replacement or ()
        run = gone or new
        words = sum(token[0].isalnum() for token in run)
        if not (gone and new) and words >= _WHOLE and _ENDS.intersection(run):
            return True
    return False


def _why_not(core: str, text: str, tokens: str) -> str | None:
    """Return "refused" or "explained" where a text speaks of its source and does not correct it.

    A sentence may say the same words itself: what is near to its source corrects it.
    """
    plain = text.replace("’", "'").strip()
    spoken = _REFUSAL.match(plain) or _UNCHANGED.match(plain)
    if not spoken or changed_share(core, text, tokens) <= _FAR:
        return None
    return "refused" if _REFUSAL.match(plain) else "explained"


def changed_share(source: str, text: str, tokens: str) -> float:
    """Return which share of the tokens of the longer text is changed; white space aside.

    >>> changed_share("我今天很高心。", "我今天很高兴。", "zh")
    0.14285714285714285
    """
    left = token_texts(source, tokens)
    right = token_texts(text, tokens)
    changed = sum(
        max(edit.end - edit.start, len(edit.replacement or ())) for edit in changes(left, right)
    )
    return changed / max(len(left), len(right), 1)
