"""What is wrong with a file, as the pages of a Chinese and of an English interface show it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation
from django.utils.html import strip_tags
from server.import_export.test_import_formats import BROKEN
from server.rest.test_hostile_files import _BAD
from server.security.nasty import WHOLE
from server.security.payloads import TAGS
from server.web.asking import Asking
from server.workflow.stories import a_project, somebody
from unit.formats import test_m2_bad_files as blocks
from unit.formats import test_reading_bad_files as texts

from gecbench.core.errors import GecbenchError
from gecbench.server.models import Project, Sentence
from gecbench.server.web import http
from gecbench.server.web.manage import imports
from gecbench.server.web.messages import translate

BEGIN = "/p/story/manage/import"
HAN = re.compile("[\u4e00-\u9fff]")
FIELD_ERROR = re.compile(r'<p class="problem"[^>]*>([^<]*)</p>')
NASTY = "<script>alert(1)</script> %(line)s %s {0} & \" ' .* \\"
PROBLEM = re.compile(
    r'<li>\s*<span class="line">[^<]*</span>\s*<span(.*?)>(.*?)</span>\s*</li>', re.S
)
REFUSAL = re.compile(r'<p class="note (?:bad|warn)" role="alert"(.*?)>(.*?)</p>', re.S)

REFUSED_FORMAT = re.compile('id="format_error">(.*?)</p>', re.S)

FILES: dict[str, tuple[bytes, str]] = {
    **{f"unit mucgec {n}": (raw, "mucgec") for n, (raw, _) in enumerate(texts.MUCGEC)},
    **{f"unit jsonl {n}": (raw, "jsonl") for n, (raw, _) in enumerate(texts.JSONL)},
    **{f"unit any {n}": (raw, "") for n, (raw, _) in enumerate(texts.ANY)},
    **{f"unit m2 {n}": (raw, "m2") for n, (raw, _) in enumerate(blocks.M2)},
    **{f"unit cherrant {n}": (raw, "m2") for n, (raw, _) in enumerate(blocks.CHERRANT)},
    **{f"of {name}": (text.encode(), name) for name, (text, *_) in BROKEN.items()},
    **{name: (raw, "") for name, raw in _BAD.items()},
    **{f"whole {n}": (raw, "") for n, raw in enumerate(WHOLE)},
    "a header": (b"id\tsource\nx\ty\n", ""),
    "sentences first": ("我们今天去学校。\t我们\n".encode() * 3, ""),
    "no known JSON": (b'[{"a": 1, "b": 2}]', ""),
}
"""Broken files, and the format in which they are read."""


@pytest.fixture
def project(site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(settings, "SITE", replace(settings.SITE, folder=folder))
    monkeypatch.setattr(http, "_BUCKETS", http.Buckets())
    return a_project(0)


def person(language: str) -> Asking:
    return Asking(somebody("boss"), language=language)


def uploaded(boss: Asking, raw: bytes, name: str = "dev.tsv", *references: bytes) -> str:
    """The address of the report; an empty file is refused at once, so one line is there."""
    more = [SimpleUploadedFile(f"ref{n}", reference) for n, reference in enumerate(references)]
    file = SimpleUploadedFile(name, raw or b"\n")
    answer = boss.client.post(BEGIN, {"file": file, "references": more})
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def shown_messages(page: str) -> list[tuple[str, str]]:
    """What a page says is wrong: the attributes of the element, and its text."""
    return [
        (mark.strip(), unescape(text).strip())
        for mark, text in (*PROBLEM.findall(page), *REFUSAL.findall(page))
    ]


def test_every_broken_file_is_told_in_chinese(project):
    chinese = person("zh-hans")
    shown = 0
    for name, (raw, kind) in FILES.items():
        report = uploaded(chinese, raw)
        options = f"?format={kind}&references=golden&duplicates=skip"
        for mark, text in shown_messages(chinese.html(report + options)):
            assert "lang" not in mark, (name, text)
            assert HAN.search(text), (name, text)
            shown += 1
    assert shown > 100
    assert not Sentence.objects.exists()


@pytest.mark.no_cover
@pytest.mark.slow
def test_in_english_the_page_shows_the_librarys_words(project):
    english = person("en")
    shown = 0
    for name, (raw, kind) in FILES.items():
        report = uploaded(english, raw)
        page = english.get(f"{report}?format={kind}&references=golden&duplicates=skip")
        plan = page.context["plan"]
        if plan is None:
            continue
        with translation.override("en"):
            messages = [str(translate(problem.message)) for problem in plan.report.problems]
        assert [text for _, text in shown_messages(page.content.decode())] == messages, name
        shown += len(messages)
    assert shown > 80


LINES = "\n".join(
    [
        '{"format": "gecbench-corpus", "schema": 1, "name": "x", "lang": "zh"}',
        '{"id": "1", "source": "我饭", "references": '
        '[{"text": "我[缺失成分]饭"}, {"text": "我吃饭"}]}',
        '{"id": "2", "source": "我吃 饭", "references": [{"text": "我吃[缺失成份]饭"}]}',
        '{"id": "3", "source": "好吗", "references": [{"text": "好吗?你"}]}',
        '{"id": "4", "source": "好", "references": [{"text": "好了"}, {"error_free": true}]}',
        '{"id": "5", "source": "買書", "references": [{"text": "買書吧"}]}',
        '{"id": "6", "source": "我爱 Python 语", "references": [{"text": "我爱蟒蛇语★"}]}',
    ]
)


def test_rules_that_references_break_are_told_in_chinese(site, project):
    rules = {f"CON-{n}": "block" for n in range(1, 11)}
    Project.objects.update(options={**project.options, "rules": rules})
    page = person("zh-hans").html(
        uploaded(person("zh-hans"), LINES.encode()) + "?references=golden"
    )
    messages_shown = shown_messages(page)
    assert [mark for mark, _ in messages_shown if mark] == []
    assert "'1'：第 2 个答案没有[缺失成分]，别的答案有；要么都有，要么都没有（CON-3）" in dict(
        map(reversed, messages_shown)
    )
    assert "各答案互相矛盾：既有“有修改”，又有“没有错误”" in unescape(page)  # left out, listed
    assert {"CON-3", "CON-6", "CON-8"} <= set(re.findall(r"CON-\d+", page))


@pytest.mark.no_cover
@pytest.mark.parametrize("language", ["zh-hans", "en"])
@pytest.mark.parametrize("evil", [*TAGS[:8], NASTY])
def test_texts_of_a_file_come_unharmed_and_escaped_once(project, language, evil):
    boss = person(language)
    row = json.dumps({"id": evil, "text": 5, evil: "x"})
    report = uploaded(boss, f"no tab {evil[:25]}\n".encode() * 2, name=f"{evil[:60]}.tsv")
    page = boss.html(f"{report}?format=mucgec")
    assert repr(f"no tab {evil[:25]}") in shown_messages(page)[0][1]
    assert evil[:25] not in page or "<" not in evil[:25]
    report = uploaded(boss, f'{{"format": "gecbench-corpus", "schema": 1}}\n{row}\n'.encode())
    page = boss.html(f"{report}?format=jsonl")
    assert "&amp;lt;" not in page
    assert evil not in page
    report = uploaded(boss, row.encode())
    assert "<script" not in boss.html(f"{report}?format={evil[0]}").split("</head>")[1]
    (refused,) = REFUSED_FORMAT.findall(boss.html(f"{report}?" + urlencode({"format": evil})))
    assert evil in unescape(refused)
    assert evil not in refused or "<" not in evil


def test_words_that_nobody_has_translated_are_marked_as_english(project, monkeypatch):
    def lost(*_, **__):
        raise GecbenchError("new words <b>")

    chinese = person("zh-hans")
    report = uploaded(chinese, "一句话。\n".encode())
    monkeypatch.setattr(imports, "plan_import", lost)
    assert shown_messages(chinese.html(report)) == [('lang="en"', "new words <b>")]


def test_notes_beside_the_problems_are_in_chinese(project):
    rows = [
        {"id": 1, "data": {"text": "我去\u200b校。\t"}, "annotations": [{"was_cancelled": True}]},
        {"id": 2, "data": {"text": "他来"}, "predictions": [1]},
        {
            "id": 3,
            "data": {"text": "好的。"},
            "annotations": [{"result": [{"type": "<b>"}]}],
        },
    ]
    report = uploaded(person("zh-hans"), json.dumps(rows).encode()) + "?number=yes"
    page = person("zh-hans").html(report)
    assert 'lang="en"' not in page.split("<main")[1].split("</main")[0]
    text = " ".join(strip_tags(page).split())
    for words in ("零宽字符 1", "已取消的标注 1", "预测结果 1", "1 至 3"):
        assert words in text
    assert "类型为 &lt;b&gt; 的结果 1" in text
    english = " ".join(strip_tags(person("en").html(report)).split())
    for words in ("zero-width characters 1", "cancelled annotations 1", "1 to 3"):
        assert words in english


@pytest.mark.parametrize(
    ("fields", "chinese"),
    [
        ({"source": "a\u200bb"}, r"来源名称为 'a\u200bb'，含有特殊字符"),
        ({"encoding": "gb18030"}, "dev.tsv 第 1 行：字节 0x"),
        ({}, "dev.tsv：1 个句子已经存在（文件中 1 个，项目中 0 个）；请选择如何处理：skip, keep"),
    ],
)
def test_what_an_import_refuses_is_told_in_chinese(project, fields, chinese):
    boss = person("zh-hans")
    report = uploaded(boss, "一句话。\n一句话。\n".encode() + "é".encode())
    answer = boss.client.post(f"{report}/run", fields)
    assert answer.status_code == 422
    ((mark, text),) = shown_messages(answer.content.decode())
    assert (mark, chinese in text) == ("", True), text


@pytest.mark.parametrize(
    ("field", "value", "chinese"),
    [
        ("priority", "soon", "-1000000"),
        ("priority", "2000000", "-1000000"),
        ("references", "eat", "eat"),
        ("encoding", "x", "x 不在"),
        ("format", "mucgek", "mucgek 不在"),
        ("source", "长" * 101, "100"),
    ],
)
def test_what_is_wrong_with_an_option_stands_in_chinese_beside_it(project, field, value, chinese):
    boss = person("zh-hans")
    answer = boss.client.post(f"{uploaded(boss, '一句话。'.encode())}/run", {field: value})
    assert answer.status_code == 422
    (error,) = re.findall(f'id="{field}_error">(.*?)</p>', answer.content.decode())
    assert chinese in error
    assert HAN.search(error)
    assert not Sentence.objects.exists()


def test_files_beside_a_file_are_refused_in_chinese(project, monkeypatch):
    boss = person("zh-hans")
    source = "我们。\n他们。\n".encode()
    assert "ref0 第 2 行：文件有 1 行，而 dev.tsv 有 2 行" in str(
        shown_messages(boss.html(uploaded(boss, source, "dev.tsv", b"x\n")))
    )
    page = boss.html(uploaded(boss, source, "dev.tsv", b"x\n \n"))
    assert shown_messages(page) == [("", "ref0 的这一行是空行；请补上")]
    page = boss.html(uploaded(boss, source, "dev.tsv", b"x\ny\n") + "?format=m2")
    assert "参考答案文件只能与逐行文本一起导入，不能与格式 m2 一起" in str(shown_messages(page))
    many = [SimpleUploadedFile("r", b"x") for _ in range(11)]
    files = {"file": SimpleUploadedFile("dev.tsv", b"x"), "references": many}
    answer = boss.client.post(BEGIN, files)
    assert shown_messages(answer.content.decode()) == [
        ("", "一个原句文件最多可附带 10 个参考答案文件")
    ]
    monkeypatch.setattr("gecbench.server.web.manage.imports.MOST_BYTES", 3)
    answer = boss.client.post(BEGIN, {"file": SimpleUploadedFile("a: b.txt", b"long\n")})
    expected = [("", "a: b.txt：有 5 字节；一次最多读取 3 字节，请拆分文件")]
    assert shown_messages(answer.content.decode()) == expected


def test_what_exports_and_releases_refuse_is_told_in_chinese(project):
    boss = person("zh-hans")
    assert "FCGEC、" in boss.html("/p/story/manage/import")  # names in one kind of comma
    page = boss.html("/p/story/manage/export")
    assert shown_messages(page) == [("", "项目 story 还没有标准答案；请先审核一些句子。")]
    answer = boss.form("/p/story/manage/releases", name="v1")
    assert shown_messages(answer.content.decode()) == [
        ("", "项目 story 还没有标准答案；没有可发布的内容")
    ]
    marked = '{"id": "1", "source": "好么", "references": [{"text": "没有错误"}]}\n'
    report = uploaded(boss, f"{LINES.splitlines()[0]}\n{marked}".encode())
    boss.form(f"{report}/run", references="golden")
    answer = boss.form("/p/story/manage/releases", name="v1")
    assert shown_messages(answer.content.decode()) == [
        (
            "",
            "句子 '1'：第 0 个答案（从 0 数起）的文本是 '没有错误'，mucgec 格式会把它读成标记；"
            "请改用 jsonl 格式",
        )
    ]
    answer = boss.form("/p/story/manage/releases", name="../v1")
    assert "发布版的名称由字母、数字、点和连字符组成，不能是 '../v1'" in str(
        shown_messages(answer.content.decode())
    )
    for fields in ({"format": "zip"}, {"format": "parallel"}, {"format": "m2", "scheme": "en"}):
        answer = boss.form("/p/story/manage/export/download", **fields)
        page = answer.content.decode()
        problems = [text for _, text in shown_messages(page)] or FIELD_ERROR.findall(page)
        assert problems, page
        assert all(HAN.search(text) for text in problems), problems
