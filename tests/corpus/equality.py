"""Are two results of one cell the same? Types, values, dtypes, sharing of memory, printed text."""

from __future__ import annotations

import contextlib
import functools
import re
import types
from collections import deque
from fractions import Fraction
from typing import Any

import numpy as np

from jupyter_hybrid import gluon, nd
from jupyter_hybrid.gluon.parameter import DeferredInitializationError

OWN_MODULES = {"__main__"}  # whose classes are made anew by each run
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")


class Comparison:
    """Collects the differences of two results; floats may differ by ``bound``.

    The bound is relative to the largest magnitude of the array (or to the number) compared.
    Integers, bools, dtypes, shapes and exact types must be equal, ``nd`` arrays bit for bit.
    """

    def __init__(self, bound: float):
        self.bound = bound
        self.differences: list[str] = []
        self._partner: dict[int, Any] = {}  # id of a wanted mutable object -> what was got for it
        self._kept: list[Any] = []  # so that ids stay unique
        self._arrays: list[tuple[str, np.ndarray, np.ndarray]] = []

    def differ(self, path: str, what: str) -> None:
        self.differences.append(f"{path}: {what}")

    # Namespaces ----------------------------------------------------------------------------------
    def namespaces(self, wanted: dict[str, Any], got: dict[str, Any]) -> None:
        """Bound names, their values, and which arrays share memory."""
        for name in sorted(set(wanted) | set(got)):
            if name not in got:
                self.differ(name, "is not bound")
            elif name not in wanted:
                self.differ(name, "is bound, though not imperatively")
            else:
                self.values(name, wanted[name], got[name])
        for i, (path, w, g) in enumerate(self._arrays):
            for other, w2, g2 in self._arrays[:i]:
                if np.shares_memory(w, w2) != np.shares_memory(g, g2):
                    self.differ(path, f"shares memory with {other} in one mode only")

    def values(self, path: str, wanted: Any, got: Any) -> None:
        """One value and everything inside it."""
        kind = type(wanted)
        if not _same_type(kind, type(got)):
            self.differ(path, f"is {_name(type(got))}, not {_name(kind)}")
            return
        if kind in (bool, int, str, bytes, type(None), type(...), range, Fraction):
            if wanted != got:
                self.differ(path, f"is {got!r}, not {wanted!r}")
            return
        if kind in (float, complex):
            self._floats(path, np.asarray(wanted), np.asarray(got))
            return
        if id(wanted) in self._partner:
            if self._partner[id(wanted)] is not got:
                self.differ(path, "is another object than where it stands elsewhere")
            return
        if not isinstance(wanted, (types.ModuleType, np.generic, np.dtype, tuple, frozenset)):
            self._partner[id(wanted)] = got
            self._kept.append(wanted)
        self._inside(path, wanted, got)

    def _inside(self, path: str, wanted: Any, got: Any) -> None:
        kind = type(wanted)
        if isinstance(wanted, np.ndarray):
            self._ndarray(path, wanted, got)
        elif isinstance(wanted, np.generic):
            self._elements(path, np.asarray(wanted), np.asarray(got))
        elif isinstance(wanted, nd.NDArray):
            self._nd(path, wanted, got)
        elif isinstance(wanted, (list, tuple, deque)):
            if len(wanted) != len(got):
                self.differ(path, f"has {len(got)} elements, not {len(wanted)}")
                return
            for i, (w, g) in enumerate(zip(wanted, got)):
                self.values(f"{path}[{i}]", w, g)
        elif isinstance(wanted, (set, frozenset)):
            self.values(path, sorted(wanted, key=repr), sorted(got, key=repr))
        elif isinstance(wanted, dict):
            self.values(f"{path}.keys()", list(wanted), list(got))
            for key in wanted:
                if key in got:
                    self.values(f"{path}[{key!r}]", wanted[key], got[key])
        elif isinstance(wanted, types.GeneratorType):
            self.values(f"list({path})", list(wanted), list(got))
        elif isinstance(wanted, types.FunctionType):
            self._function(path, wanted, got)
        elif isinstance(wanted, (types.MethodType, functools.partial)):
            inner = ("__self__", "__func__") if kind is types.MethodType else ("func", "args")
            for name in inner:
                self.values(f"{path}.{name}", getattr(wanted, name), getattr(got, name))
        elif isinstance(wanted, (types.MethodWrapperType, types.BuiltinMethodType)):
            for name in ("__self__", "__name__"):
                self.values(f"{path}.{name}", getattr(wanted, name), getattr(got, name))
        elif isinstance(wanted, type):
            self._class(path, wanted, got)
        elif isinstance(wanted, BaseException):
            self.values(f"{path}.args", wanted.args, got.args)
        elif isinstance(wanted, (types.ModuleType, np.dtype, np.ufunc)):
            if wanted is not got and wanted != got:
                self.differ(path, f"is {got!r}, not {wanted!r}")
        elif isinstance(wanted, gluon.Block):  # its names count up; its weights are what it is
            weights = [_weights(wanted), _weights(got)]
            self.values(f"{path}'s weights", *weights)
        elif hasattr(wanted, "__dict__") and kind.__module__ in OWN_MODULES:
            self.values(f"vars({path})", vars(wanted), vars(got))
            for name in _slots(kind):
                self.values(f"{path}.{name}", getattr(wanted, name), getattr(got, name))
        elif kind.__module__ in OWN_MODULES:
            for name in _slots(kind):
                self.values(f"{path}.{name}", getattr(wanted, name), getattr(got, name))
        elif type(wanted).__eq__ is not object.__eq__ and wanted != got:
            self.differ(path, f"is {got!r}, not {wanted!r}")

    def _function(self, path: str, wanted: Any, got: Any) -> None:
        for name in ("__name__", "__doc__", "__defaults__", "__kwdefaults__", "__dict__"):
            self.values(f"{path}.{name}", getattr(wanted, name), getattr(got, name))
        free = wanted.__code__.co_freevars
        theirs = dict(zip(got.__code__.co_freevars, got.__closure__ or ()))
        for name, cell in zip(free, wanted.__closure__ or ()):
            if name not in theirs:
                self.differ(path, f"does not close over {name}")
                continue
            try:
                value = cell.cell_contents
            except ValueError:  # not bound yet
                continue
            self.values(f"{path}'s {name}", value, theirs[name].cell_contents)

    def _class(self, path: str, wanted: type, got: type) -> None:
        if wanted.__module__ not in OWN_MODULES:
            if wanted is not got:
                self.differ(path, f"is {got!r}, not {wanted!r}")
            return
        skip = {"__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"}
        names = [n for n in vars(wanted) if n not in skip]
        self.values(f"dir({path})", names, [n for n in vars(got) if n not in skip])
        for name in names:
            value = vars(wanted)[name]
            if name in vars(got) and not isinstance(value, types.MemberDescriptorType):
                self.values(f"{path}.{name}", value, vars(got)[name])

    # Arrays --------------------------------------------------------------------------------------
    def _ndarray(self, path: str, wanted: np.ndarray, got: np.ndarray) -> None:
        self._arrays.append((path, wanted, got))
        if wanted.flags.writeable != got.flags.writeable:
            self.differ(path, f"writeable is {got.flags.writeable}")
        self._elements(path, wanted, got)

    def _elements(self, path: str, wanted: np.ndarray, got: np.ndarray) -> None:
        if wanted.dtype != got.dtype or wanted.shape != got.shape:
            self.differ(path, f"is {got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}")
        elif wanted.dtype == object:
            self.values(f"{path}.tolist()", wanted.tolist(), got.tolist())
        elif wanted.dtype.kind in "fc":
            self._floats(path, wanted, got)
        elif not np.array_equal(wanted, got):
            self.differ(path, f"is {got!r}, not {wanted!r}")

    def _floats(self, path: str, wanted: np.ndarray, got: np.ndarray) -> None:
        if not close(wanted, got, self.bound):
            with np.errstate(all="ignore"):
                far = np.max(np.abs(wanted - got)) if wanted.size else 0
            self.differ(path, f"is {got!r}, not {wanted!r} (largest difference {far:.3g})")

    def _nd(self, path: str, wanted: Any, got: Any) -> None:
        if (wanted.dtype, wanted.shape, wanted.context) != (got.dtype, got.shape, got.context):
            self.differ(path, f"is {got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}")
        elif wanted.asnumpy().tobytes() != got.asnumpy().tobytes():
            self.differ(path, f"is {got.asnumpy()!r}, not bit for bit {wanted.asnumpy()!r}")
        if (wanted.grad is None) != (got.grad is None):
            self.differ(path, "has a gradient in one mode only")
        elif wanted.grad is not None:
            self._nd(f"{path}.grad", wanted.grad, got.grad)

    # Text ----------------------------------------------------------------------------------------
    def text(self, path: str, wanted: str, got: str) -> None:
        """Printed text: equal, but for numbers with a point, which follow the bound."""
        if wanted == got:
            return
        numbers = [np.array([float(n) for n in _NUMBER.findall(t)]) for t in (wanted, got)]
        same_words = re.sub(r"\s+", " ", _NUMBER.sub("#", wanted)) == re.sub(
            r"\s+", " ", _NUMBER.sub("#", got)
        )
        if not same_words or len(numbers[0]) != len(numbers[1]):
            self.differ(path, f"is {got!r}, not {wanted!r}")
            return
        for w, g in zip(*numbers):
            if not close(np.asarray(w), np.asarray(g), max(self.bound, 1e-15)):
                self.differ(path, f"shows {g!r}, not {w!r}")


