"""Difficulty of errors: weights from how many systems correct each, and scores that use them.

Gotou, Nagata, Mita and Hanawa, "Taking the Correction Difficulty into Account in Grammatical Error
Correction Evaluation", COLING 2020; gotutiyan/GTS 5d120c3 (v1.1.0), whose output is matched.
"""
