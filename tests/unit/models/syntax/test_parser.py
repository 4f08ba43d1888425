"""The parser: its trees, its loss, its run, and the command that parses."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_syntax import TREES, parser_config, parser_run
from tiny_taggers import write_bert

from gecbench.api.parse import open_trees, parse_file
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.formats.reading import sources
from gecbench.models.syntax.parser import ArcScores, best_tree, read_parser
from gecbench.models.syntax.parser_training import KIND
from gecbench.models.syntax.trees import Tree, conllu_lines, fold_of, read_conllu
from gecbench.models.training.loop import Loop


@given(st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_best_tree_is_that_of_trying_all(size, chance) -> None:
    # Small whole numbers make cycles and ties likely: then only the sum counts.
    scores = np.array(
        [[float(chance.randint(0, 6)) for _ in range(size + 1)] for _ in range(size + 1)]
    )

    def total(heads) -> float:
        return sum(scores[word, head] for word, head in enumerate(heads, 1))

    trees = [
        heads
        for heads in itertools.product(range(size + 1), repeat=size)
        if not Tree((), heads, ()).fault
    ]
    best = best_tree(scores)
    assert not Tree((), tuple(best), ()).fault
    assert total(best) == max(map(total, trees))


def write_encoder(folder: Path, kind: str) -> Path:
    """Write a tiny encoder of a kind with random weights."""
    from transformers import AutoConfig, AutoModel

    write_bert(folder, "en")
    if kind != "bert":
        before = json.loads((folder / "config.json").read_text("utf-8"))
        names = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")
        sizes = {name: before[name] for name in (*names, "intermediate_size")}
        config = AutoConfig.for_model(kind, **sizes, pad_token_id=0, max_position_embeddings=64)
        torch.manual_seed(3)
        AutoModel.from_config(config).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("encoder", ["convolution", "bert", "roberta", "electra", "deberta-v2"])
def test_loss_and_scores_are_those_of_one_tree_after_the_other(tmp_path: Path, encoder) -> None:
    place = encoder if encoder == "convolution" else str(write_encoder(tmp_path, encoder))
    task = KIND.build(parser_config(encoder=place), TREES, None)
    task.module.eval()
    for part in (task.module.arcs, task.module.labels):
        torch.nn.init.normal_(part.weight)
    examples = task.prepare(TREES).examples
    assert len(examples) == len(TREES)
    together = task.collate(examples)
    alone = [task.collate([example]) for example in examples]
    assert task.weight(together) == sum(len(tree.words) for tree in TREES)
    with torch.no_grad():
        whole = [m.total.item() for m in task.measure(task.module, together)]
        parts = [[m.total.item() for m in task.measure(task.module, batch)] for batch in alone]
    assert whole == pytest.approx(np.sum(parts, axis=0).tolist(), rel=1e-4)
    parses = task.parser.parse([tree.words for tree in TREES])
    right = sum(
        head == gold
        for parse, tree in zip(parses, TREES, strict=True)
        for head, gold in zip(parse.tree.heads, tree.heads, strict=True)
    )
    assert whole[1] == right
    for parse in parses:
        assert not parse.tree.fault
        assert parse.probabilities.sum(1) == pytest.approx(1, abs=1e-4)


def test_attachment_scores_and_f_of_error_labels_are_those_counted_by_hand() -> None:
    gold = Tree(("a", "b", "c", "d"), (2, 0, 2, 3), ("S", "root", "R", "M"))
    other = Tree(("a",), (0,), ("x",))
    task = KIND.build(parser_config(), [gold, other], None)
    names = task.parser.shape.labels
    # Heads of a and b are right, and the label of b; a has another label, c the right one at a
    # wrong head, d a wrong one at the right head.
    said = ((2, "R"), (0, "root"), (1, "R"), (3, "S"))
    heads = torch.full((1, 5, 5), -5.0)
    labels = torch.full((1, 5, 5, len(names)), -5.0)
    for word, (head, label) in enumerate(said, 1):
        heads[0, word, head] = 5.0
        labels[0, word, :, names.index(label)] = 5.0
    batch = task.collate(task.prepare([gold]).examples)
    _, *rest = task.measure(lambda **_: ArcScores(heads, labels), batch)
    measured = [(m.total.item(), m.weight) for m in rest]
    # UAS 3 of 4, LAS 1 of 4; S: one said, one true, none both; R: two said, one true, one of both.
    assert measured == [(3, 4), (1, 4), (0, 2), (2, 3), (0, 1)]


def test_more_layers_than_an_encoder_has_are_refused(tmp_path: Path) -> None:
    place = str(write_encoder(tmp_path, "electra"))
    with pytest.raises(UsageError, match=r"model\.layers is 3.*has 2"):
        KIND.build(parser_config(encoder=place, layers=3), TREES, None)


def test_faulty_and_long_trees_are_left_out_and_counted() -> None:
    task = KIND.build(parser_config(max_tokens=4), TREES, None)
    faulty = Tree(("He", "goes"), (0, 0), ("nsubj", "root"))
    assert task.prepare([faulty, Tree(("a",) * 5, (0, 1, 1, 1, 1), ("x",) * 5)]).dropped == {
        "several roots": 1,
        "longer than what is read": 1,
    }
    assert task.parser.parse([("a",) * 5, ()]) == [None, None]


def test_a_killed_run_goes_on_and_its_parser_knows_its_trees(
    trained_parser: Path, tmp_path
) -> None:
    parser = read_parser(trained_parser)
    assert [parse.tree for parse in parser.parse([tree.words for tree in TREES])] == TREES
    again = parser_run(tmp_path / "again", stop_after=20)
    assert (again / "model.safetensors").read_bytes() == (
        trained_parser / "model.safetensors"
    ).read_bytes()


def test_a_fold_is_left_out_and_known_again(tmp_path: Path) -> None:
    (tmp_path / "trees.conllu").write_text("".join(map(conllu_lines, TREES)), encoding="utf-8")
    folds = [fold_of(tree.words, 2) for tree in TREES]
    for fold in (0, 1):
        data = KIND.read(parser_config(folds=2, fold=fold), tmp_path)
        assert [fold_of(tree.words, 2) for tree in data.train] == [1 - fold] * folds.count(1 - fold)
        assert fold_of(["".join(data.train[0].words)], 2) == 1 - fold
    with pytest.raises(FormatError, match="fold 2 is none of 2"):
        parser_config(folds=2, fold=2)


def test_one_command_trains_all_folds_and_parses_each_by_who_has_not_learnt_it(
    tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So many sentences that no fold is empty; of the last one nothing is read.
    long = Tree(("a",) * 21, (0, *[1] * 20), ("S",) * 21)
    trees = [t._replace(words=(f"{w}{t.words[0]}", *t.words[1:])) for w in "xyz" for t in TREES]
    (tmp_path / "trees.conllu").write_text(
        "".join(map(conllu_lines, [*trees, long])), encoding="utf-8"
    )
    config = tmp_path / "parser.toml"
    config.write_text(
        'kind = "parser"\nname = "tiny"\nlanguage = "en"\n[data]\ntrain = ["trees.conllu"]\n'
        'dev = "train"\n[model]\narc_width = 8\nlabel_width = 8\nmax_tokens = 20\n'
        "convolution = { width = 8 }\n[training]\nepochs = 2\nthreads = 1\npatience = 0\n",
        encoding="utf-8",
    )
    out = tmp_path / "folds"
    stderr = _invoke(run, "train", str(config), "--folds", "2", "-o", str(out))
    assert f"{len(trees)} trees" in stderr
    assert "1 sentences too long" in stderr
    parsers = [read_parser(out / f"fold-{fold}" / "model") for fold in (0, 1)]
    assert [(p.shape.fold, p.shape.folds) for p in parsers] == [(0, 2), (1, 2)]
    parsed = list(read_conllu(out / "trees.conllu"))
    assert [tree.words for tree in parsed] == [tree.words for tree in trees]
    folds = [fold_of(tree.words, 2) for tree in trees]
    assert set(folds) == {0, 1}
    for tree, fold in zip(parsed, folds, strict=True):
        ((parse, _),) = parsers[fold].parse([tree.words])
        assert parse == tree

    # What is done is not trained again, and what a killed run left is made.
    weights = out / "fold-0" / "model" / "model.safetensors"
    before, text = weights.read_bytes(), (out / "trees.conllu").read_bytes()
    shutil.rmtree(out / "fold-1")
    (out / "trees.conllu").unlink()
    steps: list[int] = []
    step = Loop._step

    def counted(loop: Loop, group: object) -> None:
        steps.append(loop.state.step)
        step(loop, group)

    monkeypatch.setattr(Loop, "_step", counted)
    _invoke(run, "train", str(config), "--folds", "2", "-o", str(out))
    assert steps == sorted(set(steps))  # of one run alone
    assert weights.read_bytes() == before
    assert (out / "trees.conllu").read_bytes() == text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--folds", "1"), "folds is 1"),
        (("--folds", "2", "--set", "model.folds=3"), "model.folds"),
        (("--recipe", "syngec-en", "--folds", "2"), "only a parser"),
        (("--recipe", "tiny", "--folds", "2"), "--folds"),
    ],
)
def test_folds_are_of_a_parser_that_is_trained_on_all(tmp_path, run, words, message) -> None:
    config = tmp_path / "parser.toml"
    config.write_text(
        'kind = "parser"\nname = "tiny"\nlanguage = "en"\n[data]\ntrain = ["t"]\n', "utf-8"
    )
    first = () if "--recipe" in words else (str(config),)
    code, _, stderr = run("train", *first, *words, "-o", str(tmp_path / "out"))
    assert code == 2
    assert message in stderr
    assert not (tmp_path / "out").exists()


def test_a_parser_without_error_labels_is_refused(tmp_path: Path) -> None:
    plain = [Tree(tree.words, tree.heads, ("dep",) * len(tree.words)) for tree in TREES]
    KIND.build(parser_config(), plain, None).save(tmp_path, {})
    with pytest.raises(GecbenchError, match="has no label S and no R and no M"):
        read_parser(tmp_path, for_errors=True)


def _invoke(run, *words: str) -> str:
    code, _, stderr = run(*words)
    assert code == 0, stderr
    return stderr


def test_parse_writes_conllu_with_the_likeliest_heads(trained_parser: Path, tmp_path, run) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "out.conllu"
    texts.write_text("".join(f"{' '.join(tree.words)}\n" for tree in TREES), encoding="utf-8")
    _invoke(run, "parse", str(trained_parser), str(texts), "--heads", "2", "-o", str(out))
    assert list(read_conllu(out)) == TREES
    column = out.read_text("utf-8").splitlines()[2].split("\t")[-1]
    assert column.startswith(f"Heads={TREES[0].heads[0]}:")
    assert column.count("|") == 1
    _invoke(
        run, "parse", str(trained_parser), str(texts), "--heads", "0", "-o", str(out), "--overwrite"
    )
    # All of them are exact: in one batch, the file has the parser's own numbers.
    parsed = open_trees(str(trained_parser)).parse([tree.words for tree in TREES])
    columns = [line.split("\t")[-1] for line in out.read_text("utf-8").splitlines() if "\t" in line]
    rows = [row for _, probabilities in parsed for row in probabilities.tolist()]
    for column, row in zip(columns, rows, strict=True):
        heads = dict(item.split(":") for item in column.removeprefix("Heads=").split("|"))
        assert [float(heads[str(k)]) for k in range(len(heads))] == row


def test_a_treebank_that_is_read_is_not_written_over(tmp_path: Path, run) -> None:
    bank, texts = tmp_path / "bank.conllu", tmp_path / "texts.txt"
    bank.write_text("".join(map(conllu_lines, TREES)), encoding="utf-8")
    texts.write_text("He go to school .\n", encoding="utf-8")
    before = bank.read_bytes()
    code, _, stderr = run("parse", str(bank), str(texts), "-o", str(bank), "--overwrite")
    assert (code, bank.read_bytes()) == (2, before)
    assert "--output would write over" in stderr


@pytest.mark.parametrize("options", [("--lang", "zh"), ()])
@pytest.mark.parametrize("parser", ["own", "spacy:en"])
def test_texts_in_a_language_that_a_parser_is_not_for_are_refused(
    trained_parser: Path, tmp_path: Path, run, parser, options
) -> None:
    place = str(trained_parser) if parser == "own" else parser
    texts, corpus = tmp_path / "texts.txt", tmp_path / "pairs.tsv"
    texts.write_text("我今天很高心，因为天气很好。\n" * 3, encoding="utf-8")
    corpus.write_text("1\t我今天很高心。\t我今天很高兴。\n", encoding="utf-8")
    for command in ((texts,), (corpus, "--project")):
        code, written, stderr = run("parse", place, *map(str, command), *options)
        assert (code, written) == (2, "")
        assert "is for en" in stderr
        assert "zh" in stderr
    with pytest.raises(UsageError, match="heads is -1"):
        parse_file(open_trees(str(trained_parser)), sources(texts), tmp_path / "out", heads=-1)
    assert not (tmp_path / "out").exists()


def test_references_are_projected_onto_their_sources(tmp_path: Path, run) -> None:
    gold, corpus, out = tmp_path / "gold.conllu", tmp_path / "pairs.tsv", tmp_path / "out.conllu"
    gold.write_text(
        "1\tHe\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tgoes\t_\t_\t_\t_\t0\troot\t_\t_\n"
        "3\thome\t_\t_\t_\t_\t2\tadvmod\t_\t_\n\n",
        encoding="utf-8",
    )
    rows = ("He go home", "He home", "He goes goes home", "He goes home now")
    corpus.write_text(
        "".join(f"{k}\t{row}\tHe goes home\n" for k, row in enumerate(rows, 1)), encoding="utf-8"
    )
    command = ("parse", str(gold), str(corpus), "--project", "--scheme", "xx-word", "--lang", "en")
    stderr = _invoke(run, *command, "-o", str(out))
    assert "left out: several roots: 1" in stderr
    assert "left out: superfluous words at the end: 1" in stderr
    labels = [tree.labels for tree in read_conllu(out)]
    assert labels == [("nsubj", "S", "advmod"), ("nsubj", "root", "R", "advmod")] or labels == [
        ("nsubj", "S", "advmod"),
        ("nsubj", "R", "root", "advmod"),
    ]
    assert "repaired: 2" in _invoke(run, *command, "--repair", "-o", str(out), "--overwrite")


@pytest.mark.parametrize("source", ["spacy:en", "own parser", "treebank"])
def test_trees_of_references_come_from_a_pipeline_a_parser_or_a_file(
    source: str, trained_parser: Path, tmp_path: Path, run
) -> None:
    pytest.importorskip("spacy")
    corpus, bank, out = (tmp_path / name for name in ("pairs.tsv", "bank.conllu", "out.conllu"))
    bank.write_text("".join(map(conllu_lines, TREES)), encoding="utf-8")
    corpus.write_text("1\tHe go to a school .\tHe go to school .\n", encoding="utf-8")
    place = {"own parser": str(trained_parser), "treebank": str(bank)}.get(source, source)
    command = ("parse", place, str(corpus), "--project", "--lang", "en", "--scheme", "xx-word")
    _invoke(run, *command, "-o", str(out))
    (tree,) = read_conllu(out)
    assert tree.words == ("He", "go", "to", "a", "school", ".")
    assert (tree.heads[3], tree.labels[3]) == (5, "R")
    if source != "spacy:en":
        assert tree.heads == (2, 0, 5, 5, 2, 2)


def test_a_corpus_without_references_is_refused(tmp_path: Path, run) -> None:
    (tmp_path / "in.txt").write_text("He goes home .\n", "utf-8")
    output = tmp_path / "out.conllu"
    words = ("--project", "--lang", "en", "-o", str(output))
    code, _, message = run("parse", "spacy:en", str(tmp_path / "in.txt"), *words)
    assert code == 1
    assert "no references" in message
    assert not output.exists()


def test_chinese_trees_are_projected_by_characters(tmp_path: Path, run) -> None:
    gold, corpus, out = tmp_path / "gold.conllu", tmp_path / "pairs.tsv", tmp_path / "out.conllu"
    words = Tree(("我们", "打", "篮球", "。"), (2, 0, 2, 2), ("nsubj", "root", "dobj", "punct"))
    gold.write_text(conllu_lines(words), encoding="utf-8")
    corpus.write_text(
        "1\t我们打蓝球。\t我们打篮球。\n2\t我打篮球。\t我们打篮球。\n3\t我。\t我[缺失成分]。\n",
        encoding="utf-8",
    )
    command = ("parse", str(gold), str(corpus), "--project", "--scheme", "zh-char", "--lang", "zh")
    assert "left out: the placeholder [缺失成分]: 1" in _invoke(run, *command, "-o", str(out))
    first, second = read_conllu(out)
    assert first == Tree(
        tuple("我们打蓝球。"),
        (2, 3, 0, 5, 3, 3),
        ("app", "nsubj", "root", "S", "dobj", "punct"),
    )
    assert second == Tree(
        tuple("我打篮球。"), (2, 0, 4, 2, 2), ("app", "M", "app", "dobj", "punct")
    )


@pytest.mark.slow
def test_an_export_parses_as_its_parser_does(trained_parser: Path, tmp_path: Path, run) -> None:
    pytest.importorskip("onnxscript")
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(" ".join(tree.words) + "\n" for tree in TREES), encoding="utf-8")
    export = tmp_path / "onnx"
    code, _, err = run("export", trained_parser, "-o", export, "--no-quantise", "--texts", texts)
    assert (code, f"{len(TREES)} of {len(TREES)} trees are the same" in err) == (0, True)
    sentences = [*(tree.words for tree in TREES), ("A",), ()]
    before, after = (read_parser(folder).parse(sentences) for folder in (trained_parser, export))
    for ours, theirs in zip(before, after, strict=True):
        if ours is None or theirs is None:
            assert ours is theirs
        else:
            assert ours.tree == theirs.tree
            assert ours.probabilities == pytest.approx(theirs.probabilities, abs=1e-5)
    with pytest.raises(GecbenchError, match="export for onnx"):
        read_parser(export, for_errors=True)
