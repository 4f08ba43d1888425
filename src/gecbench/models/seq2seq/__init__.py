"""Sequence to sequence: an encoder-decoder that writes the corrected sentence anew."""
