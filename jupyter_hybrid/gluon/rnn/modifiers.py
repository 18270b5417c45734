"""Cells that change another cell's outputs or states, and DropoutCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import nd
from ..checks import CheckError
from ..parameter import tensor_types
from .bidirectional import BidirectionalCell
from .cell import HybridRecurrentCell, RecurrentCell
from .sequences import as_steps, masked


class DropoutCell(HybridRecurrentCell):
    """Dropout on the input; it has no states.

    Args:
        rate: probability of 0.
        axes: axes along which all elements share their fate.

    Raises:
        CheckError: rate is no number.
    """

    def __init__(
        self,
        rate: float,
        axes: tuple[int, ...] = (),
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        if not isinstance(rate, (int, float)):
            raise CheckError(f"DropoutCell: rate: expected a number, got {type(rate).__name__}")
        self._rate, self._axes = rate, axes

    def _alias(self) -> str:
        return "dropout"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        if self._rate > 0:
            name = f"t{self._counter}_fwd"
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=name)
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Drops out of the whole sequence at once where it is one array."""
        self.reset()
        steps = as_steps(length, inputs, layout, merge_outputs)
        if isinstance(steps.values, tensor_types):
            return self.hybrid_forward(steps.F, steps.values, begin_state or [])
        return super().unroll(length, steps.values, begin_state, layout, merge_outputs, None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"


class ModifierCell(HybridRecurrentCell):
    """A cell around another one, whose parameters and states it has.

    Raises:
        CheckError: a modifier cell stands around the other one already.
    """

    def __init__(self, base_cell: RecurrentCell):
        base_cell._only_unmodified()
        base_cell._modified = True
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell

    @property
    def params(self) -> Any:
        return self.base_cell.params

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return self.base_cell.state_info(batch_size)

    def begin_state(  # type: ignore[override]
        self, func: Callable = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        self._only_unmodified()
        self.base_cell._modified = False
        try:
            return self.base_cell.begin_state(func=func, **kwargs)
        finally:
            self.base_cell._modified = True

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define hybrid_forward")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell})"


def refuse_bidirectional(cell: RecurrentCell, kind: str) -> None:
    """Raises CheckError for a cell that has no step."""
    inside = [cell, *cell._children.values()]
    if any(isinstance(part, BidirectionalCell) for part in inside):
        raise CheckError(f"{kind}: a bidirectional cell has no step; put {kind} around its cells")


class ZoneoutCell(ModifierCell):
    """While training, outputs and states keep their former value with some probability.

    Krueger et al. (2017).

    Args:
        base_cell: the cell; not a bidirectional one.
        zoneout_outputs, zoneout_states: the probabilities.
    """

    def __init__(
        self, base_cell: RecurrentCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ):
        refuse_bidirectional(base_cell, "ZoneoutCell")
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states
        self._prev_output: Any = None

    def _alias(self) -> str:
        return "zoneout"

    def reset(self) -> None:
        super().reset()
        self._prev_output = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        output, after = self.base_cell(inputs, states)
        before = F.zeros_like(output) if self._prev_output is None else self._prev_output
        output = _zoned(F, self.zoneout_outputs, output, before)
        after = [
            _zoned(F, self.zoneout_states, new, old) for new, old in zip(after, states, strict=True)
        ]
        self._prev_output = output
        return output, after

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, "
            f"{self.base_cell})"
        )


def _zoned(F: Any, probability: float, new: Any, old: Any) -> Any:
    if not probability:
        return new
    return F.where(F.Dropout(F.ones_like(new), p=probability), new, old)


class ResidualCell(ModifierCell):
    """Adds the input to the output. Wu et al. (2016)."""

    def __init__(self, base_cell: RecurrentCell):
        super().__init__(base_cell)

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Unrolls the cell and adds the sequence."""
        self.reset()
        self.base_cell._modified = False
        try:
            outputs, states = self.base_cell.unroll(
                length, inputs, begin_state, layout, merge_outputs, valid_length
            )
        finally:
            self.base_cell._modified = True
        merged = isinstance(outputs, tensor_types) if merge_outputs is None else merge_outputs
        steps = as_steps(length, inputs, layout, merged)
        F, values = steps.F, steps.values
        if valid_length is not None:
            values = masked(F, values, length, valid_length, steps.axis, merged)
        if merged:
            return F.elemwise_add(outputs, values), states
        return [F.elemwise_add(o, v) for o, v in zip(outputs, values, strict=True)], states
