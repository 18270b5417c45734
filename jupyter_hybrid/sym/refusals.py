"""What a Symbol cannot do because it has no value: errors that name the line and the rewrite."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from .. import _core
from .._core import Symbol
from ..base import NotImplementedForSymbol
from .names import in_block


class DynamicShapeError(_core.MXNetError):
    """An operator in a graph whose result's shape depends on values."""


_REWRITES = {
    "asnumpy": ("asnumpy()", "compute it with F, or read it outside of hybrid_forward"),
    "asscalar": ("asscalar()", "compute it with F, or read it outside of hybrid_forward"),
    "item": ("item()", "compute it with F, or read it outside of hybrid_forward"),
    "tolist": ("tolist()", "compute it with F, or read it outside of hybrid_forward"),
    "wait_to_read": ("wait_to_read()", "wait outside of hybrid_forward"),
    "copy": ("copy()", "a Symbol is never written: use it as it is"),
    "detach": ("detach()", "write F.stop_gradient"),
    "backward": ("backward()", "bind it, or use grad()"),
    "__bool__": ("if, while, and, or", "write F.where(condition, a, b)"),
    "__float__": ("float()", "keep it a Symbol and compute with F"),
    "__int__": ("int()", "keep it a Symbol and compute with F"),
    "__index__": ("using it as an index", "write F.take or F.slice_axis"),
    "__setitem__": ("a[...] = b", "write a = F.where(...), or make a new value with F"),
    "__iadd__": ("a += b", "write a = a + b"),
    "__isub__": ("a -= b", "write a = a - b"),
    "__imul__": ("a *= b", "write a = a * b"),
    "__itruediv__": ("a /= b", "write a = a / b"),
    "__imod__": ("a %= b", "write a = a % b"),
    "__array__": ("conversion to a NumPy array", "compute it with F"),
}


_SHAPES = {
    "shape": "write F.reshape with 0 and -1, F.shape_array or F.reshape_like",
    "size": "write F.size_array",
    "ndim": "write operators that take any number of axes",
    "context": "Symbols have no device until they run",
}
_PARTS = "write F.slice_axis, F.take or F.split"


class NoValueError(NotImplementedForSymbol):
    """A Symbol's value was asked for."""

    def __init__(self, text: str):
        _core.MXNetError.__init__(self, text)


class NoShapeError(_core.MXNetError, AttributeError):
    """A Symbol's shape was asked for; ``hasattr`` answers False."""


def _where() -> str:
    """ " (line 3 of In[8], hybrid_forward)": the user's line."""
    _, line, _, text = _core.site(_core.current_site())
    if not line:
        return ""
    file, _, function = text.partition(":")
    return f" (line {line} of {_cell_of(file) or file}{', ' + function if function else ''})"


def _cell_of(file: str) -> str | None:
    """The notebook's name, such as "In[8]", of a cell that IPython keeps as ``file``."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    count = next((n for path, n in cells.items() if os.path.basename(path) == file), None)
    return None if count is None else f"In[{count}]"


def _refuse(symbol: Symbol, what: str, rewrite: str, kind: Any = NoValueError) -> NoReturn:
    name = symbol.name if symbol.name is not None else "group"
    raise kind(
        f"{what} needs the value of Symbol '{name}', which has none while a graph is "
        f"built{_where()}: {rewrite}"
    )


def _method(what: str, rewrite: str) -> Any:
    def refuse(self: Symbol, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse(self, what, rewrite)

    return refuse


def _property(name: str, rewrite: str) -> Any:
    def refuse(self: Symbol) -> NoReturn:
        _refuse(self, f".{name}", rewrite, NoShapeError)

    return property(refuse)


def _is_control(symbol: Symbol) -> bool:
    """Is it what a loop or condition gives? Code takes it for the list of its outputs."""
    graph = symbol.graph()
    return graph.node(graph.outputs[0][0]).op in ("cond", "foreach", "while_loop")


def _outputs_only(original: Any, what: str) -> Any:
    """Inside a block x[0] means a row; a Symbol's [0] is its output: refused if there is one."""

    def guarded(self: Symbol, *key: Any) -> Any:
        row = in_block() and not (key and isinstance(key[0], str))
        if row and len(self.list_outputs()) == 1 and not _is_control(self):
            _refuse(self, what, _PARTS)
        return original(self, *key)

    return guarded


def install() -> None:
    """Puts the refusals on the class."""
    for name, (what, rewrite) in _REWRITES.items():
        setattr(Symbol, name, _method(what, rewrite))
    for name, rewrite in _SHAPES.items():
        setattr(Symbol, name, _property(name, rewrite))
    for name, what in {
        "__getitem__": "x[...]",
        "__iter__": "a loop over x",
        "__len__": "len(x)",
    }.items():
        setattr(Symbol, name, _outputs_only(getattr(Symbol, name), what))
