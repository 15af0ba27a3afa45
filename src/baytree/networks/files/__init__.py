"""File formats, one module each; nothing is imported until it is used."""
