"""The NumPy face of a hybridized cell: ``np`` and ndarrays, recorded instead of run.

What the lowering tables cover becomes nodes of the cell's graph under NumPy 2's rules; everything
else runs in real NumPy as a named graph break.
"""

from __future__ import annotations

from . import (  # noqa: F401 (each fills the registry)
    counting,
    creation,
    decompositions,
    dispatch,
    einsum,
    fourier,
    joining,
    linear,
    nan_reductions,
    order,
    quantiles,
    reductions,
    scans,
    selection,
    shapes,
    signals,
    ufunc_methods,
    windows,
    writers,
)
from .face import NumpyFace
from .lowering import DTYPES
from .traced_array import TracedArray, supported

dispatch.Traced = TracedArray

__all__ = ["DTYPES", "NumpyFace", "TracedArray", "supported"]
