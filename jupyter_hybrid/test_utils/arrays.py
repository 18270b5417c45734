"""Random arrays, shapes and matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import nd
from ..base import MXNetError
from ..nd import NDArray, array
from .context import default_context, default_dtype

__all__ = [
    "array",
    "assign_each",
    "assign_each2",
    "collapse_sum_like",
    "create_2d_tensor",
    "create_sparse_array",
    "create_sparse_array_zd",
    "create_vector",
    "get_identity_mat",
    "get_identity_mat_batch",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce",
    "rand_coord_2d",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "rand_sparse_ndarray",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
    "shuffle_csr_column_indices",
]


def _no_sparse(what: str) -> NoReturn:
    raise MXNetError(f"{what}: arrays are dense here; row_sparse and csr storage are not carried")


def random_arrays(*shapes: tuple[int, ...]) -> Any:
    """Normal NumPy arrays of these shapes, float32; one shape: the array itself."""
    made = [np.array(np.random.randn(*s), dtype=default_dtype()) for s in shapes]
    return made[0] if len(made) == 1 else made


def random_uniform_arrays(*shapes: tuple[int, ...], **kwargs: Any) -> list[np.ndarray]:
    """Uniform NumPy arrays of these shapes; ``low``, ``high`` and ``dtype`` by keyword."""
    low, high = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0)
    dtype = kwargs.pop("dtype", default_dtype())
    if kwargs:
        raise TypeError(f"random_uniform_arrays: got unexpected keywords {list(kwargs)}")
    return [np.random.uniform(low, high, size=s).astype(dtype) for s in shapes]


def random_sample(population: Any, k: int) -> Any:
    """``k`` different elements in random order."""
    assert 0 <= k <= len(population)
    mixed = population[:]
    np.random.shuffle(mixed)
    return mixed[:k]


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> Any:
    """Two sizes, each from 1 (or 0) up to its bound."""
    return tuple(np.random.randint(not allow_zero_size, d + 1) for d in (dim0, dim1))


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> Any:
    """Three sizes, each from 1 (or 0) up to its bound."""
    return tuple(np.random.randint(not allow_zero_size, d + 1) for d in (dim0, dim1, dim2))


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """``num_dim`` sizes from 1 (or 0) to ``dim``."""
    return tuple(np.random.randint(int(not allow_zero_size), dim + 1, size=num_dim))


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> Any:
    """A random place in a rectangle, ends excluded."""
    x = np.random.randint(x_low, x_high, dtype=np.int64)
    return x, np.random.randint(y_low, y_high, dtype=np.int64)


def rand_ndarray(
    shape: tuple[int, ...],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    modifier_func: Any = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Any = None,
) -> NDArray:
    """A normal array.

    Raises:
        MXNetError: ``stype`` is not "default": arrays are dense.
    """
    if stype != "default":
        _no_sparse("rand_ndarray")
    return array(random_arrays(shape), dtype=dtype, ctx=ctx or default_context())


def rand_sparse_ndarray(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises MXNetError: arrays are dense."""
    _no_sparse("rand_sparse_ndarray")


def create_sparse_array(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises MXNetError: arrays are dense."""
    _no_sparse("create_sparse_array")


def create_sparse_array_zd(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises MXNetError: arrays are dense."""
    _no_sparse("create_sparse_array_zd")


def shuffle_csr_column_indices(csr: Any) -> NoReturn:
    """Raises MXNetError: arrays are dense."""
    _no_sparse("shuffle_csr_column_indices")


def assign_each(the_input: np.ndarray, function: Callable[[Any], Any] | None) -> np.ndarray:
    """A function of every element; None: a copy."""
    if function is None:
        return np.array(the_input)
    values = [function(v) for v in np.ravel(the_input)]
    return np.array(values, dtype=np.float64).reshape(the_input.shape)


def assign_each2(
    input1: np.ndarray, input2: np.ndarray, function: Callable[[Any, Any], Any] | None
) -> np.ndarray:
    """A function of every pair of elements; None: a copy of the first."""
    if function is None:
        return np.array(input1)
    assert input1.shape == input2.shape
    values = [function(v, w) for v, w in zip(np.ravel(input1), np.ravel(input2))]
    return np.array(values, dtype=np.float64).reshape(input1.shape)


def create_2d_tensor(rows: int, columns: int, dtype: Any = np.int64) -> NDArray:
    """Each row holds its own number, ``columns`` times."""
    numbers = nd.arange(0, rows, dtype=dtype).reshape((rows, 1))
    return nd.broadcast_to(numbers, shape=(rows, columns))


def create_vector(size: int, dtype: Any = np.int64) -> NDArray:
    """0 to ``size - 1``."""
    return nd.arange(0, size, dtype=dtype)


def get_identity_mat(size: int) -> NDArray:
    """The identity matrix."""
    return nd.eye(size)


def get_identity_mat_batch(size: int) -> NDArray:
    """Two identity matrices."""
    return nd.stack(nd.eye(size), nd.eye(size))


def np_reduce(
    dat: np.ndarray, axis: Any, keepdims: bool, numpy_reduce_func: Callable[..., Any]
) -> Any:
    """A NumPy reduction along several axes, one after the other, the last first."""
    axes = range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    result = dat
    for i in sorted(axes, reverse=True):
        result = numpy_reduce_func(result, axis=i)
    if keepdims:
        result = result.reshape([1 if i in axes else s for i, s in enumerate(dat.shape)])
    return result


def collapse_sum_like(a: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Sums over the axes along which ``shape`` was broadcast to ``a``'s shape."""
    more = a.ndim - len(shape)
    assert more >= 0
    if 0 in shape or a.size == 0:
        return np.zeros(shape, dtype=a.dtype)
    axes = list(range(more))
    for i, size in enumerate(shape):
        if size != a.shape[i + more]:
            assert size == 1
            axes.append(i + more)
    return np.sum(a, axis=tuple(axes)).reshape(shape)


def new_orthonormal_matrix_2d(n: int) -> np.ndarray:
    """An orthonormal matrix: the Q of a random one."""
    return np.linalg.qr(np.random.uniform(-1.0, 1.0, (n, n)))[0]


def new_matrix_with_real_eigvals_2d(n: int) -> np.ndarray:
    """A matrix whose eigenvalues are real and between -10 and 10: similar to a diagonal one."""
    while True:
        basis = np.eye(n) + np.random.uniform(-0.5, 0.5, (n, n)) / np.sqrt(n)
        if np.linalg.cond(basis) < 3:
            break
    values = np.diag(np.random.uniform(-10.0, 10.0, n))
    return basis @ values @ np.linalg.inv(basis)


def new_sym_matrix_with_real_eigvals_2d(n: int) -> np.ndarray:
    """A symmetric matrix."""
    q = new_orthonormal_matrix_2d(n)
    return q.T @ np.diag(np.random.uniform(-10.0, 10.0, n)) @ q


def _batch(make: Callable[[int], np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape[:-2])) if len(shape) > 2 else 1
    return np.array([make(shape[-1]) for _ in range(count)]).reshape(shape)


def new_matrix_with_real_eigvals_nd(shape: tuple[int, ...]) -> np.ndarray:
    """Matrices in the last two axes, each with real eigenvalues."""
    return _batch(new_matrix_with_real_eigvals_2d, shape)


def new_sym_matrix_with_real_eigvals_nd(shape: tuple[int, ...]) -> np.ndarray:
    """Symmetric matrices in the last two axes."""
    return _batch(new_sym_matrix_with_real_eigvals_2d, shape)
