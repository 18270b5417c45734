"""Operators that Python defines, as MXNet 1.x's ``operator``: CustomOp and CustomOpProp.

``nd.Custom(*data, op_type=name, **arguments)`` runs one at once; ``sym.Custom`` puts it into a
graph, which is then run node by node on the calling thread, since compiled programs call no Python.
"""

from __future__ import annotations

from collections import namedtuple

from . import _core
from ._core import MXNetError
from .custom_op import CustomOp, CustomOpProp, register
from .python_op import NDArrayOp, NumpyOp, PythonOp

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
