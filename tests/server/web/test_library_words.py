"""What the library says in English is said in Chinese: all of it, and nothing else is touched."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from django.utils.translation import override
from server.import_export.files import empty
from server.web.broken_imports import BROKEN, UNWRITABLE, errors
from server.web.library_messages import NASTY, SOURCE, Message, formatted, raised_in

from gecbench.api.schemes import load_scheme
from gecbench.core.errors import CorpusError, MissingExtraError
from gecbench.formats import load_format
from gecbench.server.rules.consistency import SENTENCES
from gecbench.server.rules.text import KINDS, REFUSALS
from gecbench.server.web.library import saying
from gecbench.server.web.library.patterns import pattern
from gecbench.server.web.library.saying import messages, parts, phrase, said
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


ROOMS = (
    *modules("server/import_export"),
    *("server.rules.options", "server.guidelines.rendering"),
    *modules("server/web/manage"),
    *asked_of_workflow(),
    *("server.workflow.transactions", "server.workflow.sentences"),
)
"""Where the server itself raises the messages of the manager's pages.

Those of the formats are raised by files that are broken, see broken_imports.
"""

_STREAMED = "said while a file streams; the page has gone out before"
_COMMAND = "only the command line asks for it"
_CLOSED = "the page has no way to send such a value"
_BEFORE = "another check comes before it"
_WRAPPED = "goes on as a ConflictError, for which the page has its own words"
_PASSED = "passes on what is looked at where it is raised"
_ELSEWHERE = "said on another page, which has its own words"

UNREACHABLE: Mapping[tuple[str, str], str] = {
    ("server.import_export.reading", "dev.tsv: cannot be read"): _COMMAND,
    ("server.import_export.exports", "this export has 7654321 files"): _COMMAND,
    ("server.import_export.reading", "str(error)"): _PASSED,
    ("server.import_export.imports", "plan.obstacle"): _PASSED,
    ("server.import_export.reading", "message"): _PASSED,
    ("server.import_export.plans", "str(error)"): _PASSED,
    ("server.import_export.plans", "one.message"): _PASSED,
    ("server.import_export.plans", "unknown import option"): _CLOSED,
    ("server.import_export.plans", "message"): _PASSED,
    ("server.import_export.releases", f"release {NASTY} has no file"): _BEFORE,
    ("server.import_export.releases", "the edits of release"): _STREAMED,
    ("server.import_export.releases", "cilin.txt is not what was released"): _STREAMED,
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
    ("server.workflow.review_tasks", "say why"): _ELSEWHERE,
    ("server.workflow.review_tasks", "only 7654321 annotators"): _ELSEWHERE,
    ("server.workflow.review_tasks", "7654321 more annotators"): _ELSEWHERE,
    ("server.workflow.reviews", "nobody else"): _ELSEWHERE,
    ("server.workflow.sentences", "sentence "): _WRAPPED,
    ("server.workflow.sentences", "7654321 sentence ids"): _WRAPPED,
    ("server.workflow.studies", "there is no study item 7654321 for this"): _ELSEWHERE,
    ("server.workflow.studies", "the text is"): _ELSEWHERE,
    ("server.workflow.studies", "the sentence is"): _ELSEWHERE,
    ("server.workflow.studies", "str(error)"): _ELSEWHERE,
    ("server.workflow.studies", "write one text"): _ELSEWHERE,
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


RULED = {
    one: formatted(sentence, {"text": "A.*", "placeholder": "[缺失成分]", "repair": "，"})
    for one, sentence in SENTENCES.items()
}


def unwritable() -> Iterator[str]:
    """What writers say of corpora that their formats cannot hold."""
    for name, corpus in UNWRITABLE:
        with pytest.raises(CorpusError) as error:
            load_format(name).write(corpus)
        yield str(error.value)


@cache
def shown() -> tuple[str, ...]:
    """Every message that a page can show."""
    samples = {"what": "the text", "code": "D800"}
    return (
        *(one.text for one in library() if excused(one) is None),
        *(formatted(sentence, samples) for sentence in REFUSALS.values()),
        *(f"{one} (CON-4-position)" for one in RULED.values()),
        *unwritable(),
        "dev.tsv:7: the line is blank; remove it; 12 problems in all, nothing is imported",
    )


NOTES = (
    *KINDS.values(),
    *("cancelled annotations", "results of type choices (<b>)", "predictions", "comments"),
    *("how many annotators wrote each text", "submissions", "reviews", "studies"),
    *("declarations without a text", "1 to 20", "3-1 to 3-20"),
)
"""What a report says of a file beside its problems."""


def test_the_source_shows_every_message_or_somebody_has_said_where_it_comes_from():
    unseen = [one for one in library() if not one.seen and excused(one) is None]
    assert [(one.module, one.line, one.text) for one in unseen] == []


def test_every_message_that_a_page_can_show_is_said_in_chinese():
    assert len(shown()) > 120
    with override("zh-hans"):
        english = {one for one in shown() if said(one).foreign or not HAN.search(said(one).text)}
        english |= {one for one in NOTES if phrase(one).foreign}
    assert sorted(english) == []


def test_in_english_every_message_is_the_librarys_own_byte_for_byte():
    with override("en"):
        assert [one for one in shown() if str(said(one)) != one or said(one).foreign] == []
        assert [one for one in NOTES if str(phrase(one)) != one] == []


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


def test_what_cannot_be_shown_is_still_there_and_is_not_said_in_vain():
    used = {excused(one) for one in library()}
    assert [one for one in UNREACHABLE if one not in used] == []


OTHERS = re.compile(
    r"Illegal trailing comma|maximum rec|Exceeds the lim|Expecting|Invalid|Stack ov"
    r"|OpenCC|pypinyin|spaCy|errant|.*(?:is not installed|catalogue|install errant|of the data set)"
)
"""What other versions of Python say, and what is said where a package or a data set is missing."""


def test_no_pattern_is_left_of_a_message_that_is_gone(site, monkeypatch):
    project = empty()
    used: set[str] = set()
    monkeypatch.setattr(saying, "gettext", lambda msgid: used.add(msgid) or msgid)
    for message in shown():
        said(message)
    for note in NOTES:
        phrase(note)
    for name, files in BROKEN.items():
        for raw in files.values():
            for error in errors(project, raw, name):
                said(str(error))
    assert [
        msgid
        for msgid in (pattern.msgid for pattern in (*messages(), *parts()))
        if msgid not in used and not OTHERS.match(msgid)
    ] == []


def test_a_scheme_without_its_package_is_refused_in_chinese(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with override("zh-hans"), pytest.raises(MissingExtraError) as error:
        load_scheme("en-errant").signature  # noqa: B018
    with override("zh-hans"):
        assert str(said(str(error.value))).startswith("没有安装 spaCy")
        assert str(said(str(MissingExtraError("scipy", "statistics")))).startswith("没有安装 scipy")


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
        ("'x[0]' is null; expected an object", "'x[0]' 是空值（null）；应为对象"),
        ("'x' is a whole number, 99…; expected a list", "'x' 是整数 99…；应为列表"),
        (
            "an object was expected, not '5'; the rest of the file was not looked at",
            "应为对象，而不是 '5'；文件的其余部分没有检查",
        ),
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
