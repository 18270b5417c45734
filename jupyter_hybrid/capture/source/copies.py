"""Code of a cell twice, rewritten and as written: functions, lambdas, loops and comprehensions.

A function asks when it is entered whether anything is recorded; a loop may change at every
iteration (:mod:`.patience` decides)::

    def f(x):                   if __jupyter_hybrid_on__: BODY'
        BODY             ->     else: BODY

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

A plain copy holds no further copies of its loops. The functions in it are written twice as well:
they may be called while something is recorded.
"""

from __future__ import annotations

import ast
from typing import Any

from . import patience, quiet
from .scopes import bound_names, copied, loaded_names, without_declarations, yields

ON = "__jupyter_hybrid_on__"  # a builtin: is anything recorded?
_NESTING = 3  # of functions in plain copies; each level doubles the code


def finished(node: Any) -> Any:
    """A node that later steps of the rewriting leave alone."""
    node.finished = True
    return node


def is_finished(node: ast.AST) -> bool:
    return getattr(node, "finished", False)


def _at(where: ast.AST, node: Any) -> Any:
    return ast.copy_location(node, where)


class Copies(ast.NodeTransformer):
    """Mixed into the rewriter; where ``copies`` is false everything stands once."""

    copies = False
    filename: str
    function: Any
    in_class: bool
    nesting = 0  # of functions in plain copies
    class_name = ""  # of the innermost class
    loops = 0  # around what is visited, in its function

    def _runtime(self, method: str, args: list[ast.expr], at: ast.AST, **rest: Any) -> ast.Call:
        raise NotImplementedError

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        raise NotImplementedError

    def rewritten_function(self, node: Any) -> Any:
        """A function of a plain copy, written twice."""
        raise NotImplementedError

    # Functions ------------------------------------------------------------------------------------
    def as_written(self, node: Any) -> Any:
        """A copy of a node; the functions in it are written twice."""
        node = copied(node)
        return finished(_Functions(self).visit(node) if self.nesting < _NESTING else node)

    def both_bodies(self, node: Any, body: Any, plain: Any) -> Any:
        """A function's body that runs the one or the other."""
        if isinstance(node, ast.Lambda):
            return _at(body, ast.IfExp(_at(body, ast.Name(ON, ast.Load())), body, plain))
        declared, body = without_declarations(body)
        plain = without_declarations(plain)[1]
        first: list[ast.stmt] = []
        if ast.get_docstring(node, clean=False) is not None:
            first, body, plain = node.body[:1], body[1:], plain[1:]
        if not body:
            return first
        test = _at(body[0], ast.Name(ON, ast.Load()))
        chosen = _at(body[0], ast.If(test, body, [finished(s) for s in plain]))
        return [*first, *declared, chosen]

    # Loops ----------------------------------------------------------------------------------------
    def may_copy(self, node: Any) -> bool:
        """Can this loop be written twice? Generators and coroutines may stop in the middle."""
        return self.copies and not self.in_class and not yields([node]) and not self._waits()

    def _waits(self) -> bool:
        function = self.function
        if function is None:
            return False
        known = getattr(function, "waits", None)
        if known is None:
            body = function.body if isinstance(function.body, list) else [function.body]
            known = function.waits = isinstance(function, ast.AsyncFunctionDef) or yields(body)
        return bool(known)

    def loop_number(self, node: Any) -> ast.expr:
        """The number under which patience knows a loop or comprehension."""
        number = patience.register(self.filename, node, quiet.reads_of([node]))
        return _at(node, ast.Constant(number))

    def _opened(self, node: Any) -> list[ast.stmt]:
        """Rebinds the function's variables that a plain copy reads to real arrays."""
        if self.function is None:
            return []
        made: list[ast.stmt] = []
        for name in sorted(loaded_names([node]) & bound_names(self.function)):
            text = _at(node, ast.Constant(name))
            to = _at(node, ast.Name(name, ast.Store()))
            value = self._runtime("real", [], node)
            store = _at(node, ast.Assign([to], value))
            made.append(_at(node, ast.If(self._runtime("stands", [text], node), [store], [])))
        if made:
            made = [_at(node, ast.If(self._runtime("opens", [], node), made, []))]
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
            value: Any = _at(at, ast.Constant(number))
            phase = self._attribute("phase", ast.Load(), at)
            test = _at(at, ast.Compare(phase, [ast.Eq()], [value]))
            chosen = [_at(at, ast.If(test, body, chosen))]
        end = _at(at, ast.Expr(self._runtime("end_phase", [], at)))
        guarded = _at(at, ast.Try(chosen, [], [], [end]))
        target = self._attribute("phase", ast.Store(), at)
        return _at(node, ast.For(target, start, [guarded], orelse))

    def _steps(self, at: ast.AST) -> ast.expr:
        return self._attribute("steps", ast.Load(), at)

    def visit_For(self, node: ast.For) -> Any:
        if not self.may_copy(node):
            return self.generic_visit(node)
        plain, known = self.as_written(node), self.loop_number(node)
        start = self._runtime("phases", [known, self.visit(node.iter)], node.iter)
        self.loops += 1
        node.target = self.visit(node.target)
        node.body = self._statements(node.body)
        self.loops -= 1
        go_on: list[ast.stmt] = [_at(start, ast.Continue())]
        leave: list[ast.stmt] = [_at(start, ast.Break())]
        steps = self._steps(start)
        recorded = _at(node, ast.For(node.target, steps, node.body, go_on))
        opened = self._opened(plain)
        plain.iter, plain.orelse = steps, go_on
        phases = [[*opened, plain, *leave], [recorded, *leave]]
        return self._phases(node, start, phases, self._statements(node.orelse))

    def visit_While(self, node: ast.While) -> Any:
        if not self.may_copy(node):
            return self.generic_visit(node)
        plain, start = self.as_written(node), self._runtime("turns", [self.loop_number(node)], node)
        self.loops += 1
        node.test = self.visit(node.test)
        node.body = self._statements(node.body)
        self.loops -= 1
        node.orelse = self._statements(node.orelse)
        opened = self._opened(plain)
        counted = copied(plain)
        ends: list[ast.stmt] = []  # what the loop does when its test is false
        leave: list[ast.stmt] = [_at(start, ast.Break())]
        if node.orelse:
            ends = [_at(start, ast.Expr(self._runtime("finish", [], start)))]
            over = self._runtime("finished", [], start)
            leave = [_at(start, ast.If(over, [_at(start, ast.Continue())], [])), *leave]

        def stepwise(test: ast.expr, body: list[ast.stmt]) -> ast.stmt:
            step = _at(node, ast.If(test, body, [*ends, _at(start, ast.Break())]))
            nothing = _at(start, ast.Tuple([], ast.Store()))
            go_on = _at(start, ast.Continue())
            return _at(node, ast.For(nothing, self._steps(start), [step], [go_on]))

        recorded = stepwise(node.test, node.body)
        trial = finished(stepwise(counted.test, counted.body))
        plain.orelse = [*ends, _at(start, ast.Continue())] if ends else []
        rest = [*opened, plain, _at(start, ast.Break())]
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
        return _at(node, ast.IfExp(test, plain, node))


class _Functions(ast.NodeTransformer):
    """Writes the functions in a plain copy twice."""

    def __init__(self, rewriter: Copies):
        self._rewriter = rewriter

    def _function(self, node: Any) -> Any:
        return self._rewriter.rewritten_function(node)

    visit_FunctionDef = visit_Lambda = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        outer, self._rewriter.class_name = self._rewriter.class_name, node.name
        self.generic_visit(node)
        self._rewriter.class_name = outer
        return node
