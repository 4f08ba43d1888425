"""What the library says in English is said in Chinese: all of it, and nothing else is touched."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from django.utils.translation import override
from server.web.library_messages import NASTY, SOURCE, Message, formatted, raised_in

from gecbench.server.exchange.records import READERS
from gecbench.server.laws.findings import SENTENCES
from gecbench.server.laws.text import KINDS, REFUSALS
from gecbench.server.web.library.patterns import pattern
from gecbench.server.web.library.saying import messages, parts, said
from gecbench.server.web.manage.words import _PROBLEMS

HAN = re.compile("[\u4e00-\u9fff]")
WORKFLOW = "gecbench.server.workflow"


def modules(folder: str) -> tuple[str, ...]:
    paths = sorted(path.relative_to(SOURCE) for path in (SOURCE / folder).rglob("*.py"))
    return tuple(".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths)


def asked_of_workflow() -> tuple[str, ...]:
    """The modules of the workflow that the manager's pages ask."""
    found = set()
    for path in (SOURCE / "server" / "web" / "manage").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith(WORKFLOW):
                found.add(node.module)
            if isinstance(node, ast.ImportFrom) and node.module == WORKFLOW:
                found |= {f"{WORKFLOW}.{one.name}" for one in node.names}
    return tuple(sorted(one.removeprefix("gecbench.") for one in found if one != WORKFLOW))


BY_COMMAND = (
    *("annotators", "config", "fcgec", "frequencies", "judgments", "meta", "numbers", "perturbed"),
    *("perturbed_outputs", "robustgec", "sources", "streaming", "weights", "m2.maxmatch"),
)
"""Modules of formats that the command line alone reads with."""

ROOMS = (
    *(one for one in modules("formats") if one.removeprefix("formats.") not in BY_COMMAND),
    *modules("server/exchange"),
    *("core.edit", "core.sample", "core.registry", "server.laws.options", "server.guide.render"),
    *modules("server/web/manage"),
    *asked_of_workflow(),
    *("server.workflow.acts", "server.workflow.acting", "server.workflow.sentences"),
    *("api.schemes", "backends.chinese", "backends.spacy", "datasets.catalog"),
    *("lang.zh.cherrant", "lang.zh.resources", "lang.en.resources"),
)
"""Where the messages of the manager's pages are raised."""

_EXTRACTED = "edits of files that go out are found by our own schemes just before"
_STREAMED = "said while a file streams; the page has gone out before"
_COMMAND = "only the command line asks for it"
_CLOSED = "the page has no way to send such a value"
_BEFORE = "another check comes before it"
_WRAPPED = "goes on as a ConflictError, for which the page has its own words"
_PASSED = "passes on what is looked at where it is raised"
_ELSEWHERE = "said on another page, which has its own words"
_OTHERS = "ends in the words of another program; stays English and is marked so"

