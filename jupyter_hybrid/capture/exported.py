"""Arrays that a memoryview shows: whoever holds it reads and writes them past every protocol."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..np_face import holders
from ..np_face.protocols import Recorder


class Exported:
    """The arrays of one recorder that memoryviews show; they stay in NumPy."""

    def __init__(self, namespace: dict[str, Any]):
        self._shown = [v.obj for v in namespace.values() if _shows_array(v)]

    def has(self, array: np.ndarray) -> bool:
        """True for an array with elements that a memoryview shows."""
        return any(np.may_share_memory(shown, array) for shown in self._shown)

    def add(self, recorder: Recorder, made: Any) -> None:
        """After a memoryview of a traced array: real arrays take the place of all that share its
        memory. Nothing is pending."""
        if not _shows_array(made):
            return
        self._shown.append(made.obj)
        alive = [p for p in (r() for r in recorder.proxies) if p is not None]
        swaps = []
        for proxy in alive:
            root = proxy
            while root.parent is not None:
                root = root.parent
            if root.origin is not None and self.has(root.origin):
                swaps.append((proxy, proxy.to_numpy()))
                recorder.forget(root.origin)
        holders.replace(swaps, [*alive, alive, recorder.wrappers])


def _shows_array(value: Any) -> bool:
    return type(value) is memoryview and _is_open(value) and isinstance(value.obj, np.ndarray)


def _is_open(view: memoryview) -> bool:
    try:
        return view.obj is not None
    except ValueError:  # released
        return False
