"""Labels of the tagger (sequence to edit): between texts and labels, without a network."""
