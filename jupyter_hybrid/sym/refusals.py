"""What a Symbol cannot do because it has no value: errors that name the line and the rewrite."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import _core
from .._core import Symbol

_REWRITES = {
    "asnumpy": ("asnumpy()", "compute it with F, or read it outside of hybrid_forward"),
    "asscalar": ("asscalar()", "compute it with F, or read it outside of hybrid_forward"),
    "item": ("item()", "compute it with F, or read it outside of hybrid_forward"),
    "tolist": ("tolist()", "compute it with F, or read it outside of hybrid_forward"),
    "wait_to_read": ("wait_to_read()", "wait outside of hybrid_forward"),
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


def _refusal(what: str, rewrite: str) -> Any:
    def refuse(self: Symbol, *args: Any, **kwargs: Any) -> NoReturn:
        _, line, _, text = _core.site(_core.current_site())
        where = f" (line {line} of {text})" if line else ""
        name = self.name if self.name is not None else "group"
        raise _core.MXNetError(
            f"{what} needs the value of Symbol '{name}', which has none while a graph is "
            f"built{where}: {rewrite}"
        )

    return refuse


def install() -> None:
    """Puts the refusals on the class."""
    for name, (what, rewrite) in _REWRITES.items():
        setattr(Symbol, name, _refusal(what, rewrite))
