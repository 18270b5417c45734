"""Prints the public module tree of genuine MXNet 1.9.1: jupyter_hybrid/compat/mxnet/tree.txt.

    python tests/interop/tree_in_mxnet.py > jupyter_hybrid/compat/mxnet/tree.txt

A line a module: its name without ``mxnet.``, then its public names. ``name=module`` is one that
another top-level module defines; ``name:module`` is a module under a second name. NumPy's modules
name no operators one by one: ``*`` stands for any name.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import types
import warnings

import mxnet

_HIDDEN = ("_", "gen_")
_ANY = ("numpy", "ndarray.numpy", "symbol.numpy", "contrib.onnx.onnx2mx", "onnx")
_LEFT_OUT = ("libmxnet", "onnx.setup", "numpy_dispatch_protocol", "numpy_op", "cython", "space")


def is_public(name: str) -> bool:
    parts = name.split(".")[1:]
    return not any(p.startswith(_HIDDEN) for p in parts) and not name[6:].startswith(_LEFT_OUT)


def modules() -> dict[str, types.ModuleType]:
    found = [m.name for m in pkgutil.walk_packages(mxnet.__path__, "mxnet.", onerror=str)]
    for name in filter(is_public, found):
        try:
            importlib.import_module(name)
        except Exception as error:  # needs what is not installed
            print(name, error, file=sys.stderr)
    ours = {n: m for n, m in sys.modules.items() if n == "mxnet" or n.startswith("mxnet.")}
    return {n: m for n, m in sorted(ours.items()) if m is not None and is_public(n)}


def entry(module: str, name: str, value: object) -> str:
    """How a name is written; "" for what belongs to Python's library."""
    if isinstance(value, types.ModuleType):
        home = value.__name__
        if not home.startswith("mxnet.") or home == f"{module}.{name}":
            return ""
        return f"{name}:{home[6:]}" if is_public(home) else ""
    home = getattr(value, "__module__", None) or ""
    if isinstance(home, str) and home.startswith("mxnet."):
        top = home.split(".")[1]
        if top != module.partition(".")[2].partition(".")[0] and module != "mxnet":
            return f"{name}={home[6:]}"
    elif home in sys.modules and home != "builtins" and not home.startswith("mxnet"):
        return ""  # Python's or NumPy's
    return name


def main() -> None:
    for module, held in modules().items():
        short = module[6:] or "."
        if short.startswith(_ANY):
            print(short, "*")
            continue
        public = [n for n in sorted(vars(held)) if not n.startswith("_")]
        print(short, *filter(None, (entry(module, n, vars(held)[n]) for n in public)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
