"""Combining systems by voting on their edits; no model is needed, any outputs will do."""
