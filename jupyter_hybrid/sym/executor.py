"""Executor: a symbol bound to arrays, run as a compiled program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from .._core import Context, NDArray, Symbol
from .groups import check_groups
from .host_graph import executable

_REQS = ("write", "add", "null")


class Executor:
    """What ``bind`` returns.

    Args:
        args: arrays by name, or a list in the order of ``list_arguments()``.
        args_grad: gradient arrays likewise; arguments without one get no gradient.
        grad_req: 'write', 'add' or 'null', for all or by argument.
        aux_states: arrays of the auxiliary states, by name or in the order of
            ``list_auxiliary_states()``; ``forward(is_train=True)`` writes them.
        group2ctx: the device of each ``AttrScope(ctx_group=...)``. An operator without a group runs
            where its first input is; what comes from another device is copied once.

    Raises:
        MXNetError: an argument or a state is missing or unknown, or a group has no device.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Any,
        args: Any,
        args_grad: Any,
        grad_req: Any,
        aux_states: Any = None,
        group2ctx: Mapping[str, Context] | None = None,
    ):
        self._symbol = symbol
        names = symbol.list_arguments()
        self.arg_dict = _by_name("args", names, args, needed=True)
        grads = _by_name("args_grad", names, args_grad or {}, needed=False)
        reqs = _requirements(names, grad_req)
        self.grad_dict: dict[str, NDArray | None] = {
            n: grads.get(n) if reqs[n] != "null" else None for n in names
        }
        states = symbol.list_auxiliary_states()
        self.aux_dict = _by_name("aux_states", states, aux_states or {}, needed=True)
        self.outputs: list[NDArray] = []
        self._ctx = ctx
        self._recorded = False
        groups = check_groups(symbol, group2ctx)
        self._program = executable(symbol.graph(), groups=groups, home=ctx)
        # Marked stand-ins on the same memory: the user's own arrays keep their gradients.
        arrays = {**self.arg_dict, **self.aux_dict}
        self._variables = {n: arrays[n].detach() for n in symbol.list_inputs()}
        for name, gradient in self.grad_dict.items():
            if gradient is not None:
                _core.mark_variables([self._variables[name]], [gradient], reqs[name])

    @property
    def arg_arrays(self) -> list[NDArray]:
        """The arguments in the order of ``list_arguments()``."""
        return list(self.arg_dict.values())

    @property
    def grad_arrays(self) -> list[NDArray | None]:
        """The gradients in the same order; None where there is none."""
        return list(self.grad_dict.values())

    @property
    def aux_arrays(self) -> list[NDArray]:
        """The auxiliary states in the order of ``list_auxiliary_states()``."""
        return list(self.aux_dict.values())

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """The outputs of the last ``forward`` by name."""
        return dict(zip(self._symbol.list_outputs(), self.outputs))

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Runs the program; keyword arguments are written into the arguments first.

        With ``is_train`` what ``backward`` needs is kept, Dropout acts, and auxiliary states get
        their new values.
        """
        for name, value in kwargs.items():
            if name not in self.arg_dict:
                raise TypeError(f"forward: there is no argument {name!r}")
            self.arg_dict[name][:] = value
        recording, training = _core.set_recording(is_train), _core.set_training(is_train)
        try:
            self.outputs = self._program.call(list(self._variables.values()))
        finally:
            _core.set_recording(recording)
            _core.set_training(training)
        self._recorded = is_train
        return self.outputs

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Writes (or adds) the gradients of the outputs into ``grad_dict``.

        Args:
            out_grads: gradients that flow into the outputs; None: ones.

        Raises:
            MXNetError: ``forward(is_train=True)`` did not come before.
        """
        if not self._recorded:
            raise _core.MXNetError("backward: call forward(is_train=True) first")
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        if all(g is None for g in self.grad_dict.values()):
            return
        _core.backward(self.outputs, out_grads, False, is_train)
        self._recorded = False

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Writes arrays into the arguments and auxiliary states of the same names."""
        for what, own, given in (
            ("argument", self.arg_dict, arg_params),
            ("auxiliary state", self.aux_dict, aux_params or {}),
        ):
            for name, array in given.items():
                if name in own:
                    own[name][:] = array
                elif not allow_extra_params:
                    raise ValueError(f"copy_params_from: there is no {what} {name!r}")

    def __repr__(self) -> str:
        return f"<Executor of {self._symbol!r}>"


def _by_name(what: str, names: list[str], arrays: Any, needed: bool) -> dict[str, NDArray]:
    if isinstance(arrays, Sequence):
        if len(arrays) != len(names):
            raise _core.MXNetError(
                f"bind: given {len(arrays)} {what}, expected {len(names)}: {names}"
            )
        arrays = dict(zip(names, arrays))
    unknown = [n for n in arrays if n not in names]
    if unknown:
        kind = "auxiliary state" if what == "aux_states" else "argument"
        raise _core.MXNetError(f"bind: there is no {kind} {unknown[0]!r}; there are {names}")
    missing = [n for n in names if arrays.get(n) is None]
    if needed and missing:
        raise _core.MXNetError(f"bind: no array for {', '.join(missing)}")
    return {n: arrays[n] for n in names if arrays.get(n) is not None}


def _requirements(names: list[str], grad_req: Any) -> dict[str, str]:
    if isinstance(grad_req, str):
        reqs = dict.fromkeys(names, grad_req)
    elif isinstance(grad_req, Mapping):
        reqs = {n: grad_req.get(n, "null") for n in names}
    else:
        reqs = dict(zip(names, grad_req))
    for name, req in reqs.items():
        if req not in _REQS:
            raise _core.MXNetError(
                f"bind: grad_req of {name!r} is {req!r}, expected one of {_REQS}"
            )
    return reqs
