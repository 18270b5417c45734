"""Branches and loops on array values: what becomes a node of the graph, and what Python follows."""
