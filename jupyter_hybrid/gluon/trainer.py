"""Trainer: adds gradients over devices and applies the optimizer."""

from __future__ import annotations

from typing import Any

from .. import optimizer as optimizers
from ..base import MXNetError
from .parameter import Parameter
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
        self._params: list[Parameter] = [p for p in listed if p.grad_req != "null"]
        self._optimizer = optimizers.create(optimizer, **(optimizer_params or {}))
        self._scale = self._optimizer.rescale_grad
        self._states: dict[tuple[int, Any], Any] = {}

    @property
    def learning_rate(self) -> float:
        return self._optimizer.lr

    def set_learning_rate(self, lr: float) -> None:
        """Changes the step size of later steps."""
        self._optimizer.lr = float(lr)

    @property
    def optimizer(self) -> optimizers.Optimizer:
        return self._optimizer

    def step(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Adds the gradients of all contexts and updates: gradients count 1 / batch_size.

        Raises:
            MXNetError: a gradient was not written by ``backward`` since the last step.
        """
        self._optimizer.rescale_grad = self._scale / batch_size
        self.allreduce_grads()
        self._update(ignore_stale_grad)

    def state_arrays(self) -> list[tuple[str, Any]]:
        """The optimizer's arrays, such as momentum, each with its parameter's name."""
        found = []
        for (index, _), state in self._states.items():
            states = state if isinstance(state, (tuple, list)) else [state]
            found += [(self._params[index].name, s) for s in states if s is not None]
        return found

    def allreduce_grads(self) -> None:
        """Adds the gradients of every parameter over its contexts."""
        for param in self._params:
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
        for index, param in enumerate(self._params):
            for weight in param.list_data():
                if not weight._fresh_grad:
                    if ignore_stale_grad:
                        continue
                    raise MXNetError(
                        f"the gradient of {param.name} on {weight.context} was not written by "
                        "backward() since the last step; pass ignore_stale_grad=True to skip it"
                    )
                key = (index, weight.context)
                if key not in self._states:
                    self._states[key] = self._optimizer.create_state(weight)
                self._optimizer.update(
                    weight, weight.grad, self._states[key], param.lr_mult, param.wd_mult
                )
                weight._fresh_grad = False
