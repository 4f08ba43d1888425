"""Chinese: characters as tokens, two schemes of edits."""
