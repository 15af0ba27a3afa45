"""Missing cells, filled."""
