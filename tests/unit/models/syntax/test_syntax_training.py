"""The corrector with syntax: trained, killed and resumed, and correcting, on tiny networks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from corrector_checks import EN, check_corrector
from safetensors.torch import load_file
from tiny_syntax import PAIRS, TREES, parser_config, syntax_settings, train_killed, write_bart

from gecbench.core.errors import FormatError, UsageError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.formats.perturbed import write_perturbed
from gecbench.models import load_corrector
from gecbench.models.batches import SentencePair
from gecbench.models.seq2seq.training import KIND as SEQ2SEQ
from gecbench.models.seq2seq.training import Seq2SeqConfig, Seq2SeqTable
from gecbench.models.syntax.graph import word_places
from gecbench.models.syntax.parser import read_parser
from gecbench.models.syntax.parser_training import KIND as PARSER
from gecbench.models.syntax.training import KIND
from gecbench.models.syntax.trees import fold_of
from gecbench.models.weights import WEIGHTS

TRAINING = {"epochs": 12, "learning_rate": 1e-2, "checkpoint_every": 8, "evaluate_every": 12}


@pytest.fixture(scope="module")
def bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bart(tmp_path_factory.mktemp("bart"))


def test_the_tiny_walk(bart: Path, trained_parser: Path, tmp_path: Path, run) -> None:
    model = {"place": str(bart), "parser": str(trained_parser), "max_length": 60}
    settings = syntax_settings(tmp_path, TRAINING, model={**model, "source_token_dropout": 0.2})
    folder = train_killed(settings, tmp_path)
    # The dev loss falls, and what is frozen stays as it was, to the last bit.
    card = json.loads((folder / "gecbench.json").read_text("utf-8"))
    losses = [row["loss"] for row in card["made"]["history"]]
    assert losses[-1] < losses[0]
    before, after = (load_file(place / "model.safetensors") for place in (bart, folder))
    assert before.keys() == after.keys()
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())
    # A run that was killed between checkpoints ends with the same weights.
    (tmp_path / "again").mkdir()
    again = train_killed(settings, tmp_path / "again", stop_after=18)
    assert (again / "graph.safetensors").read_bytes() == (folder / "graph.safetensors").read_bytes()
    # One command parses and corrects; the corrector keeps to the rules of all.
    texts, out = tmp_path / "texts.txt", tmp_path / "out.txt"
    texts.write_text("".join(f"{source}\n" for source, _ in PAIRS), encoding="utf-8")
    code, _, stderr = run("correct", str(folder), str(texts), "-o", str(out))
    assert code == 0, stderr
    assert len(out.read_text("utf-8").splitlines()) == len(PAIRS)
    assert out.read_text("utf-8").split() != texts.read_text("utf-8").split()
    # It votes in an ensemble: one vote for each edit leaves its corrections, two leave none.
    ensemble, voted = tmp_path / "ensemble.toml", tmp_path / "voted.txt"
    members = "".join(f'[[members]]\ncorrector = "{m}"\n' for m in (f"syntax:{folder}", "copying"))
    for threshold, expected in ((1, out), (2, texts)):
        ensemble.write_text(f"threshold = {threshold}\n{members}", encoding="utf-8")
        command = ("correct", f"ensemble:{ensemble}", str(texts), "-o", str(voted))
        code, _, stderr = run(*command)
        assert code == 0, stderr
        assert voted.read_text("utf-8").split() == expected.read_text("utf-8").split()
    options = {"beams": 2, "batch_size": 3, "device": "cpu"}
    check_corrector(lambda: load_corrector(f"syntax:{folder}", options), EN[:4])


def test_the_whole_share_of_the_encoder_is_the_baseline(
    bart: Path, trained_parser: Path, tmp_path: Path
) -> None:
    model = {"place": str(bart), "parser": str(trained_parser), "share": 1.0, "max_length": 60}
    config = syntax_settings(tmp_path, {}, model=model).config
    pairs = [SentencePair(*pair) for pair in PAIRS]
    task = KIND.build(config, pairs, None)
    table = {name: value for name, value in model.items() if name not in ("parser", "share")}
    plain = SEQ2SEQ.build(
        Seq2SeqConfig(kind="seq2seq", name="b", language="en", model=Seq2SeqTable(**table)),
        pairs,
        None,
    )
    losses = []
    for each in (task, plain):
        each.module.eval()
        batch = each.collate(each.prepare(pairs).examples)
        losses.append(each.loss(each.module, batch).item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


@pytest.mark.parametrize("kind", ["t5", "mbart", "marian"])
def test_any_encoder_decoder_takes_a_graph_as_wide_as_its_encoder(
    kind: str, trained_parser: Path, tmp_path: Path
) -> None:
    place = write_bart(tmp_path / kind, kind)
    model = {"place": str(place), "parser": str(trained_parser), "max_length": 60}
    folder = train_killed(syntax_settings(tmp_path, {"epochs": 1}, model=model), tmp_path)
    card = json.loads((folder / "gecbench.json").read_text("utf-8"))
    graph = card["settings"]["graph"]
    assert (graph["width"], graph["inner"], graph["layers"]) == (32, 48, 3)
    corrector = load_corrector(f"syntax:{folder}", {"beams": 2, "device": "cpu"})
    assert len(corrector.correct([source for source, _ in PAIRS])) == len(PAIRS)


def test_it_has_no_other_runtime(bart: Path, trained_parser: Path, tmp_path: Path, run) -> None:
    model = {"place": str(bart), "parser": str(trained_parser), "max_length": 60}
    task = KIND.build(syntax_settings(tmp_path, {}, model=model).config, [], None)
    (tmp_path / "model").mkdir()
    task.save(tmp_path / "model", {})
    code, _, stderr = run("export", str(tmp_path / "model"), "-o", str(tmp_path / "onnx"))
    assert (code, "syntax has no other runtime" in stderr) == (2, True)
    assert not (tmp_path / "onnx").exists()


@pytest.mark.parametrize("robust", [{"method": "r-drop"}, {"cases": ["cases.jsonl"]}])
def test_all_of_it_learns_robustly_and_goes_on_in_another_stage(
    bart: Path, trained_parser: Path, tmp_path: Path, robust: dict[str, object]
) -> None:
    before = ("Then ", "Today ")
    cases = [
        PerturbedCase(
            str(n), Variant(*pair), tuple(Variant(w + pair[0], w + pair[1]) for w in before)
        )
        for n, pair in enumerate(PAIRS)
    ]
    text = write_perturbed(PerturbedSet("tiny", (Subset("tiny", tuple(cases)),), "en"))
    (tmp_path / "cases.jsonl").write_text(text, encoding="utf-8")
    model = {"place": str(bart), "parser": str(trained_parser), "trains": "all", "max_length": 60}
    settings = syntax_settings(
        tmp_path,
        {"epochs": 2, "learning_rate": 1e-3, "cold_epochs": 1},
        model=model,
        robust=robust,
        **({"data": {"dev": "train"}} if "cases" in robust else {}),
    )
    first = train_killed(settings, tmp_path)
    place, folder = load_file(bart / "model.safetensors"), load_file(first / "model.safetensors")
    assert not torch.equal(place["model.shared.weight"], folder["model.shared.weight"])
    second = {"place": str(first), "max_length": 60}
    config = syntax_settings(tmp_path, {}, model=second).config
    task = KIND.build(config, [SentencePair(*PAIRS[0])], None)
    graph = load_file(first / "graph.safetensors")
    assert all(torch.equal(t, graph[n]) for n, t in task.module.graph.state_dict().items())
    with pytest.raises(UsageError, match=r"model\.parser"):
        KIND.build(syntax_settings(tmp_path, {}, model={"place": str(bart)}).config, [], None)


def test_each_source_is_parsed_by_the_parser_that_has_not_learnt_it(
    bart: Path, trained_parser: Path, tmp_path: Path
) -> None:
    places = []
    for fold in (0, 1):
        places.append(tmp_path / str(fold))
        places[-1].mkdir()
        task = PARSER.build(parser_config(folds=2, fold=fold, arc_width=8 + fold), TREES, None)
        torch.nn.init.normal_(task.module.arcs.weight)
        task.save(places[-1], {})
    model = {"place": str(bart), "parser": str(trained_parser), "max_length": 60}
    folds = [str(place) for place in places]
    config = syntax_settings(tmp_path, {}, model={**model, "folds": folds}).config
    pairs = [SentencePair(*pair) for pair in PAIRS]
    task = KIND.build(config, pairs, None)
    for pair, example in zip(pairs, task.prepare(pairs).examples, strict=True):
        words = pair.source.split()
        (parse,) = read_parser(places[fold_of(words, 2)]).parse([words])
        assert example.parse.probabilities == pytest.approx(parse.probabilities, abs=1e-3)
    wrong = syntax_settings(tmp_path, {}, model={**model, "folds": folds[::-1]}).config
    with pytest.raises(UsageError, match="without fold 1 of 2"):
        KIND.build(wrong, pairs, None)


def test_subwords_are_of_the_words_of_the_parser(
    bart: Path, trained_parser: Path, tmp_path
) -> None:
    model = {"place": str(bart), "parser": str(trained_parser), "max_length": 60}
    task = KIND.build(syntax_settings(tmp_path, {}, model=model).config, [], None)
    words, places = word_places(task.encoding, "He go  to school.", "en")
    assert words == ["He", "go", "to", "school", "."]
    # [CLS] He go to sc##ho##ol . [SEP]
    assert places == [-1, 0, 1, 2, 3, 3, 3, 4, 5]


def test_a_transformer_from_scratch_learns_and_corrects_with_trees(
    trained_parser: Path, tmp_path: Path, run
) -> None:
    sizes = {"architecture": "transformer", "width": 32, "layers": 1, "heads": 2}
    model = {**sizes, "units": "words", "parser": str(trained_parser), "graph_layers": 2}
    training = {"epochs": 12, "learning_rate": 1e-2, "checkpoint_every": 8}
    blanking = {**model, "source_token_dropout": 0.2}
    settings = syntax_settings(tmp_path, training, "scratch", model=blanking)
    folder = train_killed(settings, tmp_path)
    losses = [
        row["loss"]
        for row in json.loads((folder / "gecbench.json").read_text("utf-8"))["made"]["history"]
    ]
    assert losses[-1] < losses[0]
    # A run that was killed between checkpoints ends with the same weights.
    (tmp_path / "again").mkdir()
    again = train_killed(settings, tmp_path / "again", stop_after=18)
    assert (again / WEIGHTS).read_bytes() == (folder / WEIGHTS).read_bytes()
    texts, out = tmp_path / "texts.txt", tmp_path / "out.txt"
    texts.write_text("".join(f"{source}\n" for source, _ in PAIRS), encoding="utf-8")
    code, _, stderr = run("correct", f"scratch:{folder}", str(texts), "-o", str(out))
    assert code == 0, stderr
    assert len(out.read_text("utf-8").splitlines()) == len(PAIRS)
    options = {"beams": 2, "batch_size": 3, "device": "cpu"}
    check_corrector(lambda: load_corrector(f"scratch:{folder}", options), EN[:4])
    # The graph and its labels count; with the whole share of the encoder they do not.
    pairs = [SentencePair(*pair) for pair in PAIRS]
    task = settings.kind.build(settings.config, pairs, folder)
    task.module.load_state_dict(load_file(folder / WEIGHTS))
    task.module.eval()
    batch = task.collate(task.prepare(pairs).examples)
    other = {**batch, "arc_labels": batch["arc_labels"].clamp(max=3)}
    assert task.loss(task.module, batch) != task.loss(task.module, other)
    task.module.graph.share = 1.0
    whole = task.loss(task.module, batch)
    task.module.graph = None
    plain = {
        name: tensor for name, tensor in batch.items() if name not in ("weights", "arc_labels")
    }
    assert whole.item() == pytest.approx(task.loss(task.module, plain).item(), rel=1e-6)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"architecture": "recurrent", "parser": "runs/parser"}, "belongs to the transformer"),
        ({"architecture": "transformer", "share": 0.5}, "name a parser"),
    ],
)
def test_a_network_from_scratch_that_cannot_have_trees_is_refused(tmp_path, model, message) -> None:
    with pytest.raises(FormatError, match=message):
        syntax_settings(tmp_path, {}, "scratch", model=model)
