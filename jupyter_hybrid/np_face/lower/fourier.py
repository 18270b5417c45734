"""``np.fft`` in the graph: NumPy's own code, with its transform of one axis replaced by a node.

Every transform is computed in double precision, whatever the dtype of its result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import bridge
from ..errors import NotCovered
from . import followed
from .lowering import axis_of, cast, core, dtype_of


def _factor(norm: Any, n: int, is_forward: bool, real: np.dtype) -> float:
    """What a result is multiplied by, rounded as NumPy rounds it."""
    if norm == "ortho":
        return float(np.reciprocal(np.sqrt(n, dtype=real)))
    if norm not in (None, "backward", "forward"):
        raise NotCovered("np.fft with norm={norm}", norm=repr(norm))
    scaled = is_forward if norm == "forward" else not is_forward
    return float(np.reciprocal(n, dtype=real)) if scaled else 1.0


def _raw_fft(
    a: Any, n: Any, axis: Any, is_real: bool, is_forward: bool, norm: Any, out: Any = None
) -> Any:
    recorder = followed.state.recorder
    x = bridge.handle_of(recorder, a)
    axis = axis_of(axis, len(x.shape))
    points = x.shape[axis] if n is None else int(n)
    if out is not None or points < 1:
        raise NotCovered("np.fft with out=, or of no points")
    own = dtype_of(x)
    single = own in (np.dtype("float32"), np.dtype("complex64"))
    real = np.dtype("float32" if single else "float64")
    attrs = {"axis": axis, "n": points, "scale": _factor(norm, points, is_forward, real)}
    if is_real and is_forward:
        if own.kind == "c":
            raise NotCovered("np.fft.rfft of complex numbers")
        node = core("rfft", [cast(x, real)], **attrs)
    else:
        x = cast(x, np.dtype("complex64" if single else "complex128"))
        node = (
            core("irfft", [x], **attrs)
            if is_real
            else core("fft", [x], inverse=not is_forward, **attrs)
        )
    return bridge.Traced.of_node(recorder, node)


_code = getattr(np.fft.fft, "_implementation", None)  # np.fft is loaded at its first use
if _code is not None:
    followed.globals_of(_code.__module__)["_raw_fft"] = _raw_fft
