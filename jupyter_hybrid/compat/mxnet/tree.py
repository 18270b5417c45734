"""The public module tree of MXNet 1.9.1: which modules there are, which names they have.

``tree.txt`` is written by ``tests/interop/tree_in_mxnet.py``, which says how it is read. Modules
are named without ``mxnet.``; the root is ".".
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

#: Which version that is.
VERSION = "1.9.1"

#: Top-level modules that have another name here, and short names that are imported as modules.
RENAMED = {"ndarray": "nd", "symbol": "sym"}
SHORT = {
    "nd": "ndarray",
    "sym": "symbol",
    "init": "initializer",
    "img": "image",
    "viz": "visualization",
    "kv": "kvstore",
    "mod": "module",
    "mon": "monitor",
    "rnd": "random",
    "np": "numpy",
    "npx": "numpy_extension",
    "th": "torch",
}


@cache
def modules() -> dict[str, dict[str, str]]:
    """Module -> its names, each with the home it is written with ("": its own)."""
    found: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_name("tree.txt").read_text().splitlines():
        module, *names = line.split(" ")
        found[module] = dict(_named(name) for name in names)
    return found


def _named(text: str) -> tuple[str, str]:
    for mark in ("=", ":"):
        name, found, home = text.partition(mark)
        if found:
            return name, mark + home
    return text, ""


def has(module: str, name: str) -> bool:
    """Genuine MXNet's module has that public name."""
    names = modules().get(module, {})
    return name in names or "*" in names


def home(module: str, name: str) -> str:
    """The module that defines a name: the module itself where nothing else is known."""
    written = modules().get(module, {}).get(name, "")
    return written[1:] if written.startswith("=") else module


def second_name(module: str, name: str) -> str | None:
    """The module that a name of a module stands for (``nd`` of ".": ``ndarray``)."""
    written = modules().get(module, {}).get(name, "")
    return written[1:] if written.startswith(":") else None


def full_name(module: str) -> str:
    """``nd.random`` -> ``ndarray.random``: the name that genuine MXNet's module has."""
    top, dot, rest = module.partition(".")
    return SHORT.get(top, top) + dot + rest


def ours(module: str) -> str:
    """What the module would be called here."""
    top, dot, rest = module.partition(".")
    return f"jupyter_hybrid.{RENAMED.get(top, top)}{dot}{rest}"


def parents(module: str) -> list[str]:
    """The modules that a module stands in, the nearest first, without the root."""
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
