"""Recording operators and computing gradients of what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from . import _core
from ._core import NDArray, Symbol, is_recording, is_training, set_recording, set_training

__all__ = [
    "Function",
    "NDArray",
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
        if kind is not None and self._recording:
            _core.end_open_meetings("the block that was recorded failed before")


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

    A list, also for one variable, as MXNet gives it. With ``create_graph`` the gradients are
    recorded too, so that they can be differentiated again.

    Raises:
        MXNetError: nothing was recorded, or the heads do not depend on a variable.
        ValueError: no variable is given.
    """
    if not isinstance(variables, NDArray) and not len(variables):
        raise ValueError("grad: expected at least one variable")
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


class Function:
    """A computation with a gradient of its own.

    Subclasses define ``forward(*inputs)``, which is not recorded, and ``backward(*output_grads)``,
    which gives one array an input; ``save_for_backward`` keeps arrays for it in
    ``saved_tensors``. An instance is called once::

        class Sigmoid(autograd.Function):
            def forward(self, x):
                y = 1 / (1 + nd.exp(-x))
                self.save_for_backward(y)
                return y

            def backward(self, dy):
                (y,) = self.saved_tensors
                return dy * y * (1 - y)

    ``backward`` runs on the thread that asks for the gradient. It is computed, not recorded: a
    second derivative is refused.
    """

    def __init__(self) -> None:
        self._used = False
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *args: Any) -> None:
        """Keeps what ``backward`` needs."""
        self.saved_tensors = args

    def __call__(self, *inputs: NDArray) -> Any:
        """The outputs of ``forward``: one array, or a sequence of arrays.

        Raises:
            AssertionError: the instance was called before.
        """
        assert not self._used, "a Function can be called once: make another instance"
        self._used = True
        recording = set_recording(False)
        try:
            outputs = self.forward(*inputs)
        finally:
            set_recording(recording)
        if not recording:
            return outputs
        single = isinstance(outputs, NDArray)
        made = _core.record_function(
            inputs,
            [outputs] if single else list(outputs),
            lambda grads: self._gradients(grads, len(inputs)),
        )
        return made[0] if single else type(outputs)(made)

    def _gradients(self, grads: list[NDArray], count: int) -> Sequence[NDArray]:
        found = self.backward(*grads)
        found = [found] if isinstance(found, NDArray) else found
        name = type(self).__name__
        if not isinstance(found, (list, tuple)) or len(found) != count:
            raise ValueError(
                f"{name}.backward: expected {count} arrays, one an input of forward, got "
                f"{len(found) if isinstance(found, (list, tuple)) else type(found).__name__}"
            )
        for i, grad in enumerate(found):
            if not isinstance(grad, NDArray):
                raise TypeError(
                    f"{name}.backward: gradient {i} is {type(grad).__name__}, expected NDArray"
                )
        return found

    def forward(self, *inputs: Any) -> Any:
        """The computation: arrays to an array or a sequence of arrays."""
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    def backward(self, *output_grads: Any) -> Any:
        """Gradients by the inputs, given those of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define backward")
