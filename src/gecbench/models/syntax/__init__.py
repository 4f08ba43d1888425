"""Dependency trees of wrong sentences, and correction with them (SynGEC, Zhang et al. 2022)."""
