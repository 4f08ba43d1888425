"""Robust training of encoder-decoders: where they are compared, the loss, a run that is killed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from messages import expect_error
from safetensors.torch import load_file
from tiny_seq2seq import EN_PAIRS, ZH_PAIRS, task_of

from gecbench.api.train import read_settings, train
from gecbench.core.errors import UsageError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.formats.perturbed import write_perturbed
from gecbench.formats.validation import convert
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.task import RobustTask
from gecbench.models.seq2seq.training import KIND
from gecbench.models.training.config import RobustTable
from gecbench.models.training.run import train_run
from gecbench.models.training.task import TrainingKind

from ..seq2seq.conftest import en_bart, mbart, one_thread, t5, zh_bart  # noqa: F401 (fixtures)
from .robust_reference import Killed, check_gradients, dying, slow_loss, widest

ZH = (
    ContextPair(
        SentencePair("我今天很高心。", "我今天很高兴。"),
        SentencePair("他今天在家很高心。", "他今天在家很高兴。"),
    ),
    ContextPair(
        SentencePair("他们因该去打蓝球！", "他们应该去打篮球！"),
        SentencePair("他们因该去看！", "他们应该去看！"),
    ),
    ContextPair(SentencePair("天气很好。", "天气很好。"), SentencePair("天气很好", "天气很好")),
)
EN = (
    ContextPair(
        SentencePair("She like apple .", "She likes apples ."),
        SentencePair("They like apple .", "They like it ."),
    ),
    ContextPair(
        SentencePair("He go to school every day .", "He goes to school every day ."),
        SentencePair("He go to home every day .", "He goes home every day ."),
    ),
)
MODELS = {
    "zh_bart": ("zh", {}),
    "en_bart": ("en", {}),
    "t5": ("en", {"prefix": "gec: "}),
    "mbart": ("zh", {"language_code": "zh_CN"}),
}


def robust(**options: object) -> RobustTable:
    return RobustTable(cases=("cases.jsonl",), **options)


def build_task(request, name: str, **more):
    """A task of one of the tiny models, in 64 bits."""
    language, model_options = MODELS[name]
    pairs = ZH_PAIRS if language == "zh" else EN_PAIRS
    task = task_of(request.getfixturevalue(name), pairs, language, **model_options, **more)
    task.module.double().eval()
    return task, ZH if language == "zh" else EN


def examples_of(task, contexts):
    return task.prepare([pair for result in contexts for pair in result]).examples


def compare_targets(task, y: str, y2: str, **options) -> str:
    """The tokens of the first target that are compared, a blank between them."""
    pair = ContextPair(SentencePair(y, y), SentencePair(y2, y2))
    first, second = examples_of(task, [pair])
    places = task.matches(pair, first, second, robust(**options))
    tokens = task._tokenizer.convert_ids_to_tokens
    assert [first.target[i] for i, _ in places] == [second.target[j] for _, j in places]
    return " ".join(tokens([first.target[i] for i, _ in places]))


def test_the_tokens_of_words_that_both_targets_have_are_compared(request) -> None:
    bert, _ = build_task(request, "zh_bart")
    assert (
        compare_targets(bert, "我今天很高兴。", "我明天很高兴。") == "[CLS] 我 天 很 高 兴 。 [SEP]"
    )
    # One word, though two pieces: foo is in both, but they are not the same word.
    assert compare_targets(bert, "我foobar", "我foo") == "[CLS] 我 [SEP]"
    bytewise, _ = build_task(request, "en_bart")
    places = compare_targets(bytewise, "day goes .", "every day goes .")
    assert "".join(places.split()).replace("Ġ", " ") == "<s> goes .</s>"
    pieces, _ = build_task(request, "t5")
    # SentencePiece writes a first word as it writes others.
    assert (
        "".join(compare_targets(pieces, "day goes .", "every day goes .").split())
        == "▁day▁goes▁.</s>"
    )
    many, _ = build_task(request, "mbart")
    assert compare_targets(many, "我今天高兴。", "今天高兴。") == "天 高 兴 。 </s>"


def test_a_cut_target_is_compared_up_to_there(request) -> None:
    task, _ = build_task(request, "zh_bart", max_length=8, longer="cut")
    cut = "[CLS] 我 今 天 很"
    assert compare_targets(task, "我今天很高兴。我", "我今天很好！") == cut
    assert compare_targets(task, "我今天很好！", "我今天很高兴。我") == cut
    assert compare_targets(task, "我今天很好", "我明天很好") == "[CLS] 我 天 很 好 [SEP]"


@pytest.mark.parametrize("name", MODELS)
def test_the_loss_is_that_of_a_slow_reference(request, name) -> None:
    table = robust(alpha=0.7, skip_after=int(name == "t5"), sources_too=name == "en_bart")
    task, contexts = build_task(request, name, label_smoothing=0.1)
    wrapped = RobustTask(task, table)
    batch = wrapped.collate(wrapped.prepare(contexts).examples)
    with torch.no_grad():
        slow, apart = slow_loss(
            task,
            contexts,
            examples_of(task, contexts),
            robust=table,
            labels_of=lambda example: dict(enumerate(example.target)),
            smoothing=0.1,
        )
        loss = wrapped.loss(task.module, batch).item()
        assert wrapped.measure(task.module, batch)[1].total.item() == pytest.approx(apart, rel=1e-9)
    assert apart > 0.01
    assert loss == pytest.approx(slow, rel=1e-9)


def test_gradients_are_those_of_differences(request) -> None:
    task, contexts = build_task(request, "zh_bart", label_smoothing=0.1)
    wrapped = RobustTask(task, robust(alpha=3.0))
    batch = wrapped.collate(wrapped.prepare(contexts).examples)
    names = (
        "model.shared.weight",
        "model.encoder.layers.0.self_attn.q_proj.weight",
        "model.decoder.layers.1.fc2.bias",
        "model.decoder.layernorm_embedding.weight",
    )
    check_gradients(task, wrapped, batch, names)


def test_the_same_twice_is_nothing_apart_but_for_dropout(request) -> None:
    for name in ("en_bart", "t5"):
        task, contexts = build_task(request, name, dropout=0.2)
        same = [ContextPair(pair, pair) for result in contexts for pair in result]
        wrapped = RobustTask(task, RobustTable(method="r-drop"))
        examples = wrapped.prepare(same).examples
        batch = wrapped.collate(examples)
        labels = int(task.weight(batch)) // 2
        assert len(batch["matches"]) == labels
        apart = wrapped._divergence(task.outputs(task.module, batch), batch["matches"])
        assert apart.item() == 0.0
        task.module.train()
        torch.manual_seed(1)
        assert wrapped._divergence(task.outputs(task.module, batch), batch["matches"]).item() > 0.01


def test_only_what_is_compared_is_held_in_32_bits(request) -> None:
    task, contexts = build_task(request, "en_bart")
    task.module.to(torch.bfloat16)
    wrapped = RobustTask(task, robust())
    batch = wrapped.collate(wrapped.prepare(contexts).examples)
    outputs = task.outputs(task.module, batch)
    assert outputs.dtype == torch.bfloat16
    assert outputs.shape[:2].numel() > 2 * len(batch["matches"])
    with widest(outputs.shape[-1]) as seen:
        wrapped._divergence(outputs, batch["matches"]).backward()
    assert 0 < seen.rows <= 2 * len(batch["matches"])


def cases(folder: Path) -> None:
    """Write the eight pairs as cases: in each variant another sentence goes before them."""
    result = [
        PerturbedCase(
            str(n),
            Variant(source, target),
            tuple(Variant(f"{more}{source}", f"{more}{target}") for more in ("天气很好。", "我！")),
        )
        for n, (source, target) in enumerate(ZH_PAIRS)
    ]
    text = write_perturbed(PerturbedSet("tiny", (Subset("tiny", tuple(result)),), "zh"))
    (folder / "cases.jsonl").write_text(text, "utf-8")


def config(place: Path, **tables):
    tables = {
        "kind": "seq2seq",
        "name": "tiny",
        "language": "zh",
        "data": {"dev": "train"},
        "model": {"place": str(place), "dropout": 0.1, "label_smoothing": 0.0},
        "training": {"epochs": 3, "batch_size": 4, "learning_rate": 3e-3, "checkpoint_every": 2},
        "scoring": {"by": "loss"},
        "robust": {"cases": ["cases.jsonl"]},
        **tables,
    }
    return convert("tiny.toml", tables, KIND.config)


def test_a_killed_run_goes_on_to_the_same_weights(tmp_path, zh_bart) -> None:  # noqa: F811
    cases(tmp_path)
    run_config = config(zh_bart)

    text: list[str] = []

    def run(name: str, kind: TrainingKind = KIND):
        folder = tmp_path / name
        return train_run(run_config, kind, folder, home=tmp_path, score=None, say=text.append)

    whole = run("whole")
    assert whole.steps == 12
    build = lambda *arguments: dying(KIND.build(*arguments), 9)  # noqa: E731
    with pytest.raises(Killed):
        run("broken", TrainingKind(KIND.config, build, KIND.paths, KIND.check_robust))
    resumed = run("broken")
    assert "going on from step 8" in text
    first, second = (load_file(item.model / "model.safetensors") for item in (whole, resumed))
    assert (resumed.steps, resumed.value) == (whole.steps, whole.value)
    assert all(torch.equal(first[key], second[key]) for key in first)


def test_the_recipe_runs_to_its_last_weights(tmp_path, en_bart) -> None:  # noqa: F811
    texts = ("He go home .", "He goes home ."), ("He go to school .", "He goes to school .")
    result = (PerturbedCase("1", Variant(*texts[0]), (Variant(*texts[1]),)),)
    cases = write_perturbed(PerturbedSet("tiny", (Subset("tiny", result),), "en"))
    (tmp_path / "cases.jsonl").write_text(cases, "utf-8")
    changes = {
        "model.place": str(en_bart),
        "model.max_length": 32,
        "model.correcting.beams": 2,
        "robust.cases": f'["{tmp_path}/cases.jsonl"]',
        "data.dev": "train",
        "training.epochs": 2,
        "training.precision": "no",
    }
    text = [f"{name}={value}" for name, value in changes.items()]
    settings = read_settings(None, recipe="robustgec-bart-cpr", changes=text)
    outcome = train(settings, tmp_path / "run")
    assert (outcome.steps, outcome.best_step) == (2, 2)
    assert (outcome.model / "model.safetensors").is_file()
    assert outcome.counts["pairs"] == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"heads": "labels+detection"}, r'robust\.heads "labels\+detection"'),
        ({"disagreeing": "keep"}, r'robust\.disagreeing "keep"'),
    ],
)
def test_what_a_decoder_cannot_do_is_refused_before_anything_is_loaded(
    tmp_path, settings, message
) -> None:
    cases(tmp_path)
    run_config = config(tmp_path / "nowhere", robust={"cases": ["cases.jsonl"], **settings})
    with pytest.raises(UsageError, match=message):
        train_run(run_config, KIND, tmp_path / "run", home=tmp_path, score=None, say=print)


def test_r_drop_without_dropout_is_refused(zh_bart) -> None:  # noqa: F811
    tables = {"robust": {"method": "r-drop"}, "data": {"train": ["train.tsv"]}}
    for model, passes in (({}, False), ({"dropout": 0.1}, True), ({"dropout": 0.0}, False)):
        run_config = config(zh_bart, **tables, model={"place": str(zh_bart), **model})
        if passes:
            KIND.build(run_config, [], None)
        else:
            with expect_error(UsageError, "r-drop", "model.dropout"):
                KIND.build(run_config, [], None)
