"""The heat map of difficulty: every source sentence, its errors the deeper the harder they are.

What GoToScorer's `-heat` shows (gotutiyan/GTS 5d120c3), for any weights and any text, as one HTML
file that needs no other.
"""
