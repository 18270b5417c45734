"""Cells that use other libraries, as their users write them."""
