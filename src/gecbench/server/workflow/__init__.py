"""What may happen to a sentence, each in one transaction."""
