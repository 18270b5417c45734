"""Bound: arrays that are updated together, with what is known of them from step to step."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..base import MXNetError, dtype_name, is_whole
from ..nd.array_names import name_array
from .program import Kind, StepProgram, layout_of, number_name

if TYPE_CHECKING:
    from .step import StepOptimizer

Numbers = tuple["float | None", ...]
_PROGRAMS = 256  # that an optimizer keeps
_NAMED = 256  # numbers of earlier steps that a picture names


class Bound:
    """Weights and states of a call. The next call with the same finds its program and numbers by a
    comparison: a step of a small net is some microseconds."""

    def __init__(
        self, optimizer: StepOptimizer, weights: Sequence[Any], states: Sequence[Any], copies: bool
    ):
        self._optimizer, self._weights, self._states = optimizer, [*weights], [*states]
        self._copies = copies
        self._arrays: list[Any] = []  # of the states
        kinds = []
        for weight, state in zip(weights, states, strict=True):
            if is_whole(weight.dtype):
                raise MXNetError(
                    f"{type(optimizer).__name__}: expected weights of a floating type, got "
                    f"{dtype_name(weight.dtype)}"
                )
            layout = layout_of(state, self._arrays)
            kinds.append(Kind(weight.dtype, layout, copies and weight.dtype == np.float16))
        self._kinds = tuple(kinds)
        self._context = weights[0].context
        self._program: StepProgram | None = None
        self._made_with: Any = None  # constants and variants that the program is of
        self._values: list[Numbers] | None = None  # of the numbers
        self._given: list[Any] = []  # their arrays, in the program's order
        self._numbers: dict[Any, tuple[float | None, Any]] = {}  # (value, array), by place
        self._earlier: deque[Any] = deque(maxlen=_NAMED)  # of a cell's steps, for their names

    def is_of(self, weights: Sequence[Any], states: Sequence[Any], copies: bool) -> bool:
        """Are these the arrays?"""
        return (
            len(weights) == len(self._weights)
            and copies == self._copies
            and all(map(is_, weights, self._weights))
            and all(map(is_, states, self._states))
        )

    def run(
        self,
        grads: Sequence[Any],
        numbers: list[Numbers],
        constants: tuple[Any, ...],
        variants: tuple[Any, ...] | None,
    ) -> None:
        """Writes the new values; in a hybridized cell this is recorded."""
        if numbers != self._values or (constants, variants) != self._made_with:
            self._prepare(numbers, constants, variants)
        assert self._program is not None
        self._program.run([*self._weights, *grads, *self._arrays, *self._given])

    def _prepare(self, numbers: list[Numbers], constants: Any, variants: Any) -> None:
        """Finds the program, and the arrays of its numbers."""
        values = [*numbers]
        shared = tuple(range(len(numbers)))
        if self._optimizer.shares_numbers:  # parameters with the same ones are a group
            groups: dict[Numbers, int] = {}
            shared = tuple([groups.setdefault(n, len(groups)) for n in numbers])
            values = [*groups]
        given = tuple([tuple([v is not None for v in n]) for n in values])
        self._program = self._find(constants, shared, variants, given)
        self._given = [
            self._array(place, values[place[0]][place[1]]) for place in self._program.numbers
        ]
        self._values, self._made_with = numbers, (constants, variants)

    def _find(self, constants: Any, groups: Any, variants: Any, given: Any) -> StepProgram:
        programs = self._optimizer.programs
        key = self._kinds, constants, groups, variants, given
        if key not in programs:
            if len(programs) >= _PROGRAMS:
                del programs[next(iter(programs))]
            programs[key] = StepProgram(self._optimizer, self._kinds, groups, variants, given)
        return programs[key]

    def _array(self, place: tuple[int, int, Any], value: float | None) -> Any:
        """The number's: a new one for a new value, for a run may still read the old one."""
        known = self._numbers.get(place)
        if known is None or known[0] != value:
            if known is not None and _core.is_tracing():
                self._earlier.append(known[1])
            known = value, _core.array(np.array([value]), ctx=self._context, dtype=place[2])
            name_array(known[1], number_name(self._optimizer, *place), parameter=False)
            self._numbers[place] = known
        return known[1]
