"""Scripted: a function or block that runs as compiled programs, one a signature."""

from __future__ import annotations

import functools
import inspect
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar, overload

from ... import _core
from ...autograd import pause
from ...base import MXNetError
from ...capture.recording import PLAIN
from ...capture.source.sources import NoSource
from ...gluon.block import Block
from ...gluon.hybrid_block import HybridBlock
from ..control.errors import NotConvertible
from ..control.trees import form, leaves
from . import saved
from .blocks import is_own, run_block
from .errors import ScriptError
from .program import Argument, Program
from .source import place_of_function, rewritten
from .tracing import contents_of, same, trace

_SIGNATURES = 64  # programs kept of one function
_F = TypeVar("_F", bound=Callable[..., Any])


@overload
def script(function: _F, /) -> _F: ...
@overload
def script(*, max_iterations: int | None = None, unroll: int = 200) -> Callable[[_F], _F]: ...
def script(function: Any = None, /, *, max_iterations: int | None = None, unroll: int = 200) -> Any:
    """Compiles a function or Gluon block whole, with its ``if``, ``while`` and ``for`` on values.

    Conditions and loops on array values become ``cond``, ``while_loop`` and ``foreach`` nodes with
    graphs of their own; early ``return``, ``break`` and ``continue`` too. The first call of a
    signature (shapes, dtypes, devices, other arguments' values) traces the function and the
    functions it calls, in the place of running it; later calls run the program without visiting
    Python. Results of NDArrays equal those of the function run as written, bit for bit; NumPy
    functions are computed as in cells. Branches must give equal shapes and dtypes, and a loop keeps
    those of what it carries. Results have memory of their own, but for what is handed through.

    Arguments and results are NDArrays, NumPy arrays, and tuples, lists and dicts of them; numbers,
    strings and other objects among the arguments are constants of the program. Arrays that the
    function reads from outside are read anew by each call; when a name it reads is bound to
    something else, it is traced again. Inside ``autograd.record()`` a call is differentiable.

    Args:
        max_iterations: of each ``while`` loop; one that goes on longer raises MXNetError. None: a
            loop may run for ever, as in Python, and can be interrupted.
        unroll: operators to which a loop over a known range may be unrolled; a longer one becomes
            a node.

    Returns:
        A :class:`Scripted`.

    Raises:
        ScriptError: something can't be converted. It names file, line, code and reason; raised
            here for what the source shows, else by the first call of a signature.
        TypeError: neither a function nor a block.
    """
    if max_iterations is not None and max_iterations < 0:
        raise ValueError(f"script: max_iterations is {max_iterations}, expected 0 or more")
    if function is None:
        return lambda f: Scripted(f, max_iterations, unroll)
    return Scripted(function, max_iterations, unroll)


