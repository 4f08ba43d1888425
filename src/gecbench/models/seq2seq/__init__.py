"""Sequence to sequence: an encoder-decoder that writes the whole corrected sentence."""
