"""Runs over files: streaming, resuming, and what is written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import hypothesis.strategies as st
import pytest
from doubling import SENTENCES, Doubling, to
from hypothesis import given
from messages import expect_error

from gecbench.api.correct import Target, correct, correct_file, open_corrector
from gecbench.api.files import load, load_system, sample, save
from gecbench.api.options import Places, SchemeSpec
from gecbench.api.robustness import load_perturbed, save_perturbed
from gecbench.cli import main
from gecbench.cli.correct import word_diff
from gecbench.core.corrector import Correction, TextEdit
from gecbench.core.errors import FormatError, GecbenchError, ResourceError, UsageError
from gecbench.core.files import read_lines
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.reading import sources
from gecbench.models import journal
from gecbench.models.folder import Copying
from gecbench.models.journal import open_journal
from gecbench.models.text import Splitting


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    return path


def test_a_run_writes_corrected_lines_and_leaves_nothing_beside_them(text, tmp_path) -> None:
    out = tmp_path / "out.txt"
    done = correct_file(Doubling(), text, to(out))
    assert read_lines(out) == [s.replace("的", "的的") for s in SENTENCES]
    assert (done.sentences, done.changed, done.edits, done.resumed) == (10, 10, 10, 0)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_an_interrupted_run_goes_on_without_repeating_or_losing_a_line(text, tmp_path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        correct_file(Doubling(stop_at=6), text, to(out))
    assert not out.exists()
    # What kill -9 can leave: half a line behind whole ones.
    with (tmp_path / "out.txt.part").open("ab") as part:
        part.write(b'{"source":"\xe7')
    second = Doubling()
    done = correct_file(second, text, to(out))
    assert second.asked == SENTENCES[6:]
    assert (done.sentences, done.resumed) == (10, 6)
    assert read_lines(out) == [s.replace("的", "的的") for s in SENTENCES]


def test_a_run_with_other_options_does_not_go_on(text, tmp_path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        correct_file(Doubling(stop_at=3), text, to(out))
    with expect_error(UsageError, "version", "'1'", "'2'", "--restart"):
        correct_file(Doubling(version="2"), text, to(out))
    third = Doubling(version="2")
    correct_file(third, text, to(out), restart=True)
    assert third.asked == SENTENCES


def test_a_run_does_not_go_on_with_another_input(text, tmp_path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        correct_file(Doubling(stop_at=6), text, to(out))
    text.write_text("\n".join([*SENTENCES[:4], "别的", *SENTENCES[5:]]), encoding="utf-8")
    with expect_error(GecbenchError, "'第4句的话'", "sentence 5"):
        correct_file(Doubling(), text, to(out))
    text.write_text("\n".join(SENTENCES[:5]), encoding="utf-8")
    with expect_error(GecbenchError, "'第5句的话'", "sentence 6"):
        correct_file(Doubling(), text, to(out))


def test_two_runs_do_not_write_to_one_journal(tmp_path) -> None:
    first = open_journal(tmp_path / "o.part", {"a": "b"})
    with expect_error(GecbenchError, str(tmp_path / "o.part"), "another run"):
        open_journal(tmp_path / "o.part", {"a": "b"})
    first.close()
    open_journal(tmp_path / "o.part", {"a": "b"}).close()


def test_a_file_of_somebody_else_is_not_taken_for_a_journal(text, tmp_path) -> None:
    (tmp_path / "out.txt.part").write_text("mine\nkeep\n")
    with pytest.raises(GecbenchError, match="is in the way"):
        correct_file(Doubling(), text, to(tmp_path / "out.txt"))
    assert (tmp_path / "out.txt.part").read_text() == "mine\nkeep\n"


def test_every_format_is_written_and_read_back_as_a_system(tmp_path) -> None:
    corpus = Corpus("c", tuple(Sample(f"s{n}", text) for n, text in enumerate(SENTENCES)), "zh")
    source = tmp_path / "in.tsv"
    source.write_text("".join(f"{s.id}\t{s.source}\n" for s in corpus.samples), encoding="utf-8")
    expected = [s.replace("的", "的的") for s in SENTENCES]
    for kind in ("lines", "mucgec", "jsonl"):
        out = tmp_path / f"out.{kind}"
        details = tmp_path / "details.jsonl"
        done = correct_file(Doubling(), source, to(out, kind, details))
        assert done.losses == ()
        system = load_system(out, load(source))
        assert [row[0].text for row in system.hypotheses.values()] == expected
    header, first, *_ = map(json.loads, read_lines(details))
    assert header["signature"]["corrector"] == "doubling"
    assert first["id"] == "s0"
    assert first["edits"] == [{"start": 3, "end": 3, "replacement": "的", "score": 0.5}]
    assert first["score"] == 0.25


def test_m2_shows_the_edits_of_a_scheme(tmp_path) -> None:
    from gecbench.api.schemes import load_scheme

    source = tmp_path / "in.txt"
    source.write_text("我的猫\n好\n", encoding="utf-8")
    out = tmp_path / "out.m2"
    correct_file(
        Doubling(),
        source,
        lambda _found: Target(out, "m2", load_scheme("zh-char")),
    )
    lines = read_lines(out)
    assert lines[0] == "S 我 的 猫"
    assert "A 1 1|||M|||的|||REQUIRED|||-NONE-|||0" in lines


def test_a_scheme_without_its_data_is_refused_before_anything_is_corrected(text, tmp_path) -> None:
    corrector = Doubling()
    scheme = SchemeSpec("zh-cherrant", places=Places(folder=tmp_path))
    target = Target(tmp_path / "out.m2", "m2", scheme)
    with expect_error(ResourceError, "cherrant"):
        correct_file(corrector, text, lambda _: target)
    assert corrector.asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_flags_are_counted_and_their_first_sentences_named(tmp_path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("短\n这一句话真的太长了吧\n短\n" + "这一句话真的太长了吧\n" * 6, "utf-8")
    done = correct_file(Doubling(), source, to(tmp_path / "o"))
    assert done.flags == {"too long": (7, ("2", "4", "5", "6", "7"))}


def test_a_correction_with_a_line_end_is_refused_in_lines(tmp_path) -> None:
    class Breaking(Doubling):
        def _one(self, text: str) -> Correction:
            return Correction(text, text + "\n", (TextEdit(len(text), len(text), "\n"),))

    source = tmp_path / "in.txt"
    source.write_text("好\n", encoding="utf-8")
    with expect_error(GecbenchError, "sentence 1", "line end", "--to jsonl"):
        correct_file(Breaking(), source, to(tmp_path / "o"))
    assert not (tmp_path / "o").exists()


_SLOW = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from doubling import Doubling, to
from gecbench.api.correct import correct_file
class Slow(Doubling):
    def correct(self, texts):
        time.sleep(0.05)
        return super().correct(texts)
correct_file(Slow(), Path(sys.argv[2]), to(Path(sys.argv[3])))
"""