class Scripted:
    """What :func:`script` makes; called as the function or block is."""

    def __init__(self, function: Any, max_iterations: int | None = None, unroll: int = 200):
        self.block: Block | None = function if isinstance(function, Block) else None
        self._owner: Any = self.block
        if self.block is not None:
            function = self._forward(self.block)
        elif isinstance(function, types.MethodType):
            self._owner, function = function.__self__, function.__func__
        if not isinstance(function, types.FunctionType):
            raise TypeError(
                f"script: expected a function or a block, got {type(function).__name__}"
            )
        self._function = function
        self._options = unroll, max_iterations
        self._programs: OrderedDict[tuple, Program] = OrderedDict()
        self._latest: Program | None = None
        if self.block is None:
            functools.update_wrapper(self, function)
            self.__wrapped_script__ = function if self._owner is None else None
        else:
            self.__name__ = self.block.name or type(self.block).__name__
        if function is not run_block:
            _check(function)
        self._signature = inspect.signature(function)

    def _forward(self, block: Block) -> types.FunctionType:
        kind: Any = type(block)
        if block._forward_hooks or block._forward_pre_hooks:
            raise TypeError(f"script: {block.name} has hooks")
        if not is_own(kind, "forward"):
            return kind.forward
        if isinstance(block, HybridBlock) and not is_own(kind, "hybrid_forward"):
            _check(kind.hybrid_forward)
        return run_block  # type: ignore[return-value]

    # Calling --------------------------------------------------------------------------------------
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, _core.Symbol) for a in (*args, *kwargs.values())):
            return self._composed(args, kwargs)
        bound = self._bind(args, kwargs)
        flat = [leaf for n, v in bound.items() for leaf in leaves(n, v)]
        described = [(path, Argument.of(path, value), value) for path, value in flat]
        program = self._program(bound, described)
        return program.run([value for _, argument, value in described if argument is not None])

    def _bind(self, args: tuple, kwargs: dict) -> dict[str, Any]:
        if self.block is not None:
            self._initialize(args)
        if self._owner is not None:
            args = (self._owner, *args)
        bound = dict(self._signature.bind(*args, **kwargs).arguments)
        if self._owner is not None:
            bound.pop(next(iter(bound)))
        return bound

    def _initialize(self, args: tuple) -> None:
        """Parameters whose shapes wait for an input get them by one call of the block."""
        assert self.block is not None
        if any(p._data is None for p in self.block.collect_params().values()):
            with pause():
                self.block(*args)

    def _program(self, bound: dict[str, Any], described: list) -> Program:
        key: tuple = (
            _core.is_training(),
            tuple((n, form(v)) for n, v in bound.items()),
            tuple(a.key if a is not None else (path, _key(v)) for path, a, v in described),
        )
        program = self._programs.get(key)
        if program is not None and not all(map(_unchanged, program.watched)):
            program = None
        if program is None:
            program = trace(self._function, self._owner, bound, *self._options)
            if self.block is not None:
                arrays = {
                    id(p.data(c)): p
                    for p in self.block.collect_params().values()
                    for c in p.list_ctx()
                }
                program.params = {id(s): arrays[id(s)] for s in program.sources if id(s) in arrays}
            self._programs[key] = program
            program.statics = [v for _, a, v in described if a is None]  # their ids are in the key
            if len(self._programs) > _SIGNATURES:
                self._programs.popitem(last=False)
        self._latest = program
        return program

    # Looking --------------------------------------------------------------------------------------
    def _traced(self) -> Program:
        if self._latest is None:
            raise MXNetError(f"script: {self.__name__} has not been called yet")
        return self._latest

    @property
    def graph(self) -> Any:
        """The graph of the latest signature. Raises MXNetError before the first call."""
        return self._traced().graph

    @property
    def code(self) -> str:
        """The graph as program text, with the text of every branch and loop body."""
        return str(self.graph)

    @property
    def num_programs(self) -> int:
        """How many signatures have been compiled."""
        return len(self._programs)

    @property
    def arguments(self) -> list[str]:
        """The names of the latest signature's arrays, which are the variables of its symbol."""
        return [a.name for a in self._traced().arguments]

    @property
    def symbol(self) -> Any:
        """The latest signature as a Symbol of its arguments; arrays of outside are constants."""
        return saved.symbol_of(self._traced())[0]

    def save(self, prefix: str) -> None:
        """Writes the latest signature: ``<prefix>-symbol.json`` and, where it has arrays of its own
        (parameters, constants, what is read from outside), ``<prefix>-0000.params``.

        :func:`jupyter_hybrid.load` makes it a function again, without this source. The graph's
        outputs are the arrays and numbers of the result in order, arguments that are handed
        through among them; arguments that are not read are no inputs of it.

        Raises:
            MXNetError: it has not been called yet, or a result is no array or number.
        """
        saved.save(self._traced(), self.__name__, prefix)

    def report(self) -> Any:
        """Every compiler stage of the latest signature."""
        return self._traced().cached.report(_core.is_training(), False)

    def _drawn(self) -> tuple[Any, str, None]:
        """What a GraphViewer draws: the graph, its title."""
        return self.report(), self.__name__, None

    def _composed(self, args: tuple, kwargs: dict) -> Any:
        bound = self._bind(args, kwargs)
        program = self._traced()
        flat = dict(leaf for n, v in bound.items() for leaf in leaves(n, v))
        symbol = saved.symbol_of(program)[0]
        given = {a.name: flat[a.path] for a in program.arguments if a.path in flat}
        return symbol.compose(**{n: s for n, s in given.items() if n in symbol.list_arguments()})

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<scripted {self.__name__}, {len(self._programs)} signatures>"


def _check(function: types.FunctionType) -> None:
    """Raises ScriptError for what the source shows."""
    try:
        rewritten(function)
    except NotConvertible as reason:
        where = reason.where or place_of_function(function)
        raise ScriptError(function.__name__, where, str(reason)) from None
    except NoSource as reason:
        raise ScriptError(function.__name__, place_of_function(function), str(reason)) from None


def _key(value: Any) -> Any:
    plain = type(value) in PLAIN
    return (type(value), repr(value)) if plain else (type(value), id(value))


def _unchanged(watched: tuple[Any, str, Any]) -> bool:
    names, name, before = watched
    if isinstance(names, types.CellType):
        return same(contents_of(names), before)
    return name in names and same(names[name], before)
