"""Fine-tuning a causal model by LoRA: it learns, is kept, comes back and is merged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error

from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.models import load_corrector
from gecbench.models.batches import SentencePair

from .conftest import PAIRS, Trained, configured
from .tiny_causal import tiny_causal

SOURCES = [pair.source for pair in PAIRS]
TARGETS = [pair.target for pair in PAIRS]


def texts_of(spec: object, texts: list[str], **options: object) -> list[str]:
    corrector = load_corrector(str(spec), options)
    result = [correction.text for correction in corrector.correct(texts)]
    corrector.close()
    return result


def logits_of(network: Any) -> Any:
    import torch

    with torch.inference_mode():
        return network.eval()(input_ids=torch.arange(3, 40)[None]).logits


def test_eight_pairs_are_learnt_by_heart(trained: Trained) -> None:
    corrections = trained.task.corrector().correct(SOURCES)
    assert [correction.text for correction in corrections] == TARGETS
    assert not any(correction.flags for correction in corrections)


def test_what_is_kept_is_the_adapter_alone_and_no_pickle(trained: Trained) -> None:
    names = {path.name for path in trained.adapter.iterdir()}
    assert {"adapter_model.safetensors", "adapter_config.json", "gecbench.json"} <= names
    assert {"tokenizer.json", "chat_template.jinja"} <= names
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pkl", ".md"))]
    card = json.loads((trained.adapter / "gecbench.json").read_text("utf-8"))
    assert card["settings"]["base"] == str(trained.base)
    assert card["settings"]["style"] == "chat"
    assert card["made"] == {"seed": 1}


def test_it_comes_back_as_it_was(trained: Trained) -> None:
    import torch

    corrector: Any = load_corrector(str(trained.adapter))
    assert [correction.text for correction in corrector.correct(SOURCES)] == TARGETS
    assert torch.equal(logits_of(corrector.network), logits_of(trained.task.module))


def test_merged_it_says_the_same_without_its_base(trained: Trained) -> None:
    import torch

    corrector: Any = load_corrector(str(trained.merged))
    assert [correction.text for correction in corrector.correct(SOURCES)] == TARGETS
    assert "Peft" not in type(corrector.network).__name__
    theirs = logits_of(trained.task.module)
    assert torch.allclose(logits_of(corrector.network), theirs, atol=1e-4)
    assert not (trained.merged / "adapter_config.json").exists()


def test_the_base_never_learns(trained: Trained) -> None:
    import torch
    from safetensors.torch import load_file

    tensors = load_file(trained.base / "model.safetensors")
    now = trained.task.module.state_dict()
    for name in ("embed_tokens", "layers.0.mlp.up_proj", "layers.1.self_attn.k_proj"):
        assert torch.equal(
            now[f"base_model.model.model.{name}.weight"], tensors[f"model.{name}.weight"]
        )
    task = trained.task
    task.freeze(cold=False)
    learning = {name for name, item in task.module.named_parameters() if item.requires_grad}
    assert len(learning) == 8
    assert all("lora_" in name and ("q_proj" in name or "v_proj" in name) for name in learning)


def test_only_the_answer_is_learnt(trained: Trained) -> None:
    (example,) = trained.task.prepare(PAIRS[:1]).examples
    batch = trained.task.collate([example])
    labels = batch["labels"][0].tolist()
    question = labels.index(next(first for first in labels if first != -100))
    answer = [first for first in labels if first != -100]
    tokenizer = trained.task._question.tokenizer
    assert tokenizer.decode(answer) == "我高兴</s>"
    assert tokenizer.decode(batch["input_ids"][0][:question]).endswith("修改后：\n[assistant] ")
    assert trained.task.weight(batch) == len(answer) == 10


def test_the_loss_of_a_batch_is_that_of_its_parts(trained: Trained) -> None:
    task = trained.task
    task.module.eval()
    examples = task.prepare(PAIRS).examples
    whole = task.loss(task.module, task.collate(examples)).item()
    parts = [task.loss(task.module, task.collate([example])).item() for example in examples]
    assert whole == pytest.approx(sum(parts), rel=1e-4)
    assert len({task.length(example) for example in examples}) > 1


def test_long_and_empty_pairs_are_dropped_and_counted(trained: Trained) -> None:
    pairs = [
        *PAIRS,
        SentencePair("长" * 400, "短"),
        SentencePair(" ", "有"),
        SentencePair("有", ""),
    ]
    prepared = trained.task.prepare(pairs)
    assert len(prepared.examples) == len(PAIRS)
    assert prepared.dropped == {
        "longer than 512 tokens with the prompt": 1,
        "empty source or target": 2,
    }


def test_the_seed_decides_the_first_weights_also_when_a_run_goes_on(trained: Trained) -> None:
    import torch

    from gecbench.models.causal.training import build

    first = build(configured(trained.base), PAIRS, None).module.state_dict()
    second = build(configured(trained.base), PAIRS, trained.adapter).module.state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("texts", [ZH, EN])
def test_an_adapter_keeps_the_laws_of_correctors(trained: Trained, texts: tuple[str, ...]) -> None:
    options = {"batch_size": 5, "longest": 1.2}
    corrections = check_corrector(lambda: load_corrector(str(trained.adapter), options), texts)
    assert "too long" in {flag for correction in corrections for flag in correction.flags}


def test_beams_find_the_same_of_what_is_known_by_heart(trained: Trained) -> None:
    assert texts_of(trained.merged, SOURCES[:3], beams="3") == TARGETS[:3]


def test_a_base_that_has_moved_can_be_named(trained: Trained, tmp_path: Path) -> None:
    adapter = shutil.copytree(trained.adapter, tmp_path / "adapter")
    card = json.loads((adapter / "gecbench.json").read_text("utf-8"))
    card["settings"]["base"] = str(tmp_path / "gone")
    (adapter / "gecbench.json").write_text(json.dumps(card), "utf-8")
    with expect_error(GecbenchError, "gone"):
        load_corrector(str(adapter))
    moved = shutil.copytree(trained.base, tmp_path / "moved")
    assert texts_of(adapter, SOURCES[:1], base=str(moved)) == TARGETS[:1]
    card["settings"]["base"] = "../moved"
    (adapter / "gecbench.json").write_text(json.dumps(card), "utf-8")
    assert texts_of(adapter, SOURCES[:1]) == TARGETS[:1]


def test_another_base_is_refused(trained: Trained, tmp_path: Path) -> None:
    other = tiny_causal(tmp_path / "other", chat=True, seed=1)
    with expect_error(GecbenchError, "other", "hash"):
        load_corrector(str(trained.adapter), {"base": str(other)})


def bare_adapter(trained: Trained, folder: Path, **changed: object) -> Path:
    """An adapter as peft writes it, without our card."""
    adapter = shutil.copytree(trained.adapter, folder)
    (adapter / "gecbench.json").unlink()
    config = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    (adapter / "adapter_config.json").write_text(json.dumps({**config, **changed}), "utf-8")
    return adapter


def test_an_adapter_of_others_can_be_asked(trained: Trained, tmp_path: Path) -> None:
    adapter = bare_adapter(trained, tmp_path / "theirs")
    pairs = {"prompt": "zh-instruction", "most_changed": 1}
    assert texts_of(f"causal:{adapter}", SOURCES, **pairs) == TARGETS


def test_an_adapter_that_does_not_fit_is_one_line(trained: Trained, tmp_path: Path) -> None:
    small = tiny_causal(tmp_path / "small", hidden=32)
    sized = bare_adapter(trained, tmp_path / "sized", base_model_name_or_path=str(small))
    with pytest.raises(GecbenchError, match=r"does not fit its base: .*size mismatch") as caught:
        load_corrector(f"causal:{sized}", {"language": "zh"})
    assert "\n" not in str(caught.value)
    targeted = bare_adapter(trained, tmp_path / "targeted", target_modules=["k_proj"])
    with pytest.raises(GecbenchError, match=r"does not fit its base: .*missing adapter keys"):
        load_corrector(f"causal:{targeted}", {"language": "zh"})
    (sized / "adapter_model.safetensors").rename(sized / "adapter_model.bin")
    with expect_error(GecbenchError, "adapter_model.safetensors"):
        load_corrector(f"causal:{sized}", {"language": "zh"})


def test_targets_that_the_base_lacks_are_named(trained: Trained) -> None:
    from gecbench.models.causal.training import build

    with expect_error(UsageError, "c_attn", "q_proj, up_proj"):
        build(configured(trained.base, targets=("c_attn",)), PAIRS, None)


def test_without_peft_the_command_is_named(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "peft" else name)
    with expect_error(MissingExtraError, "peft", "gecbench[lora]"):
        load_corrector(str(trained.adapter))


def test_merging_needs_an_adapter_and_a_free_place(trained: Trained, tmp_path: Path) -> None:
    from gecbench.models.causal.loading import merge

    with pytest.raises(UsageError, match="holds no adapter"):
        merge(trained.base, tmp_path / "new")
    with pytest.raises(GecbenchError, match="exists"):
        merge(trained.adapter, trained.merged)
