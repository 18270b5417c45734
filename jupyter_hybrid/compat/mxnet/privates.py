"""Names with an underscore that code outside MXNet uses all the same: tests, and older programs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ... import _core
from ...base import as_list
from ...gluon.naming import Scope
from ...sym import Symbol
from ...sym.names import choose_name
from ...util import ArrayScope, ShapeScope
from . import layer_privates, library_privates, tree

_FLAGS = {
    None: -1, np.float32: 0, np.float64: 1, np.float16: 2, np.uint8: 3, np.int32: 4, np.int8: 5,
    np.int64: 6, np.bool_: 7,
}  # fmt: skip
_STORAGES = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
_NAMES: dict[tuple[str, str], Any] = {
    ("base", "_as_list"): as_list,
    ("ndarray.ndarray", "_DTYPE_NP_TO_MX"): _FLAGS,
    ("ndarray.ndarray", "_DTYPE_MX_TO_NP"): {flag: dtype for dtype, flag in _FLAGS.items()},
    ("ndarray.ndarray", "_STORAGE_TYPE_STR_TO_ID"): _STORAGES,
    ("ndarray.ndarray", "_STORAGE_TYPE_ID_TO_STR"): {i: name for name, i in _STORAGES.items()},
    ("ndarray.ndarray", "_STORAGE_TYPE_DEFAULT"): 0,
    ("ndarray.ndarray", "_STORAGE_TYPE_ROW_SPARSE"): 1,
    ("ndarray.ndarray", "_STORAGE_TYPE_CSR"): 2,
    ("ndarray.ndarray", "py_slice"): slice,
    ("gluon.block", "_BlockScope"): Scope,
    ("libinfo", "__version__"): tree.VERSION,
    ("util", "_NumpyArrayScope"): ArrayScope,
    ("util", "_NumpyShapeScope"): ShapeScope,
    **layer_privates.NAMES,
    **library_privates.NAMES,
}


def private(module: str, name: str) -> Any:
    """What a module of MXNet's has by a name with an underscore, or None."""
    if name == "_internal" and module in ("ndarray", "symbol"):
        return _internal(symbolic=module == "symbol")
    return _NAMES.get((module, name))


@cache
def _internal(symbolic: bool) -> ModuleType:
    """``nd._internal``, ``sym._internal``: operators whose names begin with an underscore."""
    known = {row["name"] for row in _core.mx_table()}
    module = ModuleType(f"mxnet.{'symbol' if symbolic else 'ndarray'}._internal")

    def missing(name: str) -> Callable[..., Any]:
        if name not in known:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        function = _symbolic(name) if symbolic else _imperative(name)
        setattr(module, name, function)
        return function

    module.__getattr__ = missing  # type: ignore[method-assign]
    return module


def _imperative(operator: str) -> Callable[..., Any]:
    def call(*inputs: Any, out: Any = None, name: str | None = None, **attrs: Any) -> Any:
        return _core.invoke(operator, inputs, attrs, out)

    return call


def _symbolic(operator: str) -> Callable[..., Symbol]:
    hint = operator.lower()

    def call(*inputs: Any, name: str | None = None, attr: Any = None, **attrs: Any) -> Symbol:
        return _core.sym_apply(operator, inputs, attrs, choose_name(name, hint), attr or {})

    return call
