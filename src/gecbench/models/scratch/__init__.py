"""Encoder-decoders of our own, trained from nothing: convolutional, recurrent, transformer."""
