"""RecurrentCell: one step of a recurrent network, and its unrolling over a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import nd
from ..block import Block
from ..checks import CheckError
from ..hybrid_block import HybridBlock
from ..nn import LeakyReLU
from .sequences import as_steps, made_states, masked, zero_states

_FUNCTIONS = ("tanh", "relu", "sigmoid", "softsign")


class RecurrentCell(Block):
    """A step: ``output, states = cell(input, states)``.

    Input is (batch, features); states are a list of arrays, which :meth:`state_info` describes.
    """

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Makes the cell ready for another sequence."""
        self._init_counter = -1
        self._counter = -1
        for cell in self._children.values():
            if isinstance(cell, RecurrentCell):
                cell.reset()

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__} must define state_info")

    def begin_state(
        self, batch_size: int = 0, func: Callable = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """The first states: what ``func`` makes, of ``nd`` or ``sym``.

        Args:
            batch_size: size of the batch.
            func: called with ``shape`` and ``kwargs``, such as ``ctx``.

        Raises:
            CheckError: a modifier cell stands around this one; it has to be asked.
        """
        self._only_unmodified()
        return made_states(self.state_info(batch_size), func, self._next_name, kwargs)

    def _only_unmodified(self) -> None:
        if self._modified:
            raise CheckError(
                f"{self.name}: a modifier cell, such as ZoneoutCell, stands around this cell; "
                "call that one instead"
            )

    def _next_name(self) -> str:
        self._init_counter += 1
        return f"{self._prefix}begin_state_{self._init_counter}"

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Runs the cell over a sequence.

        Args:
            length: number of steps.
            inputs: an array in ``layout``, or a list of (batch, features).
            begin_state: the first states; zeros unless given.
            layout: order of batch (N), time (T) and features (C).
            merge_outputs: True gives one array, False a list, None what comes by itself.
            valid_length: steps of each sample, (batch,): outputs behind them are 0, and states are
                those after them.

        Returns:
            Outputs and the last states.
        """
        self.reset()
        steps = as_steps(length, inputs, layout, False)
        F = steps.F
        states = self._first_states(begin_state, steps)
        outputs, all_states = [], []
        for step in steps.values:
            output, states = self(step, states)
            outputs.append(output)
            all_states.append(states)
        if valid_length is not None:
            states = [
                F.SequenceLast(F.stack(*of_one), valid_length, use_sequence_length=True)
                for of_one in zip(*all_states, strict=True)
            ]
            merged = masked(F, outputs, length, valid_length, steps.axis, merged=True)
            return as_steps(length, merged, layout, merge_outputs).values, states
        return as_steps(length, outputs, layout, merge_outputs).values, states

    def _first_states(self, given: list[Any] | None, steps: Any) -> list[Any]:
        if given is not None:
            return given
        self._only_unmodified()
        return zero_states(self.state_info(0), steps)

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """An activation by name, as a layer, or as a function."""
        if activation in _FUNCTIONS:
            return getattr(F, activation)(inputs, **kwargs)
        if isinstance(activation, str):
            return F.Activation(inputs, act_type=activation, **kwargs)
        if isinstance(activation, LeakyReLU):
            return F.LeakyReLU(inputs, act_type="leaky", slope=activation._alpha, **kwargs)
        return activation(inputs, **kwargs)

    def forward(self, inputs: Any, states: Any) -> Any:
        """One step."""
        self._counter += 1
        return super().forward(inputs, states)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """A cell that can be hybridized: define ``hybrid_forward(self, F, inputs, states, ...)``."""

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define hybrid_forward")
