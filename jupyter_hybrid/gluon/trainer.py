"""Trainer: adds gradients over devices and applies the optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import optimizer as optimizers
from .parameter import Parameter, generation
from .parameter_dict import ParameterDict


class Trainer:
    """Updates parameters from their gradients.

    Args:
        params: what ``net.collect_params()`` gives, or a list of parameters.
        optimizer: a name such as "sgd", or an Optimizer.
        optimizer_params: the optimizer's arguments by name.
        kvstore: accepted for MXNet's sake; gradients are added on the first context.
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        kvstore: Any = "device",
    ):
        listed = (
            list(params.values()) if isinstance(params, (dict, ParameterDict)) else list(params)
        )
        wrong = next((p for p in listed if not isinstance(p, Parameter)), None)
        if wrong is not None:
            raise ValueError(f"Trainer: expected Parameters, got {type(wrong).__name__}")
        self._params: list[Parameter] = listed
        of_index = dict(enumerate(listed))
        if isinstance(optimizer, optimizers.Optimizer):
            self._optimizer = optimizer
            optimizer.param_dict = of_index
        else:
            options = optimizer_params or {}
            self._optimizer = optimizers.create(optimizer, param_dict=of_index, **options)
        self._scale = self._optimizer.rescale_grad
        self._updaters: dict[Any, optimizers.Updater] = {}
        self._found: Any = None  # what the lists by context were made of
        self._listed: list[tuple[optimizers.Updater, list[int], list[Any]]] = []

    @property
    def learning_rate(self) -> float:
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Changes the step size of later steps."""
        self._optimizer.set_learning_rate(lr)

    @property
    def optimizer(self) -> optimizers.Optimizer:
        return self._optimizer

    def step(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Adds the gradients of all contexts and updates: gradients count 1 / batch_size.

        Raises:
            UserWarning: a gradient was not written by ``backward`` since the last step.
        """
        self._optimizer.rescale_grad = self._scale / batch_size
        self.allreduce_grads()
        self._update(ignore_stale_grad)

    def state_arrays(self) -> list[tuple[str, Any]]:
        """The optimizer's arrays, such as momentum, each with its parameter's name."""
        return [
            (self._params[index].name, array)
            for updater in self._updaters.values()
            for index, state in updater.states.items()
            for array in _arrays(state)
        ]

    def allreduce_grads(self) -> None:
        """Adds the gradients of every parameter over its contexts."""
        for param in self._params:
            if param.grad_req == "null":
                continue
            grads = param.list_grad()
            if len(grads) < 2:
                continue
            home = grads[0].context
            total = grads[0]
            for grad in grads[1:]:
                total = total + grad.as_in_context(home)
            for grad in grads:
                total.copyto(grad)

    def update(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Updates without adding over contexts."""
        self._optimizer.rescale_grad = self._scale / batch_size
        self._update(ignore_stale_grad)

    def _update(self, ignore_stale_grad: bool) -> None:
        for updater, indices, weights in self._by_context():
            if not all([w._fresh_grad for w in weights]):
                if not ignore_stale_grad:
                    self._refuse(indices, weights)
                fresh = [k for k, w in enumerate(weights) if w._fresh_grad]
                indices, weights = [indices[k] for k in fresh], [weights[k] for k in fresh]
            updater(indices, [w.grad for w in weights], weights)
            for weight in weights:
                weight._fresh_grad = False

    def _by_context(self) -> list[tuple[optimizers.Updater, list[int], list[Any]]]:
        """The parameters that have gradients, with their arrays."""
        found = generation[0], [p.grad_req for p in self._params]
        if found != self._found:
            arrays: dict[Any, tuple[list[int], list[Any]]] = {}
            for index, param in enumerate(self._params):
                if param.grad_req == "null":
                    continue
                for weight in param.list_data():
                    indices, weights = arrays.setdefault(weight.context, ([], []))
                    indices.append(index)
                    weights.append(weight)
            for ctx in arrays:
                if ctx not in self._updaters:
                    self._updaters[ctx] = optimizers.get_updater(self._optimizer)
            self._listed = [(self._updaters[c], *both) for c, both in arrays.items()]
            self._found = found
        return self._listed

    def _refuse(self, indices: list[int], weights: list[Any]) -> None:
        for index, weight in zip(indices, weights, strict=True):
            if not weight._fresh_grad:
                raise UserWarning(
                    f"the gradient of {self._params[index].name} on {weight.context} was not "
                    "written by backward() since the last step; pass ignore_stale_grad=True to "
                    "skip it"
                )


def _arrays(state: Any) -> Iterator[Any]:
    if isinstance(state, (tuple, list)):
        for part in state:
            yield from _arrays(part)
    elif state is not None:
        yield state
