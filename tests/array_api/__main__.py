"""``python -m tests.array_api`` prints the pass rates."""

from __future__ import annotations

from .trial import run, summary

print(summary(run()))
