"""Texts for users: argument checks, quoting, suggestions, labels, warnings, small HTML tables.

Everything here is about wording. Nothing here knows tables, networks or learning.
"""
