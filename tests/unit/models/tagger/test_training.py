"""What the task and the loading of a tagger promise, and how they refuse."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import msgspec
import pytest
import torch
from messages import expect_error
from safetensors.torch import load_file
from tiny_taggers import PAIRS, configuration, teach
from transformers.models.bert.modeling_bert import BertIntermediate

from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.batches import SentencePair
from gecbench.models.tagger.network import read_tagger
from gecbench.models.tagger.training import KIND
from gecbench.models.tags.labels import UNKNOWN, write_label_vocabulary
from gecbench.models.training.config import DataTable, DevicesTable, TrainingTable
from gecbench.models.training.run import train_run
from gecbench.models.training.task import IGNORED, load_kind


def build_task(language="zh", encoder="convolution", pairs=None, **more):
    return KIND.build(configuration(language, encoder, **more), pairs or PAIRS[language], None)


def test_the_table_of_kinds_knows_taggers():
    assert load_kind("tagger") is KIND


def test_examples_of_rounds():
    pairs = [
        SentencePair("我吃。", "我吃了饭。"),
        SentencePair("好。", "好。"),
        SentencePair(" ", "好。"),
    ]
    once = build_task(pairs=pairs, train_rounds=1).prepare(pairs)
    assert len(once.examples) == 2
    assert once.dropped == {"source without a token": 1}
    assert once.counts == {"pairs that need more rounds than are learned": 1}
    more = build_task(pairs=pairs, train_rounds=3).prepare(pairs)
    assert len(more.examples) == 4  # one insertion, the other, nothing left; and the right one
    assert more.counts == {"examples of later rounds": 2}


def test_a_label_outside_the_vocabulary_is_learned_as_unknown_and_counted():
    task = build_task(min_count=3)
    dataset = task.prepare(PAIRS["zh"])
    unknown = task._model.vocabulary.unknown
    assert dataset.counts["labels outside the vocabulary"] == sum(
        example.labels.count(unknown) for example in dataset.examples
    )
    assert dataset.counts["labels outside the vocabulary"] > 5


def test_what_is_too_long_to_be_read_is_counted():
    dataset = build_task(max_tokens=6).prepare(PAIRS["zh"])
    assert dataset.counts["examples that are longer than what is read"] > 3
    assert all(len(example.labels) == len(example.firsts) <= 7 for example in dataset.examples)


def test_a_batch_does_not_change_what_its_examples_lose(tiny_bert):
    for encoder in ("convolution", str(tiny_bert("en"))):
        task = build_task("en", encoder)
        task.module.eval()
        examples = task.prepare(PAIRS["en"]).examples
        batch = task.collate(examples)
        assert (batch["labels"] == IGNORED).any()
        together = task.loss(task.module, batch).item()
        alone = [task.collate([item]) for item in examples]
        assert together == pytest.approx(
            sum(task.loss(task.module, item).item() for item in alone), rel=1e-5
        )
        assert task.weight(batch) == sum(task.weight(item) for item in alone)
        assert [task.length(item) for item in examples] == [b["ids"].shape[1] for b in alone]


def test_cold_epochs_teach_the_heads_alone_unless_all_is_new(tiny_bert):
    task = build_task("zh", str(tiny_bert("zh")))
    task.freeze(cold=True)
    learning = {n.split(".")[0] for n, p in task.module.named_parameters() if p.requires_grad}
    assert learning == {"labels", "detection"}
    task.freeze(cold=False)
    assert all(p.requires_grad for p in task.module.parameters())
    task_own = build_task("zh", "convolution")
    task_own.freeze(cold=True)
    assert all(p.requires_grad for p in task_own.module.parameters())


def test_start_has_a_row_of_its_own_or_is_unknown(tiny_bert):
    place = str(tiny_bert("en"))
    added = build_task("en", place)._model
    unknown = build_task("en", place, start="unknown")._model
    rows = unknown.network.encoder.model.get_input_embeddings().num_embeddings
    assert added.encoding.layout.start == rows
    assert added.network.encoder.model.get_input_embeddings().num_embeddings == rows + 1
    assert unknown.encoding.layout.start == unknown.encoding.layout.unknown
    assert build_task("zh", str(tiny_bert("zh")))._model.encoding.layout.start == 1


def test_the_seed_decides_the_weights_and_nothing_else_is_disturbed():
    state = torch.random.get_rng_state()
    first, second = build_task().module.state_dict(), build_task().module.state_dict()
    assert torch.equal(state, torch.random.get_rng_state())
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_run_that_goes_on_has_the_same_network_and_labels(tagger_folder):
    for encoder in ("convolution", "bert"):
        rest = tagger_folder("zh", encoder)
        place = "convolution" if encoder == "convolution" else "gone/away"
        task = KIND.build(configuration("zh", place), [], rest)
        saved = read_tagger(rest)
        assert task._model.vocabulary == saved.vocabulary
        weights = saved.network.state_dict()
        assert {n: t.shape for n, t in task.module.state_dict().items()} == {
            n: t.shape for n, t in weights.items()
        }


def test_a_later_stage_starts_from_a_tagger(tagger_folder, tmp_path):
    folder = tagger_folder("zh", "bert")
    config = configuration("zh", "convolution", continue_from=str(folder))
    with expect_error(UsageError, "model.max_tokens"):
        KIND.build(config, PAIRS["zh"], None)
    tables = {"continue_from": str(folder), "max_tokens": 200, "convolution": {}}
    task = KIND.build(configuration("zh", "convolution", **tables), [], None)
    sources = [pair.source for pair in PAIRS["zh"]]
    assert [c.text for c in task.corrector().correct(sources)] == [p.target for p in PAIRS["zh"]]
    task.freeze(cold=True)
    assert not any(p.requires_grad for p in task.module.encoder.parameters())
    with expect_error(UsageError, str(folder), "corrects zh", "for en"):
        KIND.build(configuration("en", "convolution", **tables), [], None)


def test_correcting_leaves_a_learning_network_as_it_was():
    task = build_task(dropout=0.5)
    task.module.train()
    first, second = (task.corrector().correct(["我今天很高心。"])[0] for _ in range(2))
    assert first == second
    assert task.module.training
    assert task.module.dropout.training
    assert task.module.dropout.p == 0.5


class HalfRight:
    """Says of all corrections that they are half right."""

    signature = "metric:half-right"

    def __call__(self, dev, texts):
        return 0.5


def test_activations_that_are_computed_again_teach_the_same(tiny_bert, tmp_path, monkeypatch):
    bert = tmp_path / "bert"
    shutil.copytree(tiny_bert("zh"), bert)
    settings = json.loads((bert / "config.json").read_text())
    (bert / "config.json").write_text(json.dumps(settings | {"hidden_dropout_prob": 0.2}))
    rows = [f"{n}\t{pair.source}\t{pair.target}\n" for n, pair in enumerate(PAIRS["zh"])]
    (tmp_path / "train.tsv").write_text("".join(rows))
    calls = 0
    forward = BertIntermediate.forward

    def counted(self, *arguments, **options):
        nonlocal calls
        calls += self.training
        return forward(self, *arguments, **options)

    monkeypatch.setattr(BertIntermediate, "forward", counted)
    weights, counts = [], []
    for again in (False, True):
        config = msgspec.structs.replace(
            configuration("zh", str(bert)),
            data=DataTable(train=("train.tsv",), dev="train"),
            training=TrainingTable(epochs=3, learning_rate=1e-3, batch_size=4, threads=1),
            devices=DevicesTable(gradient_checkpointing=again),
        )
        run, calls = tmp_path / f"run-{again}", 0
        train_run(config, KIND, run, home=tmp_path, score=HalfRight(), say=lambda _message: None)
        weights.append(load_file(run / "model" / "model.safetensors"))
        counts.append(calls)
    assert counts[1] == 2 * counts[0] > 0
    assert weights[0].keys() == weights[1].keys()
    for name, tensor in weights[0].items():
        assert torch.allclose(tensor, weights[1][name], atol=1e-6), name


def test_labels_from_a_file_and_defaults_on_the_card(tmp_path):
    vocabulary = build_task()._model.vocabulary
    write_label_vocabulary(tmp_path / "labels.json", vocabulary)
    correcting = {"keep_bias": 0.25, "rounds": 2}
    more = {"labels": str(tmp_path / "labels.json"), "correcting": correcting}
    task = teach(tmp_path / "model", "zh", "convolution", steps=1, **more)
    assert task._model.vocabulary == vocabulary
    signature = load_corrector(str(tmp_path / "model")).info.signature
    assert (signature["keep_bias"], signature["rounds"]) == ("0.25", "2")
    signature = load_corrector(str(tmp_path / "model"), {"rounds": "3"}).info.signature
    assert (signature["keep_bias"], signature["rounds"]) == ("0.25", "3")


def test_wrong_configurations_are_one_line(tiny_bert, tmp_path):
    with expect_error(FormatError, "test", "'model.encodr'"):
        configuration("zh", "convolution", encodr="x")
    with expect_error(FormatError, "kernel 4"):
        configuration("zh", "convolution", convolution={"kernel": 4})
    with expect_error(UsageError, "model.start"):
        build_task(start="added")
    with pytest.raises(GecbenchError, match="no such folder"):
        build_task("zh", "./nowhere")
    copy = tmp_path / "bert"
    shutil.copytree(tiny_bert("zh"), copy)
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    (copy / "config.json").write_text(
        json.dumps({**config, "model_type": "bart", "is_encoder_decoder": True}), encoding="utf-8"
    )
    with expect_error(GecbenchError, "bart", "encoder"):
        build_task("zh", str(copy))
    copy = tmp_path / "mixed"
    shutil.copytree(tiny_bert("en"), copy)
    shutil.copy(tiny_bert("zh") / "tokenizer.json", copy / "tokenizer.json")
    with pytest.raises(GecbenchError, match=r"its tokenizer has \d+ tokens and its embedding \d+"):
        build_task("en", str(copy))


def refuses(place, message, kind=GecbenchError, **options):
    with pytest.raises(kind, match=message):
        load_corrector(f"tagger:{place}", options)


@pytest.fixture
def copy(tagger_folder, tmp_path):
    """A folder that may be damaged."""
    shutil.copytree(tagger_folder("zh", "convolution"), tmp_path / "copy")
    return tmp_path / "copy"


def test_wrong_options_and_places_are_one_line(tagger_folder, copy, tmp_path):
    refuses(copy, "unknown option of tagger 'keep_bas'", UnknownNameError, keep_bas=1)
    refuses(copy, "option keep_bias of tagger: .*<= 1", UsageError, keep_bias="2")
    refuses(copy, "option weights of tagger: 2 for 1 taggers", UsageError, weights=[1, 2])
    refuses(copy, "device 'abacus' cannot be used here", UsageError, device="abacus")
    refuses(tmp_path / "nowhere", "nowhere: no such folder; a tagger is")
    refuses("nobody/nothing", r"nobody/nothing: .*the hub did not give it")
    english = tagger_folder("en", "convolution")
    refuses(f"{copy}+{english}", "has other labels than", UsageError)
    (copy / "gecbench.json").unlink()
    (copy / "config.json").write_text("{}", encoding="utf-8")
    refuses(copy, "holds a checkpoint of another toolkit; convert it first")


def test_damaged_weights_are_one_line(tagger_folder, copy):
    weights = copy / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    refuses(copy, "is no whole safetensors file")
    shutil.copy(tagger_folder("en", "convolution") / "model.safetensors", weights)
    refuses(copy, r"has weights for \d+ labels, but the vocabulary has \d+", FormatError)
    weights.unlink()
    refuses(copy, "the model has no weights")
    weights.write_bytes(whole)
    labels = json.loads((copy / "labels.json").read_text(encoding="utf-8"))
    (copy / "labels.json").write_text(json.dumps([*labels, "$APPEND_又"]), encoding="utf-8")
    refuses(copy, "labels are not those that the model was made with", FormatError)


def test_a_card_that_does_not_fit_is_one_line(copy):
    card = json.loads((copy / "gecbench.json").read_text(encoding="utf-8"))
    shape = card["settings"]["convolution"]

    def with_shape(changed):
        return {"settings": {**card["settings"], "convolution": changed}}

    for changed, message in (
        (with_shape({**shape, "width": 32}), r"has the shape \(.*\), not \(.*\): the weights are"),
        (with_shape({**shape, "pieces": 9}), "its pieces have ids up to .*, its embedding has 9"),
        (with_shape({"width": 3}), "convolution of its card: .*missing"),
        (
            {"settings": {**card["settings"], "dropout": "much"}},
            "its card: 'dropout' is a string, 'much'; expected a number",
        ),
        ({"languages": []}, "does not say which language and tokens"),
    ):
        (copy / "gecbench.json").write_text(json.dumps({**card, **changed}), encoding="utf-8")
        refuses(copy, message, FormatError)
    (copy / "gecbench.json").write_text(json.dumps({**card, "kind": "seq2seq"}), encoding="utf-8")
    refuses(copy, "is a seq2seq, no tagger")


PROGRAM = """
import sys
from gecbench.models import load_corrector
import gecbench.models.tagger.training
load_corrector(sys.argv[1]).correct(["我今天很高心。"])
assert not {"transformers", "tokenizers", "onnxruntime"} & set(sys.modules), "heavy"
"""


@pytest.mark.slow
def test_our_own_encoder_needs_torch_alone(tagger_folder):
    command = [sys.executable, "-c", PROGRAM, str(tagger_folder("zh", "convolution"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_is_never_said(tagger_folder):
    corrector = load_corrector(
        str(tagger_folder("zh", "convolution")), {"keep_bias": -1.0, "rounds": 1}
    )
    corrections = corrector.correct(["没有见过的一句话。"])
    assert all(UNKNOWN not in edit.label for correction in corrections for edit in correction.edits)
