"""Layouts of graphs: layers for small ones, spread points for dense or large ones."""
