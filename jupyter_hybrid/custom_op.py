"""Operators that Python defines: CustomOp and CustomOpProp; see :mod:`.operator`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._core import NDArray

__all__ = ["PROPS", "CustomOp", "CustomOpProp", "register"]

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
