"""Initializers that draw nothing, in words that both libraries understand.

    PYTHON tests/interop/initializer_cases.py FILE.npz

with a Python that has MXNet 1.9.1 writes what it fills; tests/py/test_initializer.py compares.
"""

from __future__ import annotations

import sys

import numpy as np

NAMES = [
    "fc_weight", "fc_bias", "bn_gamma", "bn_beta", "q_min", "q_max", "bn_moving_mean",
    "bn_moving_var", "a_moving_inv_var", "a_moving_avg", "upsampling_weight", "stn_loc_weight",
    "stn_loc_bias",
]  # fmt: skip


def by_name(mx, name: str, described: bool):
    """What Constant(0.5) fills; the error's type where there is one."""
    shape = (6,) if name == "stn_loc_bias" else (2, 3, 4, 5)
    array = mx.nd.ones(shape) * 9
    try:
        mx.init.Constant(0.5)(mx.init.InitDesc(name) if described else name, array)
    except ValueError:
        return np.array([-1.0])
    return array.asnumpy()


def fused(mx, mode: str, layers: int, bidirectional: bool, init, size: int):
    array = mx.nd.zeros((size,))
    made = mx.init.FusedRNN(init, 3, layers, mode, bidirectional, forget_bias=2.0)
    made(mx.init.InitDesc("weight", global_init=mx.init.Constant(0.25)), array)
    return array.asnumpy()


def filled(mx, init, shape, name: str = "a_weight"):
    array = mx.nd.zeros(shape)
    init(mx.init.InitDesc(name), array)
    return array.asnumpy()


def cases(mx) -> dict[str, np.ndarray]:
    made = {}
    for name in NAMES:
        made[f"described/{name}"] = by_name(mx, name, True)
        made[f"plain/{name}"] = by_name(mx, name, False)
    for i, shape in enumerate([(1, 1, 4, 4), (2, 3, 3, 5), (1, 2, 1, 1), (2, 1, 4, 2)]):
        made[f"bilinear/{i}"] = filled(mx, mx.init.Bilinear(), shape)
    made["lstm_bias"] = filled(mx, mx.init.LSTMBias(3.0), (12,))
    made["array"] = filled(mx, mx.init.Constant(mx.nd.array([[1, 2], [3, 4]])), (2, 2))
    made["own"] = np.zeros(1)
    array = mx.nd.zeros((2, 2))
    mx.init.Zero()(mx.init.InitDesc("a_bias", {"__init__": mx.init.Constant(7).dumps()}), array)
    made["own"] = array.asnumpy()
    for mode, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1)):
        for layers, both in ((1, False), (2, True)):
            b = 2 if both else 1
            size = gates * b * 3 * (2 + 3 + 2 + (layers - 1) * (b * 3 + 3 + 2))
            key = f"fused/{mode}/{layers}"
            made[key] = fused(mx, mode, layers, both, mx.init.Constant(0.75), size)
            made[key + "/global"] = fused(mx, mode, layers, both, None, size)
    return made


if __name__ == "__main__":
    import mxnet

    np.savez_compressed(sys.argv[1], **cases(mxnet))