def close(wanted: np.ndarray, got: np.ndarray, bound: float) -> bool:
    """Equal, NaN where NaN, or within ``bound`` of the largest finite magnitude."""
    with np.errstate(all="ignore"):
        if wanted.dtype.kind == "c":
            parts = ((wanted.real, got.real), (wanted.imag, got.imag))
            scale = np.abs(wanted)
        else:
            parts, scale = ((wanted, got),), np.abs(wanted)
        finite = scale[np.isfinite(scale)]
        allowed = bound * float(finite.max()) if finite.size else 0.0
        for w, g in parts:
            if not np.array_equal(np.isnan(w), np.isnan(g)):
                return False
            far = np.abs(w.astype(np.longdouble) - g)
            if not np.all((w == g) | np.isnan(w) | (far <= allowed)):
                return False
    return True


def _weights(block: Any) -> list[Any]:
    found = []
    for parameter in block.collect_params().values():
        with contextlib.suppress(DeferredInitializationError):  # no shape yet
            found.append(parameter.data())
    return found


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _same_type(wanted: type, got: type) -> bool:
    if wanted is got:
        return True  # a cell's own classes are made anew by each run
    return wanted.__module__ in OWN_MODULES and _name(wanted) == _name(got)


def _slots(kind: type) -> list[str]:
    return [
        name
        for base in kind.__mro__
        for name, value in vars(base).items()
        if isinstance(value, types.MemberDescriptorType)
    ]
