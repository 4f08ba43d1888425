"""Training: one loop for every kind of model that learns."""
