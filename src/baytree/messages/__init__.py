"""How values, names and numbers are worded in messages."""
