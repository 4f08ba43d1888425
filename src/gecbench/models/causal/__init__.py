"""Correctors that are local causal language models, plain or fine-tuned by LoRA."""
