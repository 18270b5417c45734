"""Comparing arrays, and saying where they differ most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.testing as npt

from ..nd import NDArray, waitall
from .tolerances import get_atol, get_etol, get_rtol, get_tols

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "checkShapes",
    "compare_ndarray_tuple",
    "locationError",
    "retry",
    "same",
    "same_array",
]


def _host(array: Any) -> Any:
    return array.asnumpy() if isinstance(array, NDArray) else array


def same(a: Any, b: Any) -> bool:
    """Two NumPy arrays are equal, shapes and elements."""
    return np.array_equal(a, b)


def same_array(array1: NDArray, array2: NDArray) -> bool:
    """Two NDArrays are the same memory: what is added to one is there in the other."""
    array1[:] += 1
    together = same(array1.asnumpy(), array2.asnumpy())
    array1[:] -= 1
    return together and same(array1.asnumpy(), array2.asnumpy())


def checkShapes(a: Any, b: Any) -> None:
    """Raises AssertionError when two shapes differ."""
    if a.shape != b.shape:
        text = f"shapes {a.shape} and {b.shape} are not equal"
        raise AssertionError(npt.build_err_msg([a, b], err_msg=text))


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """All elements are within ``atol + rtol * abs(b)``."""
    if not use_broadcast:
        checkShapes(a, b)
    a, b = _host(a), _host(b)
    return np.allclose(a, b, rtol=get_rtol(rtol), atol=get_atol(atol), equal_nan=equal_nan)


def locationError(
    a: Any, b: Any, index: Any, names: tuple[str, str], maxError: bool = False
) -> str:
    """One line: where two arrays differ, and both values."""
    most = "maximum " if maxError else ""
    return f"Location of {most}error: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def _worst(a: Any, b: Any, rtol: float, atol: float) -> tuple[tuple[Any, ...], float]:
    """Where the difference is the largest part of what is allowed, and that part."""
    with np.errstate(invalid="ignore"):
        difference = np.where(np.equal(a, b), 0, np.abs(a - b))
        part = difference / (atol + rtol * np.abs(b) + 1e-20)
    return np.unravel_index(np.argmax(part), part.shape), float(np.max(part))


def _message(
    a: Any, b: Any, rtol: float, atol: float, names: tuple[str, str], mismatches: tuple[int, int]
) -> str:
    """Which elements differ most, and how many."""
    a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b))
    wrong = ~np.isclose(a, b, rtol=rtol, atol=atol)
    index, most = _worst(a, b, rtol, atol)
    text = f"Error {most:f} exceeds tolerance rtol={rtol:e}, atol={atol:e}"
    if index == ():
        return npt.build_err_msg([a, b], err_msg=text)
    share = 100 * np.count_nonzero(wrong) / wrong.size
    lines = [f"{text} (mismatch {share:f}%).", locationError(a, b, index, names, maxError=True)]
    others = [tuple(map(int, w)) for w in np.argwhere(wrong)[: mismatches[0]]]
    lines += [locationError(a, b, where, names) for where in others]
    return npt.build_err_msg([a, b], err_msg="\n".join(lines))


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    names: tuple[str, str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Raises AssertionError unless two arrays are equal within tolerances.

    Args:
        rtol, atol: a number, a dict by dtype, or None: the defaults of the less exact dtype.
        names: what the arrays are called in the message.
        equal_nan: nan equals nan.
        use_broadcast: shapes may differ where they broadcast.
        mismatches: (how many wrong elements the message tells, how many are looked for).
    """
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _host(a), _host(b)
    if getattr(a, "dtype", None) == np.bool_ and getattr(b, "dtype", None) == np.bool_:
        npt.assert_equal(a, b)
    elif not almost_equal(a, b, rtol, atol, equal_nan=equal_nan):
        raise AssertionError(_message(a, b, rtol, atol, names, mismatches))


def assert_allclose(
    a: Any, b: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True
) -> None:
    """:func:`assert_almost_equal` with NumPy's tolerances."""
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    etol: float | None = None,
    names: tuple[str, str] = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """:func:`assert_almost_equal`, but a share ``etol`` of the elements may be wrong."""
    allowed = get_etol(etol)
    if not allowed > 0:
        assert_almost_equal(a, b, rtol=rtol, atol=atol, names=names, equal_nan=equal_nan)
        return
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _host(a), _host(b)
    right = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if 1 - np.count_nonzero(right) / right.size > allowed:
        raise AssertionError(_message(a, b, rtol, atol, names, mismatches))


def assert_almost_equal_ignore_nan(
    a: Any, b: Any, rtol: Any = None, atol: Any = None, names: tuple[str, str] = ("a", "b")
) -> None:
    """:func:`assert_almost_equal` of the elements that are nan in neither array."""
    a, b = np.array(_host(a)), np.array(_host(b))
    skipped = np.isnan(a) | np.isnan(b)
    a[skipped] = b[skipped] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def assert_exception(f: Callable[..., Any], exception_type: Any, *args: Any, **kwargs: Any) -> None:
    """Raises AssertionError unless ``f(*args, **kwargs)`` raises ``exception_type``."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{f} did not raise {exception_type}")


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: Any = None, atol: Any = None) -> None:
    """:func:`assert_almost_equal` of the arrays in two nested tuples; None is equal to all."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for first, second in zip(t1, t2):
            compare_ndarray_tuple(first, second, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def retry(n: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """A decorator: a test of random numbers may fail ``n - 1`` times."""
    if n <= 0:
        raise AssertionError(f"retry: expected a positive number, got {n}")

    def decorate(f: Callable[..., Any]) -> Callable[..., None]:
        def wrapper(*args: Any, **kwargs: Any) -> None:
            for left in reversed(range(n)):
                try:
                    f(*args, **kwargs)
                    return
                except AssertionError:
                    if not left:
                        raise
                    waitall()

        return wrapper

    return decorate