def test_kill_9_loses_and_repeats_nothing_that_was_done(text, tmp_path) -> None:
    text.write_text("\n".join(f"{n}的" for n in range(3000)), encoding="utf-8")
    out = tmp_path / "out.txt"
    here = str(Path(__file__).parents[1])
    run = subprocess.Popen([sys.executable, "-c", _SLOW, here, str(text), str(out)])
    part = tmp_path / "out.txt.part"
    while run.poll() is None and (not part.exists() or part.read_bytes().count(b"\n") < 7):
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert not out.exists()
    done = part.read_bytes().count(b"\n") - 1
    assert 6 <= done < 3000
    second = Doubling(window=1000)
    result = correct_file(second, text, to(out))
    assert result.resumed == done
    assert len(second.asked) == 3000 - done
    assert read_lines(out) == [f"{n}的的" for n in range(3000)]


def test_several_processes_write_what_one_writes_after_one_of_them_died(text, tmp_path) -> None:
    folder, out = tmp_path / "one.txt", tmp_path / "out.txt"
    correct_file(Doubling(), text, to(folder, details=tmp_path / "one.jsonl"))
    dying = partial(Doubling, dies_of=SENTENCES[7])
    with pytest.raises(ResourceError, match=r"died while it worked on sentences \d+ to \d+"):
        correct_file(Doubling(), text, to(out), jobs=2, load=dying)
    assert not out.exists()
    here = Doubling()
    details = tmp_path / "details.jsonl"
    result = correct_file(here, text, to(out, details=details), jobs=2, load=Doubling)
    assert result.resumed in (0, 3, 6)
    assert not here.asked
    assert (out.read_bytes(), details.read_bytes()) == (
        folder.read_bytes(),
        (tmp_path / "one.jsonl").read_bytes(),
    )


