"""MXNet's ``contrib.autograd``: the names that autograd had before ``mx.autograd``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core, nd
from .. import autograd as new
from .._core import NDArray

__all__ = [
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
]


def set_is_training(is_train: bool) -> bool:
    """Records operators, and lets them train, from now on; returns what was true before."""
    before = _core.set_training(is_train)
    _core.set_recording(is_train)
    return before


class TrainingStateScope:
    """:func:`set_is_training` for one block."""

    def __init__(self, enter_state: bool):
        self._enter_state = enter_state
        self._before = False

    def __enter__(self) -> None:
        self._before = set_is_training(self._enter_state)

    def __exit__(self, *error: Any) -> None:
        if self._before != self._enter_state:
            set_is_training(self._before)


def train_section() -> TrainingStateScope:
    """``with train_section():`` operators inside are recorded, and train."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """``with test_section():`` operators inside are not recorded, and don't train."""
    return TrainingStateScope(False)


def mark_variables(
    variables: Sequence[NDArray],
    gradients: Sequence[NDArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Gives arrays gradient arrays that :func:`backward` writes or adds to."""
    new.mark_variables(variables, gradients, grad_reqs)


def backward(
    outputs: Sequence[NDArray],
    out_grads: Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Gradients of the outputs' sum by every array that has one attached."""
    if not isinstance(outputs, (list, tuple)):
        raise TypeError(f"backward: outputs is a list of NDArrays, not {type(outputs).__name__}")
    new.backward(outputs, out_grads, retain_graph)


def compute_gradient(outputs: Sequence[NDArray]) -> None:
    """:func:`backward`. Deprecated in MXNet."""
    backward(outputs)


def grad_and_loss(func: Callable[..., Any], argnum: Any = None) -> Callable[..., Any]:
    """A function of the same arguments that returns (gradients of them, what ``func`` returns).

    Args:
        argnum: the number of the argument to differentiate by, or a list of them; None: all.
    """

    def wrapped(*args: Any) -> tuple[list[NDArray], Any]:
        wanted = list(args)
        if argnum is not None:
            wanted = [args[i] for i in ([argnum] if isinstance(argnum, int) else argnum)]
        for array in wanted:
            if not isinstance(array, NDArray):
                raise TypeError(f"grad_and_loss: expected NDArrays, got {type(array).__name__}")
        grads = [nd.zeros_like(array) for array in wanted]
        mark_variables(wanted, grads)
        with train_section():
            outputs = func(*args)
        backward([outputs] if isinstance(outputs, NDArray) else outputs)
        return grads, outputs

    return wrapped


def grad(func: Callable[..., Any], argnum: Any = None) -> Callable[..., list[NDArray]]:
    """A function of the same arguments that returns the gradients of :func:`grad_and_loss`."""
    both = grad_and_loss(func, argnum)

    def wrapped(*args: Any) -> list[NDArray]:
        return both(*args)[0]

    return wrapped
