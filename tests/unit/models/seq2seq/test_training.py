"""Encoder-decoders as tasks of the training loop."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import torch
from tiny_seq2seq import EN_PAIRS, ZH_PAIRS, task_of
from torch.nn.functional import log_softmax

from gecbench.core.errors import FormatError, UsageError
from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair
from gecbench.models.seq2seq.training import KIND, blank_sources
from gecbench.models.training.task import load_kind

PAIRS = [SentencePair(*pair) for pair in ZH_PAIRS]


def test_the_kind_is_known_by_name() -> None:
    assert load_kind("seq2seq") is KIND


def test_the_loss_is_the_sum_over_target_tokens_smoothed(zh_bart) -> None:
    task = task_of(zh_bart, ZH_PAIRS, "zh", label_smoothing=0.1)
    task.module.eval()
    batch = task.collate(task.prepare(PAIRS[:3]).examples)
    logits = task.module(**{**batch, "labels": None}).logits.detach()
    total = 0.0
    for row, labels in zip(log_softmax(logits, -1), batch["labels"].tolist(), strict=True):
        for place, label in enumerate(labels):
            if label >= 0:
                total -= 0.9 * float(row[place, label]) + 0.1 * float(row[place].mean())
    assert task.loss(task.module, batch).item() == pytest.approx(total, rel=1e-5)
    assert task.weight(batch) == sum(len(target) + 2 for _, target in ZH_PAIRS[:3])


def test_two_halves_weigh_what_the_whole_weighs(en_bart) -> None:
    task = task_of(en_bart, EN_PAIRS, "en")
    task.module.eval()
    examples = task.prepare([SentencePair(*pair) for pair in EN_PAIRS]).examples
    whole, *halves = (task.collate(part) for part in (examples, examples[:3], examples[3:]))
    assert task.weight(whole) == sum(task.weight(half) for half in halves)
    losses = [task.loss(task.module, half).item() for half in halves]
    assert task.loss(task.module, whole).item() == pytest.approx(sum(losses), rel=1e-5)


def test_the_decoder_reads_what_it_is_to_say_one_step_later(zh_bart, t5, mbart) -> None:
    for place, more in (
        (zh_bart, {}),
        (t5, {"prefix": "gec: "}),
        (mbart, {"language_code": "zh_CN"}),
    ):
        task = task_of(place, ZH_PAIRS, "zh", **more)
        batch = task.collate(task.prepare(PAIRS[:1]).examples)
        reads, says = batch["decoder_input_ids"][0].tolist(), batch["labels"][0].tolist()
        assert reads[1:] == says[:-1]
        tokens = task._tokenizer.convert_ids_to_tokens([*reads[:1], *says[:1], *says[-1:]])
        assert tokens[0] == {"t5": "<pad>", "mb": "zh_CN", "zh": "[SEP]"}[place.name[:2]]
        assert tokens[2] == ("[SEP]" if place == zh_bart else "</s>")
        assert (tokens[1] == "[CLS]") == (place == zh_bart)


def test_an_mbart_of_fifty_languages_opens_with_the_language() -> None:
    from transformers import MBart50Tokenizer, MBartConfig

    from gecbench.models.seq2seq.network import build_subword_encoding

    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁a", -1.0)]
    tokenizer = MBart50Tokenizer(vocab=vocabulary)
    config = MBartConfig(vocab_size=len(tokenizer), decoder_start_token_id=2)
    encoding = build_subword_encoding(
        tokenizer, config, name="m", forced=False, language_code="zh_CN"
    )
    names = tokenizer.convert_ids_to_tokens
    assert names(list(encoding.source("a").ids)) == ["zh_CN", "▁a", "</s>"]
    assert names(list(encoding.target_ids("a"))) == ["zh_CN", "▁a", "</s>"]
    assert names(encoding.specials.start) == "</s>"


@pytest.mark.parametrize("longer", ["drop", "cut"])
def test_what_is_too_long_is_dropped_or_cut_and_counted(zh_bart, longer) -> None:
    task = task_of(zh_bart, ZH_PAIRS, "zh", max_length=8, longer=longer)
    pairs = [
        SentencePair("我今天", "我今天"),
        SentencePair("我今天" * 5, "我"),
        SentencePair("我", "我" * 9),
        SentencePair(" ", "我"),
    ]
    prepared = task.prepare(pairs)
    if longer == "drop":
        assert prepared.dropped == {"longer than 8 tokens": 2, "empty source or target": 1}
        assert len(prepared.examples) == 1
    else:
        assert prepared.dropped == {"empty source or target": 1}
        assert prepared.counts == {"pairs cut to 8 tokens": 2}
        assert [task.length(example) for example in prepared.examples] == [5, 8, 8]
        ends = {(example.source[-1], example.target[-1]) for example in prepared.examples}
        assert ends == {(3, 3)}


def test_source_tokens_are_blanked_while_learning_only(zh_bart) -> None:
    task = task_of(zh_bart, ZH_PAIRS, "zh", source_token_dropout=0.4)
    seen: list[torch.Tensor] = []
    network = task.module
    encoder = network.get_encoder()
    encoder.register_forward_pre_hook(
        lambda _, __, options: seen.append(options.get("inputs_embeds")), with_kwargs=True
    )
    batch = task.collate(task.prepare(PAIRS).examples)
    torch.manual_seed(3)
    network.train()
    task.loss(network, batch).backward()
    network.eval()
    task.loss(network, batch)
    blanked, untouched = seen
    assert untouched is None
    whole = encoder.get_input_embeddings()(batch["input_ids"])
    blank = (blanked == 0).all(-1)
    assert 0.25 < blank.float().mean().item() < 0.55
    assert torch.allclose(blanked[~blank], whole[~blank] / 0.6)


def test_blanking_reaches_every_architecture(t5, mbart) -> None:
    for place, more in ((t5, {}), (mbart, {"language_code": "zh_CN"})):
        task = task_of(place, ZH_PAIRS, "zh", **more)
        batch = task.collate(task.prepare(PAIRS).examples)
        task.module.train()
        before = task.loss(task.module, batch).item()
        assert task.loss(task.module, batch).item() == before
        blank_sources(task.module, 0.5)
        assert task.loss(task.module, batch).item() != before


def test_dropout_is_overridden(zh_bart, t5) -> None:
    assert task_of(zh_bart, ZH_PAIRS, "zh", dropout=0.3).module.config.dropout == 0.3
    task = task_of(t5, EN_PAIRS, "en", dropout=0.3)
    assert task.module.config.dropout_rate == 0.3
    rates = {m.p for m in task.module.modules() if isinstance(m, torch.nn.Dropout)}
    assert rates == {0.3}


RARE = [
    SentencePair("她说：“龘ＡＸ”", "她说：“龘”。"),
    SentencePair("龘“", "龘"),
    SentencePair("靐", "我"),
]


def test_missing_characters_become_tokens_with_sensible_rows(zh_bart) -> None:
    plain = task_of(zh_bart, ZH_PAIRS, "zh")
    tables = {"place": str(zh_bart), "extend_vocabulary": {"min_count": 2}}
    config = convert(
        "tiny.toml",
        {"kind": "seq2seq", "name": "t", "language": "zh", "model": tables},
        KIND.config,
    )
    task = KIND.build(config, RARE, None)
    again = KIND.build(config, RARE, None)
    size = len(plain._tokenizer)
    added = task._tokenizer.convert_ids_to_tokens(list(range(size, len(task._tokenizer))))
    # What occurs once (靐) is left out; ” occurs once on each side.
    assert added == ["龘", "“", "”", "她", "说", "："]
    prepared = task.prepare(RARE)
    assert prepared.counts["characters added to the vocabulary"] == 6
    assert prepared.counts["unknown tokens in sources"] == 2
    assert plain.prepare(RARE).counts["unknown tokens in sources"] > 8
    new, old = (item.module.get_input_embeddings().weight for item in (task, plain))
    assert torch.equal(new[:size], old)
    assert torch.equal(new, again.module.get_input_embeddings().weight)
    assert len({tuple(row.tolist()) for row in new[size:]}) == 6
    assert (new[size] - old.mean(0)).abs().max().item() < 4 * 0.1 * old.std().item()
    assert task.module.get_output_embeddings().weight.shape[0] == len(task._tokenizer)
    assert torch.isfinite(task.loss(task.module, task.collate(prepared.examples)))


def test_a_full_width_character_starts_as_its_twin(mbart) -> None:
    tables = {"place": str(mbart), "language_code": "zh_CN", "extend_vocabulary": {"min_count": 1}}
    config = convert(
        "tiny.toml",
        {"kind": "seq2seq", "name": "t", "language": "zh", "model": tables},
        KIND.config,
    )
    task = KIND.build(config, [SentencePair("Ｈ龘", "Ｈ")], None)
    weight = task.module.get_input_embeddings().weight
    ids = task._tokenizer.convert_tokens_to_ids(["Ｈ", "▁H", "龘"])
    near = [(weight[ids[0]] - weight[other]).norm().item() for other in ids[1:]]
    assert near[0] < near[1]


def test_a_vocabulary_of_bytes_needs_nothing(en_bart) -> None:
    task = task_of(
        en_bart, [(p.source, p.target) for p in RARE], "en", extend_vocabulary={"min_count": 1}
    )
    assert task.prepare(RARE).counts == {"characters added to the vocabulary": 0}


def test_what_was_saved_goes_on_without_the_place(tmp_path: Path, zh_bart) -> None:
    more = {"extend_vocabulary": {"min_count": 1}, "dropout": 0.25, "correcting": {"beams": 3}}
    pairs = [*ZH_PAIRS, ("龘", "龘")]
    task = task_of(zh_bart, pairs, "zh", **more)
    task.save(tmp_path, {"data": "tiny"})
    assert not [p.name for p in tmp_path.iterdir() if p.suffix in (".bin", ".pt", ".pkl")]
    card = json.loads((tmp_path / "gecbench.json").read_text("utf-8"))
    assert (card["kind"], card["runtime"], card["tokens"]) == ("seq2seq", "torch", "zh")
    assert card["defaults"] == {"max_length": 100, "beams": 3}
    on = task_of(Path("nowhere/at/all"), pairs, "zh", folder=tmp_path, **more)
    assert on.prepare(PAIRS) == task.prepare(PAIRS)
    named = {name: tensor.shape for name, tensor in task.module.named_parameters()}
    assert {name: tensor.shape for name, tensor in on.module.named_parameters()} == named
    on.module.load_state_dict(task.module.state_dict())
    sources = [pair.source for pair in PAIRS]
    assert on.corrector().correct(sources) == task.corrector().correct(sources)


def test_scoring_leaves_the_network_as_it_was(zh_bart) -> None:
    task = task_of(zh_bart, ZH_PAIRS, "zh")
    task.module.train()
    rest = task.module.generation_config
    task.corrector().correct(["我今天"])
    assert task.module.training
    assert task.module.generation_config is rest
    task.freeze(cold=False)
    assert all(parameter.requires_grad for parameter in task.module.parameters())


@pytest.mark.parametrize(
    ("tables", "error", "message"),
    [
        ({"training": {"cold_epochs": 1}}, UsageError, "training.cold_epochs 1: nothing in an"),
        (
            {"model": {"max_length": 161}},
            UsageError,
            "model.max_length: .* reads 160 tokens, not 161",
        ),
        (
            {"model": {"smoothing": 0.1}},
            FormatError,
            "model.smoothing.*did you mean model.label_sm",
        ),
        ({"model": {"correcting": {"prefix": "x"}}}, UsageError, "say it as model.prefix"),
        ({"model": {"dropout": 1.0}}, FormatError, "model.dropout"),
        ({"model": {"longer": "split"}}, FormatError, "model.longer"),
        ({"model": {"correcting": {"alternatives": 9}}}, FormatError, "more beams"),
    ],
)
def test_configurations_that_cannot_be(zh_bart, tables, error, message) -> None:
    model = {"place": str(zh_bart), **tables.get("model", {})}
    whole = {"kind": "seq2seq", "name": "t", "language": "zh", **tables, "model": model}
    with pytest.raises(error, match=message):
        KIND.build(convert("tiny.toml", whole, KIND.config), PAIRS, None)


def test_the_configuration_in_the_docs_is_one() -> None:
    page = (Path(__file__).parents[4] / "docs" / "correct" / "seq2seq.md").read_text("utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    config = convert("seq2seq.md", tomllib.loads(block), KIND.config)
    assert config.model.extend_vocabulary.min_count == 5
    rows = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE))))
    for struct in (type(config.model), type(config.model.correcting)):
        assert set(struct.__struct_fields__) <= rows
