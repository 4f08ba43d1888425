"""Synthetic errors: correct texts are corrupted by rules and tables, or as a real corpus errs."""
