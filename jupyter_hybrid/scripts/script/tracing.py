"""One call of a scripted function, traced: its graph, its inputs, and what its result is."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Callable
from typing import Any

from ... import _core
from ...autograd import pause
from ...capture import numbers, trace_state
from ...capture.cell import Cell
from ...capture.recording import PLAIN, Right
from ...np_face import TracedArray
from ...reasons import Reason
from ...reports.session import start
from ..control.body import raised
from ..control.errors import NotConvertible
from ..control.hooks import script_runtime
from ..control.kinds import handle_of
from ..control.loop_number import LoopNumber
from ..control.places import Place, place_of
from ..control.trees import is_tree, leaves, rebuild
from ..control.undefined import Undefined
from .blocks import run_block
from .errors import ScriptError
from .program import Argument, Output, Program
from .recorder import Root, ScriptRecorder
from .source import place_of_function, rewritten, writes_to


def trace(
    function: types.FunctionType,
    owner: Any,
    bound: dict[str, Any],
    unroll: int,
    max_iterations: int | None,
) -> Program:
    """The program of a call with these arguments, by name.

    Args:
        owner: what a method is called on; None for a function.

    Raises:
        ScriptError: something in it can't be part of a graph.
    """
    start()
    outside = trace_state.recorder()
    if isinstance(outside, ScriptRecorder):
        raise ScriptError(
            function.__name__, place_of_function(function), "it is called in a traced body"
        )
    try:
        if outside is not None:
            outside.recording.pause(Reason("a scripted function is compiled"))
        with pause(train_mode=_core.is_training()):
            one = _Trace(function, owner, unroll, max_iterations)
            return one.run(bound, outside is None)
    finally:
        if outside is not None:
            outside.recording.resume()


class _Trace:
    def __init__(self, function: Any, owner: Any, unroll: int, max_iterations: int | None):
        self.function, self.owner = function, owner
        self.name = function.__name__
        code = function.__code__
        lines = [line.rstrip("\n") for line in linecache.getlines(code.co_filename)]
        cell = Cell(None, code.co_filename, lines, 1, ast.Module([], []), [], False, False)
        self.runtime = script_runtime()
        self.recorder = ScriptRecorder(cell, unroll, max_iterations)
        self.arguments: list[Argument] = []
        self.given: dict[int, Argument] = {}  # by id of what the body got for it

    def run(self, bound: dict[str, Any], alone: bool) -> Program:
        """``alone``: no cell of this thread, put aside meanwhile, has the right to record."""
        with Right() as right:
            why_not = right.refused() if alone else ""
            if why_not:
                raise ScriptError(self.name, place_of_function(self.function), why_not)
            recorder = self.recorder
            try:  # an interrupt may come at any line
                numbers.start_cell()
                _core.begin_trace(0)
                self.runtime.record(recorder)
                root = Root(recorder, self.runtime)
                recorder.bodies.append(root)
                return self._run(bound, root)
            finally:
                recorder.bodies.clear()
                self.runtime.record(None)
                _core.end_trace()
                _core.drop_trace_writes()
                recorder.active = False
                numbers.start_cell()

    def _run(self, bound: dict[str, Any], root: Root) -> Program:
        try:
            body: Callable = self.function
            if body is not run_block:
                body = rewritten(self.function)
                self.recorder.followed[id(self.function)] = self.function
            given = {n: rebuild(n, v, self._parameter) for n, v in bound.items()}
            root.serial = _core.trace_serial()
            forms = {n: (v, dict(leaves(n, v))) for n, v in given.items() if is_tree(v)}
            result = _called(body, self.owner, self.function, given)
            self._check_arguments(forms)
            return self._program(result, bound)
        except NotConvertible as reason:
            where = reason.where or place_of(reason.__traceback__)
            raise self._error(str(reason), where) from None
        except Exception as error:
            where = place_of(error.__traceback__)
            if where is None or isinstance(error, ScriptError) or _raised_by_user(where):
                raise
            raise self._error(raised(error), where) from error

    def _error(self, reason: str, where: Place | None) -> ScriptError:
        return ScriptError(self.name, where or place_of_function(self.function), reason)

    # Arguments ------------------------------------------------------------------------------------
    def _parameter(self, path: str, value: Any) -> Any:
        """What stands for an argument in the trace; anything but an array stands for itself."""
        made = Argument.of(path, value)
        if made is None:
            return value
        node = _core.trace_parameter(made.shape, made.dtype, made.context, made.name)
        made.handle = node
        self.arguments.append(made)
        seen: Any = node
        if made.kind != "nd":
            seen = TracedArray.of_node(self.recorder, node, scalar=made.kind == "scalar")
        made.seen = seen
        self.given[id(seen)] = made
        return seen

    def _check_arguments(self, forms: dict[str, tuple[Any, dict[str, Any]]]) -> None:
        for argument in self.arguments:
            seen = argument.seen
            written = seen.version if type(seen) is TracedArray else 0
            if type(seen) is not TracedArray:
                written = _core.count_recorded([seen], 0)
            if written:
                name = argument.path.partition("[")[0]
                raise NotConvertible(
                    f"it writes its argument {argument.path} in place; copy it first",
                    writes_to(self.function, name),
                )
        for name, (value, before) in forms.items():
            now = dict(leaves(name, value))
            if now.keys() != before.keys() or any(now[k] is not before[k] for k in now):
                raise NotConvertible(f"it changes its argument {name}, a {type(value).__name__}")
        if _core.trace_writes() or any(w.dirty for w in self.recorder.inputs()):
            raise NotConvertible("it writes an array in place that was there before; copy it first")

    # Result ---------------------------------------------------------------------------------------
    def _program(self, result: Any, bound: dict[str, Any]) -> Program:
        handles: list[Any] = []
        places: dict[int, int] = {}
        labels: list[str] = []

        def add(path: str, handle: Any) -> int:
            if id(handle) not in places:
                places[id(handle)] = len(handles)
                handles.append(handle)
                labels.append(path)
            return places[id(handle)]

        def leaf(path: str, value: Any) -> Output:
            if type(value) is Undefined:
                value.refuse()
            if id(value) in self.given and self.given[id(value)].seen is value:
                return Output("argument", self.arguments.index(self.given[id(value)]))
            if type(value) is TracedArray and value.origin is not None:
                return Output("object", value=value.origin)
            handle = handle_of(value)
            if handle is not None:
                if not handle._traced:
                    return Output("object", value=value)
                if type(value) is TracedArray:
                    kind = "scalar" if value.is_scalar else "np"
                    return Output(kind, add(path, handle))
                return Output("nd", add(path, handle))
            if type(value) is LoopNumber:
                return Output(value.kind.__name__, add(path, value.node))
            return Output("object", value=numbers.plain(value))

        form = rebuild("result", result, leaf)
        graph, values, _, entries, _ = _core.traced_graph(handles, [], labels)
        order = {entries[id(a.handle)][0]: a for a in self.arguments if id(a.handle) in entries}
        held = dict(zip(graph.inputs, values))
        constants = {id(v): v for v in values}
        sources: list[Any] = []
        names: dict[int, str] = {}
        for node in graph.inputs:
            if node in order:
                sources.append(order[node])
                names[node] = order[node].name
            else:
                sources.append(self._constant(held[node]))
        del constants
        return Program(
            graph.with_names(names), self.arguments, sources, form, bound, list(self._watched())
        )

    def _constant(self, array: Any) -> Any:
        """An array of outside: NumPy's is read anew at each call."""
        for wrapper in self.recorder.inputs():
            if wrapper.input is array:
                return wrapper.origin
        return array

    def _watched(self) -> Any:
        """(names, name, value) of what the functions read from outside."""
        for function in self.recorder.followed.values():
            code = function.__code__
            for name in _names(code):
                if name in function.__globals__:
                    value = function.__globals__[name]
                    yield function.__globals__, name, _snapshot(value)
            for name, cell in zip(code.co_freevars, function.__closure__ or ()):
                yield cell, name, _snapshot(contents_of(cell))
        if self.owner is not None:
            for name, value in list(vars(self.owner).items()):
                if type(value) in PLAIN:
                    yield vars(self.owner), name, _snapshot(value)


