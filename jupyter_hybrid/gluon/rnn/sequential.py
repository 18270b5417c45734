"""Cells one after another."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..checks import CheckError
from .bidirectional import BidirectionalCell
from .cell import HybridRecurrentCell, RecurrentCell
from .sequences import as_steps


class _Stack:
    """Common to both stacks."""

    _children: OrderedDict[str, Any]

    def add(self, cell: Any) -> None:
        """Appends a cell."""
        self.register_child(cell)  # type: ignore[attr-defined]

    def __getitem__(self, i: int) -> Any:
        return self._children[str(i)]

    def __len__(self) -> int:
        return len(self._children)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Those of all cells."""
        return [info for cell in self._children.values() for info in cell.state_info(batch_size)]

    def begin_state(self, **kwargs: Any) -> list[Any]:
        """Those of all cells; see :meth:`RecurrentCell.begin_state`."""
        self._only_unmodified()  # type: ignore[attr-defined]
        cells = self._children.values()
        return [state for cell in cells for state in cell.begin_state(**kwargs)]

    def _step(self, inputs: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        left, made = list(states), []
        for cell in self._children.values():
            if isinstance(cell, BidirectionalCell):
                raise CheckError(f"{cell.name}: a bidirectional cell has no step; use unroll")
            count = len(cell.state_info())
            inputs, after = cell(inputs, left[:count])
            left = left[count:]
            made += list(after)
        return inputs, made

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Unrolls the cells one after another; see :meth:`RecurrentCell.unroll`."""
        self.reset()  # type: ignore[attr-defined]
        steps = as_steps(length, inputs, layout, None)
        left = list(self._first_states(begin_state, steps))  # type: ignore[attr-defined]
        values, made = steps.values, []
        for i, cell in enumerate(self._children.values()):
            count = len(cell.state_info())
            merged = merge_outputs if i + 1 == len(self._children) else None
            values, after = cell.unroll(length, values, left[:count], layout, merged, valid_length)
            left = left[count:]
            made += list(after)
        return values, made

    def __repr__(self) -> str:
        rows = [
            f"({name}): " + repr(cell).replace("\n", "\n  ")
            for name, cell in self._children.items()
        ]
        return f"{type(self).__name__}(\n" + "\n".join(rows) + "\n)"


class SequentialRNNCell(_Stack, RecurrentCell):  # type: ignore[misc]
    """Cells applied in order; cells that are not hybrid may be among them."""

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)

    def forward(self, inputs: Any, states: Any) -> Any:
        self._counter += 1
        return self._step(inputs, states)


class HybridSequentialRNNCell(_Stack, HybridRecurrentCell):  # type: ignore[misc]
    """Hybrid cells applied in order; hybridized, a step of them is one program."""

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        return self._step(inputs, states)
