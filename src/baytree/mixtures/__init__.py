"""Mixtures of networks: `NetworkMixture`, its queries and files, and `MixtureLearner`.

A mixture is kept as a few networks, each with a hidden variable, the component, that is a parent of
all others: every query on a mixture is one on these.
"""
