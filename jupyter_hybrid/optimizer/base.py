"""Optimizer: the base class, and the registry of optimizers by name."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import _core, nd

_FOR_EXAMPLE = "pass multi_precision=True to keep float32 copies of the weights"


def blank(like: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Zeros for a state, of the weight's shape and dtype. In a hybridized cell they are made at
    once, as parameters are: steps that nobody has read yet would else be computed from the first
    one on, again at each value that is read."""
    mode = _core.suspend_trace("an optimizer's state is made")
    try:
        shape = like.shape if shape is None else shape
        return nd.zeros(shape, like.context, dtype=like.dtype if dtype is None else dtype)
    finally:
        _core.resume_trace(mode)


class Optimizer:
    """Base class. Write ``create_state`` and ``update`` to make your own.

    Args:
        rescale_grad: factor of every gradient; Trainer makes it 1 / batch_size.
        param_idx2name: names of the parameters by index.
        wd: weight decay (L2 penalty).
        clip_gradient: bound on the elements of the rescaled gradient; None for none.
        learning_rate: step size; None: the scheduler's, or 0.01.
        lr_scheduler: an :class:`~jupyter_hybrid.lr_scheduler.LRScheduler`.
        sym: a Symbol whose variables' ``lr_mult`` and ``wd_mult`` count.
        begin_num_update: the number of updates to count from.
        multi_precision: float16 weights have float32 copies, on which the steps are done.
        param_dict: parameters by index, whose ``lr_mult`` and ``wd_mult`` count.
    """

    opt_registry: ClassVar[dict[str, type[Optimizer]]] = {}
    in_parts: ClassVar[bool] = False  # may some parameters be updated before others, in any order?

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: dict[int, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: Any = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: dict[int, Any] | None = None,
    ):
        if param_idx2name is not None and not isinstance(param_idx2name, dict):
            raise TypeError(f"param_idx2name: expected a dict, got {type(param_idx2name).__name__}")
        self.rescale_grad, self.clip_gradient, self.wd = rescale_grad, clip_gradient, wd
        self.lr_scheduler = lr_scheduler
        self.lr: Any = 0.01 if learning_rate is None and lr_scheduler is None else learning_rate
        given = lr_scheduler is not None and learning_rate is not None
        if given and lr_scheduler.base_lr != learning_rate:
            warnings.warn(
                f"the scheduler's base_lr {lr_scheduler.base_lr} gives way to learning_rate "
                f"{learning_rate}",
                stacklevel=2,
            )
            lr_scheduler.base_lr = learning_rate
        self.lr_mult: dict[Any, float] = {}
        self.wd_mult: dict[Any, float] = {}
        self.begin_num_update = self.num_update = begin_num_update
        self._all_index_update_counts: dict[Any, dict[Any, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self._device: Any = 0
        self._of_other_devices: dict[Any, dict[str, Any]] = {}
        # What a device has made before its first update here.
        self._counts_before: dict[Any, int] = {}
        self._of_before: dict[str, Any] = {}
        vars(self).update(self._of_device())
        self.multi_precision = multi_precision
        self.aggregate_num = 0  # parameters that one call of update() takes; 0: one, not in a list
        self.idx2name = dict(param_idx2name or {})
        self.sym_info: tuple[Any, ...] = ()
        if sym is not None:
            self.sym_info = sym.attr_dict(), sym.list_arguments()
        self.param_dict = param_dict if param_dict else {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    # The registry ---------------------------------------------------------------------------------
    @staticmethod
    def register(klass: type[Optimizer]) -> type[Optimizer]:
        """Makes an optimizer known by its lower-case name; usable as a decorator."""
        name = klass.__name__.lower()
        known = Optimizer.opt_registry.get(name)
        if known is not None:
            warnings.warn(
                f"the optimizer {klass.__module__}.{klass.__name__} takes the name of "
                f"{known.__module__}.{known.__name__}",
                stacklevel=2,
            )
        Optimizer.opt_registry[name] = klass
        return klass

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> Optimizer:
        """An optimizer by its name, whatever the case. Raises ValueError for an unknown one."""
        kind = Optimizer.opt_registry.get(name.lower())
        if kind is None:
            known = ", ".join(sorted(Optimizer.opt_registry))
            raise ValueError(f"cannot find optimizer {name!r}; known: {known}")
        return kind(**kwargs)

    # What an optimizer does -----------------------------------------------------------------------
    def create_state(self, index: Any, weight: Any) -> Any:
        """The optimizer's own arrays for one weight: an array, a tuple of them, or None."""
        return None

    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        """The same; with multi_precision, of a float16 weight, (float32 copy, its state)."""
        if self._keeps_copy(weight):
            copy = weight.astype(np.float32)
            return copy, self.create_state(index, copy)
        return self.create_state(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Writes the next value into ``weight``, and into ``state`` what it made of it."""
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """:meth:`update` on the float32 copy, where there is one."""
        if self.multi_precision and weight.dtype == np.float16:
            copy, own = state
            self.update(index, copy, grad.astype(np.float32), own)
            copy.copyto(weight)
        else:
            self.update(index, weight, grad, state)

    def _keeps_copy(self, weight: Any) -> bool:
        """Is the weight float16, and a float32 copy wanted?"""
        if weight.dtype != np.float16:
            return False
        if not self.multi_precision:
            warnings.warn(
                f"{type(self).__name__} adds up in float16, which may be inaccurate or slow to "
                f"converge; {_FOR_EXAMPLE}",
                stacklevel=4,
            )
        return self.multi_precision

    # Learning rate and weight decay ---------------------------------------------------------------
    @property
    def learning_rate(self) -> float:
        """The present one; the scheduler's, if there is one."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Changes the step size of later steps. Raises UserWarning when a scheduler decides it."""
        if self.lr_scheduler is not None:
            raise UserWarning(
                "set_learning_rate: the optimizer has an lr_scheduler, which decides the rate"
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Any) -> None:
        """Replaced by :meth:`set_lr_mult`."""
        raise DeprecationWarning("set_lr_scale is gone: use set_lr_mult")

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Factors of the learning rate, by parameter's index or name."""
        self.lr_mult = {**self._given_by_symbol("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Factors of the weight decay. Parameters that have a name which ends neither in
        ``_weight`` nor in ``_gamma`` have 0 unless said."""
        self.wd_mult = {
            **self._without_decay(("_weight", "_gamma")),
            **self._given_by_symbol("__wd_mult__"),
            **args_wd_mult,
        }

    def _without_decay(self, decayed: tuple[str, ...]) -> dict[Any, float]:
        return {name: 0.0 for name in self.idx2name.values() if not name.endswith(decayed)}

    def _given_by_symbol(self, attribute: str) -> dict[Any, float]:
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {
            name: float(attributes[name][attribute])
            for name in names
            if attribute in attributes.get(name, {})
        }

    def _set_current_context(self, device: Any) -> None:
        """Updates are counted apart by device, as every device makes all of them."""
        counts = self._all_index_update_counts
        self._index_update_count = counts.setdefault(device, dict(self._counts_before))
        before, self._device = self._device, device
        if device != before:
            of_new = {**self._of_device(), **copy.deepcopy(self._of_before)}
            self._of_other_devices[before] = {name: getattr(self, name) for name in of_new}
            vars(self).update(self._of_other_devices.pop(device, of_new))

    def _go_on_alike(self) -> None:
        """All devices have made the updates that the present one has made."""
        counts = self._all_index_update_counts[self._device]
        self._all_index_update_counts, self._of_other_devices = {self._device: counts}, {}
        self._counts_before = dict(counts)
        self._of_before = copy.deepcopy({n: getattr(self, n) for n in self._of_device()})

    def _of_device(self) -> dict[str, Any]:
        """Attributes that updates change and that every device has of its own, as they begin."""
        return {}

    def _forget_arrays(self) -> None:
        """Of weights that may not be updated again nothing is kept."""

    def _update_count(self, index: Any) -> None:
        """Counts an update of one parameter, or of each in a list."""
        counts = self._index_update_count
        for one in index if isinstance(index, (list, tuple)) else [index]:
            count = counts[one] = counts.get(one, self.begin_num_update) + 1
            if count > self.num_update:
                self.num_update = count

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        """Learning rates of these parameters."""
        lr = self.learning_rate
        return [lr * self._mult(i, "lr_mult", self.lr_mult) for i in indices]

    def _get_lr(self, index: Any) -> float:
        return self._get_lrs([index])[0]

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        """Weight decays of these parameters."""
        return [self.wd * self._mult(i, "wd_mult", self.wd_mult) for i in indices]

    def _get_wd(self, index: Any) -> float:
        return self._get_wds([index])[0]

    def _mult(self, index: Any, name: str, given: Mapping[Any, float]) -> float:
        if index in self.param_dict:
            return float(getattr(self.param_dict[index], name))
        if index in given:
            return given[index]
        return given.get(self.idx2name[index], 1.0) if index in self.idx2name else 1.0

    # Copies ---------------------------------------------------------------------------------------
    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "param_dict"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.param_dict = {}


register = Optimizer.register
create = Optimizer.create_optimizer
