"""Tables as users have them, and the codes of their states."""
