"""NumPy's functions as nodes of the graph: one table, one file a family."""
