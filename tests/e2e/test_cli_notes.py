"""What is said beside the results, and what is written together or not at all."""

from __future__ import annotations

from pathlib import Path

CHAR = ("--scheme", "zh-char")
ODD = "S 我 们\nA 0 1|||S|||他|||OPTIONAL|||a comment|||0\n"


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return name


def test_fields_that_m2_readers_do_not_keep_are_counted(run, tmp_path: Path):
    ended = run("convert", write(tmp_path, "odd.m2", ODD), "--to", "jsonl")
    assert ended.returncode == 0
    assert "note: odd: not kept: the fields required and comment of 1 A line\n" in ended.stderr
    usual = ODD.replace("OPTIONAL|||a comment", "REQUIRED|||-NONE-")
    assert run("convert", write(tmp_path, "usual.m2", usual), "--to", "jsonl").stderr == ""


def test_alternatives_count_by_their_first_and_that_is_said(run, tmp_path: Path):
    block = "S 我 们\nA 0 1|||S|||{}|||REQUIRED|||-NONE-|||0\n"
    corpus = write(tmp_path, "ref.m2", block.format("他||她"))
    ended = run("score", corpus, write(tmp_path, "hyp.m2", block.format("她")))
    assert "note: some edits have alternative corrections; only the first of each counts" in (
        ended.stdout
    )


def test_standard_input_stands_for_one_file_only(bad):
    assert bad(2, "score", "-", "-") == "standard input can be read once only; '-' stands twice"
    assert bad(2, "score", "-", "mine=-").startswith("standard input can be read once only")


def test_parallel_files_are_written_together_or_not_at_all(run, bad, tmp_path: Path):
    path = write(tmp_path, "one.tsv", "1\t我们\t他们\n")
    (tmp_path / "dir.ref0").mkdir()
    words = ("convert", path, "--to", "lines", "-o")
    assert bad(1, *words, "dir").startswith("dir.ref0: already exists")
    assert not (tmp_path / "dir.src").exists()
    assert run(*words, "good").returncode == 0
    assert (tmp_path / "good.src").read_text("utf-8") == "我们\n"
    assert (tmp_path / "good.ref0").read_text("utf-8") == "他们\n"


def test_references_of_an_earlier_corpus_are_not_left_beside_a_new_one(run, bad, tmp_path: Path):
    two = write(tmp_path, "two.tsv", "1\t我们\t他们\t你们\n")
    path = write(tmp_path, "one.tsv", "1\t我们\t他们\n")
    assert run("convert", two, "--to", "lines", "-o", "x").returncode == 0
    (tmp_path / "x.src").unlink()
    (tmp_path / "x.ref0").unlink()
    assert bad(1, "convert", path, "--to", "lines", "-o", "x") == (
        "x.ref1: would stay beside the new files as if it belonged to them; remove it"
    )


def test_a_block_without_t_line_is_refused_where_others_have_them(bad, tmp_path: Path):
    text = "S 我\nT0-A0 你\nA 0 1|||S|||你|||REQUIRED|||-NONE-|||0\n\nS 他\n"
    assert bad(1, "convert", write(tmp_path, "x.m2", text), "--to", "jsonl") == (
        "x.m2:5: the block has no T line; in a file with T lines every block has one "
        "(T0 没有错误 if it is error free)"
    )


def test_an_empty_sentence_cannot_become_m2_and_that_is_said(bad, tmp_path: Path):
    source = write(tmp_path, "s.txt", "我\n\n")
    words = ("edits", source, "--reference", write(tmp_path, "r.txt", "你\n\n"), *CHAR)
    assert bad(1, *words) == (
        "sample '2': the source has no token, which m2 cannot hold; leave it out"
    )


def test_re_extract_finds_all_edits_again(run, good, zh: Path, tmp_path: Path):
    words = ("--format", "csv")
    texts = good("score", zh / "corpus.jsonl", zh / "eager.txt", *CHAR, *words)
    assert (
        run("edits", zh / "corpus.jsonl", *CHAR, "--to", "jsonl", "-o", "c.jsonl").returncode == 0
    )
    assert good("score", "c.jsonl", zh / "eager.txt", *CHAR, "--re-extract", *words) == texts
