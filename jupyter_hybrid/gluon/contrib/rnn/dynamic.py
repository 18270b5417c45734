"""dynamic_unroll: a cell over a sequence as one loop of the graph, whatever its length."""

from __future__ import annotations

from typing import Any

from ....nd import NDArray
from ...rnn import RecurrentCell
from ...rnn.sequences import as_steps


def dynamic_unroll(
    cell: RecurrentCell,
    inputs: Any,
    begin_state: Any,
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, Any]:
    """Runs the cell over the sequence by ``contrib.foreach``.

    Args:
        cell: the cell.
        inputs: the sequence as one array in ``layout``, or a list of its steps.
        begin_state: the first states.
        drop_inputs, drop_outputs: probabilities of dropout, with one mask for all steps.
        layout: order of time (T), batch (N) and features (C).
        valid_length: steps of each sample, (batch,): outputs behind them are 0, and states are
            those after them.

    Returns:
        Outputs in ``layout`` and the last states.
    """
    steps = as_steps(None, inputs, layout, True)
    F, axis, values = steps.F, steps.axis, steps.values
    if axis:
        values = F.swapaxes(values, dim1=0, dim2=axis)
    if drop_inputs:
        values = F.Dropout(values, p=drop_inputs, axes=(0,))
    states = list(begin_state) if isinstance(begin_state, (list, tuple)) else [begin_state]
    if valid_length is None:
        outputs, states = F.contrib.foreach(cell, values, states)
    else:
        outputs, states = F.contrib.foreach(
            _until(F, cell, valid_length), values, [*states, F.zeros((1,))]
        )
        states = states[:-1]
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(0,))
    if axis:
        outputs = F.swapaxes(outputs, dim1=0, dim2=axis)
    if valid_length is not None:
        outputs = F.SequenceMask(outputs, valid_length, use_sequence_length=True, axis=axis)
    return outputs, states


def _until(F: Any, cell: RecurrentCell, valid_length: Any) -> Any:
    """A step that leaves the states of samples that are over; the last state counts steps."""
    axes = [len(info["shape"]) for info in cell.state_info()]

    def step(inputs: NDArray, states: list[Any]) -> tuple[Any, list[Any]]:
        output, after = cell(inputs, states[:-1])
        goes_on = F.broadcast_greater(valid_length, states[-1])
        kept = []
        for new, old, count in zip(after, states, axes):  # the counter is left out
            rows = F.reshape(goes_on, shape=(-1,) + (1,) * (count - 1))
            kept.append(F.where(F.broadcast_like(rows, new), new, old))
        return output, [*kept, states[-1] + 1]

    return step
