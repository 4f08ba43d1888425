"""The work screen, drafts, submitting, history."""
