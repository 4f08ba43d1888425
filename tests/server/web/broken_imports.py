"""Broken files in every format that the site imports, by format and by what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from unit.formats.test_m2_bad_files import CHERRANT, M2
from unit.formats.test_reading_bad_files import ANY, JSONL, MUCGEC

from gecbench.core.edit import Edit
from gecbench.core.errors import GecbenchError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.server.import_export.imports import run_import
from gecbench.server.import_export.plans import ImportOptions, plan_import
from gecbench.server.import_export.reading import content_of
from gecbench.server.models import Project

HEADER = '{"format": "gecbench-corpus", "schema": 1, "name": "n"}\n'
FULL_HEADER = '{"format": "gecbench-annotations", "schema": 1}\n'
LINE = "|||REQUIRED|||-NONE-|||0"
"""The end of an A line of M2."""

_ERROR_FREE = Rewrite(error_free=True)


def m2(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def jsonl(*rows: str) -> str:
    return HEADER + "\n".join(rows) + "\n"


def sample(more: str, references: str = "[]") -> str:
    """A jsonl file with one sample that has these keys, too."""
    return jsonl(f'{{"id": "1", "source": "好吗", "references": {references}, {more}}}')


def edits(rows: str) -> str:
    """A jsonl file with one reference with one edit set."""
    return sample('"tokens": ["好", "吗"]', f'[{{"text": "你好", "edit_sets": [[{rows}]]}}]')


def full(row: str) -> str:
    """Our full export with one sentence."""
    return f"{FULL_HEADER}{row}\n"


def result(value: str) -> str:
    """A task of Label Studio with one result."""
    return f'[{{"data": {{"text": "好"}}, "annotations": [{{"result": [{value}]}}]}}]'


def of_formats(*tables: Sequence[tuple[bytes, object]]) -> dict[str, bytes]:
    """The files of the tests of a format itself."""
    return {f"bad file {n}": raw for n, (raw, _) in enumerate(chain(*tables))}


NOT_JSON: Mapping[str, str] = {
    "no value": '{"text": }',
    "a word that is no value": '{"text": nul}',
    "a key without quotes": '{text: "好"}',
    "no colon": '{"text" "好"}',
    "no comma": '{"text": "好" "id": 1}',
    "a string without an end": '{"text": "好',
    "a TAB in a string": '{"text": "\t"}',
    "an escape that there is not": '{"text": "\\q"}',
    "a cut escape": '{"text": "\\u12"}',
    "a comma too many in an object": '{"text": "好",}',
    "a comma too many in a list": '{"text": ["好",]}',
    "two objects": '{"a": 1} {"a": 1}',
    "two byte-order marks": '\ufeff\ufeff{"text": "好"}',
    "nested too deep": '{"text": ' + "[" * 100_000,
    "a number with too many digits": '{"text": %s}' % ("9" * 5000),
}

_PUT = '"pos": 0, "label": "好"'


def fcgec(operation: str, flag: str = '"error_flag": 1, ') -> str:
    """FCGEC's file with one sentence that has this operation."""
    return f'{{"k": {{"sentence": "好吗", {flag}"operation": {json.dumps(operation)}}}}}'


_SPAN = '{"start": 0, "end": 1, "replacement": []}'


def corpus(text: str, reference: Rewrite = _ERROR_FREE, **fields: object) -> Corpus:
    """A Chinese corpus with one sentence."""
    values = {"id": "k'7", "references": (reference,), **fields}
    return Corpus("n", (Sample(source=text, **values),), "zh")


def edited(label: str, *replacement: str) -> Corpus:
    """A corpus with one edit of the first of two tokens."""
    edit = Edit(0, 1, replacement, label)
    return corpus("好吗", Rewrite(text="你吗", edit_sets=((edit,),)), tokens=("好", "吗"))


