"""Executor: a symbol bound to arrays, run as a compiled program."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Context, NDArray, Symbol
from .groups import check_groups
from .host_graph import HostGraph, executable
from .monitor import told
from .names import choose_name
from .variable import Group

_REQS = ("write", "add", "null")


class HeadGradientError(_core.MXNetError, AssertionError):
    """``backward`` was given fewer gradients than there are outputs."""


def _reachable(a: Context, b: Context) -> bool:
    """All of the host's contexts have one memory."""
    return a == b or "gpu" not in (a.device_type, b.device_type)


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
        MXNetError: an argument or a state is missing, a group has no device, or an array is on
            another device than ``ctx`` where nothing says that the graph uses several.
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
        self._outputs: list[NDArray] | None = None
        self._ctx, self._reqs, self._group2ctx = ctx, reqs, group2ctx
        self._recorded = False
        self._joins = os.environ.get("MXNET_ELIMINATE_COMMON_EXPR", "1") != "0"
        self._monitor: tuple[Callable[[str, NDArray], Any], bool, Any, list[str]] | None = None
        self._groups = check_groups(symbol, group2ctx)
        if isinstance(ctx, Context) and not self._groups:
            self._check_devices(ctx)
        self._program = executable(_undeclared(symbol).graph(), groups=self._groups, home=ctx)
        # Marked stand-ins on the same memory: the user's own arrays keep their gradients.
        arrays = {**self.arg_dict, **self.aux_dict}
        self._cast: dict[str, NDArray] = {}
        self._variables = {n: arrays[n].detach() for n in symbol.list_inputs()}
        for name, gradient in self.grad_dict.items():
            if gradient is not None:
                self._attach(name, gradient)

    def _check_devices(self, ctx: Context) -> None:
        if any(n.op == "copy_to_device" for n in self._symbol.graph().nodes):
            return
        given = {
            **{f"argument {n!r}": a for n, a in self.arg_dict.items()},
            **{f"gradient of {n!r}": a for n, a in self.grad_dict.items() if a is not None},
            **{f"auxiliary state {n!r}": a for n, a in self.aux_dict.items()},
        }
        for what, array in given.items():
            if not _reachable(array.context, ctx):
                raise _core.MXNetError(
                    f"bind: the {what} is on {array.context}, the symbol is bound to {ctx}; copy "
                    "it with as_in_context() first, or give group2ctx for several devices"
                )

    def _attach(self, name: str, gradient: NDArray) -> None:
        """Gradients of another dtype than their arguments' are computed beside, then cast."""
        variable, req = self._variables[name], self._reqs[name]
        if gradient.dtype != variable.dtype:
            self._cast[name] = gradient
            gradient = _core.invoke("zeros_like", [variable], {})
            req = "write"
        _core.mark_variables([variable], [gradient], req)

    @property
    def outputs(self) -> list[NDArray]:
        """The outputs of the last ``forward``; of the arrays as they are before the first one."""
        return self.forward() if self._outputs is None else self._outputs

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
        return self._run(is_train, is_train)

    def _run(self, is_train: bool, recorded: bool) -> list[NDArray]:
        recording, training = _core.set_recording(recorded), _core.set_training(is_train)
        try:
            self._outputs = self._call(list(self._variables.values()))
        finally:
            _core.set_recording(recording)
            _core.set_training(training)
        self._recorded = recorded
        return self._outputs

    def _call(self, inputs: list[NDArray]) -> list[NDArray]:
        if self._monitor is None:
            return self._program.call(inputs)
        callback, monitor_all, program, names = self._monitor
        values = program.call(inputs)
        count = len(values) - len(names)
        known = dict(zip(names, values[count:]))
        nodes = self._symbol.graph().nodes
        for name, _, array in told(nodes, known, monitor_all, variables=True):
            callback(name, array)
        return values[:count]

    def set_monitor_callback(
        self, callback: Callable[[str, NDArray], Any], monitor_all: bool = False
    ) -> None:
        """``callback(name, array)`` is called for every operator's outputs of each ``forward``.

        With ``monitor_all`` its inputs are told before them, as ``operator_input``, and variables
        by their own names, too. The program keeps all of them meanwhile.
        """
        internals = self._symbol.get_internals()
        symbol = _undeclared(Group([*self._symbol, *internals]))
        program = executable(symbol.graph(), groups=self._groups, home=self._ctx)
        self._monitor = (callback, monitor_all, program, internals.list_outputs())

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Writes (or adds) the gradients of the outputs into ``grad_dict``.

        After ``forward(is_train=False)``, which keeps nothing, the program runs once more.

        Args:
            out_grads: gradients that flow into the outputs, a list or by name; None: ones.

        Raises:
            HeadGradientError: there are fewer gradients than outputs.
        """
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        if isinstance(out_grads, Mapping):
            out_grads = [out_grads[name] for name in self._symbol.list_outputs()]
        if all(g is None for g in self.grad_dict.values()):
            return
        if not self._recorded:
            self._run(False, recorded=True)
        if out_grads is not None:
            if len(out_grads) < len(self.outputs):
                raise HeadGradientError(
                    f"backward: given {len(out_grads)} gradients for {len(self.outputs)} outputs"
                )
            out_grads = [_head(grad, out) for grad, out in zip(out_grads, self.outputs)]
        _core.backward(self.outputs, out_grads, False, is_train)
        self._recorded = False
        for name, gradient in self._cast.items():
            made = _core.invoke("cast", [self._variables[name].grad], {"dtype": gradient.dtype})
            gradient[:] = gradient + made if self._reqs[name] == "add" else made

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> Executor:
        """An executor of the same symbol for other shapes; arrays are shared where they fit.

        Args:
            partial_shaping: arguments that aren't named may get another shape, too.
            allow_up_sizing: arrays may become larger than these: they are new ones.
            kwargs: shapes of arguments by name.

        Raises:
            ValueError: a shape changes, or grows, that may not.
        """
        shapes, _, states = self._symbol.infer_shape(**kwargs)
        if shapes is None:
            raise ValueError(f"reshape: the shapes do not follow from {kwargs}")
        names = {**dict(zip(self.arg_dict, shapes)), **dict(zip(self.aux_dict, states))}
        held = {**self.arg_dict, **self.aux_dict}
        arrays = {}
        for name, shape in names.items():
            if held[name].shape != shape and name not in kwargs and not partial_shaping:
                raise ValueError(
                    f"reshape: {name!r} would change from {held[name].shape} to {shape}; "
                    "name it, or give partial_shaping=True"
                )
            arrays[name] = _resized(name, held[name], shape, allow_up_sizing)
        grads = {
            name: _resized(name, grad, arrays[name].shape, allow_up_sizing)
            for name, grad in self.grad_dict.items()
            if grad is not None
        }
        return Executor(
            self._symbol,
            self._ctx,
            {name: arrays[name] for name in self.arg_dict},
            grads,
            self._reqs,
            {name: arrays[name] for name in self.aux_dict},
            self._group2ctx,
        )

    def debug_str(self) -> str:
        """The program's text: operators, shapes, and the memory that it needs beside arguments,
        gradients and outputs, in MiB ("Total 12 MB allocated")."""
        graph = _undeclared(self._symbol).graph()
        text = str(graph)
        if isinstance(self._program, HostGraph):
            return text
        names = self._symbol.list_inputs()
        arrays = [self._variables[name] for name in names]
        wrt = [i for i, n in zip(graph.inputs, names) if self.grad_dict.get(n) is not None]
        compiled = _core.compile(
            graph,
            [a.shape for a in arrays],
            [a.dtype for a in arrays],
            keep_stages=False,
            devices=[a.context for a in arrays],
            groups=self._groups,
            home=self._ctx,
            training=bool(wrt),
            grad_of=[(e[0], e[1]) for e in graph.outputs] if wrt else None,
            grad_wrt=wrt or None,
        )
        return f"{text}\nTotal {compiled.program.plan.arena_bytes >> 20} MB allocated\n"

    def get_optimized_symbol(self) -> Symbol:
        """The symbol with equal expressions computed once; outputs stay apart, by copies.

        It is as written where MXNET_ELIMINATE_COMMON_EXPR was 0 when it was bound. What all
        passes make of it is in the program, not a symbol.
        """
        if not self._joins or isinstance(self._program, HostGraph):
            return self._symbol
        names = self._symbol.list_inputs()
        joined = _core.compile(
            _undeclared(self._symbol).graph(),
            [self._variables[n].shape for n in names],
            [self._variables[n].dtype for n in names],
            passes=["cse"],
            only_these=True,
        )
        graph = joined.program.graph
        outputs = list(_core.sym_from_graph(graph))
        seen: set[tuple[int, int]] = set()
        for i, entry in enumerate(graph.outputs):
            if tuple(entry) in seen:
                outputs[i] = _core.sym_apply("_copy", (outputs[i],), {}, choose_name(None, "_copy"))
            seen.add((entry[0], entry[1]))
        return _core.sym_group(outputs)

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


def _undeclared(symbol: Symbol) -> Symbol:
    """The symbol without the shapes and dtypes that its variables were declared with.

    The arrays that it is bound to decide, as in MXNet.
    """
    declared = {"__shape__", "__dtype__"}
    attributes = symbol.attr_dict()
    plain = {}
    for name in symbol.list_inputs():
        held = attributes.get(name, {})
        if not declared.isdisjoint(held):
            kept = {k: v for k, v in held.items() if k not in declared}
            plain[name] = _core.sym_var(name, **kept)
    return symbol.compose(**plain) if plain else symbol


def _head(grad: NDArray | None, out: NDArray) -> NDArray | None:
    """What flows into an output, in its dtype; MXNet does not look at what flows into integers."""
    if grad is None or grad.dtype == out.dtype:
        return grad
    if np.dtype(out.dtype).kind in "iu" and grad.shape != out.shape:
        return None
    return grad.astype(out.dtype)


def _resized(name: str, held: NDArray, shape: tuple[int, ...], larger: bool) -> NDArray:
    """The array itself, the beginning of its memory in that shape, or a new one."""
    if held.shape == shape:
        return held
    size = math.prod(shape)
    if size <= held.size:
        return held.reshape((-1,))[:size].reshape(shape)
    if not larger:
        raise ValueError(
            f"reshape: {name!r} would grow from {held.shape} to {shape}; give allow_up_sizing=True"
        )
    return _core.invoke("_zeros", [], {"shape": shape, "dtype": held.dtype}, None, held.context)


def _by_name(what: str, names: list[str], arrays: Any, needed: bool) -> dict[str, NDArray]:
    """The arrays of these names; others in a dict are left, as in MXNet."""
    if isinstance(arrays, Sequence):
        if len(arrays) != len(names):
            raise _core.MXNetError(
                f"bind: given {len(arrays)} {what}, expected {len(names)}: {names}"
            )
        arrays = dict(zip(names, arrays))
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
