"""English: ERRANT's alignment, merging and types, over tokens that a pipeline has analysed."""
