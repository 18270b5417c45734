"""``--compare``: both modes of one cell on copies, measured in turn, with a verdict."""
