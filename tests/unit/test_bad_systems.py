"""Files that are no company for one another: word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.core.errors import CorpusError, FormatError, GecbenchError
from gecbench.formats.reading import read, read_parallel, read_system

A = "|||REQUIRED|||-NONE-|||0"
HEADER = '{"format": "gecbench-corpus", "schema": 1, "name": "n"}\n'
SRC = "1\t我 好\n2\t你好吗\n3\t他\n"
IDS = "".join(f"{k}\t好\n" for k in range(1, 9))


def m(*lines: str) -> bytes:
    """An M2 file."""
    return ("\n".join(lines) + "\n").encode()


def rows(references: str, *pairs: tuple[str, str]) -> bytes:
    """A jsonl file with the same references for pairs of id and source."""
    row = '{{"id": "{}", "source": "{}", "references": [{}]}}'
    return (HEADER + "".join(row.format(*pair, references) + "\n" for pair in pairs)).encode()


PARALLEL = [
    (
        {"a.src": b"", "a.ref0": b"x\n"},
        FormatError,
        "a.src:1: the file is empty; a corpus has at least one sentence",
    ),
    (
        {"a.src": b"x\n", "a.ref0": b""},
        FormatError,
        "a.ref0:1: the file is empty; a corpus has at least one sentence",
    ),
    (
        {"a.src": b"x\ny\n", "a.ref0": b"x\n"},
        CorpusError,
        "a.ref0: 1 line, but a.src has 2; line k of each file belongs to sentence k",
    ),
    (
        {"a.src": b"x\n", "a.ref0": b"x\n", "a.ref1": b"x\n\n"},
        CorpusError,
        "a.ref1: 2 lines, but a.src has 1; line k of each file belongs to sentence k",
    ),
]

SYSTEM = [
    (
        "s.txt",
        SRC,
        b"",
        FormatError,
        "s.txt:1: the file is empty; a corpus has at least one sentence",
    ),
    (
        "s.txt",
        SRC,
        "我好\n你好吗？\n".encode(),
        CorpusError,
        (
            "s.txt: 2 sentences, but corpus 'dev' has 3; give one for each, in "
            "the same order (it was read as lines)"
        ),
    ),
    (
        "s.txt",
        SRC,
        "我好\n你好吗？\n他\n\n".encode(),
        CorpusError,
        (
            "s.txt: 4 sentences, but corpus 'dev' has 3; give one for each, in "
            "the same order (it was read as lines)"
        ),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t我很好\n3\t他\t她\n".encode(),
        CorpusError,
        "s.tsv: 1 id missing: '2'; give the ids of corpus 'dev', each once "
        "(in M2 and text lines the ids are 1, 2, ...)",
    ),
    (
        "s.tsv",
        SRC,
        (SRC.replace("\n", "\t好\n") + "4\t她\t好\n5\t它\t好\n").encode(),
        CorpusError,
        "s.tsv: 2 ids too many: '4', '5'; give the ids of corpus 'dev', each once "
        "(in M2 and text lines the ids are 1, 2, ...)",
    ),
    (
        "s.tsv",
        IDS,
        "9\t好\t很好\n".encode(),
        CorpusError,
        (
            "s.tsv: 8 ids missing: '1', '2', '3', '4', '5', ...; 1 id too many: '9'; give "
            "the ids of corpus 'dev', each once "
            "(in M2 and text lines the ids are 1, 2, ...)"
        ),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t我很好\n2\t你好吗\n3\t他\t她\n".encode(),
        CorpusError,
        (
            "s.tsv:2: id '2' has no rewrite; a system's output has one for each sentence, "
            "behind its source"
        ),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t我很好\n3\t他\t她\n2\t你好\t您好\n".encode(),
        CorpusError,
        (
            "s.tsv:3: id '2' has the source '你好', but corpus 'dev' has '你好吗'; run the "
            "system on this corpus"
        ),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t\n2\t你好吗\t好\n3\t他\t她\n".encode(),
        FormatError,
        ("s.tsv:1: a reference is empty; remove the TAB before it, or write 没有错误 or 无法标注"),
    ),
    (
        "s.m2",
        SRC,
        m("S 我 好", "", "S 你 好 吗"),
        CorpusError,
        (
            "s.m2: 2 sentences, but corpus 'dev' has 3; give one for each, in "
            "the same order (it was read as m2)"
        ),
    ),
    (
        "s.m2",
        SRC,
        m("", "S 我 好", "", "S 你 好 吗", "A 0 1|||S|||您" + A, "", "", "S 她"),
        CorpusError,
        (
            "s.m2:8: id '3' has the source '她', but corpus 'dev' has '他'; run the system "
            "on this corpus"
        ),
    ),
    (
        "s.m2",
        SRC,
        m("S 我 好", "A 0 9|||S|||您" + A),
        FormatError,
        (
            "s.m2:2: edit span '0 9' ends after the source, which has 2 tokens; correct it, or "
            "read the file as the MaxMatch scorer does: --from m2-maxmatch"
        ),
    ),
    (
        "s.jsonl",
        SRC,
        rows('{"text": "好"}', ("1", "我好")),
        CorpusError,
        "s.jsonl: 2 ids missing: '2', '3'; give the ids of corpus 'dev', each once "
        "(in M2 and text lines the ids are 1, 2, ...)",
    ),
    (
        "s.jsonl",
        SRC,
        rows('{"text": "好"}', ("1", "我好"), ("2", "我"), ("3", "他")),
        CorpusError,
        (
            "s.jsonl:3: id '2' has the source '我', but corpus 'dev' has '你好吗'; run the "
            "system on this corpus"
        ),
    ),
    (
        "s.jsonl",
        SRC,
        rows("", ("1", "我好"), ("2", "我"), ("3", "他")),
        CorpusError,
        (
            "s.jsonl:2: id '1' has no rewrite; a system's output has one for each "
            "sentence, behind its source"
        ),
    ),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("files", "kind", "message"), PARALLEL)
def test_parallel_files_that_do_not_fit_are_refused(
    files: dict[str, bytes], kind: type[GecbenchError], message: str
) -> None:
    source, *references = map(Path, files)
    for name, content in files.items():
        Path(name).write_bytes(content)
    with pytest.raises(kind) as error:
        read_parallel(source, references)
    assert str(error.value) == message


@pytest.mark.parametrize(("name", "corpus", "content", "kind", "message"), SYSTEM)
def test_a_system_that_does_not_fit_the_corpus_is_refused(
    name: str, corpus: str, content: bytes, kind: type[GecbenchError], message: str
) -> None:
    Path("dev.tsv").write_text(corpus, encoding="utf-8")
    Path(name).write_bytes(content)
    with pytest.raises(kind) as error:
        read_system(Path(name), read(Path("dev.tsv")))
    assert str(error.value) == message
