"""The finder that answers for ``mxnet`` and what is below it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from . import hooks, tree

_HERE = "jupyter_hybrid"


class Finder(MetaPathFinder, Loader):
    """Finds modules of MXNet's public tree: ours where we have one, else one made of names."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for ``mxnet`` and the modules of its tree; None for anything else."""
        if name == "mxnet":
            return ModuleSpec(name, self, is_package=True)
        if not name.startswith("mxnet."):
            return None
        if tree.full_name(name[6:]) not in tree.modules():
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> None:
        """Python makes an empty module; :meth:`exec_module` puts the right one in its place."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Puts our module, or one that looks for its names, into ``sys.modules``."""
        asked = module.__name__
        if asked == "mxnet":
            _fill_root(module)
            return
        name = tree.full_name(asked[6:])
        if f"mxnet.{name}" != asked:  # the same module, by its short name
            sys.modules[asked] = importlib.import_module(f"mxnet.{name}")
            return
        ours = hooks.module_of_ours(name)
        if ours is None:
            _look_for_names(module, name)
            return
        hooks.hook(ours, name)
        sys.modules[asked] = ours


def root() -> ModuleType:
    """The module ``mxnet``."""
    module = ModuleType("mxnet")
    _fill_root(module)
    return module


def _fill_root(module: ModuleType) -> None:
    """Names of our package, found when asked for; ``__version__`` is MXNet's."""
    here = sys.modules[_HERE]
    module.__doc__ = here.__doc__
    module.__path__ = []
    module.__file__ = __file__
    module.__version__ = tree.VERSION  # type: ignore[attr-defined]

    def missing(name: str) -> Any:
        value = _of_root(here, name)
        setattr(module, name, value)
        return value

    module.__getattr__ = missing  # type: ignore[method-assign]
    module.__dir__ = lambda: sorted({*vars(module), *tree.modules()["."], *dir(here)})  # type: ignore[method-assign]


def _of_root(here: ModuleType, name: str) -> Any:
    """A name of the root: a module of the tree, or what our package has."""
    if tree.full_name(name) in tree.modules():
        return importlib.import_module(f"mxnet.{tree.full_name(name)}")
    if tree.has(".", name):
        return getattr(here, name) if hasattr(here, name) else hooks.lookup(".", name, "mxnet")
    if not name.startswith("_") and hasattr(here, name):
        return getattr(here, name)  # ours alone: mx.hybridize, mx.report
    raise AttributeError(f"module 'mxnet' has no attribute {name!r}")


def _look_for_names(module: ModuleType, name: str) -> None:
    """A module of the tree that isn't one here: each name is looked for where it may be."""
    module.__doc__ = f"MXNet's {module.__name__}: names that are elsewhere here, or not carried."
    module.__mxnet__ = True  # type: ignore[attr-defined]
    module.__all__ = [n for n in tree.modules()[name] if n != "*"]  # type: ignore[attr-defined]
    module.__path__ = []

    def missing(attribute: str) -> Any:
        value = hooks.lookup(name, attribute, module.__name__)
        setattr(module, attribute, value)
        return value

    module.__getattr__ = missing  # type: ignore[method-assign]
    module.__dir__ = lambda: sorted({*vars(module), *tree.modules()[name]} - {"*"})  # type: ignore[method-assign]
