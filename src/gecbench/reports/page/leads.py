"""What each part of the page is called in its contents, and what question it answers."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.reports.words import Words

SHORT: Mapping[str, Words] = {
    "scores": Words("Scores", "总分"),
    "compare": Words("Significance", "显著性"),
    "breakdown": Words("Breakdown", "细分"),
    "references": Words("References", "参考答案"),
    "difficulty": Words("Difficulty", "难度"),
    "robustness": Words("Robustness", "稳健性"),
}
"""By name of the analysis."""

LEADS: Mapping[str, Words] = {
    "scores": Words(
        "How good is each system, and how sure is that?", "每个系统有多好？这个结论有多可靠？"
    ),
    "compare": Words(
        "Which differences are more than the luck of which sentences were taken?",
        "哪些差异不只是抽样的运气？",
    ),
    "breakdown": Words(
        "What is each system good at: types of edits, lengths, positions?",
        "每个系统擅长什么：错误类型、句子长度、句中位置？",
    ),
    "references": Words(
        "What would the scores be if sentences had fewer references?",
        "如果每句的参考答案更少，得分会怎样？",
    ),
    "difficulty": Words(
        "Who corrects the errors that others leave? An error is difficult if few systems "
        "correct it.",
        "谁改对了别人改不了的错误？能改对的系统越少，错误越难。",
    ),
    "robustness": Words(
        "Do corrections stay the same when the words around them change?",
        "上下文变化时，修改是否保持不变？",
    ),
}

OPEN: Mapping[str, int] = {"scores": 9, "breakdown": 0}
"""How many tables are open, the others behind a click; one where nothing is said here."""
