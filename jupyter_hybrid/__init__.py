"""A C++ array engine under Jupyter cell magics: imperative and symbolic mode, with pictures.

``import jupyter_hybrid as mx`` or ``from jupyter_hybrid import nd, sym, autograd, gluon, init``
in the place of ``mxnet``; ``%load_ext jupyter_hybrid`` for ``%%hybridize``.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import numpy

from . import _core

# Where the user's own line is looked for: not in this package, in the functions it generates or
# in NumPy, whose operators call back into the package.
_core.set_site_filter(
    [
        os.path.dirname(os.path.abspath(__file__)) + os.sep,
        "<jupyter_hybrid.",
        os.path.dirname(os.path.abspath(numpy.__file__)) + os.sep,
        "<__array_function__",
    ]
)

_core.set_cuda_folders([folder for folder in sys.path if folder])

from . import autograd, base, context, engine, nd, sym  # noqa: E402
from . import meetings as meetings  # noqa: E402
from . import random as random  # noqa: E402
from .attribute import AttrScope  # noqa: E402
from .base import MXNetError  # noqa: E402
from .context import (  # noqa: E402
    Context,
    cpu,
    cpu_pinned,
    current_context,
    gpu,
    num_gpus,
    virtual_gpus,
)

__version__ = _core.__version__
ndarray = nd
symbol = sym

#: Imported when they are first used: name -> module, or (module, attribute).
_LAZY: dict[str, str | tuple[str, str]] = {
    "gluon": "gluon",
    "image": "image",
    "img": "image",
    "init": "initializer",
    "initializer": "initializer",
    "io": "io",
    "kv": "kvstore",
    "kvstore": "kvstore",
    "lr_scheduler": "lr_scheduler",
    "metric": "metric",
    "optimizer": "optimizer",
    "profiler": "profiler",
    "recordio": "recordio",
    "contrib": "contrib",
    "onnx": "onnx",
    "operator": "operator",
    "live": "live",
    "views": "views",
    "hybridize": ("scripts.decorator", "hybridize"),
    "report": ("reports.session", "report"),
    "symbolic": ("scripts.with_block", "symbolic"),
    "GraphViewer": ("views", "GraphViewer"),
    "view": ("views", "view"),
    "Constant": ("sym", "Constant"),
    "Variable": ("sym", "Variable"),
    "compile": ("sym", "compile_function"),  # not in __all__: the builtin stays what it is
    "load": ("scripts.script", "load"),
    "script": ("scripts.script", "script"),
    "ScriptError": ("scripts.script", "ScriptError"),
}


def __getattr__(name: str) -> Any:
    target = _LAZY.get(name)
    if target is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if isinstance(target, str):
        value = importlib.import_module(f".{target}", __name__)
    else:
        value = getattr(importlib.import_module(f".{target[0]}", __name__), target[1])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


def waitall() -> None:
    """Waits for everything; raises the first error not yet raised."""
    _core.wait_all()


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext jupyter_hybrid``: the magics, the pictures and the live panel."""
    importlib.import_module(".cells.magics", __name__).load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """``%unload_ext jupyter_hybrid``."""
    importlib.import_module(".cells.magics", __name__).unload(ipython)


__all__ = [
    "AttrScope",
    "Context",
    "MXNetError",
    "autograd",
    "base",
    "context",
    "cpu",
    "cpu_pinned",
    "current_context",
    "engine",
    "gluon",
    "gpu",
    "init",
    "nd",
    "ndarray",
    "num_gpus",
    "random",
    "report",
    "sym",
    "symbol",
    "virtual_gpus",
    "waitall",
]
