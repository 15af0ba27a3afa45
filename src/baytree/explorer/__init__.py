"""The explorer: a local page on a network, served to the browser of the same machine."""
