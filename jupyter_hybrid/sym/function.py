"""compile(): expressions of variables as one function that runs as a compiled program."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from .._core import Context, MXNetError, NDArray, Symbol, current_context
from ..progress import SearchProgress
from .function_report import FunctionReport
from .groups import check_groups, input_devices
from .inputs import as_array, declared_dtype, declared_shape, name_of
from .variable import Group, var

__all__ = ["Function", "compile_function"]

_SIGNATURES = 64  # programs kept of one function


class Function:
    """Expressions compiled to a function; :func:`jupyter_hybrid.compile` makes it.

    Called with a keyword for every variable that is no parameter: NDArrays, NumPy arrays or
    numbers. The latter become float32 arrays, as in ``nd.array``, unless the variable declares
    another dtype. The result is an NDArray, or a list or dict of them when such was compiled; it
    may still be computed when the call returns. Every signature (shapes, dtypes, device) is
    compiled once. Calls are not recorded by ``autograd``; ``Symbol.grad`` makes gradients.

    Attributes:
        arguments: names to call it with, in the order of the graph.
        params: the arrays of the parameters, by name; updates are written into them.
    """

    def __init__(
        self,
        outputs: Sequence[Symbol],
        single: bool,
        keys: Sequence[str] | None,
        updates: Sequence[tuple[str, Symbol]],
        params: dict[str, NDArray],
        options: dict[str, Any],
        donate: Iterable[str],
        ctx: Context | None,
        group2ctx: Mapping[str, Context] | None = None,
    ):
        symbol = _one_symbol([*outputs, *(value for _, value in updates)])
        if keys is not None:
            symbol = _named(symbol, keys)
        names = symbol.list_inputs()
        _check_params(params, [*names, *(name for name, _ in updates)])
        self.params = params
        self.arguments = [n for n in names if n not in params]
        self._names = names
        self._symbol = symbol
        self._graph, states = _core.in_mode(symbol.graph(), options["training"])
        self._single = single
        self._keys = keys
        self._num_outputs = sum(map(len, outputs))
        # An updated parameter that nothing reads is no input: its array is given to the run.
        self._updates = [-1] * self._num_outputs
        self._updates += [names.index(n) if n in names else -2 for n, _ in updates]
        self._updated = [name for name, _ in updates]
        for i in states:  # auxiliary states change like parameters
            if names[i] not in params:
                raise MXNetError(
                    f"compile: training changes {names[i]!r}, so its array has to be given: "
                    f"params={{{names[i]!r}: array}}"
                )
            if names[i] in self._updated:
                raise MXNetError(f"compile: {names[i]!r} is updated twice")
            self._updates.append(i)
            self._updated.append(names[i])
        self._options = options
        self._dtypes = declared_dtype(symbol, names)
        self._shapes = declared_shape(self._graph)
        self._donated = [n in set(donate) for n in names]
        self._ctx = ctx
        self._groups = check_groups(symbol, group2ctx)
        moves = any(n.op == "copy_to_device" for n in self._graph.nodes)
        self._strict = self._groups is None and not moves  # all arrays are on one device
        self._wanted: tuple[Context, dict[str, Context]] | None = None
        self._programs: OrderedDict[tuple, Any] = OrderedDict()
        self._latest: Any = None

    def __call__(self, **arrays: Any) -> Any:
        if len(arrays) != len(self.arguments) or any(n not in arrays for n in self.arguments):
            self._refuse(arrays)
        ctx = self._context(arrays)
        where = self._devices(ctx)
        inputs = [
            self.params[n]
            if n in self.params
            else as_array(
                n, arrays[n], self._dtypes[n], self._shapes.get(n), where[n], self._strict
            )
            for n in self._names
        ]
        for name in self._updated:
            _check_memory(name, self.params)
        given: list[Any] = [None] * self._num_outputs
        given += [self.params[n] for n in self._updated]
        compiled = self._compiled(inputs, ctx)
        was_tracing = _core.is_tracing()
        mode = _core.suspend_trace("a compiled function runs") if was_tracing else None
        try:
            made = compiled.program.run(inputs, None, self._donated, given)
        finally:
            if mode is not None:
                _core.resume_trace(mode)
        results = made[: self._num_outputs]
        if self._keys is not None:
            return dict(zip(self._keys, results, strict=True))
        return results[0] if self._single else results

    # Looking -----------------------------------------------------------------------------------
    @property
    def graph(self) -> Any:
        """The graph as written: the outputs, then the new values of the updates."""
        return self._graph

    @property
    def num_programs(self) -> int:
        """How many signatures have been compiled."""
        return len(self._programs)

    def report(self) -> FunctionReport:
        """Every stage of the latest signature.

        Raises:
            MXNetError: it has not been called yet, so that shapes are not known.
        """
        if self._latest is None:
            raise MXNetError("report: the function has not been called yet")
        return FunctionReport(self._latest, self._keys)

    @property
    def stages(self) -> list[Any]:
        """The graph after each pass, of the latest signature; as written first."""
        return self.report().stages

    def _drawn(self) -> tuple[Any, str, Any]:
        """What a GraphViewer draws: the graph, its title, what its outputs are called."""
        return self._graph if self._latest is None else self._latest, "function", self._keys

    def __repr__(self) -> str:
        signature = f"function of ({', '.join(self.arguments)})"
        if self._updated:
            signature += f", updates {', '.join(self._updated)}"
        graph = self._graph if self._latest is None else self._latest.stages[-1].graph
        return f"{signature}\n{graph}"

    # Calling -----------------------------------------------------------------------------------
    def _context(self, arrays: Mapping[str, Any]) -> Context:
        if self._ctx is not None:
            return self._ctx
        for value in (*self.params.values(), *arrays.values()):
            if isinstance(value, NDArray):
                return value.context
        return current_context()

    def _devices(self, ctx: Context) -> dict[str, Context]:
        """Where arguments belong that are no NDArrays."""
        if self._wanted is None or self._wanted[0] != ctx:
            symbol = self._symbol
            self._wanted = ctx, input_devices(symbol, self._groups, ctx)
        return self._wanted[1]

    def _compiled(self, inputs: list[NDArray], ctx: Context) -> Any:
        key = tuple((a.shape, a.dtype.__name__, a.context) for a in inputs)
        compiled = self._programs.get(key)
        if compiled is None:
            progress = SearchProgress(self._options["plan_seconds"])
            try:
                compiled = _core.compile(
                    self._graph,
                    input_shapes=[a.shape for a in inputs],
                    input_dtypes=[a.dtype for a in inputs],
                    donated=self._donated,
                    updates=self._updates,
                    progress=progress,
                    devices=[a.context for a in inputs],
                    groups=self._groups,
                    home=ctx,
                    **self._options,
                )
            finally:
                progress.close()
            self._programs[key] = compiled
            if len(self._programs) > _SIGNATURES:
                self._programs.popitem(last=False)
        self._latest = compiled
        return compiled

    def _refuse(self, arrays: Mapping[str, Any]) -> None:
        expected = ", ".join(self.arguments) or "none"
        for name in arrays:
            if name in self.params:
                raise TypeError(f"{name!r} is a parameter: its array was bound by compile()")
            if name not in self.arguments:
                raise TypeError(f"there is no argument {name!r}; there are {expected}")
        missing = [n for n in self.arguments if n not in arrays]
        raise TypeError(f"no value for {', '.join(missing)}; the arguments are {expected}")


def compile_function(
    outputs: Symbol | Sequence[Symbol] | Mapping[str, Symbol],
    updates: Sequence[tuple[Symbol, Symbol]] = (),
    params: Mapping[Any, NDArray] | None = None,
    *,
    passes: Sequence[str] | None = None,
    without: Sequence[str] = (),
    fast: bool = False,
    donate: Sequence[str | Symbol] = (),
    ctx: Context | None = None,
    group2ctx: Mapping[str, Context] | None = None,
    training: bool | None = None,
    remat: str | int | None = None,
    plan: str = "fast",
    plan_seconds: float = 10.0,
) -> Function:
    """Compiles expressions of variables to one function.

    ``jupyter_hybrid.compile([loss], updates=[(w, w - 0.1 * gw)], params={"w": array})`` is a
    training step: every call computes the outputs and all new values from the old ones, and then
    the parameters' arrays have the new ones. A call that fails changes none of them, one that
    is interrupted all or none; only lack of memory while they are being written leaves them
    poisoned: reading raises.

    Args:
        outputs: what the function returns; a list of symbols makes it return a list, and a dict
            a dict. Its keys name the values in the program and in pictures.
        updates: (variable, new value) pairs; the variables are parameters.
        params: arrays by variable or name, bound once and not given when it is called.
        passes: exactly these passes (and infer and plan); None: all of them.
        without: passes that are switched off.
        fast: passes that may change last bits, too.
        donate: arguments whose NDArrays the program may overwrite.
        ctx: the device; that of the arrays given, unless said.
        group2ctx: the device of each ``AttrScope(ctx_group=...)``; operators without a group run
            where their first input is, and what comes from another device is copied once. Arrays
            may be anywhere; new values of parameters are written where those are.
        training: Dropout and the like act; as a default when there are updates.
        remat: "sqrt", or a budget in bytes: forward values are computed again for gradients that
            ``Symbol.grad`` made, instead of being kept; bit for bit the same.
        plan: "fast"; "exact": a search of at most ``plan_seconds`` for the smallest plan, which can
            be interrupted; "parallel": memory is shared only where data dependencies order its
            uses.

    Raises:
        TypeError: something is no symbol, or an update is of no variable.
        MXNetError: a name is unknown, a variable is updated twice or has no array. When it is
            called: the new value's shape or dtype is not the parameter's.
    """
    single = isinstance(outputs, Symbol)
    keys = list(outputs) if isinstance(outputs, Mapping) else None
    listed = outputs.values() if isinstance(outputs, Mapping) else outputs
    heads = [outputs] if isinstance(outputs, Symbol) else list(listed)
    for head in heads:
        if not isinstance(head, Symbol):
            raise TypeError(f"compile: expected symbols, got {type(head).__name__}")
    _check_keys(keys or [], heads)
    if not heads and not updates:
        raise MXNetError("compile: given neither outputs nor updates")
    bound = {name_of(key, "compile: params"): array for key, array in (params or {}).items()}
    steps: list[tuple[str, Symbol]] = []
    for target, value in updates:
        name = name_of(target, "compile: updates")
        if not isinstance(value, Symbol):
            raise TypeError(
                f"compile: the new value of {name!r} is a {type(value).__name__}, expected a Symbol"
            )
        if len(value) != 1:
            raise MXNetError(f"compile: the new value of {name!r} has {len(value)} outputs")
        if name not in bound:
            raise MXNetError(
                f"compile: {name!r} is updated, so its array has to be given: "
                f"params={{{name!r}: array}}"
            )
        if any(name == other for other, _ in steps):
            raise MXNetError(f"compile: {name!r} is updated twice")
        steps.append((name, value))
    given_up = [name_of(n, "compile: donate") for n in donate]
    options = {
        "passes": None if passes is None else list(passes),
        "only_these": passes is not None,
        "without": list(without),
        "fast": fast,
        "training": bool(steps) if training is None else training,
        "remat": remat,
        "plan": plan,
        "plan_seconds": plan_seconds,
    }
    single = single and len(heads[0]) == 1
    made = Function(heads, single, keys, steps, bound, options, given_up, ctx, group2ctx)
    unknown = [n for n in given_up if n not in made.arguments]
    if unknown:
        raise MXNetError(
            f"compile: donate names {unknown[0]!r}, the arguments are {', '.join(made.arguments)}"
        )
    return made


def _one_symbol(parts: list[Symbol]) -> Symbol:
    """All outputs on one set of variables."""
    symbol = Group(parts)
    names = symbol.list_inputs()
    if len(set(names)) != len(names):  # made apart, such as read from files
        symbol = symbol.compose(**{n: var(n) for n in set(names) if names.count(n) > 1})
    return symbol


def _check_keys(keys: Sequence[str], heads: Sequence[Symbol]) -> None:
    for key, head in zip(keys, heads, strict=False):
        if not isinstance(key, str):
            raise TypeError(f"compile: expected names as keys, got {type(key).__name__}")
        if len(head) != 1:
            raise MXNetError(f"compile: {key!r} has {len(head)} outputs, expected 1")


def _named(symbol: Symbol, keys: Sequence[str]) -> Symbol:
    """The same, with the operators of the first outputs called as the keys say."""
    graph = symbol.graph()
    names = {e[0]: k for e, k in zip(reversed(graph.outputs[: len(keys)]), reversed(keys))}
    inputs = {node.id for node in graph.nodes if node.kind == "input"}
    renamed = {node: key for node, key in names.items() if node not in inputs}
    return _core.sym_from_graph(graph.with_names(renamed))


def _check_params(params: Mapping[str, NDArray], names: list[str]) -> None:
    for name, array in params.items():
        if name not in names:
            raise MXNetError(
                f"compile: params names {name!r}; the variables are {', '.join(names)}"
            )
        if not isinstance(array, NDArray):
            raise TypeError(
                f"compile: the parameter {name!r} is a {type(array).__name__}, expected an NDArray"
            )


def _check_memory(name: str, params: Mapping[str, NDArray]) -> None:
    for other, array in params.items():
        if other != name and array is params[name]:
            raise MXNetError(f"{name!r} is updated, and {other!r} is the same array")
