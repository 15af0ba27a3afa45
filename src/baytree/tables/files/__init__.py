"""Files of tables."""
