"""``@jupyter_hybrid.hybridize``: a function that is recorded, compiled and found again by hash."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from .. import _core
from ..base import MXNetError
from ..capture import trace_state, tracebacks
from ..capture.cell import Cell
from ..capture.homes import is_ours, standing_in
from ..capture.options import Options
from ..capture.recorder import Recorder
from ..capture.recording import Recording, Right
from ..capture.source.rewrite import rewrite_function
from ..capture.source.sources import NoSource
from ..capture.twins import Decorated, rewritten_code, with_code
from ..reasons import Reason
from ..reports.recorded import report_of
from ..reports.report import Report
from ..reports.session import session, start
from . import costs as measuring
from .costs import Costs
from .options import leaves_choice, options_of
from .own_source import function_of
from .with_block import Everything

_F = TypeVar("_F", bound=Callable[..., Any])
_KEPT = 64  # kinds of calls of a function


@overload
def hybridize(function: _F, /) -> _F: ...
@overload
def hybridize(*, passes: Any = None, no: Any = (), force: bool = False) -> Callable[[_F], _F]: ...
def hybridize(
    function: Any = None,
    /,
    *,
    passes: Any = None,
    no: Any = (),
    force: bool = False,
    **others: Any,
) -> Any:
    """Makes a function over NumPy or nd arrays run symbolically; no notebook is needed.

    A call runs the body once, recording what it does with arrays; what it returns and writes is
    then computed by one compiled program. Later calls whose recorded graph has the same hash find
    that program. Prints, branches and other effects happen as written, in order. Like a cell,
    the function's own lines are rewritten, so Python numbers and ``np`` in them are recorded too;
    what it calls is followed through NumPy's array protocols.

    A call costs a fraction of a millisecond beside the kernels. Loops that don't pay are left to
    Python as in a cell, and so are calls, once those before have taken some milliseconds and some
    as written were faster, with arguments of the same types and sizes; the report has the figures.

    While another thread records, inside ``autograd.record()``, or without source (typed at a
    prompt, or edited since) a call runs as written.

    Args:
        passes: names of the passes to run, exactly these; None: all.
        no: names of passes to leave out.
        force: record also what plain Python runs faster.

    Returns:
        The function, with ``report()``: the report of its last call.

    Raises:
        TypeError: the function is a generator or a coroutine function, or there is no such option.
    """
    options = options_of("hybridize", others, passes, no, force)
    if function is None:
        return lambda f: HybridFunction(f, options)
    return HybridFunction(function, options)


def _decorated_anew(function: Any, options: Options, filename: str) -> HybridFunction:
    """One that was pickled whole. Cloudpickle (3.1.3 on) keeps no file's name."""
    function.__code__ = function.__code__.replace(co_filename=filename)
    return HybridFunction(function, options)


