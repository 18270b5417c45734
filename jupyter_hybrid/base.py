"""The error types."""

from __future__ import annotations

import re

import numpy as np

from . import _core
from ._core import MXNetError

__all__ = ["LinAlgError", "MXNetError"]

_REASON = re.compile(
    r"Singular matrix|Matrix is not positive definite|(Eigenvalues|SVD) did not converge"
)


class LinAlgError(MXNetError, np.linalg.LinAlgError):
    """A matrix that a decomposition can't have: NumPy's error and text.

    ``placed`` is the core's text, with the operator and the line that called it.
    """

    def __init__(self, text: str):
        found = _REASON.search(text)
        super().__init__(found[0] if found else text)
        self.placed = text


LinAlgError.__module__ = "numpy.linalg"
_core.set_linalg_error(LinAlgError)
