"""Pictures for pages that ask: those shown last, compressed. Their widgets hold an id alone.

A page that has drawn one goes on with what it has; one that asks later is told that it is gone.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections import OrderedDict
from typing import Any


class KeptPictures:
    """Packed specs by id; the oldest go. Safe to use from any thread.

    Args:
        most: pictures.
        most_bytes: of all together, compressed; the newest one is kept whatever it takes.
    """

    def __init__(self, most: int, most_bytes: int):
        self._most, self._most_bytes = most, most_bytes
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def put(self, data: dict[str, Any]) -> None:
        """A packed spec, perhaps in the place of another one with its id."""
        picture = zlib.compress(json.dumps(data).encode(), 1)
        with self._lock:
            self._bytes += len(picture) - len(self._pictures.pop(data["id"], b""))
            self._pictures[data["id"]] = picture
            while len(self._pictures) > self._most or (
                self._bytes > self._most_bytes and len(self._pictures) > 1
            ):
                self._bytes -= len(self._pictures.popitem(last=False)[1])

    def find(self, spec_id: str) -> dict[str, Any] | None:
        """The packed spec with that id; None: it is gone."""
        with self._lock:
            picture = self._pictures.get(spec_id)
        return None if picture is None else json.loads(zlib.decompress(picture))

    @property
    def gone(self) -> str:
        """What a page says in the place of a picture that is gone."""
        return (
            f"This picture is no longer kept: the kernel keeps the {self._most} that were shown "
            f"last, {self._most_bytes >> 20} MB at most. Run the cell again."
        )


kept = KeptPictures(256, 32 << 20)
