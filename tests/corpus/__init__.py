"""A catalogue of cells of every kind, each run imperatively and hybridized, with equal results."""