UNREACHABLE: Mapping[tuple[str, str], str] = {
    ("core.registry", "kind"): _CLOSED,
    ("core.sample", "7654321: id"): _BEFORE,
    ("formats.m2.reading", "dev.tsv:1: there is no S line"): _BEFORE,
    ("formats.m2.writing", "sample 'k7': edit sets of reference"): _EXTRACTED,
    ("formats.m2.writing", "sample 'k7': reference 7654321 has edits"): _EXTRACTED,
    ("formats.m2.writing", "sample 'k7': the label"): _EXTRACTED,
    ("formats.m2.writing", "sample 'k7': an edit"): _EXTRACTED,
    ("formats.m2.writing", f"sample {NASTY}: m2 holds edits"): _EXTRACTED,
    ("formats.reading", "dev.tsv: 7654321, but"): _COMMAND,
    ("formats.reading", "dev.tsv:1: the file is empty"): _COMMAND,
    ("formats.reading", "dev.tsv:1: this is 7654321"): _COMMAND,
    ("formats.reading", "dev.tsv: a, b; give the ids"): _COMMAND,
    ("formats.reading", f"dev.tsv:7654321: id {NASTY} has"): _COMMAND,
    ("server.exchange.content", "dev.tsv: cannot be read"): _COMMAND,
    ("server.exchange.exports", "this export has 7654321 files"): _COMMAND,
    ("server.exchange.foreign", "str(error)"): _PASSED,
    ("server.exchange.imports", "plan.obstacle"): _PASSED,
    ("server.exchange.planning", "message"): _PASSED,
    ("server.exchange.planning", "str(error)"): _PASSED,
    ("server.exchange.planning", "one.message"): _PASSED,
    ("server.exchange.plans", "unknown import option"): _CLOSED,
    ("server.exchange.records", "message"): _PASSED,
    ("server.exchange.releases", f"release {NASTY} has no file"): _BEFORE,
    ("server.exchange.releases", "the edits of release"): _STREAMED,
    ("server.exchange.releases", "cilin.txt is not what was released"): _STREAMED,
    ("server.workflow.members", "an invitation"): _ELSEWHERE,
    ("server.workflow.members", "the invitation would"): _ELSEWHERE,
    ("server.workflow.members", "there is no such invitation"): _ELSEWHERE,
    ("server.workflow.members", "one.messages[0]"): _ELSEWHERE,
    ("server.workflow.members", "a login"): _ELSEWHERE,
    ("server.workflow.members", "you are paused"): _ELSEWHERE,
    ("server.workflow.members", "the 7654321 is empty"): _ELSEWHERE,
    ("server.workflow.members", "the login"): _ELSEWHERE,
    ("server.workflow.members", "this link"): _ELSEWHERE,
    ("server.workflow.members", "str(error)"): _ELSEWHERE,
    ("server.web.manage.projects", "error"): _PASSED,
    ("server.workflow.opinions", "say why"): _ELSEWHERE,
    ("server.workflow.opinions", "only 7654321 annotators"): _ELSEWHERE,
    ("server.workflow.opinions", "7654321 more annotators"): _ELSEWHERE,
    ("server.workflow.reviews", "nobody else"): _ELSEWHERE,
    ("server.workflow.sentences", "sentence "): _WRAPPED,
    ("server.workflow.sentences", "7654321 sentence ids"): _WRAPPED,
    ("server.workflow.studies", "there is no study item 7654321 for this"): _ELSEWHERE,
    ("server.workflow.studies", "the text is"): _ELSEWHERE,
    ("server.workflow.studies", "the sentence is"): _ELSEWHERE,
    ("server.workflow.studies", "str(error)"): _ELSEWHERE,
    ("server.workflow.studies", "write one text"): _ELSEWHERE,
    ("api.schemes", "scheme dev.tsv has no option"): _CLOSED,
    ("api.schemes", "7654321: scheme 7654321 is for language"): _COMMAND,
    ("api.schemes", "7654321: there is no scheme"): _COMMAND,
    ("backends.spacy", "7654321: no spaCy"): _COMMAND,
    ("backends.spacy", "7654321: does not name"): _COMMAND,
    ("backends.spacy", "there is no folder"): _COMMAND,
    ("backends.spacy", "7654321: the pipeline cannot be loaded"): _OTHERS,
    ("datasets.store", "the files of the data set"): _COMMAND,
    ("datasets.store", "7654321: its sha256"): _COMMAND,
    ("datasets.store", "unknown sample"): _COMMAND,
}
"""Module and beginning of a message that no page can show, or an expression; and why."""


def excused(one: Message) -> tuple[str, str] | None:
    """The entry that says why a message is never shown."""
    found = [k for k in UNREACHABLE if k[0] == one.module and one.text.startswith(k[1])]
    return found[0] if found else None


@cache
def library() -> tuple[Message, ...]:
    """All messages but those of problems for which the page has its own words."""
    raised = (one for room in ROOMS for one in raised_in(room))
    return tuple(one for one in raised if one.code not in _PROBLEMS)


BROKEN_JSON = (
    "", "{", "{1: 2}", '{"a" 1}', '{"a": 1 "b"}', '"abc', '{"a": "\t"}', '"\\q"', '"\\u12"',
    "[1,]", '{"a": 1,}', "{} {}", "\ufeff{}", "nul", "[" * 100_000, "9" * 5000,
)  # fmt: skip
"""One of each kind that Python's reader refuses."""


