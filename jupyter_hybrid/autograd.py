"""Recording operators and computing gradients of what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import TracebackType

from . import _core
from ._core import NDArray, Symbol, is_recording, is_training, set_recording, set_training

__all__ = [
    "backward",
    "get_symbol",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


class _Modes:
    """Sets recording and training inside a ``with`` block; None leaves one as it is."""

    def __init__(self, recording: bool | None, training: bool | None):
        self._recording = recording
        self._training = training
        self._before: list[tuple[bool | None, bool | None]] = []

    def __enter__(self) -> None:
        recording = None if self._recording is None else set_recording(self._recording)
        training = None if self._training is None else set_training(self._training)
        self._before.append((recording, training))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        recording, training = self._before.pop()
        if recording is not None:
            set_recording(recording)
        if training is not None:
            set_training(training)


def record(train_mode: bool = True) -> _Modes:
    """``with autograd.record():`` operators inside are recorded for gradients."""
    return _Modes(True, train_mode)


def pause(train_mode: bool = False) -> _Modes:
    """``with autograd.pause():`` operators inside are not recorded."""
    return _Modes(False, train_mode)


def train_mode() -> _Modes:
    """``with autograd.train_mode():`` Dropout and the like behave as in training."""
    return _Modes(None, True)


def predict_mode() -> _Modes:
    """``with autograd.predict_mode():`` Dropout and the like behave as in inference."""
    return _Modes(None, False)


def mark_variables(
    variables: NDArray | Sequence[NDArray],
    gradients: NDArray | Sequence[NDArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Gives arrays gradient arrays that ``backward`` writes ('write') or adds to ('add')."""
    if isinstance(variables, NDArray):
        variables = [variables]
    if isinstance(gradients, NDArray):
        gradients = [gradients]
    _core.mark_variables(variables, gradients, grad_reqs)


def backward(
    heads: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Gradients of the sum of ``heads`` by every array that has one attached.

    Args:
        head_grads: gradients that flow into the heads, of their shapes; None: ones.
        retain_graph: keep what was recorded, for a second call.

    Raises:
        MXNetError: nothing was recorded, or a value that is needed was overwritten.
    """
    _core.backward(heads, head_grads, retain_graph, train_mode)


def grad(
    heads: NDArray | Sequence[NDArray],
    variables: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """Gradients of the sum of ``heads`` by ``variables``, returned instead of stored.

    Always a list, as MXNet returns it, also for one variable. With ``create_graph`` the gradients
    are recorded too, so that they can be differentiated again.
    """
    retain = create_graph if retain_graph is None else retain_graph
    wanted = [variables] if isinstance(variables, NDArray) else variables
    return _core.grad(heads, wanted, head_grads, retain, create_graph, train_mode)


def get_symbol(x: NDArray | Sequence[NDArray]) -> Symbol:
    """What was recorded to compute ``x``, as a Symbol: the tape as a graph.

    Its variables are called ``var0``, ``var1``, ... in the order in which they are read. Gradients
    that ``grad(create_graph=True)`` made are recorded too.

    Args:
        x: an array that was computed inside ``record()``, or several: a Symbol of many outputs.

    Raises:
        MXNetError: nothing was recorded of it.
    """
    graph = _core.tape_graph([x] if isinstance(x, NDArray) else list(x))
    inputs = [graph.node(i) for i in graph.inputs]
    names = {node.id: node.name or f"var{i}" for i, node in enumerate(inputs)}
    counts: Counter[str] = Counter()
    for node in graph.nodes:
        if node.id not in names and node.op is not None:
            names[node.id] = node.name or f"{node.op}{counts[node.op]}"
            counts[node.op] += 1
    return _core.sym_from_graph(graph.with_names(names))
