"""Cells that run code which a recorder can't see into, and what makes them comparable."""
