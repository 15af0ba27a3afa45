"""Figures of benchmarks/inference.py, one module each: `cells` and `report`."""
