"""One folder per language: everything that is particular to it."""
