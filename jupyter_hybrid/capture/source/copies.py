"""Loops and comprehensions of a cell twice, rewritten and as written.

A loop may change at every iteration (:mod:`.patience` decides)::

    for t in s:                 for R.phase in R.phases(7, s'):
        BODY                        try:
    else:                               if R.phase:
        ORELSE           ->                 for t in R.steps: BODY'
                                            else: continue
                                        else:
                                            for t in R.steps: BODY
                                            else: continue
                                        break
                                    finally: R.end_phase()
                                else: ORELSE'

    while test: BODY     ->     the same with `for () in R.steps: if test: BODY` and
                                `else: break`; the last plain copy is the loop as it was

    [e for t in s if c]  ->     R.both([e' for t in R.first(8, s') if c'],
                                       R.left() and (R.stands("v") and (v := R.opened(v)), ...),
                                       [e for t in R.rest() if c])

in a ``try`` whose ``finally`` says that the statement ends, where an error may be caught: it keeps
its iterators. A plain copy holds no further copies of its loops. What it reads is real: the cell's
own names are, a function's variables are rebound, and inside another comprehension, where nothing
can be, they are opened where they are read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..trace_state import RUNTIME
from ..units import Refusal, Unit, refused_at_sight
from . import loops, quiet
from .nodes import Transformer, call_of, copied, finished, placed
from .scopes import loaded_names, own_stores, yields

_CATCH = (ast.With, ast.AsyncWith, ast.Try, getattr(ast, "TryStar", ast.Try))


class Copies(Transformer):
    """Writes loops twice; where ``copies`` is false everything stands once."""

    runtime = RUNTIME  # the name of what the hooks belong to
    copies = True

    def __init__(self, filename: str):
        self.filename = filename
        self.function: Any = None  # the one around what is visited, ...
        self.variables: frozenset[str] = frozenset()  # ... what it binds, ...
        self.in_class = False
        self.loops = 0  # ... and the loops in it
        self.targets: frozenset[str] | None = None  # of the comprehensions around it, if any are
        self.twice = False  # a comprehension of the statement's own stands twice
        self.may_catch = False  # does what is around the statement?

    def _runtime(self, method: str, args: list[ast.expr], at: ast.AST, **rest: Any) -> ast.Call:
        return call_of(self.runtime, method, args, at, **rest)

    @staticmethod
    def as_written(node: Any) -> Any:
        """A copy of a node that stays as it is."""
        return finished(copied(node))

    def _visited(self, nodes: list[Any]) -> list[Any]:
        if not (nodes and isinstance(nodes[0], ast.stmt)):
            return super()._visited(nodes)
        made: list[Any] = []
        for node in nodes:
            outer = self.twice, self.may_catch
            self.twice, self.may_catch = False, self.may_catch or isinstance(node, _CATCH)
            new = super()._visited([node])
            twice, (self.twice, self.may_catch) = self.twice, outer
            if twice and (self.may_catch or self.function is not None):
                end = placed(node, ast.Expr(self._runtime("end_comprehension", [], node)))
                new = [placed(node, ast.Try(new, [], [], [end]))]
            made += new
        return made

    # Loops ----------------------------------------------------------------------------------------
    def may_copy(self, node: Any) -> bool:
        """Can this loop be written twice? One that waits may stop in the middle."""
        return self.copies and not self.in_class and not yields([node])

    def loop_number(
        self, node: Any, unit: Unit | None = None, refused: Refusal | None = None
    ) -> ast.expr:
        """The number under which patience knows a loop or comprehension."""
        last, reads = node.end_lineno or node.lineno, quiet.reads_of([node])
        function = getattr(self.function, "name", "a lambda") if self.function else ""
        place = loops.Place(self.filename, node.lineno, last, reads, function)
        place.unit, place.refused = unit, refused
        return placed(node, ast.Constant(loops.register(place)))

    def _variables_read(self, node: Any) -> list[str]:
        """The function's variables that a plain copy reads."""
        return sorted(loaded_names([node]) & self.variables) if self.variables else []

    def _opened(self, node: Any) -> list[ast.stmt]:
        """Before a plain copy: rebinds the function's variables that it reads to real arrays."""
        names = self._variables_read(node)
        if not names:
            return []
        return [finished(placed(node, ast.Expr(self._rebound(node, names, "opens", "opened"))))]

    def _as_unit(self, node: Any) -> list[ast.stmt]:
        """Before a plain copy: its steps that run compiled, as far as they do.

        ``R.unit() and (R.made("v") and (v := R.value("v")), ..., R.went())``, then
        ``if R.broke(): break``.
        """
        parts: list[ast.expr] = []
        for name in own_stores(node):
            text = placed(node, ast.Constant(name))
            new = placed(
                node,
                ast.NamedExpr(
                    placed(node, ast.Name(name, ast.Store())), self._runtime("value", [text], node)
                ),
            )
            made = self._runtime("made", [text], node)
            parts.append(placed(node, ast.BoolOp(ast.And(), [made, new])))
        parts.append(self._runtime("went", [], node))
        each = placed(node, ast.Tuple(parts, ast.Load()))
        ran = placed(node, ast.BoolOp(ast.And(), [self._runtime("unit", [], node), each]))
        leave: list[ast.stmt] = [placed(node, ast.Break())]
        broke = placed(node, ast.If(self._runtime("broke", [], node), leave, []))
        return [finished(placed(node, ast.Expr(ran))), finished(broke)]

    def _rebound(self, at: Any, names: list[str], asked: str, opened: str) -> ast.expr:
        """``R.asked() and (R.stands("v") and (v := R.opened(v)), ...)``."""
        rebound: list[ast.expr] = []
        for name in names:
            text = placed(at, ast.Constant(name))
            load, to = (placed(at, ast.Name(name, ctx)) for ctx in (ast.Load(), ast.Store()))
            new = placed(at, ast.NamedExpr(to, self._runtime(opened, [load], at)))
            test = self._runtime("stands", [text], at)
            rebound.append(placed(at, ast.BoolOp(ast.And(), [test, new])))
        each = placed(at, ast.Tuple(rebound, ast.Load()))
        return placed(at, ast.BoolOp(ast.And(), [self._runtime(asked, [], at), each]))

    def _attribute(self, name: str, ctx: ast.expr_context, at: ast.AST) -> ast.expr:
        made: Any = self._runtime(name, [], at).func
        made.ctx = ctx
        return made

    def _phases(
        self, node: Any, start: ast.expr, phases: list[list[ast.stmt]], orelse: list[ast.stmt]
    ) -> ast.stmt:
        """``for R.phase in start``, a phase for each value of R.phase, the highest first."""
        at = start
        chosen = phases[0]
        for number, body in enumerate(phases[1:], 1):
            value: Any = placed(at, ast.Constant(number))
            phase = self._attribute("phase", ast.Load(), at)
            test = placed(at, ast.Compare(phase, [ast.Eq()], [value]))
            chosen = [placed(at, ast.If(test, body, chosen))]
        end = placed(at, ast.Expr(self._runtime("end_phase", [], at)))
        guarded = placed(at, ast.Try(chosen, [], [], [end]))
        target = self._attribute("phase", ast.Store(), at)
        return placed(node, ast.For(target, start, [guarded], orelse))

    def _steps(self, at: ast.AST) -> ast.expr:
        return self._attribute("steps", ast.Load(), at)

    def visit_For(self, node: ast.For) -> Any:
        if not self.may_copy(node):
            return self.generic_visit(node)
        plain = self.as_written(node)
        refused = refused_at_sight(plain)
        unit = None if refused else Unit(plain)
        known = self.loop_number(node, unit, refused)
        start = self._runtime("phases", [known, self.visit(node.iter)], node.iter)
        self.loops += 1
        node.target = self.visit(node.target)
        node.body = self._visited(node.body)
        self.loops -= 1
        go_on: list[ast.stmt] = [placed(start, ast.Continue())]
        leave: list[ast.stmt] = [placed(start, ast.Break())]
        steps = self._steps(start)
        recorded = placed(node, ast.For(node.target, steps, node.body, go_on))
        opened = [*self._opened(plain), *(self._as_unit(plain) if unit else [])]
        plain.iter, plain.orelse = steps, go_on
        phases = [[*opened, plain, *leave], [recorded, *leave]]
        return self._phases(node, start, phases, self._visited(node.orelse))

    def visit_While(self, node: ast.While) -> Any:
        if not self.may_copy(node):
            return self.generic_visit(node)
        plain = self.as_written(node)
        refused = refused_at_sight(plain)
        as_unit = None if refused else Unit(plain)
        number = self.loop_number(node, as_unit, refused)
        at = start = self._runtime("turns", [number], node)
        self.loops += 1
        node.test = self.visit(node.test)
        node.body = self._visited(node.body)
        self.loops -= 1
        node.orelse = self._visited(node.orelse)
        opened = self._opened(plain)
        trial = self.as_written(plain)
        recorded = self._stepwise(node, at, bool(node.orelse))
        unit = self._as_unit(trial) if as_unit else []
        phases = self._turns(plain, trial, at, unit, bool(node.orelse))
        phases = [[*opened, *p] for p in phases]
        phases.append([recorded, *self._left(at, bool(node.orelse))])
        return self._phases(node, start, phases, node.orelse)

    def _turns(
        self, plain: Any, trial: Any, at: Any, unit: list[ast.stmt], ends: bool
    ) -> list[list[ast.stmt]]:
        """The phases of a ``while`` as written: all steps, and some one by one; ``ends``: has it an
        ``else``?"""
        stepwise = finished(self._stepwise(trial, at, ends))
        go_on = placed(at, ast.Continue())
        plain.orelse = (
            [placed(at, ast.Expr(self._runtime("finish", [], at))), go_on] if ends else []
        )
        rest = [plain, placed(at, ast.Break())]
        if unit:
            again: list[ast.stmt] = [placed(at, ast.Continue())]
            pauses = placed(at, ast.If(self._runtime("pauses", [], at), again, []))
            rest = [*unit, finished(pauses), *rest]
        return [rest, [stepwise, *self._left(at, ends)]]

    def _left(self, at: Any, ends: bool) -> list[ast.stmt]:
        """After the steps of a ``while``."""
        leave: list[ast.stmt] = [placed(at, ast.Break())]
        if ends:
            over = self._runtime("finished", [], at)
            leave = [placed(at, ast.If(over, [placed(at, ast.Continue())], [])), *leave]
        return leave

    def _stepwise(self, node: Any, at: Any, ends: bool) -> ast.stmt:
        """``for () in R.steps: if test: BODY`` of a ``while``."""
        finish = [placed(at, ast.Expr(self._runtime("finish", [], at)))] if ends else []
        step = placed(node, ast.If(node.test, node.body, [*finish, placed(at, ast.Break())]))
        nothing = placed(at, ast.Tuple([], ast.Store()))
        go_on: list[ast.stmt] = [placed(at, ast.Continue())]
        return placed(node, ast.For(nothing, self._steps(at), [step], go_on))

    # Comprehensions -------------------------------------------------------------------------------
    def plain_comprehension(self, node: Any) -> Any:
        """A comprehension's copy that stays as it is, but for what must be opened in it."""
        plain = copied(node)
        if self.targets is not None:
            names = self.targets.union(self._variables_read(plain))
            _OpenedLoads(names, self._runtime).visit(plain)
        return finished(plain)

    def comprehension_twice(self, node: Any, plain: Any, number: ast.expr) -> ast.expr:
        """``node`` is the comprehension rewritten."""
        self.twice = True
        first = node.generators[0]
        first.iter = self._runtime("first", [number, first.iter], node)
        plain.generators[0].iter = self._runtime("rest", [], node)
        opened = placed(node, ast.Constant(None))
        if self.targets is None and (names := self._variables_read(plain)):
            # Between the two parts, once recording is put aside.
            opened = finished(self._rebound(node, names, "left", "opened_between"))
        return self._runtime("both", [node, opened, plain], node)

    def generator_twice(self, node: Any, plain: Any, number: ast.expr) -> ast.expr:
        """The same for a generator expression, which stays what it is to its end."""
        first, other = node.generators[0], plain.generators[0]
        first.iter = self._runtime("each", [number, first.iter], node)
        other.iter = self._runtime("opened", [other.iter], node)
        test = self._runtime("plainly", [number], node)
        return placed(node, ast.IfExp(test, plain, node))


class _OpenedLoads(Transformer):
    """Reads of these names give real values."""

    def __init__(self, names: frozenset[str], runtime: Callable[..., ast.expr]):
        self._names, self._runtime = names, runtime

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names or not isinstance(node.ctx, ast.Load):
            return node
        return finished(self._runtime("opened", [node], node))
