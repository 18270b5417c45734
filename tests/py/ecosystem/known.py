"""What differs today: case -> why. A mended case fails its strict xfail and leaves this table."""

from __future__ import annotations

KNOWN: dict[str, str] = {
    "sklearn: a division by zero on the way to an error": "a warning of a division is lost",
}
