"""StepOptimizer: an optimizer whose step is a formula; one program updates all parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from .base import Optimizer
from .bound import Bound
from .program import StepProgram


class StepOptimizer(Optimizer):
    """Base class of optimizers that are a formula; see the package's description."""

    constants: ClassVar[tuple[str, ...]] = ()  # names of attributes that the formula is made with
    shares_numbers = True  # parameters whose numbers are equal read the same ones
    in_parts = True
    copy_last = False  # a float16 weight's state is (own state, float32 copy), not the reverse

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self._bounds: dict[Any, Bound] = {}  # by device and first index
        self.programs: dict[Any, StepProgram] = {}

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        """What changes from step to step, for one parameter whose update has been counted. None is
        no input: the formula does without (and ``wd or None`` makes one of fewer operators)."""
        return lr, wd or None, self.rescale_grad

    def number_names(self) -> tuple[str, ...]:
        """What pictures call the numbers."""
        return "learning_rate", "weight_decay", "rescale_grad"

    def variant(self, index: Any, weight: Any) -> Any:
        """What else the formula of one parameter is made with: hashable."""
        return None

    def formula(
        self,
        F: Any,
        weight: Any,
        grad: Any,
        state: Any,
        numbers: tuple[Any, ...],
        variant: Any,
    ) -> tuple[Any, Any]:
        """(new weight, new state) as symbols. float16 is computed in float32."""
        raise NotImplementedError(f"{type(self).__name__} must define formula()")

    # Updates --------------------------------------------------------------------------------------
    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        if self._keeps_copy(weight):
            copy = weight.astype(np.float32)
            own = self.create_state(index, copy)
            return (own, copy) if self.copy_last else (copy, own)
        return self.create_state(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Writes the next values into weight and state; of one parameter, or of all in lists."""
        self._step(index, weight, grad, state, copies=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """The same for states of :meth:`create_state_multi_precision`."""
        self._step(index, weight, grad, state, copies=self.multi_precision)

    def is_one_program(self) -> bool:
        """Can all parameters be updated together? Not where a subclass writes its own update."""
        kind = type(self)
        return (
            kind.update is StepOptimizer.update
            and kind.update_multi_precision is StepOptimizer.update_multi_precision
        )

    def _step(self, index: Any, weight: Any, grad: Any, state: Any, copies: bool) -> None:
        if not isinstance(index, (list, tuple)):
            index, weight, grad, state = [index], [weight], [grad], [state]
        key = self._device, index[0]
        bound = self._bounds.get(key)
        if bound is None or not bound.is_of(weight, state, copies):
            bound = self._bounds[key] = Bound(self, weight, state, copies)
        numbers = self._numbers_of(index)
        variants = None
        if type(self).variant is not StepOptimizer.variant:
            variants = tuple(map(self.variant, index, weight))
        bound.run(grad, numbers, tuple(getattr(self, n) for n in self.constants), variants)

    def _numbers_of(self, indices: Sequence[Any]) -> list[tuple[float | None, ...]]:
        self._update_count(indices)
        return [*map(self.numbers, indices, self._get_lrs(indices), self._get_wds(indices))]

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_bounds", "programs")
        return {k: v for k, v in super().__getstate__().items() if k not in hidden}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._bounds, self.programs = {}, {}

    def _forget_arrays(self) -> None:
        self._bounds.clear()