class HybridFunction(Decorated):
    """A function that :func:`hybridize` returned."""

    def __init__(self, function: Callable, options: Options):
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"hybridize: expected a function, got {type(function).__name__}")
        kind = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
        if function.__code__.co_flags & kind:
            raise TypeError(f"hybridize: {function.__name__} is a generator or a coroutine")
        functools.update_wrapper(self, function)
        super().__init__(function)
        self._options = options
        self._report: Report | Costs | None = None
        # By kinds of arguments; None: who asks for more than a recording gets one.
        self._costs: dict[Any, Costs] | None = {} if leaves_choice(options) else None
        self._prepared: tuple[Cell, types.FunctionType | None] | None = None

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<hybridized {self._function.__qualname__}>"

    def __reduce__(self) -> Any:
        """Its name where that leads here, as of any function; else it is decorated anew."""
        whole, found = self._function.__qualname__, sys.modules.get(self.__module__)
        for name in whole.split("."):
            found = getattr(found, name, None)
        given = self._function, self._options, self._function.__code__.co_filename
        return whole if found is self else (_decorated_anew, given)

    def report(self) -> Report:
        """The report of the last call. Raises MXNetError when there was none yet."""
        if self._report is None:
            raise MXNetError(f"{self._function.__name__} has not been called yet")
        if isinstance(self._report, Costs):
            self._report = self._report.report(self._prepare()[0], self._options)
        return self._report

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if trace_state.recorder() is not None:
            # Others than rewritten code call it: stand-ins are for those alone that know them.
            body = self.twin()
            if body is None or not is_ours((*args, *kwargs.values())):
                body = self._function
            return body(*args, **kwargs)
        try:
            costs = self._costs_of((*args, *kwargs.values()))
            if costs is None or not costs.pays:
                return self._hybridized(costs, args, kwargs)
            self._report = costs
            begun = measuring.clock()
            result = self._function(*args, **kwargs)
            costs.written(measuring.clock() - begun)
            return result
        except BaseException as error:
            tracebacks.clean(error, self._function.__code__.co_filename)
            raise

    def _costs_of(self, given: tuple[Any, ...]) -> Costs | None:
        """What is known of calls like this one; None where it can't, or is not to be known."""
        by_kinds = self._costs
        kinds = None if by_kinds is None else measuring.kinds(given)
        if by_kinds is None or kinds is None:
            return None
        known = by_kinds.get(kinds)
        if known is None:
            if len(by_kinds) >= _KEPT:
                by_kinds.clear()
            known = by_kinds[kinds] = Costs()
        return known

    def _hybridized(self, costs: Costs | None, args: tuple, kwargs: dict) -> Any:
        start()
        cell, body = self._prepare()
        with Right() as right:
            why_not = Reason("autograd records") if _core.is_recording() else right.refused()
            if body is None:
                why_not = why_not or Reason("its source was not found")
            elif not why_not:
                return self._recorded(cell, body, costs, args, kwargs)
        self._report = Report.imperative(cell, self._options, why_not)
        return self._function(*args, **kwargs)

    def _recorded(
        self, cell: Cell, body: Callable, costs: Costs | None, args: tuple, kwargs: dict
    ) -> Any:
        begun = measuring.clock()
        recording = Recording(cell, self._options, self._function.__globals__, session.later)
        recorder = recording.recorder
        ending = recording.ending = Returned(recorder)
        recorder.known_names = self._argument_names(args, kwargs)
        failed = True
        try:
            recording.begin()
            ending.returned.append(_called(recorder, body, args, kwargs))
            failed = False
        finally:
            recording.end([], failed)
        took = measuring.clock() - begun
        report = self._report = session.last_report = report_of(recording)
        (result,) = ending.returned
        if costs is not None and measuring.kinds(_parts(result)) is not None:
            costs.recorded(took - report.compile_s, recorder)
        return result

    def _argument_names(self, args: tuple, kwargs: dict) -> dict[int, str]:
        given = {**dict(zip(self._function.__code__.co_varnames, args)), **kwargs}
        return {id(value): name for name, value in given.items()}

    def twin(self) -> types.FunctionType | None:
        return self._prepare()[1]

    def _prepare(self) -> tuple[Cell, types.FunctionType | None]:
        if self._prepared is None:
            self._prepared = _rewritten(self._function)
        return self._prepared


class Returned(Everything):
    """An ending that also computes what a function returns."""

    def __init__(self, recorder: Recorder):
        super().__init__(recorder)
        self.returned: list[Any] = []  # one value, once the body has returned

    def _must(self, named: dict[str, Any], needed: list[Any], failed: bool) -> list[Any]:
        returned = [a for v in self.returned for a in standing_in(v)]
        return super()._must(named, [*needed, *returned], failed)

    def finish(self, shown: list[Any], failed: bool = False) -> Any:
        result = super().finish(shown, failed)
        self.returned[:] = map(self._real, self.returned)
        return result


def _parts(result: Any) -> Sequence[Any]:
    return result if type(result) in (tuple, list) else (result,)


def _called(recorder: Recorder, body: Callable, args: tuple, kwargs: dict) -> Any:
    """The call with traced arrays for the arguments; nothing here holds them afterwards."""
    return body(*map(recorder.wrap, args), **{k: recorder.wrap(v) for k, v in kwargs.items()})


def _rewritten(function: types.FunctionType) -> tuple[Cell, types.FunctionType | None]:
    """(the function as a cell, the function rewritten for recording or None without source)."""
    code = function.__code__
    body: types.FunctionType | None
    try:
        lines, found = function_of(code)
        node = rewrite_function(found.copied(), code.co_filename, found.class_name)
        body = with_code(function, rewritten_code(code, found, node))
        first, last = code.co_firstlineno, found.node.end_lineno or len(lines)
        names = sorted(
            {n for g in ast.walk(found.node) if isinstance(g, ast.Global) for n in g.names}
        )
    except NoSource:
        lines, body, first, last, names = [], None, 1, 0, []
    texts = [line.rstrip("\n") for line in lines[:last]]
    tree = ast.Module([], [])
    return Cell(None, code.co_filename, texts, first, tree, names, False, False), body
