"""Figures of benchmarks/structure.py, one module each: `cells` and `report`."""
