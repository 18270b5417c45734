"""What several programs need: numbers, attributes of the core's types, what an error says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def attribute(owner: Any, name: str) -> Any:
    """An attribute whose reading is to be noted: those of types in C tell nobody."""
    return getattr(owner, name)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Multiples of 1/8 from -2 to 2."""
    drawn = np.random.RandomState(seed + sum(shape)).randint(-16, 17, shape)
    return (np.asarray(drawn) / 8).astype(np.float32)


def raised(run: Callable[[], Any], *kinds: type[Exception]) -> str:
    """The name of the kind of error that is raised."""
    try:
        run()
    except kinds as error:
        return next(k.__name__ for k in kinds if isinstance(error, k))
    return "nothing"


def statistics(drawn: np.ndarray) -> np.ndarray:
    """Mean and deviation."""
    wide = drawn.astype(np.float64)
    return np.array([wide.mean(), wide.std()])


def trained(mx, net, x):
    """Output and gradients of a net, imperative and hybridized, on parameters by their order."""
    net.initialize(mx.init.Uniform(1))
    net(mx.nd.array(x))  # makes what was deferred
    learned = {n: p for n, p in net.collect_params().items() if p.grad_req != "null"}
    for i, (_, p) in enumerate(sorted(learned.items())):
        p.set_data(mx.nd.array(numbers(*p.shape, seed=i) / 4))
    held = {}
    for name in ("imperative", "hybridized"):
        given = mx.nd.array(x)
        given.attach_grad()
        if name == "hybridized":
            net.hybridize()
        with mx.autograd.record():
            out = net(given)
        out.backward(mx.nd.array(numbers(*out.shape, seed=9)))
        held |= {f"{name} out": out, f"{name} gradient": given.grad}
    for name, p in learned.items():
        held[name[len(net.prefix) :]] = p.grad()
    return {**held, "printed": repr(net)}
