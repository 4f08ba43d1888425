"""FCGEC's JSON: operations become references, and references operations."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from messages import expect_error
from strategies import corpora, plain_corpora

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import write_text
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.formats import load_format
from gecbench.formats.reading import read

FORMAT = load_format("fcgec")
SENTENCE = "我昨天去了公园玩。"


def file_of(tmp_path: Path, **entries: object) -> Path:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(entries, ensure_ascii=False, indent=4), encoding="utf-8")
    return path


def entry(*operations: object, sentence: str = SENTENCE, flag: int = 1, **more: object):
    return {
        "sentence": sentence,
        "error_flag": flag,
        "operation": json.dumps(operations, ensure_ascii=False),
        **more,
    }


def texts(tmp_path: Path, *operations: object) -> list[str | None]:
    corpus = read(file_of(tmp_path, a=entry(*operations)))
    return [rewrite.text for rewrite in corpus.samples[0].references]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"Delete": [7]}, ["我昨天去了公园。"]),
        ({"Insert": [{"pos": -1, "tag": "INS_2", "label": "其实"}]}, ["其实我昨天去了公园玩。"]),
        ({"Insert": [{"pos": 7, "tag": "INS_1", "label": "儿"}]}, ["我昨天去了公园玩儿。"]),
        ({"Modify": [{"pos": 5, "tag": "MOD_2", "label": "海边"}]}, ["我昨天去了海边玩。"]),
        ({"Modify": [{"pos": 5, "tag": "MOD_2+DEL_1", "label": "山"}]}, ["我昨天去了山玩。"]),
        ({"Modify": [{"pos": 7, "tag": "MOD_1+INS_1", "label": "散步"}]}, ["我昨天去了公园散步。"]),
        ({"Modify": [{"pos": 7, "tag": "INS_1", "label": "儿"}]}, ["我昨天去了公园玩儿。"]),
        ({"Switch": [1, 2, 0, 3, 4, 5, 6, 7, 8]}, ["昨天我去了公园玩。"]),
        ({"Switch": [1, 2, 0, 3, 4, 5, 6, 7, 8], "Delete": [4]}, ["昨天我去公园玩。"]),
        ({"Switch": [1, 2, 0, 3, 4, 5, 6, 7]}, ["昨天我去了公园玩"]),
        (
            {"Delete": [7], "Modify": [{"pos": 5, "tag": "MOD_2", "label": ["山上", "海边"]}]},
            ["我昨天去了山上。", "我昨天去了海边。"],
        ),
        (
            {
                "Insert": [{"pos": -1, "tag": "INS_x", "label": ["啊", "哦"]}],
                "Modify": [{"pos": 7, "tag": "MOD_1", "label": ["看", "走"]}],
            },
            [f"{head}我昨天去了公园{verb}。" for head in "啊哦" for verb in "看走"],
        ),
    ],
)
def test_operations_are_applied(tmp_path: Path, operation: object, expected: list[str]):
    assert texts(tmp_path, operation) == expected


def test_each_operation_starts_from_the_sentence(tmp_path: Path):
    switch = {"Switch": [1, 2, 0, 3, 4, 5, 6, 7, 8]}
    assert texts(tmp_path, switch, {"Delete": [7]}) == ["昨天我去了公园玩。", "我昨天去了公园。"]


def test_what_is_left_out_is_counted(tmp_path: Path):
    both = {
        "Insert": [{"pos": 5, "tag": "INS_1", "label": "小"}],
        "Modify": [{"pos": 5, "tag": "MOD_2", "label": "海边"}],
    }
    path = file_of(tmp_path, a=entry(both, {"Delete": [7]}, {"Delete": [7]}), b=entry())
    corpus = read(path)
    assert [r.text for r in corpus.samples[0].references] == [
        "我昨天去了海边玩。",
        "我昨天去了公园。",
    ]
    assert corpus.samples[1].references == ()
    assert corpus.provenance[NOT_KEPT] == (
        "1 time a change inside what the same operation replaces; "
        "1 time a reference that repeats another of its sentence; "
        "1 time the mark of an error that nobody corrected"
    )


def test_states_and_facts_are_kept(tmp_path: Path):
    path = file_of(
        tmp_path, a=entry(flag=0, error_type="*"), b={"sentence": "好。", "version": "v"}
    )
    first, second = read(path).samples
    assert first == Sample("a", SENTENCE, (Rewrite(error_free=True),), {"error_type": "*"})
    assert second == Sample("b", "好。", (), {"version": "v"})


@pytest.mark.parametrize(
    ("new_entry", "line"),
    [
        (entry({"Delete": [9]}), "Delete is '[9]'; expected a list of different numbers of"),
        (entry({"Delete": [1, 1]}), "Delete is '[1, 1]'; expected"),
        (entry({"Delete": True}), "'[0].Delete' is true or false; expected a list"),
        (entry({"Switch": [0, True]}), "'[0].Switch[1]' is true or false; expected"),
        (entry({"Swich": []}), "unknown key 'Swich'; did you mean Switch?"),
        (
            entry({"Modify": [{"pos": 8, "tag": "MOD_2", "label": "x"}]}),
            "MOD_2 at 8 lies outside the sentence, which has 9 characters",
        ),
        (
            entry({"Modify": [{"pos": 1, "tag": "MOD_0", "label": "x"}]}),
            "the tag MOD_0 replaces nothing; write INS_k to insert",
        ),
        (entry({"Insert": [{"pos": 1, "tag": "ADD", "label": "x"}]}), "the tag is 'ADD'; expected"),
        (entry({"Insert": [{"pos": 1, "tag": "INS_1", "label": []}]}), "there is no label for"),
        (
            entry({"Insert": [{"pos": k, "tag": "INS_1", "label": ["a", "b"]} for k in range(9)]}),
            None,
        ),
        (
            entry({"Insert": [{"pos": k, "tag": "INS_1", "label": ["a"] * 11} for k in range(3)]}),
            "the labels make 1331 references of one operation; at most 1000",
        ),
        (
            entry({"Delete": [1]}, flag=0),
            "error_flag is 0, number of operations 1; 0 is free of error",
        ),
        (entry(flag=2), "error_flag is 2, number of operations 0"),
        (entry(sentence=""), "the sentence is empty"),
        ({"sentence": "a", "text": "b"}, "unknown key 'text'"),
        (
            {"sentence": "a", "error_flag": 1, "operation": "[1]"},
            "'[0]' is a whole number, 1; expected an object",
        ),
        ({"sentence": "a", "error_flag": 1, "operation": "[{]"}, "operation: not JSON at column"),
        (["a"], "is a list; expected an object"),
    ],
)
def test_bad_entries_are_named_by_line_and_id(tmp_path: Path, new_entry: object, line: str | None):
    path = file_of(tmp_path, first=entry(), bad=new_entry)
    if line is None:
        assert len(read(path).samples[1].references) == 2**9
        return
    with pytest.raises(FormatError) as error:
        read(path, format="fcgec")
    lines = path.read_text("utf-8").splitlines()
    where = next(n for n, line in enumerate(lines, 1) if '"bad"' in line)
    expected = 1 if isinstance(new_entry, list) else where
    assert str(error.value).startswith(f"{path}:{expected}: 'bad'")
    assert line in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{\n"a": {"sentence": "好"},\n"b" {}}', "x.json:3: not JSON at column 5"),
        ("{}", "x.json:1: the object is empty; a corpus has at least one sentence"),
        ('{"a": {"sentence": "\\ud800"}}', "x.json:1: a string holds half a surrogate pair"),
        ('{"a": {"sentence": "好"}, "a": {"sentence": "好"}}', "x.json:1: key 'a' occurs twice"),
        ("[" * 100_000, "x.json:1: brackets are nested too deep"),
    ],
)
def test_bad_files_are_one_line(tmp_path: Path, content: str, line: str):
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read(tmp_path / "x.json", format="fcgec")
    assert line in str(error.value)


def test_it_is_found_out_on_one_line_and_on_many(tmp_path: Path):
    path = file_of(tmp_path, a=entry(flag=0))
    assert read(path).lang == "zh"
    path.write_text(json.dumps({"a": entry(flag=0)}), encoding="utf-8")
    assert read(path).samples[0].source == SENTENCE
    assert not FORMAT.matches(['{"format": "gecbench-corpus", "schema": 1, "name": "x"}'])


def test_what_it_cannot_hold_is_said():
    free, text = Rewrite(error_free=True), Rewrite(text="我去公园。", annotator="甲")
    sample = Sample("a", SENTENCE, (free, text, text, Rewrite(unannotatable=True)), {"x": "y"})
    assert FORMAT.losses(Corpus("c", (sample,))) == [
        "fcgec holds no metadata: 1 sentence loses its own",
        "fcgec holds no annotators: 2 references lose theirs",
        "fcgec holds no references that say unannotatable, which are left out: "
        "1 reference loses its own",
        "fcgec has error-free sentences only: 1 reference beside others become the source as a "
        "text",
        "fcgec holds no reference twice: 1 reference loses its own",
        "fcgec is Chinese: the language None becomes 'zh'",
    ]
    written = json.loads(FORMAT.write(Corpus("c", (sample,), "zh"))[""])["a"]
    assert json.loads(written["operation"])[0] == {}
    with expect_error(CorpusError, "sample '1'", "source is empty"):
        FORMAT.write(Corpus("c", (Sample("1", ""),)))
    with pytest.raises(CorpusError, match="has no sentences"):
        FORMAT.write(Corpus("c", ()))


def there_and_back(corpus: Corpus) -> Corpus:
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.json")
        write_text(path, FORMAT.write(corpus)[""])
        return read(path, format="fcgec")


@given(corpus=corpora() | plain_corpora())
@settings(max_examples=100)
def test_what_is_neither_refused_nor_lost_comes_back_the_same(corpus: Corpus):
    try:
        lost = FORMAT.losses(corpus)
        actual_corpus = there_and_back(corpus)
    except CorpusError:
        return
    if not lost:
        assert actual_corpus.samples == corpus.samples
    assert FORMAT.losses(actual_corpus) == []
    assert there_and_back(actual_corpus).samples == actual_corpus.samples


@pytest.mark.golden
def test_the_published_file_is_read_whole(shared: Path):
    """The counts of the survey (specs/models.md 3b): 2,000 read, 1,101 corrected, 1.49 each."""
    corpus = read(shared / "data" / "fcgec" / "FCGEC_valid.json")
    assert len(corpus.samples) == 2000
    marked = [sample for sample in corpus.samples if sample.references[0].text is not None]
    assert len(marked) == 1102
    changed = [s for s in marked if any(r.text != s.source for r in s.references)]
    assert len(changed) == 1101  # one has a Switch that changes nothing
    references = sum(len(sample.references) for sample in marked)
    assert references == 1645
    assert round(references / len(marked), 2) == 1.49
    assert there_and_back(corpus).samples == corpus.samples
