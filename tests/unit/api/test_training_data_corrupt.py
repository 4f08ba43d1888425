"""Corrupting files: same bytes, whole or not at all, everything counted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from messages import expect_error
from tiny_profiles import CHINESE, ENGLISH

from gecbench.api.files import save
from gecbench.api.training_data import corrupt
from gecbench.core.errors import CorpusError, FormatError, GecbenchError, UsageError
from gecbench.core.sample import Corpus, Sample
from gecbench.datasets.corrupt import corrupt as running
from gecbench.formats.reading import read

MANY = CHINESE * 300


def text_file(path: Path, texts: tuple[str, ...]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_the_corpus_says_what_the_report_says(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", MANY)
    counts = corrupt(input_texts, tmp_path / "x.jsonl", settings={"correct": "0.2"}, seed=1)
    corpus = read(tmp_path / "x.jsonl")
    assert corpus.lang == "zh"
    assert corpus.provenance["seed"] == "1"
    assert corpus.provenance["profile"].startswith("zh-default ")
    assert targets(corpus) == list(MANY)
    edits = [
        edit for s in corpus.samples for r in s.references for es in r.edit_sets for edit in es
    ]
    assert counts.made == len(edits) == sum(counts.types.values())
    for name, n in counts.types.items():
        assert n == sum(edit.label == name for edit in edits)
    numbers = [sum(map(len, s.references[0].edit_sets)) for s in corpus.samples]
    assert counts.errors == {n: numbers.count(n) for n in sorted(set(numbers))}
    assert counts.with_errors == sum(s.source != t for s, t in pairs(corpus))
    assert 0.15 < counts.left_correct / counts.written < 0.25
    assert counts.drawn == counts.made + counts.impossible
    assert counts.changed == sum(len(edit.replacement) for edit in edits)
    assert counts.added == sum(edit.end - edit.start for edit in edits)


def test_the_language_that_the_file_says_decides_the_default_profile(tmp_path: Path):
    corpus = Corpus("short", (Sample("1", "12 34"), Sample("2", "He goes ok ?")), "en")
    save(corpus, tmp_path / "short.jsonl", format="jsonl")
    corrupt(tmp_path / "short.jsonl", tmp_path / "pairs.jsonl")
    assert read(tmp_path / "pairs.jsonl").provenance["profile"].startswith("en-default ")


def targets(corpus: Corpus) -> list[str]:
    return [target for _, target in pairs(corpus)]


def pairs(corpus: Corpus):
    for sample in corpus.samples:
        (reference,) = sample.references
        yield sample, sample.source if reference.error_free else reference.text


def test_the_shares_of_types_are_those_asked_for(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", MANY)
    shares = {"word-missing": "30", "spelling-sound": "10", "punctuation-misused": "10"}
    others = {f"types.{name}": "0" for name in corrupt_types()}
    counts = corrupt(
        input_texts,
        tmp_path / "x.jsonl",
        settings={**others, **{f"types.{k}": v for k, v in shares.items()}, "errors": "1,1"},
    )
    assert set(counts.types) == set(shares)
    for name, weight in shares.items():
        assert abs(counts.types[name] / counts.made - float(weight) / 50) < 0.04
    assert abs(counts.errors[2] / counts.written - 0.5) < 0.05


def corrupt_types() -> tuple[str, ...]:
    from gecbench.datasets.corrupt.profile import load_profile

    return tuple(load_profile("zh-default").types)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", CHINESE * 5)
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        labels = tmp_path / f"{name}.labels"
        corrupt(input_texts, tmp_path / f"{name}.jsonl", seed=seed, labels=labels)
        contents.append((tmp_path / f"{name}.jsonl").read_bytes() + labels.read_bytes())
    assert contents[0] == contents[1]
    assert contents[0].split(b"\n")[1:] != contents[2].split(b"\n")[1:]


def test_a_sentence_depends_on_its_place_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    texts = (CHINESE * 10)[:40]
    corrupt(text_file(tmp_path / "a.txt", texts), tmp_path / "a.tsv", "zh-default", to="pairs")
    whole = (tmp_path / "a.tsv").read_bytes()
    for length, batch in ((1, 7), (6, 3), (7, 7), (40, 1), (39, 5)):
        monkeypatch.setattr(running, "_BATCH", batch)
        first = text_file(tmp_path / "b.txt", texts[:length])
        corrupt(first, tmp_path / "b.tsv", "zh-default", to="pairs")
        part = (tmp_path / "b.tsv").read_bytes()
        assert part
        assert whole.startswith(part)


def test_what_is_left_out_is_counted(tmp_path: Path):
    rows = (
        "",
        "   ",
        "好",
        "我[缺失成分]很好吃了饭。",
        "我" * 300,
        "Hello there world",
        CHINESE[0],
    )
    input_texts = text_file(tmp_path / "x.txt", rows)
    zero = {f"types.{name}": "0" for name in corrupt_types() if name != "word-missing"}
    counts = corrupt(input_texts, tmp_path / "x.jsonl", "zh-default", settings=zero)
    assert counts.left_out == {
        "empty": 2,
        "shorter than shortest": 1,
        "longer than longest": 1,
        "has a placeholder": 1,
        "no place for any error": 1,
    }
    assert (counts.sentences, counts.written, counts.unmade) == (7, 1, 1)
    result = corrupt(
        input_texts, tmp_path / "x.jsonl", "zh-default", settings={**zero, "unmade": "keep"}
    )
    assert (result.sentences, result.written, result.unmade) == (7, 2, 1)
    assert [s.id for s in read(tmp_path / "x.jsonl").samples] == ["6", "7"]


def test_the_correct_side_of_a_corpus_is_taken(tmp_path: Path):
    first, second, third, _ = CHINESE
    rows = (
        f"1\t我和好。\t{first}\t他们。",
        f"2\t{second}\t没有错误",
        "3\t我我\t无法标注",
        f"4\t{third}",
    )
    text_file(tmp_path / "x.tsv", rows)
    counts = corrupt(tmp_path / "x.tsv", tmp_path / "x.jsonl")
    assert targets(read(tmp_path / "x.jsonl")) == list(CHINESE[:3])
    assert counts.left_out == {"no corrected text": 1}


def test_english_is_found_out(tmp_path: Path):
    corrupt(text_file(tmp_path / "x.txt", ENGLISH), tmp_path / "x.jsonl")
    corpus = read(tmp_path / "x.jsonl")
    assert corpus.lang == "en"
    assert targets(corpus) == list(ENGLISH)


@pytest.mark.parametrize("with_labels", [False, True])
def test_an_interrupted_run_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_labels: bool
):
    input_texts = text_file(tmp_path / "x.txt", MANY)
    seen = []

    def interrupt(done: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        corrupt(
            input_texts,
            tmp_path / "x.jsonl",
            labels=tmp_path / "x.labels" if with_labels else None,
            progress=interrupt,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


def test_a_tab_is_named(tmp_path: Path):
    row = msgspec.json.encode({"id": "k", "source": "我喜欢\t你们的书。", "references": []})
    head = b'{"format":"gecbench-corpus","schema":1,"name":"x","lang":"zh"}\n'
    (tmp_path / "x.jsonl").write_bytes(head + row + b"\n")
    with expect_error(CorpusError, "'k'", "TAB"):
        corrupt(tmp_path / "x.jsonl", tmp_path / "y.tsv", to="pairs")
    assert not (tmp_path / "y.tsv").exists()


@pytest.mark.parametrize(
    ("wrong_settings", "message"),
    [
        (
            {"types.word-mising": "3"},
            "unknown type of errors in zh 'word-mising'; did you mean word-missing",
        ),
        ({"types.word-missing": "-1"}, "'-1' is no weight"),
        ({"types.word-missing": "nan"}, "'nan' is no weight"),
        ({"types.word-missing": "1e308"}, "'1e308' is no weight"),
        ({"errors": "inf"}, "of profiles: it is 'inf'"),
        ({"errors": "nan,1"}, "of profiles: it is 'nan'"),
        ({"corect": "1"}, "unknown key of profiles 'corect'; did you mean correct"),
        ({"correct": "2"}, "option correct of profiles: it is '2'; expected float <= 1"),
        ({"errors": "0,0"}, "errors: all weights are 0"),
        ({"shortest": "9", "longest": "3"}, "longest 3 is below shortest 9"),
        ({"segment": "jeiba"}, "unknown segmenter 'jeiba'; did you mean jieba"),
        ({"shapes": "nowhere.txt"}, "nowhere.txt: no such file"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(
    tmp_path: Path, wrong_settings: dict[str, str], message: str
):
    input_texts = text_file(tmp_path / "x.txt", CHINESE)
    with pytest.raises(GecbenchError, match="^[^\n]*" + message.replace(".", r"\.")):
        corrupt(input_texts, tmp_path / "y.jsonl", settings=wrong_settings)
    assert not (tmp_path / "y.jsonl").exists()


@pytest.mark.parametrize(
    ("texts", "wrong_settings", "message"),
    [
        (CHINESE, {"tokens": "space"}, "tokens is for English"),
        (ENGLISH, {"shapes": "cherrant"}, "shapes is for Chinese"),
        (ENGLISH, {"segment": "jieba"}, "segment is for Chinese"),
    ],
)
def test_a_key_of_the_other_language_is_refused(
    tmp_path: Path, texts: tuple[str, ...], wrong_settings: dict[str, str], message: str
):
    input_texts = text_file(tmp_path / "x.txt", texts)
    with pytest.raises(UsageError, match=message):
        corrupt(input_texts, tmp_path / "y.jsonl", settings=wrong_settings)


@pytest.mark.parametrize("to", ["jsonl", "pairs"])
def test_texts_of_which_no_pair_comes_are_refused(tmp_path: Path, to: str):
    """A file without a pair is one that nothing reads."""
    input_texts = text_file(tmp_path / "x.txt", ("。", " ", "[缺失成分]我们在这里"))
    labels = tmp_path / "y.labels"
    with expect_error(CorpusError, f"{tmp_path / 'y'}", "3 sentences"):
        corrupt(input_texts, tmp_path / "y", to=to, labels=labels)
    assert not (tmp_path / "y").exists()
    assert not labels.exists()


def test_all_weights_zero_and_segments_of_english_are_refused(tmp_path: Path):
    zero = {f"types.{name}": "0" for name in corrupt_types()}
    with expect_error(FormatError, "zh-default", "weight of 0"):
        corrupt(text_file(tmp_path / "x.txt", CHINESE), tmp_path / "y", settings=zero)
    with expect_error(UsageError, "segment", "Chinese", "English"):
        corrupt(
            text_file(tmp_path / "x.txt", ENGLISH), tmp_path / "y", settings={"segment": "jieba"}
        )


def test_files_are_kept_apart(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", CHINESE)
    with expect_error(UsageError, "the texts", "the output"):
        corrupt(input_texts, input_texts)
    with expect_error(UsageError, "the output", "the labels"):
        corrupt(input_texts, "-", labels="-")


def test_shapes_come_from_a_table_that_is_named(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", CHINESE)
    zero = {f"types.{name}": "0" for name in corrupt_types() if name != "spelling-shape"}
    (tmp_path / "own.txt").write_text("书 ß 爿\n国 囯\n", encoding="utf-8")
    where = {"shapes": str(tmp_path / "own.txt")}
    corrupt(input_texts, tmp_path / "y.jsonl", settings={**zero, **where})
    wrong = {
        s.tokens[e.start]
        for s in read(tmp_path / "y.jsonl").samples
        for e in s.references[0].edit_sets[0]
    }
    assert wrong <= {"ß", "爿", "囯"}
    (tmp_path / "own.txt").write_text("书本 爿\n", encoding="utf-8")
    with expect_error(FormatError, "own.txt:1", "'书本 爿'"):
        corrupt(input_texts, tmp_path / "y.jsonl", settings={**zero, **where})
    meta = "U+6E05\t清\tx\t⿰氵⿱龶月[GT],⿰氵青[J]\nU+8BF7\t请\tx\t⿰讠⿱龶月\nU+4E66\t书\tx\t书\n"
    (tmp_path / "own.txt").write_text(meta, encoding="utf-8")
    input_texts = text_file(tmp_path / "x.txt", ("请你们不要清理这里。",))
    corrupt(input_texts, tmp_path / "y.tsv", settings={**zero, **where}, to="pairs")
    assert (tmp_path / "y.tsv").read_text("utf-8").split("\t")[0] in {
        "清你们不要清理这里。",
        "请你们不要请理这里。",
        "清你们不要请理这里。",
    }


def test_words_are_whole_with_a_segmenter(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", CHINESE)
    zero = {f"types.{name}": "0" for name in corrupt_types() if name != "syntax-order"}
    wrong_settings = {**zero, "segment": "jieba", "errors": "1"}
    counts = corrupt(input_texts, tmp_path / "y.jsonl", settings=wrong_settings)
    assert counts.made >= 3
    for sample, target in pairs(read(tmp_path / "y.jsonl")):
        assert sorted(sample.source) == sorted(target)


@pytest.mark.slow
def test_several_processes_write_what_one_writes(tmp_path: Path, monkeypatch):
    input_texts = text_file(tmp_path / "x.txt", (*MANY[:1100], "", "短"))
    alone = corrupt(input_texts, tmp_path / "1.jsonl", labels=tmp_path / "1.labels")
    monkeypatch.setattr(running, "_PAYS", 1000)
    monkeypatch.setattr(running, "cores", lambda: 2)
    together = corrupt(input_texts, tmp_path / "2.jsonl", labels=tmp_path / "2.labels", jobs=None)
    assert together == alone
    for ending in ("jsonl", "labels"):
        files = (tmp_path / f"{number}.{ending}" for number in (1, 2))
        first, second = (path.read_bytes() for path in files)
        assert first == second


@pytest.mark.slow
def test_what_a_profile_lacks_is_said_from_another_process_too(tmp_path: Path):
    input_texts = text_file(tmp_path / "x.txt", MANY[:8])
    settings = {"types.nothing": "1"}
    for jobs in (1, 2):
        with expect_error(GecbenchError, "nothing"):
            corrupt(input_texts, tmp_path / "x.jsonl", settings=settings, jobs=jobs)
    assert not (tmp_path / "x.jsonl").exists()
    with expect_error(UsageError, "jobs", "0"):
        corrupt(input_texts, tmp_path / "x.jsonl", jobs=0)


def test_a_profile_is_checked_before_anything_is_read_or_written(tmp_path: Path, capfdbinary):
    input_texts = text_file(tmp_path / "x.txt", ("", ""))
    with expect_error(GecbenchError, "nothing"):
        corrupt(input_texts, "-", "zh-default", settings={"types.nothing": "1"})
    assert capfdbinary.readouterr().out == b""
