"""Updater: an optimizer with the states of the parameters that it updates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import nesting
from .._core import mark_optimizer_state
from ..context import Context
from ..nd import NDArray
from ..nd.array_names import array_name, name_array
from .base import Optimizer
from .state_files import read_states, write_states
from .step import StepOptimizer


def _label_states(state: Any, weight: str) -> None:
    """Pictures call them after the weight: ``dense0_weight_state0``."""
    arrays = [a for a in nesting.flatten(state) if type(a) is NDArray]
    for array in arrays:
        mark_optimizer_state(array)
    for number, array in enumerate(arrays if weight else ()):
        name_array(array, f"{weight}_state{number}", parameter=False)


class Updater:
    """Called with (index, gradient, weight), or lists of them, it updates the weights.

    Attributes:
        optimizer: what does it.
        states: the optimizer's states by index; made at the first update.
    """

    def __init__(self, optimizer: Optimizer):
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        self.states_synced: dict[Any, bool] = {}  # is the state on the weight's device?
        self.aggregate_updates = optimizer.aggregate_num > 0

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        if not isinstance(index, (list, tuple)):
            index, grad, weight = [index], [grad], [weight]
        if not index:
            return
        indices = [i.decode() if isinstance(i, bytes) else i for i in index]
        optimizer = self.optimizer
        optimizer._set_current_context(str(weight[0].context))
        states = [self._state(i, w) for i, w in zip(indices, weight, strict=True)]
        if isinstance(optimizer, StepOptimizer) and optimizer.is_one_program():
            optimizer.update_multi_precision(indices, weight, grad, states)
        elif optimizer.aggregate_num > 0:
            self._in_groups(indices, weight, grad, states)
        else:
            for one in zip(indices, weight, grad, states, strict=True):
                optimizer.update_multi_precision(*one)

    def _state(self, index: Any, weight: Any) -> Any:
        if index not in self.states:
            made = self.optimizer.create_state_multi_precision(index, weight)
            _label_states(made, array_name(weight))
            self.states[index] = made
        elif not self.states_synced[index]:
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
        self.states_synced[index] = True
        return self.states[index]

    def _in_groups(self, *lists: Iterable[Any]) -> None:
        """For an optimizer of the user's that takes lists: so many at once, of one dtype."""
        of_dtype: dict[Any, list[Any]] = {}
        for one in zip(*lists, strict=True):
            of_dtype.setdefault(one[1].dtype, []).append(one)
        most = self.optimizer.aggregate_num
        for ones in of_dtype.values():
            for at in range(0, len(ones), most):
                self.optimizer.update_multi_precision(*map(list, zip(*ones[at : at + most])))

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """The state on that device."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def follow(self, other: Updater, weights: dict[Any, Any], others: dict[Any, Any]) -> None:
        """Weights and states become those of an updater of another device, by index."""
        shared = [index for index in weights if index in others]
        for index in shared:  # these need no memory
            others[index].copyto(weights[index])
        for index in shared:
            self.states.pop(index, None)
            if index in other.states:
                context = weights[index].context
                self.states[index] = self.sync_state_context(other.states[index], context)
                self.states_synced[index] = True

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """The states as bytes; with ``dump_optimizer``, the optimizer's attributes, too.

        Raises:
            MXNetError: a state or an attribute is of a kind that can't be saved.
        """
        return write_states(self.states, self.optimizer if dump_optimizer else None)

    def set_states(self, states: bytes) -> None:
        """Takes what :meth:`get_states` gave, an optimizer in it, too.

        Raises:
            MXNetError: for other bytes. Those of MXNet are pickles, which run code: nothing of
                them is read.
        """
        self.states, optimizer = read_states(states, self.optimizer)
        if optimizer is not None:
            self.optimizer = optimizer
        self.states_synced = dict.fromkeys(self.states, False)


def get_updater(optimizer: Optimizer) -> Updater:
    """The optimizer with states, as a function of (index, gradient, weight)."""
    return Updater(optimizer)