def test_several_processes_begin_where_they_pay(text, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(journal, "_PAYS", 4)
    monkeypatch.setattr(journal, "cores", lambda: 2)
    here = Doubling(processes="many")
    correct_file(here, text, to(tmp_path / "out.txt"), jobs=None, load=Doubling)
    assert here.asked == SENTENCES[:6]
    assert read_lines(tmp_path / "out.txt") == [s.replace("的", "的的") for s in SENTENCES]
    doubling = Doubling()
    correct_file(doubling, text, to(tmp_path / "out.txt"), jobs=None, load=Doubling)
    assert doubling.asked == SENTENCES


def test_processes_that_cannot_be_are_refused_before_anything_is_corrected(text, tmp_path) -> None:
    server = Doubling(processes="one")
    for corrector, jobs, way, words in (
        (server, 2, Doubling, ("jobs 2", "asks a server", "concurrency")),
        (Doubling(), 2, None, ("jobs 2", "take jobs 1")),
        (Doubling(), 2, lambda: server, ("jobs 2", "take jobs 1")),
        (Doubling(), 0, Doubling, ("jobs", "0")),
    ):
        with expect_error(UsageError, *words):
            correct_file(corrector, text, to(tmp_path / "o"), jobs=jobs, load=way)
        assert corrector.asked == []
    correct_file(server, text, to(tmp_path / "o"), jobs=None, load=Doubling)
    assert server.asked == SENTENCES


def test_the_function_takes_texts_or_a_corpus() -> None:
    output = correct(Doubling(), ["我的", "好"], name="d")
    assert output.system == "d"
    assert [rows[0].text for rows in output.hypotheses.values()] == ["我的的", "好"]


@pytest.mark.parametrize("split", [False, True])
def test_a_language_that_the_corrector_is_not_for_is_refused_where_it_is_declared(
    text, tmp_path, split
) -> None:
    english = replace(open_corrector("copying").info, name="english", languages=("en",))
    corrector = Splitting(Copying(english)) if split else Copying(english)
    corpus = Corpus("c", (Sample("1", "Das ist ein Haus."),), "de")
    save(corpus, tmp_path / "de.jsonl", format="jsonl")
    out = tmp_path / "out.jsonl"
    for run in (
        lambda: correct(corrector, corpus),
        lambda: correct(corrector, replace(corpus, lang="en"), lang="de"),
        lambda: correct(corrector, ["Das ist ein Haus."], lang="de"),
        lambda: correct_file(corrector, tmp_path / "de.jsonl", to(out)),
        lambda: correct_file(corrector, text, lambda _: Target(out, "lines", lang="de")),
    ):
        with pytest.raises(UsageError, match="english is for en, and the texts are in de"):
            run()
    assert not list(tmp_path.glob("out*"))
    for lang in (None, "xx", "en", "eng", "en-GB"):
        assert correct(corrector, replace(corpus, lang=lang)).hypotheses.keys() == {"1"}
    assert correct("copying", corpus).hypotheses.keys() == {"1"}
    assert correct(corrector, corpus, lang="en").hypotheses.keys() == {"1"}


def test_splitting_asks_for_sentences_and_joins_exactly() -> None:
    inner = Doubling()
    texts = [" 我的。  你的？\n", "", "他的", "  "]
    results = Splitting(inner).correct(texts)
    assert inner.asked == ["我的。", "你的？", "他的"]
    assert [c.text for c in results] == [" 我的的。  你的的？\n", "", "他的的", "  "]
    assert [e.start for e in results[0].edits] == [2, 7]
    assert (results[0].score, results[2].score) == (None, 0.25)
    assert Splitting(inner).info.signature["split"] == "sentences"


def test_sentences_are_those_of_the_language_that_a_corrector_is_for() -> None:
    inner = Doubling(lang="de")
    splitting = Splitting(inner)
    splitting.correct(["Das ist z. B. gut. Ja."])
    assert inner.asked == ["Das ist z. B. gut.", "Ja."]
    assert splitting.info.signature["split"] == "sentences (de)"


@pytest.mark.parametrize(
    ("lang", "calls", "how"),
    [
        ("deu", ["Das ist z. B. gut.", "Ja."], "sentences (de)"),
        ("xx", ["Das ist z.", "B. gut.", "Ja."], "sentences"),
    ],
)
def test_sentences_are_those_of_the_language_that_is_declared(lang, calls, how) -> None:
    inner = Doubling(lang="fr")
    splitting = Splitting(inner, lang=lang)
    splitting.correct(["Das ist z. B. gut. Ja."])
    assert inner.asked == calls
    assert splitting.info.signature["split"] == how


def test_split_on_the_command_line_takes_the_language_that_is_declared(run, text) -> None:
    assert "split:sentences (de)" in run("correct", "copying", text, "--split", "--lang", "de")[2]


def test_a_longest_sentence_needs_splitting_and_a_length() -> None:
    with pytest.raises(UsageError, match="is for splitting"):
        open_corrector("copying", longest=5)
    with pytest.raises(UsageError, match="must be at least 1"):
        open_corrector("copying", split=True, longest=0)
    inner = Doubling()
    assert Splitting(inner, 4).correct(["我的，你的，他的"])[0].text == "我的的，你的的，他的的"
    assert inner.asked == ["我的，", "你的，", "他的"]


@given(st.text(alphabet="ab的\r\n\u2028", max_size=30))
def test_streamed_lines_are_those_that_are_read_whole(tmp_path_factory, content) -> None:
    path = tmp_path_factory.mktemp("s") / "f.txt"
    path.write_bytes(content.encode())
    if not content:
        with expect_error(FormatError, f"{path}:1", "empty"):
            sources(path)
        return
    assert list(sources(path, format="lines").texts) == read_lines(path)


def test_what_is_no_utf_8_is_named_by_its_line(tmp_path) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes("好\n".encode() * 300 + b"\xb0\n")
    input_sources = sources(path, format="lines")
    with expect_error(FormatError, "f.txt:301", "0xb0"):
        list(input_sources.texts)
    path.write_bytes("好".encode("utf-16"))
    with pytest.raises(FormatError, match=r"UTF-16"):
        sources(path)


def test_a_diff_shows_what_goes_and_what_comes() -> None:
    answer = Correction("ab", "xb!", (TextEdit(0, 1, "x"), TextEdit(2, 2, "!")))
    assert word_diff(answer) == "[-a-]{+x+}b{+!+}"
    assert (
        word_diff(answer, colour=True)
        == "\033[31m[-a-]\033[0m\033[32m{+x+}\033[0mb\033[32m{+!+}\033[0m"
    )


def test_perturbed_cases_are_corrected_in_the_order_of_the_evaluation(tmp_path, capfd) -> None:
    blocks = sample("en", "perturbed.txt")
    cases = load_perturbed(blocks)
    save_perturbed(cases, tmp_path / "cases.jsonl")
    (tmp_path / "folder" / "one").mkdir(parents=True)
    (tmp_path / "folder" / "one" / "para.txt").write_bytes(blocks.read_bytes())
    expected = [s.source for s in cases.corpus().samples]
    for place in (blocks, tmp_path / "cases.jsonl", tmp_path / "folder"):
        main(["correct", "copying", str(place), "-o", str(tmp_path / "out.txt")])
        assert (tmp_path / "out.txt").read_text("utf-8").splitlines() == expected
        (tmp_path / "out.txt").unlink()
    save_perturbed(replace(cases, lang="en"), tmp_path / "english.jsonl")
    out = tmp_path / "out.jsonl"
    main(["correct", "copying", str(tmp_path / "english.jsonl"), "-o", str(out)])
    assert load(out).lang == "en"
    capfd.readouterr()
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit) as ended:
        main(["correct", "copying", str(tmp_path / "empty")])
    assert ended.value.code == 1
    assert str(tmp_path / "empty") in capfd.readouterr().err
