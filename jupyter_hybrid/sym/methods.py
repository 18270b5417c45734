"""Methods of :class:`Symbol` that are not operators: composing, inference, files, evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from .. import _core
from .._core import Context, NDArray, Symbol, current_context
from ..attribute import with_short_names
from ..base import dtype_of, is_whole
from ..nd import zeros
from ..util import is_np_shape
from ..whole_files import write_whole
from .amp_casts import without_casts
from .executor import Executor
from .groups import check_groups, input_devices
from .inputs import name_of
from .names import choose_name
from .pair import save_pair

_Shapes = tuple[Any, Any, Any]


def call(self: Symbol, *args: Symbol, name: str | None = None, **kwargs: Symbol) -> Symbol:
    """Variables replaced, by position in ``list_arguments()`` or by name: ``net(data=other)``."""
    given = dict(zip(self.list_arguments(), args))
    if len(args) > len(given):
        raise TypeError(f"{len(args)} symbols for {len(given)} arguments")
    return self.compose(**given, **kwargs)


def iterate(self: Symbol) -> Iterator[Symbol]:
    """The outputs, one symbol each."""
    return (self[i] for i in range(len(self)))


def represent(self: Symbol) -> str:
    """``<Symbol dense0>`` or ``<Symbol group [a, b]>``."""
    if self.name is not None:
        return f"<{type(self).__name__} {self.name}>"
    return f"<{type(self).__name__} group [{', '.join(str(s.name) for s in iterate(self))}]>"


def infer_shape(self: Symbol, *args: Any, **kwargs: Any) -> _Shapes:
    """(argument shapes, output shapes, auxiliary shapes) given some shapes by name or position.

    A size 0 stands for unknown (inside ``mx.np_shape()``: -1). All three are None when something
    remains unknown.
    """
    inputs, outputs, _, _ = self._infer(_given(self, args, kwargs), {})
    if any(s is None or -1 in s for s in [*inputs, *outputs]):
        return None, None, None
    arguments, states = _split(self, inputs)
    return arguments, outputs, states


def infer_shape_partial(self: Symbol, *args: Any, **kwargs: Any) -> _Shapes:
    """:func:`infer_shape` with what is known: unknown sizes are 0, unknown shapes ().

    Inside ``mx.np_shape()`` they are -1 and None.
    """
    inputs, outputs, _, _ = self._infer(_given(self, args, kwargs), {})
    arguments, states = _split(self, [_known(s) for s in inputs])
    return arguments, [_known(s) for s in outputs], states


def infer_type(self: Symbol, *args: Any, **kwargs: Any) -> _Shapes:
    """(argument dtypes, output dtypes, auxiliary dtypes); float32 where nothing says more."""
    given = {**dict(zip(self.list_arguments(), args)), **kwargs}
    names = self.list_inputs()
    _, _, known, _ = self._infer({}, given)
    # Where nothing determines a dtype it is float32: then everything follows.
    filled = {n: k or "float32" for n, k in zip(names, known)}
    _, _, inputs, outputs = self._infer({}, filled)
    arguments, states = _split(self, [_type(a) for a in inputs])
    return arguments, [_type(o) for o in outputs], states


def infer_type_partial(self: Symbol, *args: Any, **kwargs: Any) -> _Shapes:
    """:func:`infer_type` with what is known: an unknown dtype is None."""
    given = {**dict(zip(self.list_arguments(), args)), **kwargs}
    _, _, inputs, outputs = self._infer({}, given, False)
    arguments, states = _split(self, [_type(a) for a in inputs])
    return arguments, [_type(o) for o in outputs], states


def _with_short_names(list_attr: Callable[[Symbol], dict[str, str]]) -> Any:
    def listed(self: Symbol, recursive: bool = False) -> dict[str, str]:
        """Attributes of the node: the operator's own, and what it was given.

        Raises:
            DeprecationWarning: ``recursive``; ``attr_dict`` has those of all nodes.
        """
        if recursive:
            raise DeprecationWarning("list_attr: given recursive=True; use attr_dict instead")
        return with_short_names(list_attr(self))

    return listed


def _all_with_short_names(attr_dict: Callable[[Symbol], dict[str, dict[str, str]]]) -> Any:
    def listed(self: Symbol) -> dict[str, dict[str, str]]:
        """Attributes of every node by its name."""
        return {name: with_short_names(attrs) for name, attrs in attr_dict(self).items()}

    return listed


def same_symbol(self: Symbol) -> Symbol:
    """The symbol itself: it is a classic one."""
    return self


def no_np_symbol(self: Symbol) -> NoReturn:
    """Raises NotImplementedError: ``mx.np`` is not carried."""
    raise NotImplementedError("as_np_ndarray: symbols of mx.np are not carried yet; mx.sym's are")


def astype(self: Symbol, dtype: Any) -> Symbol:
    """The values in another dtype: ``cast``."""
    return _core.sym_apply("cast", (self,), {"dtype": dtype}, choose_name(None, "cast"))


def flatten(self: Symbol, inplace: bool = False, **kwargs: Any) -> Symbol:
    """:func:`sym.flatten`; ``inplace`` is for arrays."""
    return _core.sym_apply("flatten", (self,), *_attrs_and_name("flatten", kwargs))


def squeeze(self: Symbol, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Symbol:
    """:func:`sym.squeeze`; ``inplace`` is for arrays."""
    kwargs["axis"] = axis
    return _core.sym_apply("squeeze", (self,), *_attrs_and_name("squeeze", kwargs))


def expand_dims(self: Symbol, axis: int, inplace: bool = False, **kwargs: Any) -> Symbol:
    """:func:`sym.expand_dims`; ``inplace`` is for arrays."""
    kwargs["axis"] = axis
    return _core.sym_apply("expand_dims", (self,), *_attrs_and_name("expand_dims", kwargs))


def _attrs_and_name(op: str, kwargs: dict[str, Any]) -> tuple[dict[str, Any], str]:
    name = choose_name(kwargs.pop("name", None), op)
    return kwargs, name


def _with_casts_by_choice(tojson: Callable[[Symbol], str]) -> Callable[..., str]:
    def written(self: Symbol, remove_amp_cast: bool = True) -> str:
        """MXNet 1.9.1's symbol.json; casts of mixed precision are left out unless told."""
        text = tojson(self)
        return without_casts(text) if remove_amp_cast else text

    return written


