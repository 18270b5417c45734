"""Other systems' files and names."""

from __future__ import annotations
