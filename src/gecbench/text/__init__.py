"""Strings, before anything is a token."""
