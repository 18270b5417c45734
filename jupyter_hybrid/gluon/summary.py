"""The table of a net's layers that ``Block.summary`` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core, nesting
from .checks import CheckError

if TYPE_CHECKING:
    from .block import Block

_WIDTH = 80
_ROW = "{:>20}  {:>42} {:>15}"


@dataclass
class _Layer:
    title: str
    output: str
    parameters: int = 0
    trainable: int = 0
    shared: int = 0


def print_summary(net: Block, inputs: tuple[Any, ...]) -> None:
    """Calls the net and prints a row for each layer that was called, and sums of parameters."""
    layers = [_Layer("Input", _shapes(inputs))]
    seen: set[int] = set()
    handles: list[Any] = []

    def note(block: Block, _: Any, outputs: Any) -> None:
        if any(isinstance(v, _core.Symbol) for v in nesting.flatten(outputs)):
            return  # called to infer shapes; with arrays it is called afterwards
        layer = _Layer(f"{type(block).__name__}-{len(layers)}", _shapes(outputs))
        for param in block.params.values():
            size = param.list_data()[0].size  # alike on every device
            layer.parameters += size
            layer.trainable += 0 if param.grad_req == "null" else size
            layer.shared += size if id(param) in seen else 0
            seen.add(id(param))
        layers.append(layer)

    def hook(block: Block) -> None:
        if getattr(block, "_active", False):
            raise CheckError(
                f"{block.name}: summary: a hybridized block does not call its layers; "
                "call hybridize(False) first"
            )
        if block._in_summary:
            handles.append(block.register_forward_hook(note))

    try:
        net.apply(hook)
        net(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    print("\n".join(_lines(layers)))


def _lines(layers: list[_Layer]) -> list[str]:
    total = sum(layer.parameters for layer in layers)
    trainable = sum(layer.trainable for layer in layers)
    shared = sum(layer.shared for layer in layers)
    return [
        "-" * _WIDTH,
        _ROW.format("Layer (type)", "Output Shape", "Param #"),
        "=" * _WIDTH,
        *(_ROW.format(layer.title, layer.output, layer.parameters) for layer in layers),
        "=" * _WIDTH,
        "Parameters in forward computation graph, duplicate included",
        f"   Total params: {total}",
        f"   Trainable params: {trainable}",
        f"   Non-trainable params: {total - trainable}",
        f"Shared params in forward computation graph: {shared}",
        f"Unique parameters in model: {total - shared}",
        "-" * _WIDTH,
    ]


def _shapes(value: Any) -> str:
    """The shapes of nested arrays; the outer brackets are left out."""
    nested = _nested(value)
    if isinstance(nested, list):
        return str(nested)[1:-1]
    return str(nested)


def _nested(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_nested(v) for v in value]
    return value.shape if hasattr(value, "asnumpy") else value
