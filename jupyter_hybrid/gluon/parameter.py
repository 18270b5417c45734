"""Parameters: named arrays with gradients, one copy a device, initialized late if need be."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _core, autograd, initializer, nd, sym
from ..base import dtype_name, dtype_of, is_whole
from ..context import Context, cpu, current_context
from ..nd.array_names import name_array
from .checks import CheckError
from .parameter_arrays import DeferredInitializationError, ParameterArrays
from .storage_types import say_dense

__all__ = ["Constant", "DeferredInitializationError", "Parameter", "generation", "tensor_types"]

tensor_types = (_core.Symbol, _core.NDArray)
_UNIFORM = initializer.Uniform()

# Grows whenever a parameter gets other arrays: compiled blocks look theirs up again then.
generation = [0]

# Threads that feed a device each may all be the first to tell a shape.
_one_at_a_time = threading.RLock()


@contextmanager
def _outside_trace() -> Iterator[None]:
    """In a hybridized cell: parameters are made at once, and are inputs of the cell's graph."""
    mode = _core.suspend_trace("a parameter is made")
    try:
        with autograd.pause():
            yield
    finally:
        _core.resume_trace(mode)


def _contexts(ctx: Any) -> list[Context]:
    if ctx is None:
        return [current_context()]
    contexts = [ctx] if isinstance(ctx, Context) else list(ctx)
    if not contexts:
        raise CheckError("expected one device or more, got none")
    twice = next((c for i, c in enumerate(contexts) if c in contexts[:i]), None)
    if twice is not None:  # its parts' gradients would overwrite each other
        raise CheckError(f"expected every device once, got {twice} twice in {contexts}")
    return contexts


def _complete(shape: tuple[int, ...] | None) -> bool:
    return shape is not None and all(d > 0 for d in shape)


