"""Where to draw the points of a graph, for the explorer and for plots."""
