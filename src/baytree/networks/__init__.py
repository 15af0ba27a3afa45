"""Bayesian networks and exact questions to them."""
