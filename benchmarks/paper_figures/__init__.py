"""Sections of benchmarks/paper.py, one module each: `cells` and `report`."""
