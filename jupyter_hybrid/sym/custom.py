"""``sym.Custom``: operators that Python defines, as nodes of a graph."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Symbol
from ..custom_call import CustomCall
from .names import choose_name


def Custom(
    *data: Symbol, op_type: str | None = None, name: str | None = None,
    attr: dict[str, str] | None = None, **kwargs: Any,
) -> Symbol:  # fmt: skip
    """The node of the operator that was registered as ``op_type``.

    As :func:`jupyter_hybrid.nd.Custom`; an input or state that is left out becomes a variable. A
    graph with such a node is run node by node.

    Raises:
        MXNetError: ``op_type`` is unknown, or the number of symbols is wrong.
    """
    symbols = {key: value for key, value in kwargs.items() if isinstance(value, Symbol)}
    call = CustomCall(op_type, {k: v for k, v in kwargs.items() if k not in symbols})
    name = choose_name(name, "custom")
    inputs = [
        _core.sym_var(f"{name}_{wanted}") if given is None else given
        for wanted, given in zip([*call.inputs, *call.states], call.by_name(data, symbols))
    ]
    attrs = {"op_type": call.op_type, "arguments": call.encoded}
    return _core.sym_apply("Custom", inputs, attrs, name, attr or {})


__all__ = ["Custom"]
