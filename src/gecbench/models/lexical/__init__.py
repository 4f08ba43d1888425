"""Spelling hints: correctors that look words up, with no weights, no training and no download."""
