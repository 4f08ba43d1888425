"""Files that nobody should send: each is refused in one line with its place, nothing changes."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from server.import_export.files import empty, texts
from server.rest.calls import Caller

from gecbench.server.models import ImportBatch, Sentence


def _zip() -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.txt", "好。\n" * 1000)
    return buffer.getvalue()


_TASK = '{"data": {"text": "好。", "fact": %s}}'
_BAD = {
    "empty": b"",
    "only a mark of byte order": b"\xef\xbb\xbf",
    "only blank lines": b"\n \n\t\n",
    "UTF-16": "好。".encode("utf-16"),
    "GBK": "我爱好。\n".encode("gbk"),
    "a picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe",
    "a zip": _zip(),
    "NUL in a sentence": "好\0。\n".encode(),
    "one line of ten million characters": "好".encode() * 10_000_000,
    "an id twice": "1\t好。\t没有错误\n1\t坏。\t没有错误\n".encode(),
    "M2 with a reversed span": b"S A b .\nA 2 1|||R:NOUN|||c|||REQUIRED|||-NONE-|||0\n",
    "M2 with a span that is too long": b"S A b .\nA 2 9|||R:NOUN|||c|||REQUIRED|||-NONE-|||0\n",
    "M2 with overlapping edits": (
        b"S A b c .\nA 0 2|||R:X|||c|||REQUIRED|||-NONE-|||0\n"
        b"A 1 3|||R:X|||d|||REQUIRED|||-NONE-|||0\n"
    ),
    "M2 with a number that is none": b"S A b .\nA x y|||R:X|||c|||REQUIRED|||-NONE-|||0\n",
    "JSON cut": b'[{"data": {"text": "a"}}, {"data"',
    "deep JSON": b'{"data": ' + b"[" * 100_000,
    "a deep fact": (_TASK % ("[" * 100_000 + "]" * 100_000)).encode(),
    "a number of many digits": (_TASK % ("9" * 5000)).encode(),
    "half a character in a fact": (_TASK % r'"\ud800"').encode(),
    "half a character in a list of facts": (_TASK % r'["\ud800"]').encode(),
    "half a character in a sentence": rb'{"data": {"text": "\ud800"}}',
    "half a character in an id": rb'{"id": "\ud800", "text": "a", "label": []}',
    "half a character in a name": rb'{"text": "a", "label": [], "\ud800": "b"}',
    "half a character in a reference": rb'{"text": "a", "label": ["\ud800"]}',
    "NUL in a fact": (_TASK % r'"\u0000"').encode(),
    "NUL in the name of a fact": rb'{"text": "a", "label": [], "\u0000": "b"}',
    "keys of the wrong type": b'{"text": 3, "label": "b"}',
    "an array of numbers": b"[1, 2, 3]",
    "a line after the array": b'[{"data": {"text": "a"}}] x',
    "an array without an end": b'[{"data": {"text": "a"}}',
    "our corpus, deep": b'{"format": "gecbench", "version": 1}\n' + b"[" * 100_000,
    "our corpus, many digits": b'{"format": "gecbench", "version": ' + b"9" * 5000 + b"}\n",
    "everything, of a later schema": b'{"format": "gecbench-annotations", "schema": 2}\n',
    "an array, and more": b'[{"data": {"text": "a"}}]\n\n{"data": {"text": "b"}}',
    "a number of many digits among facts": (_TASK % ("[" + "9" * 5000 + "]")).encode(),
    "everything, meta no object": (
        b'{"format": "gecbench-annotations", "schema": 1}\n'
        b'{"id": "1", "text": "a", "meta": [], "goldens": []}\n'
    ),
}


@pytest.mark.parametrize("raw", _BAD.values(), ids=_BAD)
def test_a_broken_file_is_one_line_with_its_place_and_changes_nothing(site, member, raw):
    project = empty("zh")
    boss = Caller(member(project, "mei", "manager").person)
    options = {"references": "keep", "duplicates": "skip"}
    status, body = boss.send("projects/story/imports", raw, **options)
    assert status == 422, body
    assert "\n" not in body["error"]
    assert 10 < len(body["error"]) < 500
    assert "file.txt" in body["error"]
    assert len(body.get("problems", [])) <= 10
    json.dumps(body, ensure_ascii=False).encode()  # no half character comes back
    assert (Sentence.objects.count(), ImportBatch.objects.count()) == (0, 0)


_ODD = {
    "half a character where nothing is kept": (
        rb'{"data": {"text": "a"}, "annotations": [{"result": [{"type": "\ud800"}]}]}'
    ),
    "an escaped NUL in a list, which is kept as JSON": (_TASK % r'["\u0000"]').encode(),
    "numbers that are none": (_TASK % "[NaN, 1e999, -Infinity]").encode(),
    "names that look like paths": b'{"id": "../../etc/passwd", "text": "a", "label": []}',
    "line separators of Unicode": "好\u2028。\x0b\x0c\x85".encode(),
}


def test_odd_files_that_can_be_kept_come_out_again(database, member):
    for n, (name, raw) in enumerate(_ODD.items()):
        project = empty("zh", slug=f"story{n}")
        boss = Caller(member(project, "mei", "manager").person)
        status, body = boss.send(f"projects/story{n}/imports", raw)
        assert (status, body.get("sentences")) == (201, 1), (name, body)
        (text,) = texts(project)
        assert len(text.splitlines()) == 1, name
        assert boss.get(f"projects/story{n}/sentences")[1]["items"][0]["text"] == text
        for kind in ("annotations", "sentences"):
            status, out = boss.get(f"projects/story{n}/exports/{kind}")
            assert (status, text in out) == (200, True), (name, kind)
