"""What is told about a recorded cell: the report, its names, why it was compiled."""

from __future__ import annotations

from . import replanned as replanned  # a report plans itself again by it
