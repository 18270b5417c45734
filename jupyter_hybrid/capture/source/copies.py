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
                                       [e for t in R.rest() if c])

A plain copy holds no further copies of its loops.
"""

from __future__ import annotations

import ast
from typing import Any

from ..trace_state import RUNTIME
from . import loops, quiet
from .nodes import Transformer, call_of, copied, finished, placed
from .scopes import bound_names, loaded_names, yields


class Copies(Transformer):
    """Writes loops twice; where ``copies`` is false everything stands once."""

    runtime = RUNTIME  # the name of what the hooks belong to

    def __init__(self, filename: str, copies: bool):
        self.filename, self.copies = filename, copies
        self.function: Any = None  # the one around what is visited, ...
        self.in_class = False
        self.loops = 0  # ... and the loops in it

    def _runtime(self, method: str, args: list[ast.expr], at: ast.AST, **rest: Any) -> ast.Call:
        return call_of(self.runtime, method, args, at, **rest)

    @staticmethod
    def as_written(node: Any) -> Any:
        """A copy of a node that stays as it is."""
        return finished(copied(node))

    # Loops ----------------------------------------------------------------------------------------
    def may_copy(self, node: Any) -> bool:
        """Can this loop be written twice? One that waits may stop in the middle."""
        return self.copies and not self.in_class and not yields([node])

    def loop_number(self, node: Any) -> ast.expr:
        """The number under which patience knows a loop or comprehension."""
        number = loops.register(self.filename, node, quiet.reads_of([node]))
        return placed(node, ast.Constant(number))

    def _opened(self, node: Any) -> list[ast.stmt]:
        """Rebinds the function's variables that a plain copy reads to real arrays."""
        if self.function is None:
            return []
        made: list[ast.stmt] = []
        for name in sorted(loaded_names([node]) & bound_names(self.function)):
            text = placed(node, ast.Constant(name))
            to = placed(node, ast.Name(name, ast.Store()))
            load = placed(node, ast.Name(name, ast.Load()))
            store = placed(node, ast.Assign([to], self._runtime("opened", [load], node)))
            made.append(placed(node, ast.If(self._runtime("stands", [text], node), [store], [])))
        if made:
            made = [placed(node, ast.If(self._runtime("opens", [], node), made, []))]
        return [finished(s) for s in made]

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
        plain, known = self.as_written(node), self.loop_number(node)
        start = self._runtime("phases", [known, self.visit(node.iter)], node.iter)
        self.loops += 1
        node.target = self.visit(node.target)
        node.body = self._visited(node.body)
        self.loops -= 1
        go_on: list[ast.stmt] = [placed(start, ast.Continue())]
        leave: list[ast.stmt] = [placed(start, ast.Break())]
        steps = self._steps(start)
        recorded = placed(node, ast.For(node.target, steps, node.body, go_on))
        opened = self._opened(plain)
        plain.iter, plain.orelse = steps, go_on
        phases = [[*opened, plain, *leave], [recorded, *leave]]
        return self._phases(node, start, phases, self._visited(node.orelse))

    def visit_While(self, node: ast.While) -> Any:
        if not self.may_copy(node):
            return self.generic_visit(node)
        plain = self.as_written(node)
        at = start = self._runtime("turns", [self.loop_number(node)], node)
        self.loops += 1
        node.test = self.visit(node.test)
        node.body = self._visited(node.body)
        self.loops -= 1
        node.orelse = self._visited(node.orelse)
        opened = self._opened(plain)
        counted = copied(plain)
        ends: list[ast.stmt] = []  # what the loop does when its test is false
        leave: list[ast.stmt] = [placed(at, ast.Break())]
        if node.orelse:
            ends = [placed(at, ast.Expr(self._runtime("finish", [], at)))]
            over = self._runtime("finished", [], at)
            leave = [placed(at, ast.If(over, [placed(at, ast.Continue())], [])), *leave]

        def stepwise(test: ast.expr, body: list[ast.stmt]) -> ast.stmt:
            step = placed(node, ast.If(test, body, [*ends, placed(at, ast.Break())]))
            nothing = placed(at, ast.Tuple([], ast.Store()))
            go_on = placed(at, ast.Continue())
            return placed(node, ast.For(nothing, self._steps(at), [step], [go_on]))

        recorded = stepwise(node.test, node.body)
        trial = finished(stepwise(counted.test, counted.body))
        plain.orelse = [*ends, placed(at, ast.Continue())] if ends else []
        rest = [*opened, plain, placed(at, ast.Break())]
        phases = [rest, [*opened, trial, *leave], [recorded, *leave]]
        return self._phases(node, start, phases, node.orelse)

    # Comprehensions -------------------------------------------------------------------------------
    def comprehension_twice(self, node: Any, plain: Any, number: ast.expr) -> ast.expr:
        """``node`` is the comprehension rewritten."""
        first = node.generators[0]
        first.iter = self._runtime("first", [number, first.iter], node)
        plain.generators[0].iter = self._runtime("rest", [], node)
        return self._runtime("both", [node, plain], node)

    def generator_twice(self, node: Any, plain: Any, number: ast.expr) -> ast.expr:
        """The same for a generator expression, which stays what it is to its end."""
        first, other = node.generators[0], plain.generators[0]
        first.iter = self._runtime("each", [number, first.iter], node)
        other.iter = self._runtime("opened", [other.iter], node)
        test = self._runtime("plainly", [number], node)
        return placed(node, ast.IfExp(test, plain, node))
