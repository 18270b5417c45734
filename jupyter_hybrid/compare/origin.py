"""Whose code a function is: the user's, or a library's."""

from __future__ import annotations

import os
import sysconfig
import types
from pathlib import Path
from typing import Any

_OWN = str(Path(__file__).resolve().parents[1]) + os.sep  # this package
_LIBRARIES = (
    _OWN,
    "<frozen",
    "<__array_function__",
    "<string>",  # what dataclasses and named tuples generate
    "<jupyter_hybrid",
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")},
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def in_library(code: types.CodeType) -> bool:
    """True for code of the standard library, of installed packages and of this one."""
    name = code.co_filename
    return name.startswith(_LIBRARIES) or any(folder in name for folder in _INSTALLED)


def origin_module(function: Any) -> str:
    """The name of the module that a callable comes from."""
    inner = getattr(function, "func", function)  # functools.partial
    owner = getattr(inner, "__self__", None)
    if isinstance(owner, types.ModuleType):
        return owner.__name__
    if isinstance(owner, type):
        return owner.__module__
    own = getattr(inner, "__module__", None)
    return own if isinstance(own, str) else type(inner).__module__
