"""NumPy functions written in Python over others: their own code runs on traced arrays.

``np.diff`` or ``np.kron`` need no lowering of their own: their code calls ``asanyarray``,
``empty``, slices and ufuncs. It is run as it is, with globals where ``asanyarray``, ``zeros`` and
the like know traced arrays; so results, dtypes and errors are NumPy's. Whatever goes wrong on the
way runs again in real NumPy.
"""

from __future__ import annotations

import sys
import threading
import types
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .. import bridge
from ..errors import NotCovered
from ..float_errors import warn_user
from ..protocols import Recorder
from . import creation, lowering

NAMES = [
    "gradient", "diff", "cumulative_sum", "cumulative_prod", "kron", "cross", "tensordot",
    "trapezoid", "flip", "rot90", "fliplr", "flipud", "rollaxis", "moveaxis", "matrix_transpose",
    "expand_dims", "atleast_1d", "atleast_2d", "atleast_3d", "array_split", "split", "hsplit",
    "vsplit", "dsplit", "unstack", "hstack", "dstack", "append", "block", "polyval", "isclose",
    "cov", "corrcoef", "sinc", "ediff1d", "vander", "diagflat", "tri", "tril", "triu", "logspace",
    "geomspace", "linspace", "ix_", "isposinf", "isneginf", "put_along_axis", "fill_diagonal",
    "apply_over_axes", "astype", "insert", "delete", "resize", "allclose", "array_equal",
    "piecewise", "unwrap", "angle", "digitize", "ndim", "shape", "size", "iscomplexobj",
    "isrealobj", "common_type", "vstack", "column_stack", "pad", "diag", "ptp", "nansum",
    "nanprod", "nancumsum", "nancumprod", "take_along_axis",
]  # fmt: skip
LINEAR = [
    "norm", "vector_norm", "matrix_norm", "multi_dot", "matrix_power", "cross", "outer", "trace",
    "tensordot", "matmul", "matrix_transpose", "diagonal",
]  # fmt: skip
FOURIER = [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn",
    "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift",
]  # fmt: skip


# NumPy functions with code of ours in place of NumPy's, on the same terms.
REWRITTEN: dict[Any, Callable] = {}


class _State(threading.local):
    recorder: Any = None  # of the call that is followed


state = _State()


@cache
def _followable() -> frozenset:
    rooms = ((np, NAMES), (np.linalg, LINEAR), (np.fft, FOURIER))
    found = [getattr(room, n, None) for room, names in rooms for n in names]
    return frozenset(f for f in found if isinstance(getattr(f, "_implementation", None), _FUNCTION))


_FUNCTION = types.FunctionType


@cache
def follow(function: Any) -> Callable | None:
    """``f(recorder, args, kwargs)`` that runs NumPy's own code of ``function``, or None."""
    shadow = REWRITTEN.get(function)
    if shadow is None:
        if function not in _followable():
            return None
        shadow = code_of(function)

    def run(recorder: Recorder, args: tuple, kwargs: dict) -> Any:
        before, state.recorder = state.recorder, recorder
        try:
            return shadow(*args, **kwargs)
        except AttributeError as error:  # something of NumPy's inside that has moved
            raise NotCovered(
                "np.{function}: {error}", function=function.__name__, error=str(error)
            ) from None
        finally:
            state.recorder = before

    return run


def code_of(function: Any) -> Callable:
    """NumPy's own code of ``function``, for traced arrays."""
    code = function._implementation
    return _shadow_of(code, globals_of(code.__module__))


def _shadow_of(code: Any, names: dict[str, Any]) -> Any:
    made = _FUNCTION(code.__code__, names, code.__name__, code.__defaults__, code.__closure__)
    made.__kwdefaults__ = code.__kwdefaults__
    return made


@cache
def globals_of(module_name: str) -> dict[str, Any]:
    """A NumPy module's names, with array makers and helpers that know traced arrays."""
    real = vars(sys.modules[module_name])
    names: dict[str, Any] = dict(real)
    for name, value in real.items():
        if isinstance(value, _FUNCTION) and value.__globals__ is real:
            names[name] = _shadow_of(value, names)
        else:
            names[name] = _replaced(value)
    return names


def _replaced(value: Any) -> Any:
    if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == "numpy":
        return _Module(value)
    try:
        return REPLACEMENTS.get(value, value)
    except TypeError:  # unhashable
        return value


class _Module:
    """A NumPy module as the followed code sees it."""

    def __init__(self, module: types.ModuleType):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _replaced(getattr(self._module, name))


def _conversion(real: Callable) -> Callable:
    def convert(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not bridge.has_traced(a):
            return real(a, *args, **kwargs)
        return creation.converted(state.recorder, real, a, *args, **kwargs)

    return convert


def _creator(real: Callable) -> Callable:
    def create(*args: Any, **kwargs: Any) -> Any:
        try:
            made = creation.CREATION[real.__name__](*args, **kwargs)
            return bridge.Traced(state.recorder, made)
        except (NotCovered, TypeError, ValueError):
            return real(*args, **kwargs)

    return create


class _Converter:
    """NumPy's ``_array_converter``: arguments as arrays, results as the arguments were."""

    def __init__(self, *given: Any):
        convert = REPLACEMENTS[np.asanyarray]
        self._arrays = tuple(convert(g) for g in given)
        self._given = given
        self.scalar_input = tuple(np.ndim(g) == 0 and not isinstance(g, np.ndarray) for g in given)

    def __getitem__(self, i: int) -> Any:
        return self._arrays[i]

    def as_arrays(self, *, subok: bool = True, pyscalars: str = "convert_if_no_array") -> tuple:
        return self._arrays

    def result_type(self, *extra: Any, ensure_inexact: bool = False) -> np.dtype:
        kinds = [
            g if type(g) in lowering.NUMBERS else a.dtype
            for g, a in zip(self._given, self._arrays, strict=True)
        ]
        more = (0.0,) if ensure_inexact else ()
        return np.result_type(*kinds, *extra, *more)

    def wrap(self, made: Any, /, to_scalar: bool | None = None) -> Any:
        return made


class _ArrayUfunc:
    """A ufunc whose ``out=...`` (an array even of rank 0) is not lost on the way to us."""

    def __init__(self, ufunc: np.ufunc):
        self._ufunc = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not ...:
            return self._ufunc(*args, **kwargs)
        del kwargs["out"]
        return REPLACEMENTS[np.asarray](self._ufunc(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)


def _broadcast(*arrays: Any) -> np.broadcast:
    """Of shapes alone: no element is read."""
    return np.broadcast(*(np.broadcast_to(np.empty(()), np.shape(a)) for a in arrays))


REPLACEMENTS: dict[Any, Any] = {
    warnings: types.SimpleNamespace(warn=warn_user),
    np.multiply: _ArrayUfunc(np.multiply),
    np.broadcast: _broadcast,
    **{f: _conversion(f) for f in (np.asarray, np.asanyarray, np.ascontiguousarray, np.array)},
    **{f: _creator(f) for f in (np.zeros, np.ones, np.empty)},
}
_converter = getattr(sys.modules.get("numpy._core._multiarray_umath"), "_array_converter", None)
if _converter is not None:
    REPLACEMENTS[_converter] = _Converter
