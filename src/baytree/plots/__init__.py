"""Pictures by matplotlib, one module per picture; `plotting` has the public functions.

`layouts` places the boxes and arcs of a graph, for pictures and for the explorer, without
matplotlib.
"""
