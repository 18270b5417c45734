"""A scripted function for one signature: a compiled graph, where inputs come from, the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import _core
from ...np_face import DTYPES, TracedArray
from ...np_face.protocols import Recorder
from ...reasons import Reason
from ..control.trees import rebuild


@dataclass
class Argument:
    """An array that the function is called with."""

    path: str  # "x", "state[0]"
    kind: str  # "nd"; NumPy's "np" or "scalar"
    shape: tuple[int, ...]
    dtype: Any
    context: Any
    handle: Any = None  # while it is traced: the parameter, and what the body sees of it
    seen: Any = None

    @property
    def name(self) -> str:
        """Of its variable in the graph."""
        return "".join(c if c.isalnum() else "_" for c in self.path.replace("'", "")).rstrip("_")

    @classmethod
    def of(cls, path: str, value: Any) -> Argument | None:
        """None for a value that is no array."""
        if type(value) is _core.NDArray:
            return cls(path, "nd", tuple(value.shape), np.dtype(value.dtype), value.context)
        if type(value) is TracedArray or type(value) is np.ndarray or isinstance(value, np.generic):
            if type(value) is TracedArray:
                scalar = value.is_scalar
            else:
                scalar = isinstance(value, np.generic)
            if value.dtype not in DTYPES:
                return None
            kind = "scalar" if scalar else "np"
            return cls(path, kind, tuple(value.shape), value.dtype, None)
        return None

    @property
    def key(self) -> tuple:
        """What a program of it depends on."""
        return self.path, self.kind, self.shape, self.dtype.name, self.context


@dataclass
class Output:
    """A leaf of the result."""

    kind: str  # "nd", "np", "scalar"; "int", "float", "bool"; "argument"; "object"
    index: int = -1  # of the graph's output, or of the argument
    value: Any = None


@dataclass
class Program:
    """One signature's."""

    graph: Any
    arguments: list[Argument]
    sources: list[Any]  # of each graph input: an Argument, an NDArray or an ndarray
    form: Any  # the result, with an Output in each leaf
    bound: dict[str, Any]  # the arguments it was traced with: keeps objects alive
    watched: list[tuple[Any, str, Any]]
    statics: list[Any] = field(default_factory=list)  # other arguments: their ids stay theirs
    params: dict[int, Any] = field(default_factory=dict)  # by id of an array: its Parameter

    def __post_init__(self) -> None:
        places = {id(a): i for i, a in enumerate(self.arguments)}
        self.positions = [places.get(id(s), -1) if isinstance(s, Argument) else -1
                          for s in self.sources]  # fmt: skip
        for argument in self.arguments:
            argument.handle = argument.seen = None
        self.cached = _core.CachedGraph(self.graph)
        self.bound = {}

    def run(self, leaves: list[Any]) -> Any:
        """The result for arrays in the order of the arguments."""
        inputs = [
            _handle(leaves[at]) if at >= 0 else self._constant(source)
            for at, source in zip(self.positions, self.sources)
        ]
        outputs = self.cached.call(inputs) if self.graph.outputs else []
        recorder = next((a.recorder for a in leaves if type(a) is TracedArray), None)

        def leaf(_: str, output: Output) -> Any:
            if output.kind == "argument":
                return leaves[output.index]
            if output.kind == "object":
                return output.value
            made = outputs[output.index]
            if output.kind == "nd":
                return made
            if recorder is not None and made._traced:
                return _recorded(recorder, made, output.kind)
            real = _core.as_numpy(made)
            if output.kind == "np":
                return real
            return real[()] if output.kind == "scalar" else real[()].item()

        return rebuild("result", self.form, leaf)

    def _constant(self, source: Any) -> Any:
        if type(source) is np.ndarray:
            return _core.from_numpy(source)
        param = self.params.get(id(source))
        return source if param is None else param.data(source.context)

    def constants(self) -> Iterator[tuple[int, Any]]:
        """(input's node, array) of the arrays that are no arguments."""
        for node, source in zip(self.graph.inputs, self.sources):
            if not isinstance(source, Argument):
                yield node, _core.from_numpy(source) if type(source) is np.ndarray else source


def _handle(value: Any) -> Any:
    if type(value) is _core.NDArray:
        return value
    if type(value) is TracedArray:
        return value.handle
    return _core.from_numpy(np.ascontiguousarray(value).reshape(np.shape(value)))


def _recorded(recorder: Recorder, made: Any, kind: str) -> Any:
    """A result inside a recorded cell."""
    if kind in ("np", "scalar"):
        return TracedArray.of_node(recorder, made, scalar=kind == "scalar")
    recorder.sync([made], Reason("a scripted function returns a Python number"))
    return _core.as_numpy(made)[()].item()
