"""How many examples a property gets beyond its tier's number."""

from __future__ import annotations

from hypothesis import settings


def at_least(count: int) -> settings:
    """For a property that has found a bug before: so many examples in the short tier too."""
    return settings(max_examples=max(count, settings.default.max_examples))
