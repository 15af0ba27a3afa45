"""Figures of benchmarks/imputation.py: each has `cells` to measure and a `report` on them."""
