"""Figures of benchmarks/imputation.py, one module each: `cells` and `report`."""
