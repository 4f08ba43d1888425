"""Training data made from corpora by a recipe: filtered, weighted, shuffled, and all counted."""
