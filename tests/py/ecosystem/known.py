"""What differs today: case -> why. A mended case fails its strict xfail and leaves this table."""

from __future__ import annotations

KNOWN: dict[str, str] = {}