def gradient(self: Symbol, wrt: Any) -> Symbol:
    """:func:`grad`: MXNet has the name and no implementation."""
    return self.grad(wrt)


def optimize_for(
    self: Symbol,
    backend: str,
    args: Any = None,
    aux: Any = None,
    ctx: Any = None,
    shape_dict: Any = None,
    type_dict: Any = None,
    stype_dict: Any = None,
    skip_infer: bool = False,
    **kwargs: Any,
) -> NoReturn:
    """Raises MXNetError: there are no backends that partition graphs; programs are compiled."""
    raise _core.MXNetError(
        f"optimize_for: there is no backend {backend!r}; graphs are compiled as they are"
    )


def reduce(self: Symbol) -> tuple[Any, tuple[str]]:
    """Pickles as its graph."""
    return _core.sym_load_json, (self._tojson_native(),)


def _with_np_shape(tojson: Callable[..., str]) -> Callable[..., str]:
    def written(self: Symbol, remove_amp_cast: bool = True) -> str:
        """MXNet's symbol.json; written inside ``np_shape()`` it says that 0 is a size."""
        text = tojson(self, remove_amp_cast)
        if not is_np_shape():
            return text
        begin, mark, rest = text.rpartition('"attrs": {')
        return f'{begin}{mark}"is_np_shape": ["int", 1], {rest}'

    return written


