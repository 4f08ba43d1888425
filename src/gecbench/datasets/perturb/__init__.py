"""Synthetic perturbations of what surrounds errors, for training alone (RobustGEC, appendix B)."""
