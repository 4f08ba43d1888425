"""The tagger: an encoder reads a sentence, and each token gets a label that says how to edit it.

GECToR (Omelianchuk et al. 2020), as MuCGEC and RobustGEC use it.
"""
