"""``%%hybridize --compare``: runs a cell in both modes on copies, in turn, and measures."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
from IPython.utils.capture import capture_output

from .. import _core
from ..capture.cell import Cell
from ..capture.deferred import DeferredNames, names_read
from ..capture.options import Options, UsageError
from ..np_face import TracedArray
from ..reports.report import Report
from .difference import Difference, difference
from .effects import EffectFound, Guard, line_in
from .inputs import Inputs, RandomStates
from .measure import Prepared, Side, measure_memory, time_in_turn
from .report import CompareReport, Point
from .sizes import Sized, resizable

# Runs a cell hybridized: its last expression's value, and the report.
Runner = Callable[[Cell, Options, dict[str, Any], DeferredNames], tuple[Any, Report]]


def compare(
    cell: Cell,
    options: Options,
    namespace: dict[str, Any],
    later: DeferredNames,
    run_symbolically: Runner,
) -> tuple[Any, Report]:
    """Measures both modes, then runs the cell once, hybridized, in the user's namespace.

    Returns what ``run_symbolically`` returns; the report has the figures in ``compare``.

    Raises:
        UsageError: the cell has an effect beside its bindings, which runs would repeat.
    """
    __tracebackhide__ = True
    if options.donate:
        raise UsageError("--compare: a donated array is gone after one run; leave --donate out")
    plain = replace(options, compare=False, sizes=(), size_name=None)
    states = RandomStates()
    given = sorted(names_read(ast.unparse(cell.tree)) & namespace.keys())
    guard = Guard(cell, namespace, Inputs(given, namespace).namespace())
    fails = False
    try:
        with capture_output():
            guard.run()
    except EffectFound as found:
        states.restore()
        where = f"line {found.line} " if found.line else "this cell "
        raise UsageError(
            f"--compare runs the cell many times, on copies, but {where}{found.effect}. "
            "Take it out of the cell, or hybridize without --compare."
        ) from None
    except Exception as error:
        states.restore()
        if line_in(error, cell.filename) is None:
            raise  # not the cell's
        fails = True
    if fails:  # outside the handler, so that the error is shown once
        return run_symbolically(cell, plain, namespace, later)
    sizes: list[Sized] = []
    varied = ""
    if options.sizes:
        varied, sizes = resizable(
            cell, options.sizes, options.size_name, {n: namespace[n] for n in given}
        )
    share = options.seconds / 2 if sizes else options.seconds
    pair = _Pair(cell, plain, given, namespace, {}, states, run_symbolically)
    made = pair.measured(share)
    for sized in sizes:
        point = Point(sized.size)
        made.sweep.append(point)
        try:
            other = _Pair(
                sized.cell, plain, given, namespace, sized.replaced, states, run_symbolically
            )
            at = other.measured(share / len(sizes))
            point.imperative, point.symbolic = at.imperative, at.symbolic
            point.differences = at.differences
        except Exception as error:
            point.error = f"{type(error).__name__}: {error}"
    made.varied = varied
    made.uninitialized = guard.uninitialized
    states.restore()
    value, report = run_symbolically(cell, plain, namespace, later)
    report.compare = made
    return value, report


class _Pair:
    """One cell in both modes, each with working copies of its own."""

    def __init__(
        self,
        cell: Cell,
        options: Options,
        given: list[str],
        namespace: dict[str, Any],
        replaced: dict[str, Any],
        states: RandomStates,
        run_symbolically: Runner,
    ):
        self._cell = cell
        self._options = options
        self._states = states
        self._run_symbolically = run_symbolically
        self._inputs = {
            mode: Inputs(given, namespace, replaced) for mode in ("imperative", "symbolic")
        }
        self._report: Report | None = None
        self._python: list[tuple[float, float]] = []  # by run: seconds of recording and settling
        self._namespace: dict[str, Any] = {}

    def measured(self, budget: float) -> CompareReport:
        """Warms both modes, compares their results and measures; about ``budget`` seconds."""
        differences = self._differences()
        compile_s = self._compile_s
        self._once("imperative")
        self._once("symbolic")
        imperative, symbolic = Side("imperative"), Side("symbolic")
        sides = [
            (imperative, self._prepared("imperative")),
            (symbolic, self._prepared("symbolic")),
        ]
        self._python.clear()
        with _silent():
            time_in_turn(sides, budget)
            record_s, settle_s = np.median(self._python, axis=0).tolist()
            for side, prepare in sides:
                measure_memory(side, prepare)
        report = self._report
        assert report is not None
        if not imperative.kernels:  # NumPy's own work leaves no trace
            imperative.kernels = _array_operations(report)
            imperative.compute_s = imperative.wait_s = imperative.dispatch_s = None
        return CompareReport(
            imperative,
            symbolic,
            differences,
            compile_s=compile_s,
            breaks=report.graph_breaks,
            record_s=record_s,
            settle_s=settle_s,
        )

    def _differences(self) -> list[Difference]:
        """Results of the first run of each mode: names bound, arrays changed, output, value."""
        found: list[Difference | None] = []
        results, texts, names = {}, {}, {}
        for mode in ("imperative", "symbolic"):
            with capture_output() as captured:
                results[mode] = self._once(mode)
            texts[mode] = captured.stdout
            names[mode] = self._namespace
        self._compile_s = self._report.compile_s if self._report is not None else 0.0
        imperative, symbolic = names["imperative"], names["symbolic"]
        for name in self._cell.names:
            if (name in imperative) != (name in symbolic):
                found.append(Difference(name, False, note="bound in one mode only"))
            elif name in imperative:
                found.append(difference(name, imperative[name], _settled(symbolic[name])))
        for name in sorted(self._inputs["imperative"].names - set(self._cell.names)):
            if name in imperative and name in symbolic:
                found.append(difference(name, imperative[name], _settled(symbolic[name])))
        found.append(difference("value", results["imperative"], _settled(results["symbolic"])))
        found.append(difference("output", texts["imperative"], texts["symbolic"]))
        return [d for d in found if d is not None]

    def _once(self, mode: str) -> Any:
        with _silent():
            return self._prepared(mode)()()

    def _prepared(self, mode: str) -> Prepared:
        inputs = self._inputs[mode]

        def prepare() -> Callable[[], Any]:
            self._namespace = {}
            self._report = None if mode == "symbolic" else self._report
            namespace = self._namespace = inputs.namespace()
            self._states.restore()
            _core.wait_all()
            if mode == "imperative":
                return lambda: self._imperative(namespace)
            return lambda: self._symbolic(namespace)

        return prepare

    def _imperative(self, namespace: dict[str, Any]) -> Any:
        value = None
        for code in self._cell.codes():
            value = eval(code, namespace)
        _core.wait_all()
        return value

    def _symbolic(self, namespace: dict[str, Any]) -> Any:
        later = DeferredNames()
        value, self._report = self._run_symbolically(self._cell, self._options, namespace, later)
        self._python.append((self._report.record_s, self._report.settle_s))
        _core.wait_all()
        return value


def _settled(value: Any) -> Any:
    """A deferred value computed: what reading the name would give."""
    return value.to_numpy() if type(value) is TracedArray else value


def _array_operations(report: Report) -> int | None:
    """Operations on arrays as the cell wrote them; those between Python's numbers do not count."""
    if not report.stages:
        return None
    graph = report.stages[0].graph
    shapes = {node.id: node.shapes for node in graph.nodes}
    return sum(
        1
        for node in graph.nodes
        if node.kind == "op"
        and not node.is_view
        and any([*node.shapes, *(shapes[source][out] for source, out in node.inputs)])
    )


class _silent:
    """Output of the measured runs goes nowhere; what a cell prints is shown once, at its end."""

    def __enter__(self) -> None:
        self._kept = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = StringIO(), StringIO()

    def __exit__(self, *exc: Any) -> None:
        sys.stdout, sys.stderr = self._kept
