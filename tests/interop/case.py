"""Cases: what both systems compute and tests compare. The same code runs under either of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from drawn import Drawn

Results = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A name, the public names that it is about, and what computes its results.

    Attributes:
        values: False where only shapes and dtypes can be equal (random numbers).
        times: the tolerance's factor, where a result is ill-conditioned or sums very much.
        raises: both systems must refuse it.
    """

    name: str
    covers: tuple[str, ...]
    run: Callable[[Any], Results]
    values: bool = True
    times: float = 1.0
    raises: bool = False


@dataclass
class Family:
    """Operators' cases of one file: ``add`` numbers them by operator."""

    name: str
    cases: list[Case] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        operator: str,
        *inputs: Any,
        values: bool = True,
        times: float = 1.0,
        raises: bool = False,
        call: Call | None = None,
        **attrs: Any,
    ) -> None:
        """``mx.nd.OPERATOR(*inputs, **attrs)``; a leading dot makes it a method of the first."""
        number = self.counts.get(operator, 0)
        self.counts[operator] = number + 1
        name = f"{operator}-{number}"
        done = call or Call()
        covers = (f"nd.NDArray{operator}",) if operator[0] == "." else (f"nd.{operator}",)
        run = Run(name, operator, inputs, attrs, done)
        self.cases.append(Case(name, covers, run, values, times, raises))

    def every(self, dtypes: tuple[str, ...], operator: str, *inputs: Any, **kwargs: Any) -> None:
        """A case a dtype; inputs that are fixed keep theirs."""
        for dtype in dtypes:
            drawn = [x.of(dtype) if isinstance(x, Drawn) else x for x in inputs]
            self.add(operator, *drawn, **kwargs)


@dataclass(frozen=True)
class Call:
    """How an operator's case is called.

    Attributes:
        gradient: with gradients of its inputs.
        train: ``autograd.record(train_mode=...)``.
        out: the place, or places, of what is given as ``out`` (updates of optimizers).
        statistics: of outputs only their statistics along the last axis (of random numbers).
    """

    gradient: bool = True
    train: bool = True
    out: int | tuple[int, ...] | None = None
    statistics: bool = False


@dataclass(frozen=True)
class Run:
    """Runs an operator's case: outputs, gradients, and inputs that the operator writes."""

    name: str
    operator: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    call: Call

    def arrays(self, mx: Any) -> list[Any]:
        def made(given: Any, place: str) -> Any:
            if isinstance(given, Drawn):
                array = given.array(f"{self.name} {place}")
                return mx.nd.array(array, dtype=array.dtype)
            if isinstance(given, list):
                return [made(x, f"{place}.{i}") for i, x in enumerate(given)]
            return given

        return [made(x, str(i)) for i, x in enumerate(self.inputs)]

    def ways(self, mx: Any) -> list[str]:
        """In which the same can be asked: "sym", as a "method", or a "symbol's method".

        ``F = sym`` takes no lists.
        """
        if self.call.out is not None:
            return []
        found = []
        arrays = [isinstance(x, Drawn) for x in self.inputs]
        symbolic = not any(isinstance(x, list) for x in self.inputs)
        if symbolic and (self.operator[0] == "." or _found(mx.sym, self.operator) is not None):
            found.append("sym")
        if arrays[:1] == [True] and "." not in self.operator:
            found += ["method"] * hasattr(mx.nd.NDArray, self.operator)
            found += ["symbol's method"] * (symbolic and hasattr(mx.sym.Symbol, self.operator))
        return found

    def __call__(self, mx: Any, way: str = "nd") -> Results:
        arrays = self.arrays(mx)
        before = [x.asnumpy() if isinstance(x, mx.nd.NDArray) else None for x in arrays]
        leaves = [x for x in _flat(arrays) if isinstance(x, mx.nd.NDArray)]
        leaves = [x for x in leaves if self.call.gradient and np.dtype(x.dtype).kind == "f"]
        for leaf in leaves:
            leaf.attach_grad()
        attrs = dict(self.attrs)
        if self.call.out is not None:
            places = self.call.out
            one = isinstance(places, int)
            attrs["out"] = arrays[places] if one else [arrays[i] for i in places]
        function = self._through_symbol(mx, way) if way.startswith("sym") else None
        with mx.autograd.record(train_mode=self.call.train):
            if function is not None:
                made = function(*arrays)
            elif self.operator[0] == "." or way == "method":
                made = getattr(arrays[0], self.operator.lstrip("."))
                made = made(*arrays[1:], **attrs) if callable(made) else made
            else:
                made = _found(mx.nd, self.operator)(*arrays, **attrs)
            outputs = list(made) if isinstance(made, (list, tuple)) else [made]
        outputs = [x for x in outputs if x is not None]
        results = {f"out{i}": as_numpy(y) for i, y in enumerate(outputs)}
        if self.call.statistics:
            return {key: _statistics(drawn) for key, drawn in results.items()}
        if leaves:
            results.update(self._gradients(mx, outputs, leaves))
        if way == "nd":
            for i, (x, old) in enumerate(zip(arrays, before)):
                if old is not None and not np.array_equal(x.asnumpy(), old, equal_nan=True):
                    results[f"written{i}"] = x.asnumpy()
        return results

    def _through_symbol(self, mx: Any, way: str) -> Any:
        if not any(isinstance(x, Drawn) for x in self.inputs):
            return lambda *given: _found(mx.sym, self.operator)(*given, **self.attrs).eval(mx.cpu())

        def forward(F: Any, *symbols: Any) -> Any:
            rest = iter(symbols)
            xs = [next(rest) if isinstance(x, Drawn) else x for x in self.inputs]
            if self.operator[0] == "." or way == "symbol's method":
                return getattr(xs[0], self.operator.lstrip("."))(*xs[1:], **self.attrs)
            return _found(F, self.operator)(*xs, **self.attrs)

        net = mx.gluon.nn.HybridLambda(forward)
        net.hybridize()
        return lambda *given: net(*(x for x in given if isinstance(x, mx.nd.NDArray)))

    def _gradients(self, mx: Any, outputs: list[Any], leaves: list[Any]) -> Results:
        """Nothing where the system has no gradient."""
        heads = []
        for i, out in enumerate(outputs):
            head = Drawn("real", out.shape, dtype=np.dtype(out.dtype).name)
            heads.append(mx.nd.array(head.array(f"{self.name} head{i}"), dtype=out.dtype))
        try:
            mx.autograd.backward(outputs, heads, train_mode=self.call.train)
            return {f"grad{i}": leaf.grad.asnumpy() for i, leaf in enumerate(leaves)}
        except (mx.MXNetError, ValueError):
            return {}


def as_numpy(value: Any) -> np.ndarray:
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)


def _statistics(drawn: np.ndarray) -> np.ndarray:
    """Mean, deviation and characteristic function of what stands along the last axis."""
    wide = drawn.astype(np.float64)
    return np.stack([wide.mean(-1), wide.std(-1), np.cos(wide).mean(-1), np.sin(wide).mean(-1)])


def _flat(values: list[Any]) -> list[Any]:
    return [y for x in values for y in (_flat(x) if isinstance(x, list) else [x])]


def _found(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module
