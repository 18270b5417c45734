"""What exporting a graph builds: ONNX nodes and constants with unique names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..._core import Node
from ...base import MXNetError
from .library import number_of, onnx

#: Core operator -> the function that writes it; each family's file adds its own.
WRITERS: dict[str, Callable[[NodeWriter], Any]] = {}


def writes(*operators: str) -> Callable[[Callable], Callable]:
    """Registers the function that writes these core operators; it gives the outputs' names."""

    def register(function: Callable) -> Callable:
        WRITERS.update(dict.fromkeys(operators, function))
        return function

    return register


class GraphWriter:
    """Nodes and initializers in the order of writing."""

    def __init__(self, opset: int):
        self.opset = opset
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self._taken: set[str] = set()
        self._constants: dict[tuple, str] = {}

    def unique(self, wanted: str) -> str:
        """``wanted``, with a number behind it when it is taken."""
        name, count = wanted, 0
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name

    def initializer(self, name: str, value: np.ndarray) -> None:
        """A constant of a name that :meth:`unique` gave."""
        number_of(value.dtype.name)
        value = np.asarray(value, order="C")
        self.initializers.append(onnx().numpy_helper.from_array(value, name))

    def constant(self, value: np.ndarray, wanted: str) -> str:
        """The name of a constant; equal ones are stored once."""
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self._constants:
            self._constants[key] = self.unique(wanted)
            self.initializer(self._constants[key], value)
        return self._constants[key]

    def node(
        self, kind: str, inputs: Sequence[str], wanted: str, outputs: int, attrs: dict[str, Any]
    ) -> list[str]:
        """Adds a node; the names of its outputs."""
        names = [self.unique(wanted) for _ in range(outputs)]
        made = onnx().helper.make_node(kind, list(inputs), names, name=names[0], **attrs)
        self.nodes.append(made)
        return names

    def rename(self, old: str, new: str) -> None:
        """Gives a node's output another name wherever it occurs."""
        self._taken.add(new)
        for node in self.nodes:
            for names in (node.input, node.output):
                for i, name in enumerate(names):
                    if name == old:
                        names[i] = new


class NodeWriter:
    """One node of our graph while it is written.

    ``inputs`` are names; ``shapes`` and ``dtypes`` are theirs, -1 for a size known only at run
    time; ``out_shapes`` and ``out_dtypes`` are those of the node's outputs.
    """

    def __init__(
        self,
        graph: GraphWriter,
        node: Node,
        inputs: list[str],
        kinds: list[tuple[tuple[int, ...] | None, str | None]],
        out_kinds: list[tuple[tuple[int, ...] | None, str | None]],
    ):
        self.graph, self.node, self.inputs, self.attrs = graph, node, inputs, node.attrs
        self._kinds, self._out_kinds = kinds, out_kinds
        self.opset = graph.opset

    def fail(self, reason: str) -> NoReturn:
        """The node cannot be written."""
        raise MXNetError(f"onnx: node '{self.node.name}', operator {self.node.op}: {reason}")

    # What is known --------------------------------------------------------------------------------
    def shape(self, i: int = 0) -> tuple[int, ...]:
        """Input i's shape, -1 where a size is open."""
        found = self._kinds[i][0]
        if found is None:
            self.fail(f"the rank of input {i} is unknown; give the inputs' shapes")
        return found

    def static(self, i: int = 0) -> tuple[int, ...]:
        """Input i's shape, wholly known."""
        shape = self.shape(i)
        if -1 in shape:
            self.fail(f"needs a fixed shape, its input {i} has {shape}")
        return shape

    def dtype(self, i: int = 0) -> np.dtype:
        return self._dtype(self._kinds[i][1])

    @property
    def out_dtype(self) -> np.dtype:
        return self._dtype(self._out_kinds[0][1])

    @property
    def out_shape(self) -> tuple[int, ...]:
        found = self._out_kinds[0][0]
        if found is None:
            self.fail("the rank of its result is unknown; give the inputs' shapes")
        return found

    def _dtype(self, name: str | None) -> np.dtype:
        if name is None:
            self.fail("a dtype is unknown; give the inputs' dtypes")
        number_of(name)
        return np.dtype(name)

    def axis(self, axis: int, rank: int | None = None) -> int:
        """An axis counted from the front."""
        return axis + (len(self.shape()) if rank is None else rank) if axis < 0 else axis

    # What is written ------------------------------------------------------------------------------
    def add(self, kind: str, *inputs: str, **attrs: Any) -> str:
        """A node of one output."""
        return self.graph.node(kind, inputs, self._wanted(kind), 1, attrs)[0]

    def add_many(self, kind: str, outputs: int, *inputs: str, **attrs: Any) -> list[str]:
        """A node of several outputs."""
        return self.graph.node(kind, inputs, self._wanted(kind), outputs, attrs)

    def _wanted(self, kind: str) -> str:
        return f"{self.node.name}_{kind.lower()}"

    def number(self, value: Any, dtype: Any = None) -> str:
        """A 0-d constant in a dtype (input 0's), converted as the core does: toward 0."""
        dtype = np.dtype(self.dtype() if dtype is None else dtype)
        if dtype.kind in "iu" and isinstance(value, float):
            value = int(value)
        return self.constant(np.array(value).astype(dtype))

    def constant(self, value: np.ndarray) -> str:
        return self.graph.constant(value, f"{self.node.name}_const")

    def ints(self, values: Sequence[int]) -> str:
        """A 1-d int64 constant."""
        return self.constant(np.array(list(values), dtype=np.int64))

    def cast(self, x: str, given: Any, wanted: Any) -> str:
        if np.dtype(given) == np.dtype(wanted):
            return x
        return self.add("Cast", x, to=number_of(np.dtype(wanted).name))

    def truth(self, x: str, given: Any) -> str:
        """Whether x is not 0, as bool."""
        return self.cast(x, given, np.bool_)

    def where(self, condition: str, x: str, y: str) -> str:
        return self.add("Where", condition, x, y)

    def reduce(self, kind: str, x: str, axes: Sequence[int], keepdims: bool) -> str:
        """Axes are an input since opset 18, ReduceSum's since 13."""
        if not axes:
            return x
        if kind == "ReduceSum" or self.opset >= 18:
            return self.add(kind, x, self.ints(axes), keepdims=int(keepdims))
        return self.add(kind, x, axes=list(axes), keepdims=int(keepdims))

    def reshape(self, x: str, shape: Sequence[int]) -> str:
        """To a shape of which at most one size is open."""
        shape = [int(s) for s in shape]
        if shape.count(-1) > 1:
            self.fail(f"more than one size of its result {tuple(shape)} is open")
        if 0 in shape:
            return self.add("Reshape", x, self.ints(shape), allowzero=1)
        return self.add("Reshape", x, self.ints(shape))

    def transpose(self, x: str, axes: Sequence[int]) -> str:
        if list(axes) == list(range(len(axes))):
            return x
        return self.add("Transpose", x, perm=list(axes))

    def slice(self, x: str, begin: Any, end: Any, axes: Any, steps: Any = None) -> str:
        rows = [self.ints(begin), self.ints(end), self.ints(axes)]
        return self.add("Slice", x, *rows, *([self.ints(steps)] if steps is not None else []))
