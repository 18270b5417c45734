"""What differs today: case -> why. A mended case fails its strict xfail and leaves this table."""

from __future__ import annotations

import sys

KNOWN: dict[str, str] = {
    "tools: a store among several that looks at the statement": "the runtime stores, in its frame",
}
if sys.version_info[:2] == (3, 11):  # others hand over what they are called with
    KNOWN["tools: a method that counts who has its object"] = (
        "what calls it has it, too, where the call is no statement of its own"
    )
