"""The NumPy face of a hybridized cell: ``np`` and ndarrays, recorded instead of run.

What the lowering tables cover becomes nodes of the cell's graph under NumPy 2's rules; everything
else runs in real NumPy as a named graph break.
"""

from __future__ import annotations

from . import bridge, float_errors, makers
from .array.memory import supported
from .array.traced_array import TracedArray
from .lower import (  # noqa: F401 (each fills the registry)
    counting,
    creation,
    decompositions,
    einsum,
    fourier,
    joining,
    linear,
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
from .lower.decompositions import RESULTS
from .lower.lowering import DTYPES

bridge.Traced = TracedArray

__all__ = ["DTYPES", "RESULTS", "TracedArray", "float_errors", "makers", "supported"]
