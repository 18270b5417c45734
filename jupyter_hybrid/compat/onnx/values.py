"""What a name of an ONNX graph stands for while it is read: a symbol, or a known array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ... import _core, sym
from ..._core import Symbol
from ...base import MXNetError
from .reader import array_of

#: ONNX operator -> the function that reads it; each family's file adds its own.
READERS: dict[str, Callable[[NodeReader], Any]] = {}


def reads(*kinds: str) -> Callable[[Callable], Callable]:
    """Registers the function that reads these ONNX operators; it gives the outputs' values."""

    def register(function: Callable) -> Callable:
        READERS.update(dict.fromkeys(kinds, function))
        return function

    return register


@dataclass(frozen=True, eq=False)
class Open:
    """A size that is known only at run time (of an axis of a value), or what is computed of it."""

    of: Value | None = None
    axis: int = -1

    def _with(self, *_: Any) -> Open:
        return Open()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _with
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _with


@dataclass
class Value:
    """A symbol, an array known now (objects where some are :class:`Open`), or both.

    shape: None for an unknown rank, -1 for an open size.
    shape_of: the value whose shape this is.
    """

    symbol: Symbol | None
    array: np.ndarray | None
    shape: tuple[int, ...] | None
    dtype: str | None
    name: str = ""
    shape_of: Value | None = None

    @property
    def known(self) -> bool:
        return self.array is not None and self.array.dtype != object


def known_value(array: np.ndarray, name: str = "") -> Value:
    dtype = "int64" if array.dtype == object else array.dtype.name
    return Value(None, array, array.shape, dtype, name)


class GraphReader:
    """The symbols made so far, and the constants that became parameters."""

    def __init__(self) -> None:
        self.params: dict[str, np.ndarray] = {}
        self._taken: set[str] = set()

    def unique(self, wanted: str) -> str:
        name, count = wanted, 0
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name

    def symbol(self, value: Value) -> Symbol:
        """The symbol; of a known array a parameter."""
        if value.symbol is None:
            if not value.known:
                raise MXNetError(f"'{value.name}' depends on a size known only at run time")
            assert value.array is not None
            name = self.unique(value.name or "constant")
            value.symbol = sym.var(name, shape=value.array.shape, dtype=value.array.dtype)
            self.params[name] = value.array
        return value.symbol

    def apply(self, op: str, inputs: list[Any], attrs: dict[str, Any], wanted: str) -> list[Value]:
        """An MXNet operator on values and numbers: its outputs, with what follows of them."""
        symbols = [self.symbol(v) if isinstance(v, Value) else v for v in inputs]
        made = _core.sym_apply(op, symbols, attrs, self.unique(wanted))
        # The same operator alone on variables: inference costs a node, not the graph so far.
        alone, shapes, dtypes = [], {}, {}
        for i, value in enumerate(inputs):
            if isinstance(value, Value):
                alone.append(_core.sym_var(f"input{i}"))
                shapes[f"input{i}"], dtypes[f"input{i}"] = value.shape, value.dtype
            else:
                alone.append(value)
        _, out_shapes, _, out_dtypes = _core.sym_apply(op, alone, attrs, "")._infer(shapes, dtypes)
        return [
            Value(made[i], None, shape, dtype)
            for i, (shape, dtype) in enumerate(zip(out_shapes, out_dtypes, strict=True))
        ]


class NodeReader:
    """One ONNX node while it is read."""

    def __init__(self, graph: GraphReader, node: Any, inputs: list[Value | None], opset: int):
        self.graph, self.node, self.inputs, self.opset = graph, node, inputs, opset
        self.kind = node.op_type
        self.label = node.name or (node.output[0] if node.output else "")

    def fail(self, reason: str) -> NoReturn:
        raise MXNetError(
            f"onnx: node '{self.label}', operator {self.kind}, opset {self.opset}: {reason}"
        )

    # Attributes and inputs ------------------------------------------------------------------------
    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute as a number, str, list or array."""
        for attribute in self.node.attribute:
            if attribute.name == name:
                if attribute.HasField("t"):
                    return array_of(attribute.t, f"node '{self.label}', attribute '{name}'")
                for field in ("i", "f", "s"):
                    if attribute.HasField(field):
                        found = getattr(attribute, field)
                        return found.decode("utf-8", "replace") if field == "s" else found
                texts = [text.decode("utf-8", "replace") for text in attribute.strings]
                return list(attribute.ints or attribute.floats or texts)
        return default

    def has(self, i: int) -> bool:
        return i < len(self.inputs) and self.inputs[i] is not None

    def value(self, i: int = 0) -> Value:
        if not self.has(i):
            self.fail(f"input {i} is missing")
        found = self.inputs[i]
        assert found is not None
        return found

    def shape(self, i: int = 0) -> tuple[int, ...]:
        found = self.value(i).shape
        if found is None:
            self.fail(f"the rank of input {i} is unknown")
        return found

    def rank(self, i: int = 0) -> int:
        return len(self.shape(i))

    def known(self, i: int, what: str) -> np.ndarray:
        """Input i as an array that is known now."""
        value = self.value(i)
        if not value.known:
            self.fail(f"{what} ('{value.name}') must be known when the model is read")
        assert value.array is not None
        return value.array

    def ints(self, i: int, what: str) -> list[int]:
        return [int(v) for v in self.known(i, what).reshape(-1)]

    def axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < rank:
            self.fail(f"axis {axis} of {rank} axes")
        return axis + rank if axis < 0 else axis

    def axes(self, i: int, default: Any = None) -> Any:
        """Axes that are input i, or in older opsets the attribute."""
        if self.has(i):
            return self.ints(i, "axes")
        return self.attr("axes", default)

    # What is made ---------------------------------------------------------------------------------
    def apply(self, op: str, *inputs: Any, **attrs: Any) -> Value:
        """An operator's first output."""
        return self.apply_all(op, *inputs, **attrs)[0]

    def apply_all(self, op: str, *inputs: Any, **attrs: Any) -> list[Value]:
        try:
            return self.graph.apply(op, list(inputs), attrs, self.label or self.kind.lower())
        except MXNetError as error:
            self.fail(str(error))

    def reshape(self, x: Value, shape: Any) -> Value:
        return self.apply("reshape", x, shape=tuple(int(s) for s in shape))

    def cast(self, x: Value, dtype: Any) -> Value:
        name = np.dtype(dtype).name
        return x if x.dtype == name else self.apply("cast", x, dtype=name)
