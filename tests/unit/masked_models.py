"""Tiny masked models with random weights."""

from __future__ import annotations

from pathlib import Path

EN = "the a cat dog house old new red big saw likes goes went to in of London people ##s ##ing , ."
ZH = "我你他们今天昨明去来学校图书馆看买三本了的很好高兴，。"


def masked_bert(folder: Path, words: list[str], seed: int = 5) -> Path:
    """Write a tiny BERT with a vocabulary of these words."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: n for n, word in enumerate([*special, "[unused1]", *words])}
    BertTokenizer(vocab=vocabulary, do_lower_case=False).save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
        initializer_range=0.5,  # or all words would be as likely as another
    )
    BertForMaskedLM(config).save_pretrained(folder)
    return folder


def masked_roberta(folder: Path) -> Path:
    """Write a tiny RoBERTa, whose pieces are of bytes and begin a word with a mark."""
    import torch
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM

    result = Tokenizer(models.BPE())
    result.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    result.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = BpeTrainer(
        vocab_size=400,
        special_tokens=[*special, AddedToken("<mask>", lstrip=True)],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    result.train_from_iterator(["a cat saw the old house in London ."] * 20, trainer)
    result.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    names = ("bos_token", "pad_token", "eos_token", "unk_token")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=result,
        mask_token=AddedToken("<mask>", lstrip=True),
        **dict(zip(names, special, strict=True)),
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=40,
        pad_token_id=1,
        initializer_range=0.5,
    )
    RobertaForMaskedLM(config).save_pretrained(folder)
    return folder
