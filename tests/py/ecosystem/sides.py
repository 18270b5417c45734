"""Compares what libraries make by its state: frames, figures, tensors, estimators and the like."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from hostile.runner import Sides

SINGLES = 1e-6  # of the largest magnitude: sums of float32 in another order


class Library(Sides):
    """The comparison of cells over unseen code; objects of libraries are compared inside."""

    def _inside(self, path: str, wanted: Any, got: Any) -> None:
        for module, kind, parts in _PARTS:
            if module in sys.modules and isinstance(wanted, getattr(sys.modules[module], kind)):
                self.values(f"parts of {path}", parts(wanted), parts(got))
                return
        super()._inside(path, wanted, got)

    def _floats(self, path: str, wanted: np.ndarray, got: np.ndarray) -> None:
        before = self.bound
        if wanted.dtype.itemsize == 4 and wanted.dtype.kind == "f":
            self.bound = SINGLES
        super()._floats(path, wanted, got)
        self.bound = before


def _drawn(figure: Any) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)  # a closed figure has lost its own
    canvas.draw()
    return np.array(canvas.buffer_rgba())


def _tensor(t: Any) -> list[Any]:
    return [str(t.dtype), t.requires_grad, t.detach().numpy(), t.grad if t.is_leaf else None]


_PARTS: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("pandas", "DataFrame", lambda f: [f.index, [(n, s) for n, s in f.items()]]),
    ("pandas", "Series", lambda s: [s.name, str(s.dtype), s.index, s.tolist()]),
    ("pandas", "Index", lambda i: [i.names, str(i.dtype), i.tolist()]),
    ("matplotlib.figure", "Figure", _drawn),
    ("torch", "Tensor", _tensor),
    ("torch.nn", "Module", lambda m: m.state_dict()),
    ("sklearn.base", "BaseEstimator", vars),
    ("scipy.sparse", "sparray", lambda m: m.toarray()),
    ("scipy.sparse", "spmatrix", lambda m: m.toarray()),
    ("tqdm", "tqdm", lambda bar: [bar.n, bar.total, bar.disable]),
]