def json_messages() -> Iterator[str]:
    """What Python's reader of JSON says, as readers of lines and readers of whole files pass it."""
    for text in BROKEN_JSON:
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            yield f"not JSON at column {error.colno}: {error.msg}; each line is one object"
            yield f"not JSON: {error}; the rest of the file was not looked at"
        except (ValueError, RecursionError) as error:
            yield f"not JSON: {error}"


RULED = {
    one: formatted(sentence, {"text": "A.*", "placeholder": "[缺失成分]", "repair": "，"})
    for one, sentence in SENTENCES.items()
}


@cache
def shown() -> tuple[str, ...]:
    """Every message that a page can show."""
    samples = {"what": "the text", "code": "D800"}
    return (
        *(one.text for one in library() if excused(one) is None),
        *(formatted(sentence, samples) for sentence in REFUSALS.values()),
        *(f"{one} (CON-4-position)" for one in RULED.values()),
        *json_messages(),
        "dev.tsv:7: the line is blank; remove it; 12 problems in all, nothing is imported",
    )


NOTES = (
    *KINDS.values(),
    *("cancelled annotations", "results of type choices (<b>)", "predictions", "comments"),
    *("how many annotators wrote each text", "submissions", "reviews", "studies"),
    *("declarations without a text", "1 to 20", "3-1 to 3-20"),
)
"""What a report says of a file beside its problems."""


def test_chinese_keeps_the_files_own_words_and_numbers():
    with override("zh-hans"):
        lost = [
            (one.text, value)
            for one in library()
            if excused(one) is None
            for value in one.values
            if value not in said(one.text).text
        ]
    assert lost == []


def test_formats_of_the_command_line_are_not_read_by_the_server():
    assert "m2-maxmatch" not in READERS
    apart = {f"gecbench.formats.{one}" for one in BY_COMMAND}
    for path in (SOURCE / "server").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        found = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not found & apart, path


def test_what_nobody_knows_stays_as_it_is_and_is_marked():
    for one in ("new words", "", "%(line)s %d {0}", "a:1: " * 10_000, "dev.tsv:1: new words"):
        with override("zh-hans"):
            assert (said(one).text, said(one).foreign) == (one, True)
    with override("zh-hans"):
        assert str(said("b: 1:1: x.tsv:7: the line is blank; remove it")) == (
            "b: 1:1: x.tsv 第 7 行：这一行是空行；请删除"
        )


def test_a_pattern_has_one_unbounded_place_at_most():
    """Two would look at a line of a hundred million characters as often as it is long."""
    for one in (*messages(), *parts()):
        assert one.expression.pattern.count(">.+)") <= 1, one.msgid


def test_a_place_says_what_stands_there():
    with pytest.raises(KeyError, match="anything"):
        pattern("the %(anything)s is wrong")


@pytest.mark.parametrize(
    ("message", "chinese"),
    [
        ("reference 2 is empty; fill it or take it out", "第 2 个答案是空的；请补上或去掉"),
        ("'id' is a list; expected a string", "'id' 是列表；应为字符串"),
        ("an item of 'x' is null; expected an object", "'x' 中的一项是空值（null）；应为对象"),
        ("unknown key 'txt'; did you mean text?", "未知的键 'txt'；是否指 text？"),
        (
            "a.json:3: not JSON: Expecting value: line 3 column 5 (char 17); "
            "the rest of the file was not looked at",
            "a.json 第 3 行：不是合法的 JSON：缺少值（第 3 行第 5 列，第 17 个字符）；"
            "文件的其余部分没有检查",
        ),
        (
            "edit span 1 3 overlaps edit span 0 2; remove one of them",
            "编辑范围 1 3 与编辑范围 0 2 重叠；请删除其中一个",
        ),
    ],
)
def test_parts_of_a_message_are_said_too(message: str, chinese: str):
    with override("zh-hans"):
        assert str(said(message)) == chinese
