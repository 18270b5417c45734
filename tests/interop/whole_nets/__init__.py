"""Nets that genuine MXNet 1.9.1 and we export, and that each loads of the other.

A net is written once, for a module ``mx``: genuine MXNet, or ``jupyter_hybrid``. Their numbers
don't depend on the system, and what is dropped in training has a rate of almost nothing.
"""

from __future__ import annotations

import numpy as np

from .every_cell import every_cell
from .every_layer import every_layer, modulated
from .nets import lenet, lstm, mlp, resnet18, transformer
from .runs import Net, Results, normal, read, whole, write, write_again

NETS = {
    "mlp": Net(mlp, [normal(4, 6)]),
    "lenet": Net(lenet, [normal(2, 1, 16, 16)]),
    "resnet18": Net(resnet18, [normal(2, 3, 64, 64)]),
    "lstm": Net(lstm, [whole(11, 3, 5)]),
    "transformer": Net(transformer, [whole(20, 3, 6), np.array([6, 4, 1], np.float32)]),
    "every_layer": Net(
        every_layer,
        [normal(2, 3, 8), normal(2, 4, 6, 6), normal(2, 2, 4, 4, 4), whole(7, 2, 5)],
    ),
    "modulated": Net(modulated, [normal(2, 3, 4, 4)], trains=False),
    "every_cell": Net(
        every_cell,
        [normal(2, 3, 4), normal(2, 3, 2, 5), normal(2, 2, 2, 4, 4), normal(2, 2, 1, 3, 3, 3)],
    ),
}
#: These have all layers between them.
EVERY = ("every_layer", "modulated", "every_cell")
__all__ = ["EVERY", "NETS", "Results", "read", "write", "write_again"]
