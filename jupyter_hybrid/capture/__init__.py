"""Capture: what a cell or a script does is recorded, compiled, run, and found again."""
