"""The command line without a process of its own, and tiny masked models with random weights."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from gecbench.cli import main

EN = "the a cat dog house old new red big saw likes goes went to in of London people ##s ##ing , ."
ZH = "我你他们今天昨明去来学校图书馆看买三本了的很好高兴，。"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run a command line; return exit code, standard output and standard error."""
    before = gc.get_threshold()

    def run(*words: object) -> tuple[int, str, str]:
        try:
            main([str(word) for word in words])
            code = 0
        except SystemExit as ended:
            code = ended.code or 0
        return code, *capsys.readouterr()

    yield run
    gc.set_threshold(*before)


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


@pytest.fixture(scope="session")
def english_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return masked_bert(tmp_path_factory.mktemp("masked") / "tiny-en", EN.split())


@pytest.fixture(scope="session")
def chinese_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return masked_bert(tmp_path_factory.mktemp("masked") / "tiny-zh", [*dict.fromkeys(ZH), "##看"])


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny RoBERTa, whose pieces are of bytes and begin a word with a mark."""
    import torch
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM

    folder = tmp_path_factory.mktemp("masked") / "tiny-roberta"
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = BpeTrainer(
        vocab_size=400,
        special_tokens=[*special, AddedToken("<mask>", lstrip=True)],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(["a cat saw the old house in London ."] * 20, trainer)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    names = ("bos_token", "pad_token", "eos_token", "unk_token")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made,
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
