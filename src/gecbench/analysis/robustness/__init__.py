"""Do corrections stay the same when the context changes? (RobustGEC, Zhang et al., EMNLP 2023)."""
