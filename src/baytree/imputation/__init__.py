"""Imputation: networks and regressions that complete missing cells.

`imputer.py` is the class; `learned_networks.py` learns what it uses, `completion.py` completes
cells and computes their posteriors, and `regressions.py` pools these with regressions. A new
imputation strategy is a method of `completion.NetworkAverage` and a word in
`baytree.vocabulary.IMPUTATIONS`.
"""