class Parameter(ParameterArrays):
    """An array that training changes.

    Args:
        name: unique in its net, such as "dense0_weight".
        grad_req: "write" (each backward replaces the gradient), "add" or "null".
        shape: 0 (or -1) for sizes that the first forward call will tell.
        dtype: element type.
        lr_mult, wd_mult: factors on the trainer's learning rate and weight decay.
        init: the parameter's own initializer; None leaves it to ``initialize``.
        allow_deferred_init: whether ``shape`` may be incomplete.
        differentiable: False keeps ``grad_req`` at "null".
        stype, grad_stype: storage types, for MXNet's sake; "row_sparse" and "csr" are dense here,
            which is said once.
    """

    _trainer: Any = None

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: Any = None,
        dtype: Any = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ):
        say_dense(name, "stype", stype)
        say_dense(name, "grad_stype", grad_stype)
        self.name = name
        self.lr_mult, self.wd_mult, self.init = lr_mult, wd_mult, init
        self._dtype = dtype_of(dtype)
        self._shape = (
            (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        )
        self._differentiable = differentiable
        self._allow_deferred = allow_deferred_init
        self._stype, self._grad_stype = stype, grad_stype
        self._data: OrderedDict[Context, Any] | None = None
        self._deferred: tuple[Any, list[Context], Any] | None = None
        self._var: Any = None
        self._grad_req = ""
        self.grad_req = grad_req

    def __repr__(self) -> str:
        dtype = dtype_name(self.dtype)
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={dtype})"

    # Shape, dtype and gradient --------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, ...] | None:
        return self._shape

    @shape.setter
    def shape(self, new: Any) -> None:
        new = tuple(new)
        old = self._shape
        if old is not None and (
            len(old) != len(new)
            or any(a > 0 and b > 0 and a != b for a, b in zip(old, new, strict=True))
        ):
            raise CheckError(f"parameter {self.name}: shape {old} can't become {new}")
        self._shape = new
        self._var = None

    @property
    def dtype(self) -> Any:
        return self._dtype

    @dtype.setter
    def dtype(self, new: Any) -> None:
        self.cast(new)

    @property
    def grad_req(self) -> str:
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in ("write", "add", "null"):
            raise CheckError(f"grad_req is 'write', 'add' or 'null', got {req!r}")
        req = req if self._differentiable else "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        for array in (self._data or {}).values():
            if not is_whole(array.dtype):
                array.attach_grad(req)

    # Initialization -------------------------------------------------------------------------------
    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        default_init: Any = _UNIFORM,
        force_reinit: bool = False,
    ) -> None:
        """Makes the array on every context, now or, with an incomplete shape, at first use.

        A parameter that has its array keeps it, with a warning, unless ``force_reinit`` is given.
        """
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"parameter {self.name} is already initialized and stays as it is; "
                "pass force_reinit=True to initialize it anew",
                stacklevel=2,
            )
            return
        self._data = None
        generation[0] += 1
        contexts = _contexts(ctx)
        own = init if init is not None else self.init
        default = default_init if default_init is not None else _UNIFORM
        if _complete(self._shape):
            self._make(own, contexts, default)
        elif self._allow_deferred:
            self._deferred = (own, contexts, default)
        else:
            raise CheckError(
                f"parameter {self.name}: can't initialize shape {self._shape}; give every size"
            )

    def _make(self, own: Any, contexts: list[Context], default: Any) -> None:
        with _outside_trace():
            first = nd.zeros(self._shape, dtype=self.dtype, ctx=contexts[0])
            init = initializer.create(default if own is None else own)
            if not isinstance(init, initializer.Initializer):
                init(self.name, first)  # such as Load, Mixed
            else:  # as a weight whatever its name: layers' biases bring "zeros" of their own
                desc = initializer.InitDesc(self.name, global_init=initializer.create(default))
                init.fill(desc, first)
            self._install({c: first if c == first.context else first.copyto(c) for c in contexts})

    def _install(self, arrays: dict[Context, Any]) -> None:
        self._data = OrderedDict(arrays)
        self._deferred = None
        generation[0] += 1
        whole = is_whole(self.dtype)  # whole numbers have no gradient
        for array in arrays.values():
            if not whole:
                array.attach_grad(self._grad_req)
            name_array(array, self.name)

    def finish_deferred(self) -> None:
        """Makes the array once the shape is known."""
        with _one_at_a_time:
            if self._deferred is None:
                return
            if not _complete(self._shape):
                raise DeferredInitializationError(
                    f"parameter {self.name}: shape {self._shape} is still not known"
                )
            own, contexts, default = self._deferred
            self._make(own, contexts, default)

    # Values -------------------------------------------------------------------------------------
    def _reduce(self) -> Any:
        """What is saved: the mean of the copies, on the CPU."""
        copies = [array.as_in_context(cpu()) for array in self._ready().values()]
        if len(copies) == 1:
            return copies[0]
        return sum(copies[1:], copies[0]) / len(copies)

    def _set_trainer(self, trainer: Any) -> None:
        """The Trainer that is told when the values are set."""
        self._trainer = trainer

    def set_data(self, data: Any) -> None:
        """Writes ``data`` into every copy; tells the shape of a parameter that waits for it.
        Gradients of what was recorded before see the old values."""
        self.shape = data.shape
        if self._data is None:
            if self._deferred is None:
                raise CheckError(f"parameter {self.name} is not initialized")
            self._take(data, self._deferred[1])
            return
        if self._trainer is not None:  # a store that updates weights has the old ones
            self._trainer._reset_kvstore()
        for array in self._data.values():
            _core.replace_contents(array, data)

    def _take(self, data: Any, contexts: list[Context]) -> None:
        with _outside_trace():
            whole = nd.array(data, dtype=self.dtype, ctx=contexts[0])
            self._install({c: whole if c == whole.context else whole.copyto(c) for c in contexts})

    def load(
        self, array: Any, ctx: Any, cast_dtype: bool = False, dtype_source: str = "current"
    ) -> None:
        """Takes the values of a file; initializes on ``ctx`` when nothing was initialized yet.

        Args:
            cast_dtype: whether the element types may differ; else that is an error.
            dtype_source: whose element type is taken then, the parameter's ("current") or that of
                the file ("saved").

        Raises:
            CheckError: shape, element type or contexts do not agree.
        """
        if dtype_source not in ("current", "saved"):
            raise CheckError(f"dtype_source: expected 'current' or 'saved', got {dtype_source!r}")
        self.shape = array.shape
        if self.dtype != array.dtype:
            if not cast_dtype:
                raise CheckError(
                    f"parameter {self.name} is {dtype_name(self.dtype)}, in the file it is "
                    f"{dtype_name(array.dtype)}; pass cast_dtype=True"
                )
            if dtype_source == "saved":
                self.cast(array.dtype)
        known = None
        if self._data is not None or self._deferred is not None:
            known = self.list_ctx()
            if ctx is not None and set(_contexts(ctx)) != set(known):
                raise CheckError(
                    f"parameter {self.name}: can't be loaded on {_contexts(ctx)}, it was "
                    f"initialized on {known}; call reset_ctx first"
                )
        if self._data is None:
            self._take(array, known or ([cpu()] if ctx is None else _contexts(ctx)))
        else:
            self.set_data(array.astype(self.dtype))

    _load_init = load  # its name in MXNet, which GluonCV calls

    def zero_grad(self) -> None:
        """Sets every gradient to zero."""
        if self._grad_req != "null" and self._data is not None:
            for grad in self.list_grad():
                if grad is not None:
                    grad[:] = 0

    def reset_ctx(self, ctx: Any) -> None:
        """Moves the parameter to other contexts.

        Raises:
            CheckError: it is not initialized.
        """
        contexts = _contexts(ctx)
        if self._data is not None:
            with _outside_trace():
                whole = self._reduce()
                self._install({c: whole.copyto(c) for c in contexts})
        elif self._deferred is not None:
            self._deferred = (self._deferred[0], contexts, self._deferred[2])
        else:
            raise CheckError(f"parameter {self.name} is not initialized: it has no context yet")

    def cast(self, dtype: Any) -> None:
        """Changes the element type of the array and of its gradient."""
        self._dtype = dtype_of(dtype)
        self._var = None
        if self._data is None:
            return
        with _outside_trace():
            before = self._data
            self._install({c: a.astype(self.dtype) for c, a in before.items()})
            for ctx, array in before.items():
                if array.grad is not None and self._data[ctx].grad is not None:
                    self._data[ctx].grad[:] = array.grad.astype(self.dtype)
        if self._trainer is not None:
            self._trainer._reset_kvstore(cast=True)

    def rename(self, name: str) -> None:
        """Gives the parameter another name."""
        self.name = name
        self._var = None

    def var(self) -> Any:
        """The parameter as a Symbol variable."""
        if self._var is None:
            self._var = sym.var(
                self.name,
                shape=self._shape,
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=None if self.init is None else str(self.init),
            )
        return self._var


class Constant(Parameter):
    """A parameter that is not trained; ``value`` is an array or a nested list."""

    def __init__(self, name: str, value: Any):
        array = value if hasattr(value, "asnumpy") else nd.array(value)
        super().__init__(name, "null", array.shape, array.dtype, init=initializer.Constant(array))
        self.value = array

    @property
    def grad_req(self) -> str:
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        self._grad_req = "null"
        if req != "null":
            warnings.warn(
                f"constant {self.name}: grad_req stays 'null', {req!r} is ignored", stacklevel=2
            )
