"""Training and trial: tasks whose answers are known."""
