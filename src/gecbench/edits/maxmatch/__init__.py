"""MaxMatch: the edits of a hypothesis that agree with gold edits as far as they can."""
