"""Correctors that ask a chat server: any endpoint that speaks as OpenAI's does."""
