"""Tiny taggers that learn a few pairs by heart, and tiny encoders for them."""

from __future__ import annotations

from pathlib import Path

from gecbench.models.batches import SentencePair

ZH_PAIRS = [
    SentencePair("我今天很高心。", "我今天很高兴。"),
    SentencePair("他们因该去打蓝球。", "他们应该去打篮球。"),
    SentencePair("这个问题解决。", "这个问题解决了。"),
    SentencePair("我的妹妹非常很漂亮。", "我的妹妹非常漂亮。"),
    SentencePair("我吃苹果喜欢。", "我喜欢吃苹果。"),
    SentencePair("虽然下雨，他去。", "虽然下雨，但是他还是去了。"),
    SentencePair("今天天气很好。", "今天天气很好。"),
    SentencePair("昨天我去图书管看书", "昨天我去图书馆看书。"),
]
EN_PAIRS = [
    SentencePair("He go to school every day .", "He goes to school every day ."),
    SentencePair("I has a apple .", "I have an apple ."),
    SentencePair("She like read books .", "She likes to read books ."),
    SentencePair("there are many peoples .", "There are many people ."),
    SentencePair("We was very very happy .", "We were very happy ."),
    SentencePair("The cat sat on mat .", "The cat sat on the mat ."),
    SentencePair("This is fine .", "This is fine ."),
    SentencePair("him said yes", "He said yes ."),
]
PAIRS = {"zh": ZH_PAIRS, "en": EN_PAIRS}


def write_bert(folder: Path, language: str) -> Path:
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    texts = [text for pair in PAIRS[language] for text in pair[:2]]
    words = {w for text in texts for w in (text.lower() if language == "zh" else text.split())}
    # Some words are in pieces, and some characters are unknown.
    words -= {"peoples", "school", "蓝"}
    pieces = ["people", "##s", "sc", "##ho", "##ol"] if language == "en" else []
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {w: k for k, w in enumerate([*special, *sorted(words | set(pieces))])}
    tokenizer = BertTokenizer(vocab=vocabulary, do_lower_case=False)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def configuration(language: str, encoder: str, **more: object):
    from gecbench.formats.validation import convert
    from gecbench.models.tagger.training import TaggerConfig

    model = {
        "encoder": encoder,
        "train_rounds": 5,
        "max_tokens": 40,
        **({"convolution": {"width": 48, "dropout": 0.0}} if encoder == "convolution" else {}),
        **more,
    }
    tables = {"kind": "tagger", "name": "tiny", "language": language, "model": model}
    return convert("test", tables, TaggerConfig)


def teach(folder: Path, language: str, encoder: str, steps: int = 60, **more: object):
    """Train without the loop: one batch of all examples, again and again."""
    import torch

    from gecbench.models.tagger.training import KIND

    pairs = PAIRS[language]
    task = KIND.build(configuration(language, encoder, **more), pairs, None)
    dataset = task.prepare(pairs)
    assert not dataset.dropped
    batch = task.collate(dataset.examples)
    task.freeze(cold=False)
    optimizer = torch.optim.AdamW(task.module.parameters(), lr=4e-3)
    task.module.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = task.loss(task.module, batch) / task.weight(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(task.module.parameters(), 1.0)
        optimizer.step()
    folder.mkdir(parents=True)
    task.save(folder, {"data": "eight pairs"})
    return task
