"""``np.linalg`` by LAPACK in the graph: solve, inv, det, slogdet, cholesky, eigh, svd, qr and what
NumPy writes over them (pinv, matrix_rank, cond).

NumPy's own code is followed, with its compiled parts replaced by nodes; so dtypes, shapes and
errors of arguments are NumPy's. A singular matrix is found when the node runs, so what can fail is
computed where it is called: no line after it runs when its LinAlgError comes. In the body of a
branch or loop node, which has no value yet, the call leaves the graph.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...reasons import Reason
from .. import bridge
from ..errors import NotCovered
from ..float_errors import SILENT
from ..frames import NUMPY, above
from ..protocols import Recorder
from . import followed
from .lowering import FLOAT64, broadcast_to, cast, core, dtype_of, reshape, transpose

followed.LINEAR += [
    "solve", "inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "svd", "svdvals", "pinv",
    "matrix_rank", "cond", "tensorsolve", "tensorinv",
]  # fmt: skip


def _called(recorder: Recorder) -> str:
    """What the cell calls, for the report: ``np.linalg.inv``."""
    name = ""
    for frame in above(sys._getframe(1)):
        if frame.f_code.co_filename == recorder.filename:
            break
        if frame.f_code.co_filename.startswith(NUMPY):
            name = frame.f_code.co_name
    return f"np.linalg.{name}" if name in vars(np.linalg) else "np.linalg"


def _matrices(a: Any) -> Any:
    """A float64 handle of an argument. Raises NotCovered for complex numbers and no elements."""
    handle = bridge.handle_of(followed.state.recorder, a)
    if dtype_of(handle).kind == "c":
        raise NotCovered("np.linalg of complex numbers")
    if 0 in handle.shape:
        raise NotCovered("np.linalg of empty matrices")
    return cast(handle, FLOAT64)


def _failing(op: str, inputs: list[Any], **attrs: Any) -> list[Any]:
    """The outputs of an operator that can fail: computed now, whether or not they are read."""
    recorder = followed.state.recorder
    if recorder.script:
        raise NotCovered("np.linalg in a branch or loop body")
    made = core(op, inputs, **attrs)
    made = made if type(made) is list else [made]
    recorder.raise_here(made, Reason("{name} may raise: computed here", name=_called(recorder)))
    return made


def _traced(node: Any) -> Any:
    return bridge.Traced.of_node(followed.state.recorder, node, scalar=not node.shape)


def _solve(a: Any, b: Any, signature: Any = None) -> Any:
    x, y = _matrices(a), _matrices(b)
    if len(y.shape) < 2 or x.shape[-1] != y.shape[-2]:
        raise NotCovered("np.linalg.solve of these shapes")
    stack = np.broadcast_shapes(tuple(x.shape[:-2]), tuple(y.shape[:-2]))
    x = broadcast_to(x, (*stack, *x.shape[-2:]))
    y = broadcast_to(y, (*stack, *y.shape[-2:]))
    return _traced(_failing("linalg_solve", [x, y])[0])


def _solve_vector(a: Any, b: Any, signature: Any = None) -> Any:
    x, y = _matrices(a), _matrices(b)
    if x.shape[-1] != y.shape[0]:
        raise NotCovered("np.linalg.solve of these shapes")
    y = broadcast_to(reshape(y, (-1, 1)), (*x.shape[:-1], 1))
    made = _failing("linalg_solve", [x, y])[0]
    return _traced(reshape(made, tuple(x.shape[:-1])))


def _slogdet(a: Any, signature: Any = None) -> Any:
    return tuple(map(_traced, core("linalg_slogdet", [_matrices(a)])))


def _det(a: Any, signature: Any = None) -> Any:
    sign, logarithm = core("linalg_slogdet", [_matrices(a)])
    return _traced(core("mul", [sign, core("exp", [logarithm])]))


def _turned(x: Any) -> Any:
    rank = len(x.shape)
    return transpose(x, (*range(rank - 2), rank - 1, rank - 2))


def _cholesky(upper: bool) -> Callable:
    def lowered(a: Any, signature: Any = None) -> Any:
        x = _matrices(a)
        made = _failing("linalg_potrf", [_turned(x) if upper else x])[0]
        return _traced(_turned(made) if upper else made)

    return lowered


def _outputs(op: str, number: int | None = None, **attrs: Any) -> Callable:
    """The operator that gives all its outputs, or that one of them."""

    def lowered(a: Any, signature: Any = None) -> Any:
        made = _failing(op, [_matrices(a)], **attrs)
        return tuple(map(_traced, made)) if number is None else _traced(made[number])

    return lowered


def _makearray(a: Any) -> tuple[Any, Callable]:
    return followed.REPLACEMENTS[np.asarray](a), lambda made: made


_module = sys.modules.get("numpy.linalg._linalg")
_compiled = getattr(_module, "_umath_linalg", None)
# The classes of named results, `EighResult` and the like: tuples that NumPy's own code makes.
RESULTS = frozenset(
    c for c in vars(_module).values() if isinstance(c, type) and issubclass(c, tuple)
)
_PARTS: dict[str, Callable] = {
    "solve": _solve, "solve1": _solve_vector, "slogdet": _slogdet, "det": _det,
    "inv": _outputs("linalg_inverse", 0),
    "cholesky_lo": _cholesky(False), "cholesky_up": _cholesky(True),
    "eigh_lo": _outputs("linalg_eigh", lower=True),
    "eigh_up": _outputs("linalg_eigh", lower=False),
    "eigvalsh_lo": _outputs("linalg_eigh", 0, lower=True),
    "eigvalsh_up": _outputs("linalg_eigh", 0, lower=False),
    "svd_f": _outputs("linalg_svd", full_matrices=True),
    "svd_s": _outputs("linalg_svd", full_matrices=False),
    "svd": _outputs("linalg_svd", 1, full_matrices=False),
}  # fmt: skip
for _name, _part in _PARTS.items():
    _gufunc = getattr(_compiled, _name, None)
    if _gufunc is not None:
        followed.REPLACEMENTS[_gufunc] = _part
if _module is not None:
    _names = followed.globals_of(_module.__name__)
    _names["_makearray"] = _makearray
    _names["errstate"] = lambda **_: SILENT  # errors are the nodes' own


def _qr(a: Any, mode: str = "reduced") -> Any:
    """In place of NumPy's function, whose compiled part writes into its argument."""
    if mode not in ("reduced", "complete", "r"):
        raise NotCovered("np.linalg.qr with mode={mode}", mode=repr(mode))
    x = _matrices(a)
    if len(x.shape) < 2:
        raise NotCovered("np.linalg.qr of less than two dimensions")
    kind = dtype_of(bridge.handle_of(followed.state.recorder, a))
    wanted = kind if kind == np.dtype("float32") else FLOAT64
    made = core("linalg_qr", [x], complete=mode == "complete")
    q, r = (_traced(cast(part, wanted)) for part in made)
    return r if mode == "r" else type(np.linalg.qr(np.eye(1)))(q, r)


followed.REWRITTEN[np.linalg.qr] = _qr
