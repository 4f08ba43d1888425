"""What managers do: sentences, members, exchange, quality, settings."""