def save(self: Symbol, fname: str | os.PathLike[str], remove_amp_cast: bool = True) -> None:
    """Writes the graph in MXNet's format; casts of mixed precision are left out unless told.

    A name that ends in ``.json`` is that of the graph's file. Any other is the prefix of MXNet's
    pair: ``mygraph-symbol.json``, and ``mygraph-0000.params`` with the constants if there are any;
    ``jupyter_hybrid.load('mygraph')`` reads both.

    Raises:
        MXNetError: a node that MXNet has no name for; it names the node and its line.
    """
    if not os.fspath(fname).endswith(".json"):
        save_pair(self, os.fspath(fname))
        return
    write_whole(fname, self.tojson(remove_amp_cast))


def grad(self: Symbol, wrt: Any) -> Symbol:
    """Gradients of the sum of all elements of the outputs: heads take ones.

    Args:
        wrt: a variable or its name, or a list of them.

    Returns:
        One output for each of ``wrt``; an ordinary symbol, which can be differentiated again.

    Raises:
        MXNetError: there is no argument of that name; a derivative is not defined.
        TypeError: something in ``wrt`` is no variable.
    """
    wanted = wrt if isinstance(wrt, (list, tuple)) else [wrt]
    if not wanted:
        raise _core.MXNetError("grad: given no variables")
    return self._grad([name_of(w, "grad: wrt") for w in wanted])


def bind(
    self: Symbol,
    ctx: Any = None,
    args: Any = None,
    args_grad: Any = None,
    grad_req: Any = "write",
    aux_states: Any = None,
    group2ctx: Mapping[str, Context] | None = None,
    shared_exec: Any = None,
    **options: Any,
) -> Executor:
    """An :class:`Executor` on arrays given in a dict by name, or a list in argument order.

    ``aux_states`` are the arrays of the auxiliary states likewise; training writes them.
    ``group2ctx`` gives the groups of ``AttrScope(ctx_group=...)`` their devices; arrays may be
    anywhere, but copying them costs time at each run.
    """
    return Executor(self, ctx, args or {}, args_grad, grad_req, aux_states, group2ctx)


def simple_bind(
    self: Symbol,
    ctx: Any = None,
    grad_req: Any = "write",
    type_dict: dict[str, Any] | None = None,
    stype_dict: dict[str, str] | None = None,
    group2ctx: Mapping[str, Context] | None = None,
    shared_arg_names: Any = None,
    shared_exec: Any = None,
    shared_buffer: Any = None,
    **shapes: Any,
) -> Executor:
    """An :class:`Executor` on new arrays of zeros; their shapes follow from those given.

    With ``group2ctx`` every array is on the device of its group, or of what reads it first.
    """
    ctx = ctx or current_context()
    shapes = {n: s for n, s in shapes.items() if isinstance(s, (tuple, list))}  # MXNet's rule
    names, state_names = self.list_arguments(), self.list_auxiliary_states()
    arguments, _, state_shapes = infer_shape(self, **shapes)
    if arguments is None:
        partial = infer_shape_partial(self, **shapes)[0]
        missing = [n for n, s in zip(names, partial) if not s or 0 in s]
        raise _core.MXNetError(f"simple_bind: the shapes of {', '.join(missing)} do not follow")
    arg_types, _, state_types = infer_type(self, **(type_dict or {}))
    types = dict(zip(names, arg_types))
    where = input_devices(self, check_groups(self, group2ctx), ctx)
    arrays = {n: zeros(s, ctx=where[n], dtype=types[n]) for n, s in zip(names, arguments)}
    wanted = grad_req if isinstance(grad_req, dict) else dict.fromkeys(names, grad_req)
    if isinstance(grad_req, (list, tuple)):
        wanted = dict(zip(names, grad_req))
    grads = {
        n: zeros(a.shape, ctx=where[n], dtype=a.dtype)
        for n, a in arrays.items()
        if wanted.get(n, "null") != "null" and not is_whole(a.dtype)
    }
    states = {
        n: zeros(s, ctx=where[n], dtype=t)
        for n, s, t in zip(state_names, state_shapes, state_types)
    }
    return Executor(self, ctx, arrays, grads, wanted, states, group2ctx)


