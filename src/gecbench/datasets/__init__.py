"""Data sets that gecbench fetches from their origin and never brings along."""
