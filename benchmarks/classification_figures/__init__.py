"""Figures of benchmarks/classification.py, one module each: `cells` and `report`."""
