"""The pages of projects that change the context of errors: a variant written, checked, read."""
