"""The demo: holes in images of handwritten digits, filled and shown on a page."""