def _called(body: Callable, owner: Any, function: Any, given: dict[str, Any]) -> Any:
    """The call with arguments by name."""
    code = function.__code__
    positional: list[Any] = [] if owner is None else [owner]
    names = code.co_varnames[(0 if owner is None else 1) : code.co_argcount]
    rest = dict(given)
    star = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & 4 else ""
    if star and rest.get(star):
        positional += [rest.pop(n) for n in names]
        positional += rest.pop(star)
    rest.pop(star, None)
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)
    if code.co_flags & 8:
        rest |= rest.pop(code.co_varnames[count], {})
    only = code.co_varnames[: code.co_posonlyargcount]
    positional += [rest.pop(n) for n in only if n in rest]
    return body(*positional, **rest)


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _snapshot(value: Any) -> Any:
    """The value with its containers copied, so that a change of them is seen."""
    return rebuild("", value, lambda _, v: v)


def _raised_by_user(where: Place) -> bool:
    return linecache.getline(*where).strip().startswith(("raise", "assert"))


def contents_of(cell: types.CellType) -> Any:
    """A closure's variable; None while it has no value."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def same(now: Any, before: Any) -> bool:
    """Is what a function reads from outside what it was?"""
    a, b = list(leaves("", now)), list(leaves("", before))
    return len(a) == len(b) and all(
        n == m and (x is y or (type(x) is type(y) and type(x) in PLAIN and _equal(x, y)))
        for (n, x), (m, y) in zip(a, b)
    )


def _equal(x: Any, y: Any) -> bool:
    return x == y and repr(x) == repr(y)


__all__ = ["contents_of", "same", "trace"]
