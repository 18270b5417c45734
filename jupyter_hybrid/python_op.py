"""MXNet's first operators of the user's, ``NumpyOp`` and ``NDArrayOp``: an instance is an operator.

Each is a :class:`CustomOpProp` of a name of its own, so that graphs hold it as they hold others.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from . import _core
from ._core import Symbol
from .custom_op import CustomOp, CustomOpProp, register

__all__ = ["NDArrayOp", "NumpyOp", "PythonOp"]

_numbers = count()


class PythonOp:
    """What both have: subclasses say names and shapes, and compute.

    Args:
        need_top_grad: the gradient depends on those of the outputs; False for losses.
    """

    def __init__(self, need_top_grad: bool = True):
        self.need_top_grad_ = need_top_grad
        self._op_type = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Symbol:
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Symbol:
        """The operator on symbols, given in order or by the names of :meth:`list_arguments`."""
        from . import sym  # noqa: PLC0415 - which needs what this module defines

        if not self._op_type:
            self._op_type = f"_{type(self).__name__.lower()}{next(_numbers)}"
            register(self._op_type)(_prop_of(self))
        return sym.Custom(*args, op_type=self._op_type, **kwargs)

    def forward(self, in_data: list[Any], out_data: list[Any]) -> None:
        """Computes into ``out_data``: here, a copy of the input."""
        out_data[0][:] = in_data[0]

    def backward(
        self, out_grad: list[Any], in_data: list[Any], out_data: list[Any], in_grad: list[Any]
    ) -> None:
        """Computes the gradients by the inputs into ``in_grad``: here, 1."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: list) -> Any:
        """Shapes of the inputs -> (of the inputs, of the outputs)."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Names of the inputs."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Whether the gradient depends on those of the outputs."""
        return self.need_top_grad_


class NumpyOp(PythonOp):
    """An operator that computes with NumPy's arrays; what it writes into them is its result."""


class NDArrayOp(PythonOp):
    """An operator that computes with NDArrays."""

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> list[int]:
        """What ``backward`` reads; it is given everything."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


class _Runs(CustomOp):
    """Calls a PythonOp with arrays of its kind and puts what it wrote where it belongs."""

    def __init__(self, op: PythonOp):
        self._op = op

    def forward(
        self, is_train: bool, req: list[str], in_data: list, out_data: list, aux: list
    ) -> None:
        results = self._targets(out_data)
        self._op.forward(in_data=self._seen(in_data), out_data=results)
        self._put(out_data, req, results)

    def backward(
        self, req: list[str], out_grad: list, in_data: list, out_data: list, in_grad: list,
        aux: list,
    ) -> None:  # fmt: skip
        results = self._targets(in_grad)
        self._op.backward(
            out_grad=self._seen(out_grad) if self._op.need_top_grad() else [],
            in_data=self._seen(in_data), out_data=self._seen(out_data), in_grad=results,
        )  # fmt: skip
        self._put(in_grad, req, results)

    def _seen(self, arrays: list) -> list:
        return [a.asnumpy() for a in arrays] if isinstance(self._op, NumpyOp) else list(arrays)

    def _targets(self, arrays: list) -> list:
        made = [np.zeros(a.shape, a.dtype) for a in arrays]
        return made if isinstance(self._op, NumpyOp) else [_core.array(a) for a in made]

    def _put(self, arrays: list, req: list[str], results: list) -> None:
        for array, how, result in zip(arrays, req, results, strict=True):
            self.assign(array, how, result)


def _prop_of(op: PythonOp) -> type[CustomOpProp]:
    class Prop(CustomOpProp):
        def __init__(self) -> None:
            super().__init__(op.need_top_grad())

        def list_arguments(self) -> list[str]:
            return op.list_arguments()

        def list_outputs(self) -> list[str]:
            return op.list_outputs()

        def infer_shape(self, in_shape: list) -> Any:
            inputs, outputs = op.infer_shape(in_shape)
            return inputs, outputs, []

        def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> CustomOp:
            return _Runs(op)

    return Prop
