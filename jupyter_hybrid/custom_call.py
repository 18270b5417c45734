"""One use of a custom operator: what nd.Custom, sym.Custom and the core's graphs share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np

from . import _core
from ._core import MXNetError, NDArray
from .custom_op import PROPS, CustomOpProp


class CustomCall:
    """A registered operator with its arguments."""

    def __init__(self, op_type: str | None, arguments: dict[str, Any]):
        make: Any = PROPS.get(op_type or "")
        if make is None:
            known = ", ".join(sorted(PROPS))
            raise MXNetError(
                f"Custom: op_type {op_type!r} is not registered; registered are {known}"
            )
        self.op_type = op_type
        # As in MXNet, arguments arrive as text.
        self.arguments = {key: str(value) for key, value in arguments.items()}
        with _named(f"Custom {op_type!r}"):
            self.prop: CustomOpProp = make(**self.arguments)
        self.inputs = list(self.prop.list_arguments())
        self.outputs = list(self.prop.list_outputs())
        self.states = list(self.prop.list_auxiliary_states())

    @classmethod
    def decoded(cls, op_type: str, text: str) -> CustomCall:
        """Of a graph's node."""
        return cls(op_type, dict(parse_qsl(text, keep_blank_values=True)))

    @property
    def encoded(self) -> str:
        """The arguments as a graph's node keeps them."""
        return urlencode(sorted(self.arguments.items()), quote_via=quote)

    def by_name(self, data: Sequence[Any], given: dict[str, Any]) -> list[Any]:
        """What is given by position and by name, in order; None where nothing is given."""
        names = [*self.inputs, *self.states]
        if len(data) > len(names):
            raise MXNetError(
                f"Custom {self.op_type!r}: expected {len(names)} arrays ({', '.join(names)}), "
                f"given {len(data)}"
            )
        found = dict(zip(names, data)) | given
        return [found.get(name) for name in names]

    def shapes(self, known: Sequence[Any]) -> tuple[list, list, list]:
        """Of inputs, outputs and states, from what is known of the inputs."""
        return self._three("infer_shape", [[] if s is None else list(s) for s in known])

    def dtypes(self, known: Sequence[Any]) -> tuple[list, list, list]:
        """Likewise; inputs of unknown dtype count as the first."""
        return self._three("infer_type", [known[0] if d is None else d for d in known])

    def _three(self, method: str, given: list) -> tuple[list, list, list]:
        with _named(f"Custom {self.op_type!r}, {method}"):
            lists = [list(part) for part in getattr(self.prop, method)(given)]
        lists += [[]] * (3 - len(lists))
        counts = [len(self.inputs), len(self.outputs), len(self.states)]
        if [len(part) for part in lists] != counts:
            raise MXNetError(
                f"Custom {self.op_type!r}: {method} gave {[len(p) for p in lists]} entries for "
                f"inputs, outputs and states, expected {counts}"
            )
        return lists[0], lists[1], lists[2]

    def run(self, data: Sequence[NDArray]) -> list[NDArray]:
        """Computes the outputs, and records them where operators are recorded."""
        names = [*self.inputs, *self.states]
        if len(data) != len(names) or not all(isinstance(a, NDArray) for a in data):
            raise MXNetError(
                f"Custom {self.op_type!r}: expected {len(names)} arrays ({', '.join(names)}), "
                f"given {[type(a).__name__ for a in data]}"
            )
        count = len(self.inputs)
        dtypes = [np.dtype(a.dtype).type for a in data[:count]]
        out_shapes = self.shapes([a.shape for a in data[:count]])[1]
        out_dtypes = self.dtypes(dtypes)[1]
        context = data[0].context if data else _core.current_context()
        with _named(f"Custom {self.op_type!r}, create_operator"):
            op = self.prop.create_operator(context, [list(a.shape) for a in data[:count]], dtypes)
        inputs, aux = [a.detach() for a in data[:count]], list(data[count:])
        recording = _core.set_recording(False)
        try:
            outputs = [_zeros(s, d, context) for s, d in zip(out_shapes, out_dtypes, strict=True)]
            req = ["write"] * len(outputs)
            with _named(f"Custom {self.op_type!r}, forward"):
                op.forward(_core.is_training(), req, inputs, outputs, aux)
        finally:
            _core.set_recording(recording)
        if not recording:
            return outputs

        def backward(grads: list[NDArray]) -> list[NDArray]:
            made = [_zeros(a.shape, a.dtype, context) for a in inputs]
            with _named(f"Custom {self.op_type!r}, backward"):
                op.backward(["write"] * count, grads, inputs, outputs, made, aux)
            return made

        return _core.record_function(data[:count], outputs, backward)


@contextmanager
def _named(what: str) -> Iterator[None]:
    """MXNet raises its own error for whatever a custom operator raises: that is its cause."""
    try:
        yield
    except MXNetError:
        raise
    except Exception as error:
        raise MXNetError(f"{what}: {type(error).__name__}: {error}") from error


def _zeros(shape: Any, dtype: Any, context: Any) -> NDArray:
    attrs = {"shape": tuple(shape), "dtype": np.dtype(dtype).name}
    return _core.invoke("_zeros", (), attrs, None, context)


def _counts(op_type: str, arguments: str) -> tuple[int, int]:
    call = CustomCall.decoded(op_type, arguments)
    return len(call.inputs), len(call.outputs)


def _infer(op_type: str, arguments: str, shapes: list, dtypes: list) -> tuple:
    """What the core asks of a graph's node: nothing is known while the first input is not."""
    call = CustomCall.decoded(op_type, arguments)
    count, unknown = len(call.inputs), [None] * len(call.outputs)
    known = [None if s is None or -1 in s else s for s in shapes]
    if count == 0 or known[0] is not None:
        inputs, out_shapes, states = call.shapes(known[:count])
        # A shape that infer_shape leaves empty as it got it stays unknown.
        inputs = [None if not s and k is None else s for s, k in zip(inputs, known)]
        known = inputs + states
    else:
        out_shapes = unknown
    types = [None if d is None else np.dtype(d).type for d in dtypes]
    if count == 0 or types[0] is not None:
        inputs, out_dtypes, states = call.dtypes(types[:count])
        types = inputs + states
    else:
        out_dtypes = unknown
    return known, types, out_shapes, out_dtypes


_core.set_custom_hooks(_counts, _infer)
