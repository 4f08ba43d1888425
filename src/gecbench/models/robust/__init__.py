"""Training that makes correctors robust: the same correction in a changed context."""
