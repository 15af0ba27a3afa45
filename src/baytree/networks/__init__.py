"""Bayesian networks: structure, probabilities, inference, and rows of tables.

`network.py` is the class; each other module holds one concept that its methods use: a new query
goes to `queries.py`, a new engine to `engines.py`, a new operation on rows to `rows.py`, a new
file format to `files/`.
"""
