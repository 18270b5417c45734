"""MXNet 1.x's ``nd``: arrays, and operators that run when they are called.

Functions are made from the operator table when the module is imported; every function of one
array is a method of :class:`NDArray` too. The default dtype is float32, dtypes never mix, and
comparisons answer in the dtype of their operands.
"""

from __future__ import annotations

from typing import Any

from .. import _core, _generate, _rooms
from .._core import NDArray, wait_all
from . import _internal as _internal
from . import (
    arithmetic,
    contrib,
    creation,
    dlpack,
    files,
    functions,
    image,
    linalg,
    random,
)
from . import methods as array_methods
from .arithmetic import *  # noqa: F403
from .cached_op import CachedOp
from .creation import *  # noqa: F403
from .custom import Custom
from .dlpack import *  # noqa: F403
from .files import *  # noqa: F403
from .functions import *  # noqa: F403

waitall = wait_all


def transpose(data: NDArray, axes: Any = None, out: NDArray | None = None) -> NDArray:
    """The axes in the order of ``axes``; None: reversed. The result shares data's memory."""
    return _core.invoke("transpose", (data,), {} if axes is None else {"axes": axes}, out)


def _transpose_method(self: NDArray, *args: Any, axes: Any = None, **kwargs: Any) -> NDArray:
    """transpose(1, 0), transpose((1, 0)) or transpose(): the axes in that order or reversed."""
    if len(args) == 1 and not isinstance(args[0], int):
        args = args[0]
    return transpose(self, args or axes, **kwargs)


def _split_method(self: NDArray, *args: Any, **kwargs: Any) -> list[NDArray]:
    """:func:`split_v2` of the array."""
    return split_v2(self, *args, **kwargs)  # noqa: F405


def _define() -> list[str]:
    """Makes the functions and methods; one compilation for all."""
    scope = globals()
    scope["_invoke"] = _core.invoke
    made = [f for f in _generate.faces() if f.name not in scope]
    source = "".join(_generate.function_source(f, symbolic=False) for f in made)
    exec(compile(source, "<jupyter_hybrid.nd operators>", "exec"), scope)
    for face in made:
        scope[face.name].__module__ = __name__
    array_methods.install()
    taken = set(dir(NDArray))
    methods = list(_generate.methods(taken | {"transpose"}))
    bodies: dict[str, Any] = {"_invoke": _core.invoke}
    text = "".join(_generate.method_source(f, symbolic=False) for f in methods)
    exec(compile(text, "<jupyter_hybrid.nd methods>", "exec"), bodies)
    for face in methods:
        setattr(NDArray, face.name, bodies[face.name])
    NDArray.transpose = _transpose_method  # type: ignore[method-assign]
    NDArray.split_v2 = _split_method  # type: ignore[attr-defined]
    for module in (contrib, image, linalg, random):
        _rooms.fill(module, False, _core.invoke)
    return [f.name for f in made]


__all__ = [
    "CachedOp",
    "Custom",
    "NDArray",
    "contrib",
    "image",
    "linalg",
    "random",
    "transpose",
    "waitall",
    *arithmetic.__all__,
    *creation.__all__,
    *dlpack.__all__,
    *files.__all__,
    *functions.__all__,
    *_define(),
]
