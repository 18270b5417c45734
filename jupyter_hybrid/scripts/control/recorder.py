"""The recorder of code in which branches and loops are bodies: nothing of it is computed."""

from __future__ import annotations

from typing import Any

from ... import _core
from ...capture.cell import Cell
from ...capture.deferred import DeferredNames
from ...capture.options import Options
from ...capture.recorder import Recorder
from ...np_face import TracedArray
from . import loop_operators
from .errors import NotConvertible


class BodyRecorder(Recorder):
    """Records what is traced for later; whatever needs a value raises :class:`NotConvertible`.

    Args:
        unroll: operators that a counted loop may record; beyond, it is a node.
        max_iterations: of a `while`; more is an error when it runs.
    """

    def __init__(self, cell: Cell, later: DeferredNames, unroll: int, max_iterations: int | None):
        super().__init__(cell, Options(view="none"), {}, later)
        self.script = True
        self.unroll = unroll
        self.max_iterations = max_iterations
        self.bodies: list[Any] = []  # branches and loop bodies being traced, innermost last
        self.may_be: list[tuple[Any, list[Any]]] = []  # nodes in bodies: arrays they may stand for
        self.loop_tries: dict[tuple[int, int], int] = {}  # of `while` statements
        # The same of what functions will return: nothing is written before they do.
        self.returning: list[tuple[Any, list[Any]]] = []

    def stay_inside(self, reason: str) -> None:
        raise NotConvertible(reason)

    def run_waiting(self, why: str) -> bool:
        """A body's parameters have no values."""
        return True

    def before_clock(self) -> None:
        """Nothing runs that a clock could mean."""

    def element(self, array: TracedArray, key: Any) -> TracedArray | None:
        """``array[key]`` where ``key`` contains numbers of a traced loop; None when it does not."""
        return loop_operators.element(array, key)

    def scalar_with_ndarray(self, name: str, scalar: Any, array: Any, scalar_first: bool) -> Any:
        """An operator on the node of a NumPy scalar and an NDArray."""
        return loop_operators.scalar_with_ndarray(name, scalar, array, scalar_first)

    def disown(self, arrays: list[Any]) -> None:
        """Arrays that have no value of their own."""
        _core.set_apart(arrays)

    def follow(self, function: Any) -> Any:
        """What is called in the place of a function inside a traced body; None: itself."""
        raise NotImplementedError

    def check_size(self, what: str) -> None:
        """A traced body records on and on. Raises NotConvertible."""
        raise NotImplementedError