UNWRITABLE: Sequence[tuple[str, Corpus]] = (
    ("mucgec", Corpus("n", (), "zh")),
    ("mucgec", corpus("\ufeff", id="\ufeff1")),
    ("mucgec", corpus("好\n吗")),
    ("mucgec", corpus("好\t吗")),
    ("mucgec", corpus(" ")),
    ("mucgec", corpus("好", id=" ")),
    ("mucgec", corpus("好", Rewrite(text="没有错误"))),
    ("mucgec", corpus("好", Rewrite(text=" "))),
    ("jsonl", corpus("")),
    ("m2", corpus(" ")),
    ("m2", corpus("好", references=())),
    ("m2", edited("S\n", "你")),
    ("m2", edited("S|||", "你")),
    ("m2", edited("S", "你 ")),
    ("m2", edited("S", "-NONE-")),
)
"""A format, and a corpus that it cannot hold."""

BROKEN: dict[str, Mapping[str, str | bytes]] = {
    "lines": {
        **of_formats(ANY),
        "nothing": b"",
        "only a byte-order mark": b"\xef\xbb\xbf",
        "only blank lines": "\n \n",
        "UTF-16": "好。".encode("utf-16"),
        "GBK": "好。\n坏。\n".encode("gbk"),
        "UTF-8 cut inside a character": "好。".encode()[:-1],
        "NUL": "好\0。\n",
        "too long": "好" * 5001,
        "far too long": "好" * 200_000,
        "a sentence twice": "好。\n好。\n",
    },
    "mucgec": {
        **of_formats(MUCGEC),
        "a blank line": "1\t好\n\n",
        "no TAB": "1\t好\n二 坏\n",
        "no TAB, quotes": 'it\'s "good"; known: 7\n',
        "no id": "\t好\t你好\n",
        "no source": "1\t\t你好\n",
        "no reference": "1\t好\t\t你好\n",
        "an id twice": "1\t好\t你好\n1\t坏\t真坏\n",
        "an id of 201 characters": f"{'x' * 201}\t好\n",
        "a zero-width space in an id": "1\u200b\t好\n",
        "a source that is invisible": "1\t\u200b\t好\n",
        "a reference that is invisible": "1\t好\t\u200b\n",
        "NUL in a reference": "1\t好\t你\0好\n",
        "two states": "1\t好\t没有错误\t无法标注\t你好\n",
        "a state and a text": "1\t好\t没有错误\t你好\n",
    },
    "m2": {
        **of_formats(M2, CHERRANT),
        "no S line": m2("A 0 1|||S|||b" + LINE),
        "an empty S line": m2("S "),
        "two spaces in the S line": m2("S a  b"),
        "a no-break space in the S line": m2("S a\u00a0x b"),
        "two S lines": m2("S a b", "S a c"),
        "another line": m2("S a b", "I a b"),
        "five fields": m2("S a b", "A 0 1|||S|||b|||REQUIRED|||0"),
        "four bars": m2("S a b", "A 0 1|||S|||b|" + LINE),
        "a coder's name": m2("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||Ann"),
        "a reversed span": m2("S a b", "A 1 0|||S|||b" + LINE),
        "a span after the source": m2("S a b", "A 1 3|||S|||b" + LINE),
        "a span of no edit": m2("S a b", "A -1 -1|||S|||b" + LINE),
        "a span of letters": m2("S a b", "A 0 x|||S|||b" + LINE),
        "two spaces in a correction": m2("S a b", "A 0 1|||S|||b  c" + LINE),
        "a TAB in a correction": m2("S a b", "A 0 1|||S|||b\tc" + LINE),
        "edits that overlap": m2("S a b", "A 0 2|||S|||b" + LINE, "A 1 2|||R|||" + LINE),
        "noop with a span": m2("S a b", "A 0 0|||noop|||-NONE-" + LINE),
        "NA with a correction": m2("S a b", "A -1 -1|||NA|||b" + LINE),
        "noop and an edit": m2("S a b", "A 0 1|||S|||b" + LINE, "A -1 -1|||noop|||-NONE-" + LINE),
        "no T line in a block": m2("S 好", "T0 没有错误", "A -1 -1|||noop|||-NONE-" + LINE)
        + m2("", "S 坏"),
        "a T line without a number": m2("S 好", "T0-Ax 好"),
        "a T line that starts late": m2("S 好", "T1-A0 好"),
        "T lines out of order": m2("S 好", "T0-A0 你", "A 0 1|||S|||你" + LINE, "T2 没有错误"),
        "a mark with an edit set": m2("S 好", "T0 你"),
        "a mark without its A line": m2("S 好", "T0 没有错误"),
        "NA under a mark for noop": m2("S 好", "T0 没有错误", "A -1 -1|||NA|||-NONE-" + LINE),
        "a target without A lines": m2("S 好", "T0-A0 好"),
        "noop under a target": m2("S 好", "T0-A0 好", "A -1 -1|||noop|||-NONE-" + LINE),
        "an A line before its target": m2("S 好", "A 0 1|||S|||你" + LINE, "T0-A0 你"),
        "another coder": m2("S 好", "T0-A0 你", "A 0 1|||S|||你|||REQUIRED|||-NONE-|||1"),
        "a target of another text": m2("S 好", "T0-A0 你", "A 0 1|||S|||他" + LINE),
        "a target that differs at its second character": m2(
            "S 好 吗", "T0-A0 你 吗 啊", "A 0 1|||S|||你" + LINE
        ),
        "a target that differs at its first character but one": m2(
            "S 好 吗", "T0-A0 你 啊", "A 0 1|||S|||你" + LINE
        ),
        "edit sets of different texts": m2(
            *("S 好", "T0-A0 你", "A 0 1|||S|||你" + LINE),
            *("T0-A1 他", "A 0 1|||S|||他" + LINE),
        ),
        "two spaces in a target": m2("S 好 吗", "T0-A0 你  吗", "A 0 1|||S|||你" + LINE),
        "edits of a target that overlap": m2(
            "S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + LINE, "A 0 1|||S|||你" + LINE
        ),
    },
    "jsonl": {
        **of_formats(JSONL),
        **{name: jsonl(text) for name, text in NOT_JSON.items()},
        **{f"{name}, in the header": text for name, text in NOT_JSON.items()},
        "no header": '{"id": "1", "source": "好", "references": []}',
        "a list as header": "[]",
        "perturbed cases": '{"format": "gecbench-perturbed", "schema": 1, "name": "n"}',
        "a newer schema": '{"format": "gecbench-corpus", "schema": 2, "name": "n"}',
        "a schema as a string": '{"format": "gecbench-corpus", "schema": "1", "name": "n"}',
        "no name": '{"format": "gecbench-corpus", "schema": 1}',
        "no language": '{"format": "gecbench-corpus", "schema": 1, "name": "n", "lang": null}',
        "a key of the header that there is not": HEADER.replace("name", "nmae"),
        "a blank line": jsonl(""),
        "a list as line": jsonl("[]"),
        "a number as line": jsonl("-1.5e99"),
        "no id": jsonl('{"source": "好", "references": []}'),
        "no references": jsonl('{"id": "1", "source": "好"}'),
        "no source": jsonl('{"id": "1", "references": []}'),
        "an empty source": jsonl('{"id": "1", "source": "", "references": []}'),
        "an empty id": jsonl('{"id": "", "source": "好", "references": []}'),
        "a key twice": jsonl('{"id": "1", "id": "2", "source": "好", "references": []}'),
        "an id twice": jsonl(*['{"id": "1", "source": "好", "references": []}'] * 2),
        "a key that there is not": sample('"x": 1'),
        "a key like another": sample('"metta": {}'),
        "a key like two others": sample('"mets": {}, "tokens": []'),
        "a key of a reference that there is not": sample('"meta": {}', '[{"txt": "好"}]'),
        "half a surrogate pair": sample('"meta": {"a": "\\ud800"}'),
        "NUL in a fact": sample('"meta": {"a": "\\u0000"}'),
        "a long name of the source": sample('"meta": {"source": "%s"}' % ("x" * 101)),
        "a reference of nothing": sample('"meta": {}', "[{}]"),
        "a reference of two states": sample('"meta": {}', '[{"text": "好", "error_free": true}]'),
        "an annotator of blanks": sample('"meta": {}', '[{"text": "好", "annotator": " "}]'),
        "an edit that begins before the source": edits(_SPAN.replace("0", "-1")),
        "an edit that ends after the source": edits(_SPAN.replace("1", "3")),
        "edits that overlap": edits(f"{_SPAN}, {_SPAN}"),
        "an edit without a replacement": edits('{"start": 0, "end": 1}'),
        "an edit of a text": edits('{"start": 0, "end": 1, "replacement": "好"}'),
        "an alternative of a text": edits(_SPAN.replace("[]", '[], "alternatives": ["好"]')),
        "a span with a point": edits(_SPAN.replace("1", "1.0")),
        "a span of a string": edits(_SPAN.replace("1", '"it\'s \\"1\\""')),
        "a span of true": edits(_SPAN.replace("1", "true")),
        "a span of a number with many digits": edits(_SPAN.replace("1", "9" * 400)),
        "a long string for a number": edits(_SPAN.replace("1", '"%s"' % ("好" * 60))),
    },
    "label-studio": {
        **{name: f"[{text}]" for name, text in NOT_JSON.items()},
        "an array without an end": '[{"data": {"text": "好"}}',
        "something after the array": '[{"data": {"text": "好"}}] x',
        "a number": "[1, 2]",
        "a text": '["a; known: 7"]',
        "nothing, where a task belongs": "[null]",
        "no data": "[{}]",
        "data of a text": '[{"data": "好"}]',
        "data without a text": '[{"data": {"a": "好"}}]',
        "annotations of a text": '[{"data": {"text": "好"}, "annotations": "x"}]',
        "half a surrogate pair, where annotations belong": (
            '[{"data": {"text": "好"}, "annotations": "\\ud800"}]'
        ),
        "half a surrogate pair, where an annotation belongs": (
            '[{"data": {"text": "好"}, "annotations": ["\\ud800"]}]'
        ),
        "half a surrogate pair in a key": '[{"data": {"text": "好", "\\ud800": 1}}]',
        "a result of a number": result("5"),
        "a text area without a value": result('{"type": "textarea"}'),
        "a text area without texts": result('{"type": "textarea", "value": {}}'),
        "a text area of numbers": result('{"type": "textarea", "value": {"text": [1]}}'),
        "a text area of nothing": result('{"type": "textarea", "value": {"text": [""]}}'),
        "an id of a list": '[{"id": [1], "data": {"text": "好"}}]',
        "half a surrogate pair in a sentence": '[{"data": {"text": "\\ud800"}}]',
        "half a surrogate pair in a fact": '[{"data": {"text": "好", "a": "\\ud800"}}]',
    },
    "doccano": {
        **NOT_JSON,
        "no text": '{"label": ["好"]}',
        "a text of a number": '{"text": 5}',
        "a label of a number": '{"text": "好", "label": 5}',
        "labels of objects": '{"text": "好", "labels": [{}]}',
        "an id of true": '{"text": "好", "id": true}',
        "half a surrogate pair, where labels belong": '{"text": "好", "labels": ["\\ud800"]}',
        "an id twice": '{"text": "好", "id": 1}\n{"text": "坏", "id": 1}',
    },
    "yaclc": {
        **{name: f"[{text}]" for name, text in NOT_JSON.items()},
        "no text": '[{"sentence_id": 3}]',
        "a text of a list": '[{"sentence_text": ["好"]}]',
        "annotations of a text": '[{"sentence_text": "好", "sentence_annos": "x"}]',
        "an annotation of a text": '[{"sentence_text": "好", "sentence_annos": ["x"]}]',
        "no correction": '[{"sentence_text": "好", "sentence_annos": [{}]}]',
        "a correction of nothing": (
            '[{"sentence_text": "好", "sentence_annos": [{"correction": null}]}]'
        ),
    },
    "annotations": {
        **{name: full(text) for name, text in NOT_JSON.items()},
        "a newer schema": FULL_HEADER.replace("1", "2"),
        "no schema": '{"format": "gecbench-annotations"}',
        "no golden sets": full('{"id": "1", "text": "好", "meta": {}}'),
        "golden sets of a text": full('{"id": "1", "text": "好", "meta": {}, "goldens": "x"}'),
        "no facts": full('{"id": "1", "text": "好", "goldens": []}'),
        "an id of a number": full('{"id": 1, "text": "好", "meta": {}, "goldens": []}'),
        "no decision": full(
            '{"id": "1", "text": "好", "meta": {}, "goldens": [{"references": []}]}'
        ),
        "a reference without a text": full(
            '{"id": "1", "text": "好", "meta": {}, "goldens": [{"references": [{}]}]}'
        ),
    },
    "fcgec": {
        **{name: f'{{"k": {text}}}' for name, text in NOT_JSON.items()},
        "nothing": "{}",
        "a list": "[]",
        "no sentence": '{"k": {"operation": "[]"}}',
        "an empty sentence": '{"k": {"sentence": ""}}',
        "a key that there is not": '{"k": {"sentence": "好", "sentense": "好"}}',
        "no flag": fcgec("[]", flag=""),
        "a flag without an operation": fcgec('[{"Delete": [0]}]', flag='"error_flag": 0, '),
        "operations that are no JSON": fcgec("["),
        "a character that there is not": fcgec('[{"Delete": [9]}]'),
        "another tag": fcgec(f'[{{"Modify": [{{{_PUT}, "tag": "X"}}]}}]'),
        "a place that there is not": fcgec(
            f'[{{"Insert": [{{{_PUT.replace("0", "9")}, "tag": "INS_1"}}]}}]'
        ),
        "a tag that replaces nothing": fcgec(f'[{{"Modify": [{{{_PUT}, "tag": "MOD_0"}}]}}]'),
        "no label": fcgec('[{"Insert": [{"pos": 0, "tag": "INS_1", "label": []}]}]'),
        "too many labels": fcgec(
            json.dumps([{"Insert": [{"pos": 0, "tag": "INS_1", "label": ["好"] * 1001}]}])
        ),
    },
    "table": {
        **{name: f"[{text}]" for name, text in NOT_JSON.items()},
        "no column of the sentence": "a,b\n1,2\n",
        "a cell too many": "source,b\n好,坏,了\n",
        "two columns of one name": "source,source\n好,坏\n",
        "a quotation mark that is open": 'source,b\n"好,坏\n',
        "a cell of a book": "source,b\n" + "好" * 200_000 + ",2\n",
        "a position in words": "source,position\n好,第一\n",
        "a sentence of a number": '{"source": 5}',
        "references of numbers": '{"source": "好", "references": [5]}',
        "no sentence": "source,b\n,坏\n",
    },
    "bea19": {
        **NOT_JSON,
        "no id": '{"text": "好", "edits": []}',
        "no text": '{"id": "1", "edits": []}',
        "an edit outside the text": '{"id": "1", "text": "好", "edits": [[0, [[0, 9, "坏"]]]]}',
        "an edit of two numbers": '{"id": "1", "text": "好", "edits": [[0, [[0, 1]]]]}',
    },
    "multigec": {
        "text before the first essay": "好。\n### essay_id = 1\n好。\n",
        "no essay": "\n",
        "an empty essay": "### essay_id = 1\n\n### essay_id = 2\n好。\n",
    },
    "lang8": {
        "too few corrections": "2\t12\thttp://lang-8.com/1/2\t1\t好\t很好\n",
    },
    "nlpcc18": {
        "too few corrections": "1\t2\t好\t很好\n",
        "an empty correction": "1\t1\t好\t \n",
    },
    "nasgec": {"no source": "1\t\t句意不明\n", "an id twice": "1\t好\t歧义句\n1\t坏\t歧义句\n"},
    "pairs": {"no target": "好\t\n"},
    "nucle": {
        "something between documents": "好\n",
        "no text": '<DOC nid="1">\n</DOC>\n',
        "a mistake without places": (
            '<DOC nid="1"><TEXT><P>好</P></TEXT><ANNOTATION teacher_id="1">'
            "<MISTAKE><TYPE>R</TYPE></MISTAKE></ANNOTATION></DOC>\n"
        ),
    },
    "sighan": {
        "something between sentences": "好\n",
        "no text": "<SENTENCE>好</SENTENCE>\n",
        "an empty text": "<SENTENCE><TEXT> </TEXT></SENTENCE>\n",
        "a mistake without a place": (
            "<SENTENCE><TEXT>好</TEXT><MISTAKE><WRONG>好</WRONG></MISTAKE></SENTENCE>\n"
        ),
    },
    "sighan-test": {
        "no id": "好。\n",
        "answers": "A2-1, 1, 好\n",
        "an id twice": "(pid=1)\t好。\n(pid=1)\t坏。\n",
    },
    "ctc2021": {"no id": "好。\n", "answers": "pid=1, -1\n"},
    "": {
        "perturbed cases": "O-S 好\nO-T 好。\nA1-S 好\nA1-T 好。\n",
        "JSON that nobody knows": '[{"a": 1, "b": 2}]',
        "JSON of nothing that anybody knows": "[{}]",
        "a header": "id\tsource\n1\t好\n",
        "sentences where ids belong": "我们今天去学校。\t我们\n" * 3,
        "a picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    },
}
BROKEN = BROKEN | dict.fromkeys(("yaclc-minimal", "yaclc-fluency"), BROKEN["yaclc"])
"""By name of the format, "" where the site finds it out, and by what is wrong with the file."""

WHOLE: Mapping[str, tuple[str, str]] = {
    "jsonl": (
        HEADER,
        '{"id": "1", "source": "好吗", "tokens": ["好", "吗"], "meta": {"level": "A"}, '
        '"references": [{"text": "你好", "annotator": "A", "error_free": false, "edit_sets": '
        '[[{"start": 0, "end": 1, "replacement": ["你"], "label": "S", "alternatives": [["您"]]}]]}'
        "]}",
    ),
    "label-studio": (
        "",
        '{"id": 1, "data": {"text": "好", "level": 1}, "annotations": [{"was_cancelled": false, '
        '"result": [{"type": "textarea", "value": {"text": ["你好"]}}]}], "predictions": []}',
    ),
    "doccano": ("", '{"id": 1, "text": "好", "label": ["你好"], "level": "A", "Comments": []}'),
    "yaclc": (
        "",
        '{"sentence_id": 1, "sentence_text": "好", "article_id": 1, "sentence_annos": '
        '[{"is_grammatical": 1, "correction": "你好", "annotator_count": 1}]}',
    ),
    "annotations": (
        FULL_HEADER,
        '{"id": "1", "text": "好", "source": "HSK", "meta": {"level": 1}, "goldens": '
        '[{"decision": "corrected", "references": [{"text": "你好"}]}], "submissions": []}',
    ),
}
"""What stands before a sentence in a format of JSON, and one without errors, with all its keys."""

VALUES: Sequence[object] = (
    *(None, True, -1, 1.5, float("inf"), 10**60, "", " ", "x", 'it\'s "x"; known: 7', "\ud800"),
    *([], [None], ["\ud800"], [[]], [{}], {}, {"x": 1}, {"\ud800": []}),
)
"""Values of every type that JSON has."""


def with_wrong_values(format: str) -> Iterator[str]:
    """Yield files of a sentence with another value somewhere, or with one key less or more."""
    header, row = WHOLE[format]
    for changed in _changed(json.loads(row)):
        yield f"{header}{json.dumps(changed)}\n"


def _changed(value: object) -> Iterator[object]:
    yield from VALUES
    if isinstance(value, dict):
        yield {**value, "x": 1}
        for key, inner in value.items():
            yield {name: item for name, item in value.items() if name != key}
            yield from ({**value, key: other} for other in _changed(inner))
    if isinstance(value, list):
        for n, inner in enumerate(value):
            yield from ([*value[:n], other, *value[n + 1 :]] for other in _changed(inner))


def errors(project: Project, raw: str | bytes, format: str) -> Iterator[GecbenchError]:
    """What the pages of an import show of a file: why nothing is read, its problems, or why not."""
    try:
        content = content_of("a file.tsv", raw.encode() if isinstance(raw, str) else raw)
        plan = plan_import(project, content, ImportOptions(format or None, references="golden"))
        yield from (GecbenchError(problem.message) for problem in plan.report.problems)
        run_import(plan, by=None)
    except GecbenchError as error:
        yield error
