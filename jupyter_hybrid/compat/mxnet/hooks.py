"""Modules of ours under MXNet's names: what they lack of a name's is looked for elsewhere."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from . import tree
from .not_carried import OTHERS, NotCarried
from .privates import private

_NO_PATH: list[str] = []
_hooked: dict[str, tuple[ModuleType, Any]] = {}


def hook(module: ModuleType, name: str) -> None:
    """Lets a module of ours, and those in it, answer for MXNet's modules of these names, too."""
    if module.__name__ in _hooked:
        return
    before = module.__dict__.get("__getattr__")
    _hooked[module.__name__] = (module, before)

    def missing(attribute: str) -> Any:
        if before is not None:
            try:
                value = before(attribute)
            except AttributeError:
                pass
            else:
                _hook_inside(name, attribute, value)
                return value
        return lookup(name, attribute, module.__name__)

    module.__getattr__ = missing  # type: ignore[method-assign]
    if not hasattr(module, "__path__") and any(m.startswith(name + ".") for m in tree.modules()):
        module.__path__ = _NO_PATH  # a package in MXNet: Python imports what is below it
    for attribute, value in list(vars(module).items()):
        _hook_inside(name, attribute, value)


def _hook_inside(name: str, attribute: str, value: object) -> None:
    inside = f"{name}.{attribute}"
    if isinstance(value, ModuleType) and inside in tree.modules():
        hook(value, inside)


def remove() -> None:
    """Leaves the modules as they were."""
    for module, before in _hooked.values():
        if before is None:
            del module.__getattr__
        else:
            module.__getattr__ = before  # type: ignore[method-assign]
        if vars(module).get("__path__") is _NO_PATH:
            del module.__path__
        for key, value in list(vars(module).items()):
            if isinstance(value, NotCarried) or getattr(value, "__mxnet__", None):
                delattr(module, key)
    _hooked.clear()


def lookup(module: str, name: str, asked: str) -> Any:
    """A name of MXNet's module that our module of that name has not itself.

    Found is, in this order: a submodule; what the name's home has here; what a module above has,
    for MXNet defines in ``gluon.nn.basic_layers`` what ``gluon.nn`` shows. What genuine MXNet has
    and we don't is a :class:`NotCarried`.

    Raises:
        AttributeError: genuine MXNet has no such name either.
    """
    inside = name if module == "." else f"{module}.{name}"
    second = tree.second_name(module, name)
    if second is not None or inside in tree.modules():
        return importlib.import_module(f"mxnet.{second or inside}")
    held = private(module, name)
    if held is not None:
        return held
    if not name.startswith("_") and tree.has(module, name):
        for place in _places(module, name) if (module, name) not in OTHERS else ():
            held = _held(place, name)
            if held is not None:
                return held
        return NotCarried(module, name)
    raise AttributeError(f"module {asked!r} has no attribute {name!r}")


def _places(module: str, name: str) -> list[str]:
    home = tree.home(module, name)
    near = [home, *tree.parents(home)] if home != module else []
    return [*near, *tree.parents(module), "base", "util"]


def _held(module: str, name: str) -> Any:
    """What our module of that name has itself, or None."""
    ours = module_of_ours(module)
    if ours is None:
        return None
    if ours.__name__ in _hooked:
        before = _hooked[ours.__name__][1]
        if name in vars(ours):
            value = vars(ours)[name]
        else:
            try:
                value = before(name) if before else None
            except AttributeError:
                return None
    else:
        value = getattr(ours, name, None)
    return None if isinstance(value, NotCarried) else value


def module_of_ours(module: str) -> ModuleType | None:
    ours = tree.ours(module)
    if ours in sys.modules:
        return sys.modules[ours]
    try:
        return importlib.import_module(ours)
    except ModuleNotFoundError as error:
        if error.name is not None and not ours.startswith(error.name):
            raise
        return None
