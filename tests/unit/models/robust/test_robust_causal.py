"""Robust training of causal models: compared at the tokens of answers; the recipe to its end."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from messages import expect_error

from gecbench.cli import main
from gecbench.core.errors import UsageError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.formats.perturbed import write_perturbed
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.task import RobustTask
from gecbench.models.training.config import RobustTable

from ..causal.conftest import configured
from ..causal.tiny_causal import tiny_causal
from .robust_reference import check_gradients, slow_loss, widest

CONTEXTS = (
    ContextPair(SentencePair("我高心", "我高兴"), SentencePair("他们很高心", "他们很高兴")),
    ContextPair(SentencePair("在见", "再见"), SentencePair("在见了", "再见了")),
    ContextPair(SentencePair("好天", "好天"), SentencePair("好</s>天", "好</s>天")),
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_causal(tmp_path_factory.mktemp("robust-causal") / "base", chat=True, hidden=32)


def build_task(base: Path, **table: object) -> Any:
    """A task whose adapter already changes something, in 64 bits."""
    from gecbench.models.causal.training import build

    task = build(configured(base, rank=4, **table), [], None)
    task.module.double().eval()
    torch.manual_seed(3)
    for name, item in task.module.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(item, std=0.05)
    return task


def robust(**options: object) -> RobustTable:
    return RobustTable(cases=("cases.jsonl",), **options)


def examples_of(task: Any, contexts: Any) -> Any:
    return task.prepare([pair for result in contexts for pair in result]).examples


def compare_answers(
    task: Any, y: str, y2: str, *, x: str = "甲乙", x2: str = "甲", **options: object
) -> str:
    """What is predicted at the places of the first answer, as text."""
    pair = ContextPair(SentencePair(x, y), SentencePair(x2, y2))
    first, second = examples_of(task, [pair])
    places = task.matches(pair, first, second, robust(**options))
    assert [first.ids[i + 1] for i, _ in places] == [second.ids[j + 1] for _, j in places]
    assert all(i >= first.start - 1 and j >= second.start - 1 for i, j in places)
    return str(task._question.tokenizer.decode([first.ids[i + 1] for i, _ in places]))


def test_the_tokens_of_answers_are_compared_and_never_those_of_questions(base) -> None:
    task = build_task(base)
    assert compare_answers(task, "我今天好", "我明天很好") == "我天好</s>"
    # The end is an answer's even where nothing else is the same.
    assert compare_answers(task, "我", "他") == "</s>"
    assert compare_answers(task, "我今天好", "我今天很好", skip_after=1) == "我今天</s>"
    assert compare_answers(task, "I see, he sees", "We see it, he sees") == " see, he sees</s>"
    # What spells a special token is text, in as many bytes as it has.
    assert compare_answers(task, "我</s>好", "他</s>好") == "</s>好</s>"
    first, _ = examples_of(
        task, [ContextPair(SentencePair("甲", "我</s>好"), SentencePair("甲", "他</s>好"))]
    )
    assert len(first.ids) - first.start == len("我</s>好".encode()) + 1


def test_answers_made_from_other_words_can_be_left_out(base) -> None:
    task = build_task(base)
    sides = {"x": "他在见我", "x2": "他再见我", "y": "他再见我", "y2": "他再见我"}
    assert compare_answers(task, **sides) == "他再见我</s>"
    assert compare_answers(task, **sides, sources_too=True) == "他见我</s>"


@pytest.mark.parametrize("style", ["chat", "plain"])
def test_the_loss_is_that_of_a_slow_reference(base, style) -> None:
    table = robust(alpha=0.7)
    task = build_task(base, style=style)
    wrapped = RobustTask(task, table)
    batch = wrapped.collate(wrapped.prepare(CONTEXTS).examples)
    with torch.no_grad():
        slow, apart = slow_loss(
            task,
            CONTEXTS,
            examples_of(task, CONTEXTS),
            robust=table,
            labels_of=lambda target: {
                place - 1: target.ids[place] for place in range(target.start, len(target.ids))
            },
        )
        loss = wrapped.loss(task.module, batch).item()
        assert wrapped.measure(task.module, batch)[1].total.item() == pytest.approx(apart, rel=1e-9)
    assert apart > 0.01
    assert loss == pytest.approx(slow, rel=1e-9)


def test_gradients_are_those_of_differences(base, monkeypatch) -> None:
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    def in_64_bits(self, states):  # theirs goes through 32, which drowns such small differences
        shrunk = states * torch.rsqrt(states.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * shrunk

    monkeypatch.setattr(LlamaRMSNorm, "forward", in_64_bits)
    task = build_task(base)
    wrapped = RobustTask(task, robust(alpha=3.0))
    batch = wrapped.collate(wrapped.prepare(CONTEXTS).examples)
    learning = [name for name, item in task.module.named_parameters() if item.requires_grad]
    check_gradients(task, wrapped, batch, [learning[0], learning[-1]])


def test_the_same_twice_is_nothing_apart_but_for_dropout(base) -> None:
    task = build_task(base, dropout=0.3)
    wrapped = RobustTask(task, RobustTable(method="r-drop"))
    same = [ContextPair(pair, pair) for result in CONTEXTS for pair in result]
    batch = wrapped.collate(wrapped.prepare(same).examples)
    assert len(batch["matches"]) == int(task.weight(batch)) // 2
    apart = wrapped._divergence(task.outputs(task.module, batch), batch["matches"])
    assert apart.item() == 0.0
    task.module.train()
    assert wrapped._divergence(task.outputs(task.module, batch), batch["matches"]).item() > 1e-3


def test_only_answers_are_ever_held_in_32_bits(base) -> None:
    task = build_task(base)
    task.module.to(torch.bfloat16)
    wrapped = RobustTask(task, robust())
    batch = wrapped.collate(wrapped.prepare(CONTEXTS).examples)
    vocabulary = len(task._question.tokenizer)
    with widest(vocabulary) as seen:
        wrapped.loss(task.module, batch).backward()
    answers, positions = int(task.weight(batch)), batch["input_ids"].numel()
    assert 0 < seen.rows <= max(answers, 2 * len(batch["matches"])) < positions / 5


def test_what_a_causal_model_cannot_do_is_refused(base) -> None:
    from gecbench.models.causal.training import KIND

    config = configured(base)
    for pairs, message in (
        ({"heads": "labels+detection"}, r"robust\.heads .* only a tagger detects"),
        ({"disagreeing": "keep"}, r"robust\.disagreeing .* nothing disagrees"),
    ):
        with pytest.raises(UsageError, match=message):
            KIND.check_robust(msgspec.structs.replace(config, robust=robust(**pairs)))
    with expect_error(UsageError, "r-drop", "model.dropout"):
        KIND.build(msgspec.structs.replace(config, robust=RobustTable(method="r-drop")), [], None)


SENTENCES = (
    ("She go home .", "She goes home ."),
    ("They was late .", "They were late ."),
    ("He like tea .", "He likes tea ."),
    ("It rain a lot .", "It rains a lot ."),
)


def gecbench(*words: object) -> str:
    """Run a command in this process and return what it wrote to stderr."""
    out, err = io.StringIO(), io.StringIO()
    finished = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([*map(str, words)])
        except SystemExit as error:
            finished = int(error.code or 0)
    assert finished == 0, err.getvalue()
    return err.getvalue()


def write_cases(path: Path, *, after: str) -> None:
    """Write sentences as cases; in their variants something stands before or after them."""
    cases = []
    for n, (source, target) in enumerate(SENTENCES):
        source, target = source.replace(" .", after), target.replace(" .", after)
        variants = (
            Variant(f"Today {source}", f"Today {target}"),
            Variant(f"Well , {source}", f"Well , {target}"),
        )
        cases.append(PerturbedCase(str(n), Variant(source, target), variants))
    whole = PerturbedSet("tiny", (Subset("tiny", tuple(cases)),), "en")
    path.write_text(write_perturbed(whole), "utf-8")


@pytest.mark.slow
def test_the_recipe_runs_from_a_base_to_corrections(tmp_path) -> None:
    """As the head of the recipe says it, on a tiny base, with other numbers for other sizes."""
    tiny_causal(tmp_path / "llama")
    (tmp_path / "data" / "robustgec").mkdir(parents=True)
    for name, after in (("train", " ."), ("dev", " !")):
        write_cases(tmp_path / "data" / "robustgec" / f"{name}.jsonl", after=after)
    rows = "".join(f"{n}\t{x}\t{y}\n" for n, (x, y) in enumerate(SENTENCES))
    (tmp_path / "data" / "pairs.tsv").write_text(rows, "utf-8")
    sizes = ["--set", "training.accumulation=1"]
    first = ("data.train=['data/pairs.tsv']", "data.dev=train", "model.base=llama")
    second = (
        "training.epochs=4",
        "training.learning_rate=5e-3",
        "training.batch_size=4",
        "scoring.by=loss",
    )
    with contextlib.chdir(tmp_path):
        pairs = [word for item in (*first, "training.epochs=1") for word in ("--set", item)]
        gecbench(
            "train", "--recipe", "robustgec-llama", *sizes, *pairs, "-o", "runs/robustgec-llama"
        )
        gecbench(
            "model", "merge", "runs/robustgec-llama/model", "-o", "runs/robustgec-llama/merged"
        )
        pairs = [word for item in second for word in ("--set", item)]
        gecbench("train", "--recipe", "robustgec-llama-cpr", *sizes, *pairs, "-o", "runs/cpr")
        Path("in.txt").write_text("She go home .\nToday she go home .\n", "utf-8")
        gecbench("correct", "runs/cpr/model", "in.txt", "-o", "out.txt")
        assert len(Path("out.txt").read_text("utf-8").splitlines()) == 2
        assert Path("runs/cpr/model/adapter_model.safetensors").is_file()
        card = json.loads(Path("runs/cpr/model/gecbench.json").read_text("utf-8"))
    assert card["settings"]["base"].endswith("runs/robustgec-llama/merged")
    result = card["made"]
    assert result["configuration"]["robust"]["alpha"] == 1.0
    assert result["prepared"]["counted"]["places compared"] > 100
    history = result["history"]
    assert all(item["divergence"] > 0 for item in history)
    assert history[-1]["loss"] < history[0]["loss"]
