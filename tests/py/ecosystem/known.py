"""What differs today: case -> why. A mended case fails its strict xfail and leaves this table."""

from __future__ import annotations

KNOWN: dict[str, str] = {
    "tools: a method that counts who has its object": (
        "what calls it has it, too, where the call is no statement of its own"
    ),
    "tools: a store among several that looks at the statement": "the runtime stores, in its frame",
}
