"""What the heat map says, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.reports.words import Words

WORDS: Mapping[str, Words] = {
    "title": Words("Difficulty of errors", "错误的修改难度"),
    "skip": Words("Skip to the sentences", "跳到句子"),
    "language": Words("Language", "语言"),
    "theme": Words("Colours", "配色"),
    "auto": Words("as the system", "跟随系统"),
    "light": Words("light", "浅色"),
    "dark": Words("dark", "深色"),
    "lead": Words(
        "The stronger the colour of an error, the fewer systems correct it. Point at a mark, or "
        "move to it by Tab, to see its type, its correction and its weight.",
        "颜色越浓，改对该错误的系统越少。将鼠标移到标记上，或用 Tab 键移到标记，"
        "即可查看类型、修改和权重。",
    ),
    "result": Words("Reference", "参考答案"),
    "reference": Words("reference {n}", "参考答案 {n}"),
    "annotator": Words(" (annotator {name})", "（标注者 {name}）"),
    "chosen": Words("the chosen references", "各句选定的参考答案"),
    "legend": Words("Legend", "图例"),
    "error": Words("error, by weight", "错误，按权重"),
    "wrong": Words("no error, but changed by systems", "原本无错，却被系统改动"),
    "insertion": Words("something is inserted here", "此处插入内容"),
    "filters": Words("Filters", "筛选"),
    "kind": Words("Marks", "标记"),
    "both": Words("errors and wrong changes", "错误与误改"),
    "errors": Words("errors only", "仅错误"),
    "wrongs": Words("wrong changes only", "仅误改"),
    "type": Words("Type", "类型"),
    "all-types": Words("all types", "全部类型"),
    "no-type": Words("(no type)", "（无类型）"),
    "least": Words("Weight from", "权重从"),
    "most": Words("to", "到"),
    "search": Words("Search", "搜索"),
    "search-hint": Words("source, correction or id", "原文、修改或编号"),
    "order": Words("Order", "顺序"),
    "corpus-order": Words("as in the corpus", "按语料顺序"),
    "hardest": Words("hardest first", "最难的在前"),
    "weights": Words("write the weights", "显示权重"),
    "reset": Words("Reset", "重置"),
    "shown": Words("{n} of {all} sentences, {marks} marks", "{all} 句中的 {n} 句，{marks} 处标记"),
    "none": Words("No sentence matches these filters.", "没有符合条件的句子。"),
    "correction": Words("correction", "修改为"),
    "nothing": Words("(delete)", "（删除）"),
    "inserted": Words("(insert)", "（插入）"),
    "weight": Words("weight", "权重"),
    "right": Words("corrected by", "改对的系统"),
    "other": Words("changed otherwise by", "改成别的系统"),
    "changed": Words("changed by", "改动的系统"),
    "nobody": Words("no system", "无"),
    "error-head": Words("error", "错误"),
    "wrong-head": Words("no error", "无错"),
    "value": Words("difficulty", "难度"),
    "systems": Words("Systems", "系统"),
    "notes": Words("Notes", "说明"),
    "signature": Words("How the weights were made", "权重的计算方式"),
    "sentences": Words("Sentences", "句子"),
    "no-script": Words(
        "This page draws its sentences by a script; allow scripts to see them.",
        "本页用脚本显示句子，请允许运行脚本。",
    ),
}
"""By key, as the template and the script name them."""
