"""A tiny random Llama with a byte tokenizer, saved as transformers does."""

from __future__ import annotations

from pathlib import Path

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)


def tiny_causal(folder: Path, *, chat: bool = False, hidden: int = 64, seed: int = 0) -> Path:
    """Make the model in a folder; with a chat template where it is to be spoken to."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    specials = ["<s>", "</s>", "<pad>"]
    symbols = [*specials, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    bytewise = Tokenizer(
        models.BPE(vocab={symbol: k for k, symbol in enumerate(symbols)}, merges=[])
    )
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytewise, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    if chat:
        tokenizer.chat_template = TEMPLATE
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
        initializer_range=0.2,  # a frozen head of the usual size cannot be sure of anything
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = LlamaForCausalLM(config)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
