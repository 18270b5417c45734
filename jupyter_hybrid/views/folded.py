"""Values of which many are held and few are looked at: the others are compressed."""

from __future__ import annotations

import json
import threading
import zlib
from typing import Any

_OPEN = 16  # as they are

_lock = threading.RLock()  # what the collector ends meanwhile may come here, too
_open: dict[int, Folded] = {}  # by id, in the order of use


class Folded:
    """Holds a JSON-able value, which :meth:`get` gives as it was. Safe to use from any thread."""

    def __init__(self, value: Any):
        self._value, self._text = value, b""
        self.get()

    def get(self) -> Any:
        with _lock:
            if self._text:
                self._value, self._text = json.loads(zlib.decompress(self._text)), b""
            _open.pop(id(self), None)
            _open[id(self)] = self
            if len(_open) > _OPEN:
                _open.pop(next(iter(_open)))._fold()
            return self._value

    def _fold(self) -> None:
        self._text, self._value = zlib.compress(json.dumps(self._value).encode()), None
