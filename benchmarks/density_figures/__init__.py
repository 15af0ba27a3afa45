"""Figures of benchmarks/density.py, one module each: `cells` and `report`."""
