"""Networks learned from tables."""
