"""Operators that Python defines, as MXNet 1.x's ``operator``: CustomOp and CustomOpProp.

``nd.Custom(*data, op_type=name, **arguments)`` runs one at once; ``sym.Custom`` puts it into a
graph, which is then run node by node on the calling thread, since compiled programs call no Python.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._core import MXNetError, NDArray

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "NDArrayOp",
    "NumpyOp",
    "OperatorArguments",
    "PythonOp",
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


#: What is registered, by name.
PROPS: dict[str, type[CustomOpProp]] = {}


def register(reg_name: str) -> Callable[[Prop], Prop]:
    """A decorator that makes a subclass of CustomOpProp known as ``op_type=reg_name``."""

    def do_register(prop_cls: Prop) -> Prop:
        PROPS[reg_name] = prop_cls
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
        choices = attr["choices"]
        kind = f"{{{', '.join(map(repr, sorted(choices)))}}}" if choices else attr["type"]
        types.append(f"{kind}, {default}")
    return OperatorArguments(len(names), names, types)


from .python_op import NDArrayOp, NumpyOp, PythonOp  # noqa: E402 - made of what stands above
