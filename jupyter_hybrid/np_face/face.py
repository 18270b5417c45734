"""The object that ``np`` means in a hybridized cell: creation functions recorded, the rest real."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import bridge, dispatch, float_errors
from .errors import LIKE_NUMPY, NotCovered
from .lower import creation
from .protocols import Recorder

_EXPECTED = (NotCovered, *LIKE_NUMPY)


class NumpyFace:
    """Answers as the NumPy module does; see :data:`creation.CREATION` for what it records itself.

    Every other function meets traced arrays through ``__array_ufunc__`` and
    ``__array_function__``.
    """

    def __init__(self, recorder: Recorder):
        self._recorder = recorder
        float_errors.start_cell()
        for name, lowered in creation.CREATION.items():
            setattr(self, name, self._creation(name, lowered))
        for name, copy in (
            ("array", True), ("asarray", None), ("asanyarray", None), ("ascontiguousarray", "C"),
        ):  # fmt: skip
            setattr(self, name, self._conversion(name, copy))

    def _creation(self, name: str, lowered: Callable) -> Callable:
        real = getattr(np, name)

        def create(*args: Any, **kwargs: Any) -> Any:
            recorder = self._recorder
            if recorder.active:
                try:
                    return bridge.Traced(recorder, lowered(*args, **kwargs))
                except _EXPECTED:  # NumPy's own error, or an array that enters as an input
                    pass
            if any(type(a) is bridge.Traced for a in (*args, *kwargs.values())):
                return dispatch.call_function(recorder, real, args, kwargs)
            return real(*args, **kwargs)

        create.__name__ = create.__qualname__ = name
        create.__doc__ = real.__doc__
        return create

    def _conversion(self, name: str, copy: Any) -> Callable:
        real = getattr(np, name)

        def convert(a: Any, dtype: Any = None, **kwargs: Any) -> Any:
            recorder = self._recorder
            if recorder.active:
                wrapped = recorder.wrap(a)
                if bridge.has_traced(wrapped) and not set(kwargs) - {"copy", "order"}:
                    order = "C" if copy == "C" else kwargs.get("order")
                    wanted = kwargs.get("copy", copy is True or None)
                    try:
                        made = creation.asarray(recorder, wrapped, dtype, order, wanted)
                        return made[None] if copy == "C" and not made.ndim else made
                    except _EXPECTED:
                        recorder.leave_graph(f"np.{name} of this")
            return real(bridge.to_real(a), dtype, **kwargs)

        convert.__name__ = convert.__qualname__ = name
        convert.__doc__ = real.__doc__
        return convert

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def __dir__(self) -> list[str]:
        return dir(np)

    def __repr__(self) -> str:
        return repr(np)
