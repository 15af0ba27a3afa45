"""Imputation: networks and regressions that complete missing cells.

`imputer.py` is the class; `learned_networks.py` learns what it uses, `averages.py` computes the
posteriors of cells, and `regressions.py` pools them with regressions. A new way to complete cells
is a method of `averages.NetworkAverage` and a word in `baytree.vocabulary.COMPLETIONS`.
"""
