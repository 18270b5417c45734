"""The program that updates parameters: an optimizer's formula for each, new values in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core, sym
from ..base import dtype_name

if TYPE_CHECKING:
    from .step import StepOptimizer


class Kind(NamedTuple):
    """What of a parameter's arrays decides its part of the program, but for shapes."""

    dtype: Any  # of the weight
    layout: Any  # of the state: None, an array's dtype, or a tuple of layouts
    copied: bool  # the state holds the float32 copy of the weight


def layout_of(state: Any, arrays: list[Any]) -> Any:
    """The state's layout; its arrays are added to the list."""
    if state is None:
        return None
    if isinstance(state, (tuple, list)):
        return tuple([layout_of(part, arrays) for part in state])
    arrays.append(state)
    return state.dtype


class StepProgram:
    """One step of all parameters. Arrays are weights, gradients, states, then numbers.

    Args:
        groups: of each parameter, whose numbers it shares.
        variants: of each parameter; None: none has any.
        given: of each group, which of its numbers are.
    """

    def __init__(
        self,
        optimizer: StepOptimizer,
        kinds: Sequence[Kind],
        groups: Sequence[int],
        variants: Sequence[Any] | None,
        given: Sequence[Sequence[bool]],
    ):
        self.numbers: list[tuple[int, int, Any]] = []  # (group, place, dtype) of each number
        self._count, self._given = len(kinds), given
        self._variables = [sym.var(f"weight{i}") for i in range(len(kinds))]
        self._variables += [sym.var(f"grad{i}") for i in range(len(kinds))]
        self._updates: list[tuple[Any, Any]] = []  # (variable, new value)
        numbers: dict[Any, Any] = {}
        with _core.trace_scope(type(optimizer).__name__.lower()):
            for i, kind in enumerate(kinds):
                variant = None if variants is None else variants[i]
                self._add(optimizer, i, kind, groups[i], variant, numbers)

        self.numbers = [*numbers]
        self._variables += numbers.values()
        self._compile()

    def _add(
        self,
        optimizer: StepOptimizer,
        i: int,
        kind: Kind,
        group: int,
        variant: Any,
        numbers: dict[Any, Any],
    ) -> None:
        """One parameter's step."""
        weight, grad = self._variables[i], self._variables[self._count + i]
        kept = self._state(i, kind.layout)
        wide = np.float64 if kind.dtype == np.float64 else np.float32
        given: list[Any] = []
        for place, is_given in enumerate(self._given[group]):
            if not is_given:
                given.append(None)
                continue
            key = group, place, wide
            if key not in numbers:
                numbers[key] = sym.var(number_name(optimizer, *key))
            given.append(numbers[key])
        own, layout, copy = kept, kind.layout, None
        if kind.copied:
            at = 1 if optimizer.copy_last else 0
            copy, own, layout = kept[at], kept[1 - at], kind.layout[1 - at]
        start = _cast(weight, kind.dtype, wide) if copy is None else copy
        new, new_own = optimizer.formula(
            sym,
            start,
            _cast(grad, kind.dtype, wide),
            _mapped(lambda s, dtype: _cast(s, dtype, wide), own, layout),
            tuple(given),
            variant,
        )
        if copy is not None:
            self._updates.append((copy, new))
        self._updates.append((weight, _cast(new, wide, kind.dtype)))
        for old, value, dtype in _leaves(own, new_own, layout):
            self._updates.append((old, _cast(value, wide, dtype)))

    def _state(self, i: int, layout: Any) -> Any:
        """Variables in the structure of a state."""
        if layout is None:
            return None
        if isinstance(layout, tuple):
            return tuple(self._state(i, part) for part in layout)
        variable = sym.var(f"state{len(self._variables)}")
        self._variables.append(variable)
        return variable

    def _compile(self) -> None:
        updates = [(old, new) for old, new in self._updates if new is not old]
        read = {*sym.Group([new for _, new in updates]).list_inputs()}
        # A weight of which there is a wider copy is only written: its shape makes it an input.
        shapes = [sym.shape_array(old) for old, _ in updates if old.name not in read]
        graph = sym.Group([*shapes, *(new for _, new in updates)]).graph()
        of_name = {variable.name: i for i, variable in enumerate(self._variables)}
        names = {node.id: node.name for node in graph.nodes}
        inputs = [names[i] for i in graph.inputs]
        order = [of_name[name] for name in inputs]
        self._ordered = itemgetter(*order) if len(order) > 1 else lambda arrays: (arrays[order[0]],)
        targets = [inputs.index(old.name) for old, _ in updates]
        self._graph = _core.CachedGraph(graph, updates=targets)

    def run(self, arrays: list[Any]) -> None:
        """Writes the new values; in a hybridized cell this is recorded."""
        self._graph.call(self._ordered(arrays))


def number_name(optimizer: StepOptimizer, group: int, place: int, dtype: Any) -> str:
    """What pictures call a number; others for further groups of parameters and for float64."""
    names = optimizer.number_names()
    name = names[place] if place < len(names) else f"number{place}"
    if group:
        name += f"_{group + 1}"
    return name if dtype == np.float32 else f"{name}_{dtype_name(dtype)}"


def _cast(value: Any, dtype: Any, to: Any) -> Any:
    return value if dtype == to else sym.cast(value, dtype=dtype_name(to))


def _mapped(function: Any, state: Any, layout: Any) -> Any:
    if layout is None:
        return None
    if isinstance(layout, tuple):
        return tuple(_mapped(function, s, part) for s, part in zip(state, layout, strict=True))
    return function(state, layout)


def _leaves(old: Any, new: Any, layout: Any) -> Iterator[tuple[Any, Any, Any]]:
    """(old, new, dtype) of every array of a state."""
    if isinstance(layout, tuple):
        for parts in zip(old, new, layout, strict=True):
            yield from _leaves(*parts)
    elif layout is not None:
        yield old, new, layout
