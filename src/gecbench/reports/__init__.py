"""Shows what others computed, and computes nothing itself but percent and rounding."""
