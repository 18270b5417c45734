"""Arrays that a memoryview shows: whoever holds it reads and writes them past every protocol."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..np_face import TracedArray
from ..np_face.protocols import Recorder
from .homes import root_of


class Exported:
    """The arrays of one recorder that memoryviews show; they stay in NumPy."""

    def __init__(self, namespace: dict[str, Any]):
        views = _core.guards.of_types(namespace, (memoryview,))
        self._shown = [v.obj for _, v in views if _shows_array(v)]

    def has(self, array: np.ndarray) -> bool:
        """True for an array with elements that a memoryview shows."""
        return any(np.may_share_memory(shown, array) for shown in self._shown)

    def add(self, recorder: Recorder, made: Any) -> None:
        """After a memoryview of a traced array: names are bound to the real arrays that share its
        memory. Nothing is pending."""
        if not _shows_array(made):
            return
        self._shown.append(made.obj)
        for name, value in _core.guards.of_types(recorder.namespace, (TracedArray,)):
            root = root_of(value)
            if root.origin is not None and self.has(root.origin):
                recorder.namespace[name] = value.to_numpy()
                recorder.forget(root.origin)


def _shows_array(value: Any) -> bool:
    try:
        return type(value) is memoryview and isinstance(value.obj, np.ndarray)
    except ValueError:  # released
        return False
