"""VariationalDropoutCell: dropout with one mask for all steps of a sequence."""

from __future__ import annotations

from typing import Any

from ...parameter import tensor_types
from ...rnn import ModifierCell, RecurrentCell
from ...rnn.modifiers import refuse_bidirectional
from ...rnn.sequences import as_steps, masked


class VariationalDropoutCell(ModifierCell):
    """Dropout of inputs, of the first state and of outputs, with masks that last until
    :meth:`reset`. Gal and Ghahramani (2016).

    Args:
        base_cell: the cell; a bidirectional one only without ``drop_states``.
        drop_inputs, drop_states, drop_outputs: probabilities of 0.
    """

    def __init__(
        self,
        base_cell: RecurrentCell,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ):
        if drop_states:
            refuse_bidirectional(base_cell, "VariationalDropoutCell")
        super().__init__(base_cell)
        self.drop_inputs, self.drop_states = drop_inputs, drop_states
        self.drop_outputs = drop_outputs
        self._forget_masks()

    def _alias(self) -> str:
        return "vardrop"

    def _forget_masks(self) -> None:
        self.drop_inputs_mask: Any = None
        self.drop_states_mask: Any = None
        self.drop_outputs_mask: Any = None

    def reset(self) -> None:
        super().reset()
        self._forget_masks()

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        states = list(states)
        if self.drop_states:
            if self.drop_states_mask is None:
                self.drop_states_mask = F.Dropout(F.ones_like(states[0]), p=self.drop_states)
            states[0] = states[0] * self.drop_states_mask
        if self.drop_inputs:
            if self.drop_inputs_mask is None:
                self.drop_inputs_mask = F.Dropout(F.ones_like(inputs), p=self.drop_inputs)
            inputs = inputs * self.drop_inputs_mask
        output, after = self.base_cell(inputs, states)
        if self.drop_outputs:
            if self.drop_outputs_mask is None:
                self.drop_outputs_mask = F.Dropout(F.ones_like(output), p=self.drop_outputs)
            output = output * self.drop_outputs_mask
        return output, after

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Without ``drop_states`` the whole sequence is dropped out of at once."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        steps = as_steps(length, inputs, layout, True)
        F, axes, values = steps.F, (steps.axis,), steps.values
        states = self._first_states(begin_state, steps)
        if self.drop_inputs:
            values = F.Dropout(values, p=self.drop_inputs, axes=axes)
        self.base_cell._modified = False
        try:
            outputs, states = self.base_cell.unroll(
                length, values, states, layout, True, valid_length
            )
        finally:
            self.base_cell._modified = True
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=axes)
        merged = isinstance(outputs, tensor_types) if merge_outputs is None else merge_outputs
        outputs = as_steps(length, outputs, layout, merged).values
        if valid_length is not None:
            outputs = masked(F, outputs, length, valid_length, steps.axis, merged)
        return outputs, states

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"
