"""Hybridized code without IPython: the decorator, the with-block and script()."""
