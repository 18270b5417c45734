"""IPython: the magics, the input transformer, and how a cell is run."""
