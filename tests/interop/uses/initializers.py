"""init: random initializers by their statistics, those of files and of several."""

from __future__ import annotations

import numpy as np

from .common import numbers, raised, statistics


def _filled(mx, made, *shape, name="a_weight"):
    array = mx.nd.zeros(shape)
    made(mx.init.InitDesc(name), array)
    return array.asnumpy()


def drawn(mx):
    """Of 12,000 numbers: the deviation is what the formula says, to 4 %; the mean is 0."""
    init = mx.init
    both, fan_in, fan_out = 210, 120, 300
    makers = {
        "Uniform": (init.Uniform(0.5), 0.5 / 3**0.5),
        "Normal": (init.Normal(0.2), 0.2),
        "Xavier": (init.Xavier(), (1 / both) ** 0.5),
        "Xavier in": (init.Xavier("gaussian", "in", 2.34), (2.34 / fan_in) ** 0.5),
        "Xavier out": (init.Xavier(factor_type="out", magnitude=1), (1 / fan_out / 3) ** 0.5),
        "MSRAPrelu": (init.MSRAPrelu(), (2 / (1 + 0.25**2) / both) ** 0.5),
        "MSRAPrelu in": (init.MSRAPrelu("in", 0.1), (2 / (1 + 0.1**2) / fan_in) ** 0.5),
    }
    held = {}
    for name, (made, deviation) in makers.items():
        found = _filled(mx, made, 100, 40, 3)
        mean, spread = statistics(found) / deviation
        held[name] = [bool(abs(mean) < 0.04), bool(abs(spread - 1) < 0.04)]
        held[f"{name} text"] = made.dumps()
        held[f"{name} bias"] = _filled(mx, made, 5, name="a_bias")
    return held


def orthogonal(mx):
    held = {}
    for kind in ("uniform", "normal"):
        found = _filled(mx, mx.init.Orthogonal(scale=2.0, rand_type=kind), 4, 6)
        held[kind] = np.round(found @ found.T, 4)
    return held


def fixed(mx):
    return {
        "One": _filled(mx, mx.init.One(), 2),
        "Zero": _filled(mx, mx.init.Zero(), 2),
        "equal": mx.init.Normal(0.1) == mx.init.Normal(0.1),
        "apart": mx.init.Normal(0.1) == mx.init.Normal(0.2),
        "printed": mx.init.Uniform(0.25).dumps(),
    }


def of_several(mx):
    made = mx.init.Mixed([".*bias", ".*"], [mx.init.Zero(), mx.init.Constant(0.5)])
    arrays = {}
    for name in ("fc_bias", "fc_weight"):
        arrays[name] = mx.nd.ones((2, 2)) * 9
        made(name, arrays[name])
    wrong = mx.init.Mixed(["x"], [mx.init.One()])
    arrays["none"] = raised(lambda: wrong("fc_weight", mx.nd.ones(2)), ValueError)
    return arrays


def loaded(mx):
    values = {"arg:fc_weight": mx.nd.array(numbers(2, 3)), "fc_gamma": mx.nd.ones(2)}
    made = mx.init.Load(values, default_init=mx.init.Constant(3), verbose=False)
    held = {}
    for name, shape in (("fc_weight", (2, 3)), ("other_weight", (2,)), ("fc_gamma", (2,))):
        held[name] = mx.nd.zeros(shape)
        made(name, held[name])
    held["apart"] = raised(lambda: made("fc_gamma", mx.nd.zeros(5)), AssertionError, ValueError)
    bare = mx.init.Load(values)
    held["missing"] = raised(lambda: bare("nothing", mx.nd.zeros(5)), AssertionError, ValueError)
    return held


def registered(mx):
    @mx.init.register
    class Halves(mx.init.Initializer):
        def __init__(self, value=0.5):
            super().__init__(value=value)
            self.value = value

        def _init_weight(self, name, arr):
            arr[:] = self.value

    net = mx.gluon.nn.Dense(2, in_units=2, weight_initializer="halves")
    net.initialize()
    return {"weight": net.weight.data(), "text": Halves(0.25).dumps()}
