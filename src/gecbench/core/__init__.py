"""Nouns and laws; standard library only."""
