"""Code written for ``mxnet`` 1.x, unchanged: the names of MXNet 1.9.1 for what is here.

    from jupyter_hybrid.compat import mxnet
    mxnet.install()
    import mxnet as mx          # or, in a notebook: %hybrid alias mxnet

Modules that exist here are the same objects under both names. What isn't carried can be imported
all the same, and says why when it is used.
"""

from __future__ import annotations

import importlib.machinery
import sys

from ... import _core
from . import hooks
from .finder import Finder, root
from .not_carried import NotCarried, NotCarriedError

__all__ = ["NotCarried", "NotCarriedError", "install", "installed", "uninstall"]

_finder = Finder()
_hidden: dict[str, object] = {}


def installed() -> bool:
    """The name ``mxnet`` means what is here."""
    return _finder in sys.meta_path


def install(replace: bool = False) -> None:
    """Makes ``import mxnet`` and its submodules find what is here; twice does nothing more.

    Args:
        replace: also where genuine MXNet is installed, or was imported. Code that has imported
            it keeps it.

    Raises:
        MXNetError: genuine MXNet is there and ``replace`` is False.
    """
    if installed():
        return
    place = _genuine()
    if place is not None and not replace:
        raise _core.MXNetError(
            f"mxnet.install: genuine MXNet is installed ({place}); install(replace=True) puts "
            "jupyter_hybrid in its place, for this process"
        )
    for name in _own_names():
        _hidden[name] = sys.modules.pop(name)
    sys.meta_path.insert(0, _finder)
    sys.modules["mxnet"] = root()


def uninstall() -> None:
    """Takes the names back; genuine MXNet, when there is one, is found again."""
    if not installed():
        return
    sys.meta_path.remove(_finder)
    for name in _own_names():
        del sys.modules[name]
    hooks.remove()
    sys.modules.update(_hidden)  # type: ignore[arg-type]
    _hidden.clear()


def _own_names() -> list[str]:
    return [name for name in sys.modules if name == "mxnet" or name.startswith("mxnet.")]


def _genuine() -> str | None:
    """Where genuine MXNet is, or None."""
    loaded = sys.modules.get("mxnet")
    if loaded is not None:
        return str(getattr(loaded, "__file__", None) or "imported already")
    spec = importlib.machinery.PathFinder.find_spec("mxnet")
    return None if spec is None else str(spec.origin or spec.submodule_search_locations)
