"""Operators that Python defines, as MXNet 1.x's ``operator``: CustomOp and CustomOpProp.

``nd.Custom(*data, op_type=name, **arguments)`` runs one at once; ``sym.Custom`` puts it into a
graph, which is then run node by node on the calling thread, since compiled programs call no Python.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np

from . import _core
from ._core import MXNetError, NDArray

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "OperatorArguments",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]

OperatorArguments = namedtuple("OperatorArguments", ["narg", "names", "types"])

Prop = TypeVar("Prop", bound="type[CustomOpProp]")


class CustomOp:
    """The computation of an operator: subclasses define ``forward`` and ``backward``."""

    def forward(self, is_train: bool, req: list[str], in_data: list[NDArray],
                out_data: list[NDArray], aux: list[NDArray]) -> None:  # fmt: skip
        """Computes ``in_data`` into ``out_data``, with ``self.assign`` as ``req`` says."""

    def backward(self, req: list[str], out_grad: list[NDArray], in_data: list[NDArray],
                 out_data: list[NDArray], in_grad: list[NDArray],
                 aux: list[NDArray]) -> None:  # fmt: skip
        """Computes the gradients by the inputs into ``in_grad``."""

    def assign(self, dst: NDArray, req: str, src: Any) -> None:
        """Writes (``write``, ``inplace``), adds (``add``) or leaves (``null``) an array."""
        if req in ("write", "inplace"):
            dst[:] = src
        elif req == "add":
            dst[:] = dst + src


class CustomOpProp:
    """What is known of an operator: names, shapes, dtypes, and who computes it.

    Args:
        need_top_grad: the gradient depends on those of the outputs; False for losses.
    """

    def __init__(self, need_top_grad: bool = True):
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape: list) -> Any:
        """Shapes of the inputs -> (of the inputs, of the outputs[, of the auxiliary states])."""
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list) -> Any:
        """dtypes likewise."""
        return (
            in_type,
            [in_type[0]] * len(self.list_outputs()),
            [in_type[0]] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type(self, in_stype: list) -> Any:
        """Storage likewise: ``default``, since sparse storage is not carried."""
        outputs, states = self.list_outputs(), self.list_auxiliary_states()
        return in_stype, ["default"] * len(outputs), ["default"] * len(states)

    def infer_storage_type_backward(self, ograd_stype: list, in_stype: list, out_stype: list,
                                    igrad_stype: list, aux_stype: list) -> Any:  # fmt: skip
        """Storage of the gradients: ``default``."""
        lists = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        return tuple(["default"] * len(stypes) for stypes in lists)

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Names of the inputs."""
        return ["data"]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the auxiliary states, which follow the inputs."""
        return []

    def declare_backward_dependency(self, out_grad: list[int], in_data: list[int],
                                    out_data: list[int]) -> list[int]:  # fmt: skip
        """Which of these arrays' numbers the gradient reads."""
        return [*(out_grad if self.need_top_grad_ else []), *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list, in_dtypes: list) -> CustomOp:
        """Who computes inputs of these shapes and dtypes."""
        return CustomOp()


_PROPS: dict[str, type[CustomOpProp]] = {}


def register(reg_name: str) -> Callable[[Prop], Prop]:
    """A decorator that makes a subclass of CustomOpProp known as ``op_type=reg_name``."""

    def do_register(prop_cls: Prop) -> Prop:
        _PROPS[reg_name] = prop_cls
        return prop_cls

    return do_register


register("custom_op")(CustomOpProp)


def get_all_registered_operators() -> list[str]:
    """The names of all operators, internal ones included."""
    return [row["name"] for row in _core.mx_table()]


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """Number, names and types of what an operator is called with.

    Raises:
        MXNetError: there is no operator of that name.
    """
    row = next((r for r in _core.mx_table() if r["name"] == op_name), None)
    if row is None:
        raise MXNetError(f"get_operator_arguments: there is no operator {op_name!r}")
    op = next(o for o in _core.op_table() if o["name"] == row["op"])
    many = "NDArray-or-Symbol[]" if op["variadic"] else "NDArray-or-Symbol"
    names, types = [i["name"] for i in op["inputs"]], [many for _ in op["inputs"]]
    mx_name = {core: mx for mx, core in row["renamed"].items()}
    for attr in op["attrs"]:
        if attr["name"] in row["fixed"]:
            continue
        names.append(mx_name.get(attr["name"], attr["name"]))
        default = "required" if attr["required"] else f"optional, default={attr['default']!r}"
        types.append(f"{attr['type']}, {default}")
    return OperatorArguments(len(names), names, types)


class CustomCall:
    """One operator with its arguments: what nd.Custom and sym.Custom share."""

    def __init__(self, op_type: str | None, arguments: dict[str, Any]):
        make: Any = _PROPS.get(op_type or "")
        if make is None:
            known = ", ".join(sorted(_PROPS))
            raise MXNetError(
                f"Custom: op_type {op_type!r} is not registered; registered are {known}"
            )
        self.op_type = op_type
        # As in MXNet, arguments arrive as text.
        self.arguments = {key: str(value) for key, value in arguments.items()}
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
        found = getattr(self.prop, method)(given)
        lists = [list(part) for part in found]
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
        op = self.prop.create_operator(context, [list(a.shape) for a in data[:count]], dtypes)
        inputs, aux = [a.detach() for a in data[:count]], list(data[count:])
        recording = _core.set_recording(False)
        try:
            outputs = [_zeros(s, d, context) for s, d in zip(out_shapes, out_dtypes, strict=True)]
            req = ["write"] * len(outputs)
            op.forward(_core.is_training(), req, inputs, outputs, aux)
        finally:
            _core.set_recording(recording)
        if not recording:
            return outputs

        def backward(grads: list[NDArray]) -> list[NDArray]:
            made = [_zeros(a.shape, a.dtype, context) for a in inputs]
            op.backward(["write"] * count, grads, inputs, outputs, made, aux)
            return made

        return _core.record_function(data[:count], outputs, backward)


def _zeros(shape: Any, dtype: Any, context: Any) -> NDArray:
    attrs = {"shape": tuple(shape), "dtype": np.dtype(dtype).name}
    return _core.invoke("_zeros", (), attrs, None, context)


def _count_outputs(op_type: str, arguments: str) -> int:
    return len(CustomCall.decoded(op_type, arguments).outputs)


def _infer(op_type: str, arguments: str, shapes: list, dtypes: list) -> tuple:
    """What the core asks of a graph's node: nothing is known while the first input is not."""
    call = CustomCall.decoded(op_type, arguments)
    known = [None if s is None or -1 in s else s for s in shapes]
    count = len(call.outputs)
    in_shapes, out_shapes, _ = call.shapes(known) if known[0] else (known, [None] * count, [])
    types = [None if d is None else np.dtype(d).type for d in dtypes]
    in_dtypes, out_dtypes, _ = call.dtypes(types) if types[0] else (types, [None] * count, [])
    return (
        [None if not s and known[i] is None else s for i, s in enumerate(in_shapes)],
        in_dtypes,
        out_shapes,
        out_dtypes,
    )


_core.set_custom_hooks(_count_outputs, _infer)
