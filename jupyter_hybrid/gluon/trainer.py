"""Trainer: adds gradients over devices and applies the optimizer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .. import autograd
from .. import kvstore as stores
from .. import optimizer as optimizers
from ..base import MXNetError
from ..kvstore.compression import Compression
from ..kvstore.kvstore import load_states
from ..whole_files import write_whole
from .parameter import Parameter, generation
from .parameter_dict import ParameterDict

_LARGE = 16 * 1024 * 1024  # elements of a parameter that a local store does not update itself


class Trainer:
    """Updates parameters from their gradients.

    Args:
        params: what ``net.collect_params()`` gives, or a list of parameters.
        optimizer: a name such as "sgd", or an Optimizer.
        optimizer_params: the optimizer's arguments by name.
        kvstore: what adds gradients up where parameters are on several devices: a store, its
            name, or None: every device's copy is trained by its own gradients.
        compression_params: what devices send of their gradients, such as {"type": "2bit"}:
            see :class:`~jupyter_hybrid.kvstore.compression.Compression`.
        update_on_kvstore: the optimizer runs once, in the store, not once a device. None: where
            there is a store that can, unless the variable MXNET_UPDATE_ON_KVSTORE is 0.
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: dict[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
    ):
        declared = params  # as the net declares them: most use them in this order
        if isinstance(params, (dict, ParameterDict)):
            declared = list(params.values())
            params = [params[key] for key in sorted(params.keys())]
        if not isinstance(params, (list, tuple)):
            raise ValueError(
                f"Trainer: expected a list or dict of Parameters, got {type(params).__name__}"
            )
        wrong = next((p for p in params if not isinstance(p, Parameter)), None)
        if wrong is not None:
            raise ValueError(f"Trainer: expected Parameters, got {type(wrong).__name__}")
        if compression_params:
            Compression(compression_params)  # says now what is wrong with them
        self._compression_params = compression_params
        self._params: list[Parameter] = list(params)
        self._declared: list[Parameter] = list(declared)
        for param in self._params:
            param._set_trainer(self)
        of_index = dict(enumerate(self._params))
        if isinstance(optimizer, optimizers.Optimizer):
            if optimizer_params:
                raise AssertionError("Trainer: optimizer_params belong to an optimizer's name")
            self._optimizer = optimizer
            optimizer.param_dict = of_index
        else:
            options = optimizer_params or {}
            self._optimizer = optimizers.create(optimizer, param_dict=of_index, **options)
        self._scale = self._optimizer.rescale_grad
        self._kvstore_params = {"kvstore": kvstore, "update_on_kvstore": update_on_kvstore}
        self._kv_initialized = False
        self._kvstore: stores.KVStoreBase | None = None
        self._update_on_kvstore: bool | None = None
        self._params_to_init: list[Parameter] = []  # that the store has not got yet
        self._in_store: set[int] = set()
        self._kept: optimizers.Updater | None = None  # of a store that was given up
        self._of_context: dict[Any, optimizers.Updater] = {}
        self._apart = False  # may the devices' parameters differ?
        self._found: Any = None  # what the lists by context were made of
        self._listed: list[tuple[optimizers.Updater, list[int], list[Any]]] = []

    # The optimizer --------------------------------------------------------------------------------
    @property
    def optimizer(self) -> optimizers.Optimizer:
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """The optimizer's present one."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Changes the step size of later steps. Raises UserWarning if a scheduler decides it."""
        self._optimizer.set_learning_rate(lr)

    @property
    def _updaters(self) -> list[optimizers.Updater]:
        """One for every context."""
        return list(self._of_context.values())

    def state_arrays(self) -> list[tuple[str, Any]]:
        """The optimizer's arrays, such as momentum, each with its parameter's name."""
        updaters = self._updaters
        stored = getattr(self._kvstore, "_updater", None)
        if isinstance(stored, optimizers.Updater):
            updaters.append(stored)
        return [
            (self._params[index].name, array)
            for updater in updaters
            for index, state in updater.states.items()
            for array in _arrays(state)
        ]

    # Steps ----------------------------------------------------------------------------------------
    def step(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Adds the gradients of all contexts and updates: gradients count 1 / batch_size.

        Raises:
            UserWarning: a gradient was not written by ``backward`` since the last step, and is
                not to be ignored. Nothing was changed then. Where it is, and other devices wrote
                theirs, it counts as 0.
        """
        self._optimizer.rescale_grad = self._scale / batch_size
        with autograd.pause():
            self._init_kvstore()
            used = None if self._kvstore is None else self._use_fresh(ignore_stale_grad)
            changes = getattr(self._kvstore, "changes", None)
            try:
                if self._update_on_kvstore:
                    assert used is not None
                    self._update_in_store(used)
                else:
                    self._allreduce_grads()
                    self._update(ignore_stale_grad)
            except BaseException:
                if changes is None or changes != getattr(self._kvstore, "changes", None):
                    self._forget_grads()
                raise

    def allreduce_grads(self) -> None:
        """Adds the gradients of every parameter over its contexts, for :meth:`update`."""
        with autograd.pause():
            self._init_kvstore()
            self._refuse_in_store("allreduce_grads")
            self._allreduce_grads()

    def update(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Updates without adding over contexts; errors are those of :meth:`step`."""
        with autograd.pause():
            self._init_kvstore()
            self._refuse_in_store("update")
            self._optimizer.rescale_grad = self._scale / batch_size
            if self._kvstore is not None:
                self._use_fresh(ignore_stale_grad, are_sums=True)
            self._update(ignore_stale_grad)

    def _allreduce_grads(self) -> None:
        if self._kvstore is None:
            return
        trained = [i for i, param in enumerate(self._params) if param.grad_req != "null"]
        grads = [self._params[i].list_grad() for i in trained]
        if isinstance(self._kvstore, stores.KVStore):  # all at once: in buckets
            self._kvstore.pushpull(trained, grads)
            return
        for index, grad in zip(trained, grads, strict=True):
            self._kvstore.pushpull(index, grad, priority=-index)

    def _forget_grads(self) -> None:
        """A step failed: some gradients may be sums by now, or were used. Where there are several
        devices, none counts a second time."""
        for param in self._params if self._kvstore is not None else ():
            for weight in [] if param.grad_req == "null" else param.list_data():
                weight._fresh_grad = False

    def _use_fresh(self, ignore_stale_grad: bool, are_sums: bool = False) -> list[int]:
        """Which parameters have gradients of this step. Devices that wrote none, beside others
        that did, have 0 (a small last batch leaves some out), or the sums by now."""
        used = []
        for index, param in enumerate(self._params):
            weights = [] if param.grad_req == "null" else param.list_data()
            stale = [w for w in weights if not w._fresh_grad]
            if stale and not ignore_stale_grad:
                self._refuse_stale([index] * len(weights), weights)
            if len(stale) < len(weights):
                used.append(index)
                for weight in stale:
                    if not are_sums:
                        weight.grad[:] = 0
                    weight._fresh_grad = True
        return used

    def _update(self, ignore_stale_grad: bool) -> None:
        work = []
        for updater, indices, weights in self._by_context():
            if not all(w._fresh_grad for w in weights):
                if not ignore_stale_grad:
                    self._refuse_stale(indices, weights)
                fresh = [k for k, w in enumerate(weights) if w._fresh_grad]
                indices, weights = [indices[k] for k in fresh], [weights[k] for k in fresh]
            work.append((updater, indices, weights))
        self._follow_first()
        self._apart = self._kvstore is not None and len(work) > 1
        try:
            for updater, indices, weights in work:
                updater(indices, [w.grad for w in weights], weights)
                for weight in weights:
                    weight._fresh_grad = False
            self._apart = False
        except BaseException:
            with suppress(MXNetError):  # then before the next update
                self._follow_first()
            raise

    def _follow_first(self) -> None:
        """After an update that stopped between two devices: all become as the first one is."""
        if not self._apart:
            return
        (first, *which), *others = self._by_context()
        weights = dict(zip(*which, strict=True))
        for updater, *which in others:
            updater.follow(first, dict(zip(*which, strict=True)), weights)
        self._optimizer._set_current_context(str(next(iter(weights.values())).context))
        self._optimizer._go_on_alike()
        self._apart = False

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
            self._make_updaters(arrays)
            self._optimizer._forget_arrays()
            self._listed = [(self._of_context[c], *both) for c, both in arrays.items()]
            self._found = found
        return self._listed

    def _make_updaters(self, contexts: Any) -> None:
        for ctx in contexts:
            if ctx not in self._of_context:
                self._of_context[ctx] = optimizers.get_updater(self._optimizer)

    def _refuse_stale(self, indices: list[int], weights: list[Any]) -> None:
        for index, weight in zip(indices, weights, strict=True):
            if not weight._fresh_grad:
                raise UserWarning(
                    f"the gradient of {self._params[index].name} on {weight.context} was not "
                    "written by backward() since the last step; pass ignore_stale_grad=True to "
                    "skip it"
                )

    # The store ------------------------------------------------------------------------------------
    def _init_kvstore(self) -> None:
        """Makes the store, and puts the parameters there that it has not got."""
        if self._kv_initialized and not self._params_to_init:
            return
        key_of = {id(p): i for i, p in enumerate(self._params)}
        if not self._kv_initialized:
            self._kvstore, self._update_on_kvstore = self._choose_store()
            if self._kvstore is not None and self._compression_params:
                if not isinstance(self._kvstore, stores.KVStore):
                    raise MXNetError(
                        f"Trainer: a store of type {self._kvstore.type!r} compresses no gradients"
                    )
                self._kvstore.set_gradient_compression(self._compression_params)
            if self._kvstore is not None and self._update_on_kvstore:
                self._kvstore.set_optimizer(self._optimizer)
                if self._kept is not None and isinstance(self._kvstore, stores.KVStore):
                    self._kvstore._set_updater(self._kept)
            if isinstance(self._kvstore, stores.KVStore):
                self._kvstore._names = {key_of[id(p)]: p.name for p in self._declared}
            self._params_to_init = [] if self._kvstore is None else [*self._params]
            self._kv_initialized = True
        if self._params_to_init and self._kvstore is not None:
            for param in [*self._params_to_init]:
                arrays, key = param.list_data(), key_of[id(param)]
                if isinstance(self._kvstore, stores.KVStore) and key in self._in_store:
                    self._kvstore.forget(key)  # put there before, or half so
                self._in_store.add(key)
                self._kvstore.broadcast(key, arrays[0], arrays)
                self._params_to_init.remove(param)

    def _reset_kvstore(self, cast: bool = False) -> None:
        """A parameter was set or cast: a store that has its old values is given up, but its states
        stay (MXNet's begin anew)."""
        if self._update_on_kvstore or (cast and self._kv_initialized):
            updater = getattr(self._kvstore, "_updater", None)
            self._kept = updater if isinstance(updater, optimizers.Updater) else None
            self._kvstore, self._update_on_kvstore, self._kv_initialized = None, None, False

    def _choose_store(self) -> tuple[stores.KVStoreBase | None, bool | None]:
        store = self._kvstore_params["kvstore"]
        wanted = self._kvstore_params["update_on_kvstore"]
        in_store = os.environ.get("MXNET_UPDATE_ON_KVSTORE", "1") != "0"
        if isinstance(store, str):
            several = any(len(p.list_ctx()) > 1 for p in self._params)
            if not several and "dist" not in store:
                store = None
            else:
                sizes = [p.list_data()[0].size for p in self._params]
                if store == "local" and max(sizes, default=0) > _LARGE:
                    in_store = False
                store = stores.create(store)
        elif store is not None and not isinstance(store, stores.KVStoreBase):
            raise TypeError(
                f"Trainer: expected a kvstore, its name or None, got {type(store).__name__}"
            )
        if store is None:
            if wanted:
                raise ValueError("Trainer: update_on_kvstore=True needs a kvstore: there is none")
            return None, None
        able = store.is_capable(stores.KVStoreBase.OPTIMIZER)
        if wanted and not able:
            raise ValueError(
                f"Trainer: a store of type {store.type!r} runs no optimizer: set "
                "update_on_kvstore=False"
            )
        return store, able and (in_store if wanted is None else wanted)

    def _update_in_store(self, indices: list[int]) -> None:
        """All gradients to the store, which updates its weights; these to all contexts."""
        assert self._kvstore is not None
        copies = [self._params[i].list_data() for i in indices]
        grads = [self._params[i].list_grad() for i in indices]
        self._kvstore.pushpull(indices, grads, out=copies)
        for weights in copies:
            for weight in weights:
                weight._fresh_grad = False

    def _refuse_in_store(self, what: str) -> None:
        if self._update_on_kvstore:
            raise AssertionError(
                f"Trainer: {what}() has nothing to do where the store updates the parameters; "
                "make the trainer with update_on_kvstore=False"
            )

    # Files ----------------------------------------------------------------------------------------
    def save_states(self, fname: str | os.PathLike[str]) -> None:
        """Writes the optimizer and its states, of the first context, to a file of our own.
        Factors of parameters are not in it. What was there before stays until all is written."""
        self._init_kvstore()
        if self._update_on_kvstore:
            assert self._kvstore is not None
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True)
        else:
            self._by_context()
            updaters = self._updaters or [optimizers.get_updater(self._optimizer)]
            write_whole(fname, updaters[0].get_states(dump_optimizer=True))

    def load_states(self, fname: str | os.PathLike[str]) -> None:
        """Takes what :meth:`save_states` wrote, for all contexts.

        Raises:
            MXNetError: it is another file, or damaged. MXNet's own are pickles, which can run any
                code when they are read: they are refused, unread.
        """
        self._init_kvstore()
        if self._update_on_kvstore:
            assert self._kvstore is not None
            self._kvstore.load_optimizer_states(fname)
            self._optimizer = self._kvstore._updater.optimizer  # type: ignore[attr-defined]
        else:
            self._by_context()
            updaters = self._updaters or [optimizers.get_updater(self._optimizer)]
            load_states(updaters, fname)
            self._optimizer = updaters[0].optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))


def _arrays(state: Any) -> Iterator[Any]:
    if isinstance(state, (tuple, list)):
        for part in state:
            yield from _arrays(part)
    elif state is not None:
        yield state