def evaluate(self: Symbol, ctx: Any = None, **arrays: NDArray) -> list[NDArray]:
    """The outputs for these arrays: ``c.eval(a=x, b=y)``."""
    states = {n: arrays.pop(n) for n in self.list_auxiliary_states() if n in arrays}
    return Executor(self, ctx, arrays, None, "null", states).forward()


def as_in_context(self: Symbol, ctx: Context) -> Symbol:
    """The value on ``ctx``; what reads it is computed there, its gradient comes back.

    Raises:
        MXNetError: when it is run: there is no such device.
    """
    return _core.sym_copy_to(self, ctx)


def debug_str(self: Symbol) -> str:
    """Readable program text of the graph."""
    return str(self.graph())


def get_inputs(self: Symbol) -> list[Symbol]:
    """The variables as symbols."""
    return [_core.sym_var(name) for name in self.list_inputs()]


def _reshape_by(function: Callable[..., Symbol]) -> Callable[..., Symbol]:
    def reshape(self: Symbol, *shape: Any, **options: Any) -> Symbol:
        """reshape((2, 3)), reshape(2, 3), with MXNet's codes 0, -1, -2, -3, -4."""
        if len(shape) == 1:
            shape = shape[0]
        if shape:
            options["shape"] = shape
        return function(self, **options)

    return reshape


def _given(symbol: Symbol, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    given = {**dict(zip(symbol.list_arguments(), args)), **kwargs}
    unknown = () if is_np_shape() else (0,)
    return {
        name: tuple(-1 if size in unknown else size for size in shape)
        for name, shape in given.items()
        if shape is not None
    }


def _split(symbol: Symbol, values: list[Any]) -> tuple[list[Any], list[Any]]:
    """What belongs to arguments and what to auxiliary states, of a list in input order."""
    by_name = dict(zip(symbol.list_inputs(), values, strict=True))
    return (
        [by_name[n] for n in symbol.list_arguments()],
        [by_name[n] for n in symbol.list_auxiliary_states()],
    )


def _known(shape: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if is_np_shape():
        return shape
    return tuple(0 if s == -1 else s for s in shape or ())


def _type(name: str | None) -> Any:
    return None if name is None else dtype_of(name)


def install(reshape: Callable[..., Symbol]) -> None:
    """Puts these methods on the class; ``reshape`` is the function."""
    for name, function in {
        "__call__": call,
        "__iter__": iterate,
        "__repr__": represent,
        "infer_shape": infer_shape,
        "infer_shape_partial": infer_shape_partial,
        "infer_type": infer_type,
        "infer_type_partial": infer_type_partial,
        "list_attr": _with_short_names(Symbol.list_attr),
        "attr_dict": _all_with_short_names(Symbol.attr_dict),
        "as_nd_ndarray": same_symbol,
        "as_np_ndarray": no_np_symbol,
        "astype": astype,
        "flatten": flatten,
        "squeeze": squeeze,
        "expand_dims": expand_dims,
        "gradient": gradient,
        "optimize_for": optimize_for,
        "get_backend_symbol": optimize_for,
        "__reduce__": reduce,
        "tojson": _with_np_shape(_with_casts_by_choice(Symbol.tojson)),
        "save": save,
        "grad": grad,
        "bind": bind,
        "simple_bind": simple_bind,
        "eval": evaluate,
        "as_in_context": as_in_context,
        "as_in_ctx": as_in_context,
        "copyto": as_in_context,
        "debug_str": debug_str,
        "get_inputs": get_inputs,
        "reshape": _reshape_by(reshape),
    }.items():
        setattr(Symbol, name, function)
