"""The NumPy face of a hybridized cell: ``np`` and ndarrays, recorded instead of run.

What the lowering tables cover becomes nodes of the cell's graph under NumPy 2's rules; everything
else runs in real NumPy as a named graph break.
"""

from __future__ import annotations

from .face import NumpyFace
from .traced_array import TracedArray, supported

__all__ = ["NumpyFace", "TracedArray", "supported"]
