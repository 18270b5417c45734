"""The array API standard's functions in hybridized cells, beside array-api-strict's answers."""
