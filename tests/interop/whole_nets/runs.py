"""How a net is exported, loaded and trained, with the same code by both systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Results = dict[str, np.ndarray]


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Standard normal numbers, the same in every version of NumPy."""
    return np.random.RandomState(seed + sum(shape)).normal(size=shape).astype(np.float32)


def whole(high: int, *shape: int) -> np.ndarray:
    """Whole numbers below ``high``, as float32."""
    return np.random.RandomState(sum(shape)).randint(0, high, size=shape).astype(np.float32)


class Net(NamedTuple):
    """What makes it of the module, and arrays it is called with."""

    make: Callable[[Any], Any]
    inputs: list[np.ndarray]
    trains: bool = True  # False where genuine MXNet has no gradient

    @property
    def names(self) -> list[str]:
        """As exports name the inputs."""
        many = len(self.inputs) > 1
        return [f"data{i}" for i in range(len(self.inputs))] if many else ["data"]


def write(mx: Any, net: Net, start: str) -> Results:
    """Exports to ``start-symbol.json`` and ``-0000.params``, saves ``-gluon.params``.

    Returns what the net, not hybridized, then predicts and what a step of training leaves.
    """
    block, given = _filled(mx, net), _arrays(mx, net)
    block.hybridize()
    block(*given)
    block.export(start)
    block.save_parameters(start + "-gluon.params")
    plain = net.make(mx)
    plain.load_parameters(start + "-gluon.params")
    return _used(mx, net, plain)


def read(mx: Any, net: Net, start: str) -> dict[str, Results]:
    """The same, of what was written, by each of the ways to load it."""
    files = start + "-symbol.json", start + "-0000.params"
    found = {
        "imports": _used(mx, net, mx.gluon.SymbolBlock.imports(files[0], net.names, files[1])),
        "imports hybridized": _used(mx, net, _hybridized(mx, net, files)),
        "symbol": {"out": _executed(mx, net, *files)},
    }
    own, exported = net.make(mx), net.make(mx)
    own.load_parameters(start + "-gluon.params")
    own.hybridize()
    exported.collect_params().load(files[1])
    return {
        **found,
        "load_parameters": _used(mx, net, own),
        "collect_params().load": _used(mx, net, exported),
    }


def write_again(mx: Any, net: Net, start: str, again: str) -> None:
    """Writes what was loaded."""
    block = _hybridized(mx, net, (start + "-symbol.json", start + "-0000.params"))
    block(*_arrays(mx, net))
    block.export(again)
    own = net.make(mx)
    own.load_parameters(start + "-gluon.params")
    own.save_parameters(again + "-gluon.params")


def _hybridized(mx: Any, net: Net, files: tuple[str, str]) -> Any:
    block = mx.gluon.SymbolBlock.imports(files[0], net.names, files[1])
    block.hybridize()
    return block


def _executed(mx: Any, net: Net, symbol: str, params: str) -> np.ndarray:
    """By the symbol alone, as the classic interface does."""
    sym, held = mx.sym.load(symbol), mx.nd.load(params)
    args = {k.split(":", 1)[1]: v for k, v in held.items() if k.startswith("arg:")}
    states = {k.split(":", 1)[1]: v for k, v in held.items() if k.startswith("aux:")}
    args.update(zip(net.names, _arrays(mx, net)))
    assert set(sym.list_arguments()) == set(args)
    assert set(sym.list_auxiliary_states()) == set(states)
    executor = sym.bind(mx.cpu(), args, aux_states=states, grad_req="null")
    return executor.forward(is_train=False)[0].asnumpy()


def _used(mx: Any, net: Net, block: Any) -> Results:
    """What it predicts, in training and at rest, and each parameter after a step."""
    given = _arrays(mx, net)
    found = {"out": block(*given).asnumpy()}
    if not net.trains:
        return found
    params = block.collect_params()
    trainer = mx.gluon.Trainer(params, "sgd", {"learning_rate": 0.1, "wd": 0.01})
    target = mx.nd.array(normal(*found["out"].shape, seed=1))
    with mx.autograd.record():
        out = block(*given)
        loss = mx.nd.square(out - target).sum()
    loss.backward()
    trainer.step(len(net.inputs[0]))
    found["trained out"] = out.asnumpy()
    found |= {f"after:{name}": p.data().asnumpy() for name, p in params.items()}
    return found


def _arrays(mx: Any, net: Net) -> list[Any]:
    return [mx.nd.array(array) for array in net.inputs]


def _filled(mx: Any, net: Net) -> Any:
    """The net with numbers that follow from a parameter's place, name and shape."""
    block, first = net.make(mx), net.make(mx)
    first.initialize()
    first(*_arrays(mx, net))  # tells the shapes; with oneDNN, it keeps its weights in other layouts
    shapes = {name: param.shape for name, param in first.collect_params().items()}
    for number, (name, param) in enumerate(block.collect_params().items()):
        param.shape = shapes[name]
        drawn = normal(*param.shape, seed=number)
        fan_in = max(1, int(np.prod(param.shape[1:])))
        scaled = drawn * np.float32(fan_in**-0.5 if len(param.shape) > 1 else 0.1)
        if name.endswith(("gamma", "running_var")):
            scaled = 1 + np.abs(drawn) / 2
        param.initialize()
        param.set_data(mx.nd.array(scaled))
    return block
