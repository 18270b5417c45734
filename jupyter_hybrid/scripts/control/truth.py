"""The truth of recorded values: what :mod:`.truth_rewriter` has expressions call.

Operands are evaluated as Python does until a recorded one decides; those after it are traced. An
operand that may fail when it runs becomes the branch of a ``cond``.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...np_face import TracedArray
from .errors import NotConvertible
from .kinds import handle_of
from .loop_number import LoopNumber
from .recorder import BodyRecorder


def truth_node(value: Any) -> Any:
    """A recorded value's truth as a bool node of rank 0; None for a concrete one."""
    if type(value) is LoopNumber:
        node = value.node
    else:
        if type(value) is TracedArray and value.selected is not None:
            return None
        node = handle_of(value)
        if node is None or not node._traced:
            return None
        if any(n != 1 for n in node.shape):
            raise NotConvertible(f"the truth of an array of shape {tuple(node.shape)} is needed")
    if np.dtype(node.dtype) != np.bool_:
        node = _core.invoke_core("cast", [node], {"dtype": "bool"})
    return _core.invoke_core("reshape", [node], {"shape": ()}) if len(node.shape) else node


class Truth:
    """Mixed into the runtime: what the rewritten expressions call."""

    recorder: BodyRecorder | None

    @property
    def now(self) -> BodyRecorder:
        """The recorder, where code is being recorded."""
        assert self.recorder is not None
        return self.recorder

    def negated(self, value: Any) -> Any:
        """``not value``."""
        node = truth_node(value) if self._inside() else None
        if node is None:
            return not value
        return LoopNumber(_core.invoke_core("logical_not", [node], {}), bool)

    def all_of(self, *operands: Callable[[], Any]) -> Any:
        """``a and b and ...``, of which only the truth matters."""
        return self._joined(operands, False, sys._getframe(1))

    def any_of(self, *operands: Callable[[], Any]) -> Any:
        """``a or b or ...``"""
        return self._joined(operands, True, sys._getframe(1))

    def _joined(self, operands: tuple, decides: bool, frame: Any) -> Any:
        """``decides``: the operand's truth after which the others do not matter."""
        value: Any = not decides
        for i, operand in enumerate(operands):
            value = operand()
            node = truth_node(value) if self._inside() else None
            rest = operands[i + 1 :]
            if node is None:
                if bool(value) is decides:
                    return value
            elif not rest:
                return LoopNumber(node, bool)
            else:
                return LoopNumber(self._with_rest(node, rest, decides, frame), bool)
        return value

    def _with_rest(self, node: Any, rest: tuple, decides: bool, frame: Any) -> Any:
        def others() -> Any:
            found = self._joined(rest, decides, frame)
            known = truth_node(found)
            if known is None:
                return LoopNumber(
                    _core.trace_constant(bool(found), "bool", repr(bool(found))), bool
                )
            return LoopNumber(known, bool)

        checks = self.now.checks
        after = others()
        if self.now.checks == checks:
            kernel = "logical_or" if decides else "logical_and"
            return _core.invoke_core(kernel, [node, after.node], {})

        def decided() -> Any:
            return LoopNumber(_core.trace_constant(decides, "bool", repr(decides)), bool)

        branches = (decided, others) if decides else (others, decided)
        return self.choose(node, *branches, frame).node

    def first_false(self, *operands: Callable[[], Any]) -> Any:
        """The value of ``a and b and ...``."""
        return self._picked(operands, False, sys._getframe(1))

    def first_true(self, *operands: Callable[[], Any]) -> Any:
        """The value of ``a or b or ...``."""
        return self._picked(operands, True, sys._getframe(1))

    def _picked(self, operands: tuple, decides: bool, frame: Any) -> Any:
        value = operands[0]()
        rest = operands[1:]
        if not rest:
            return value
        node = truth_node(value) if self._inside() else None
        if node is None:
            return value if bool(value) is decides else self._picked(rest, decides, frame)

        def this() -> Any:
            return value

        def others() -> Any:
            return self._picked(rest, decides, frame)

        branches = (this, others) if decides else (others, this)
        return self.choose(node, *branches, frame)

    @staticmethod
    def asserted(value: Any) -> Any:
        """What ``assert`` asks."""
        if type(value) is LoopNumber or truth_node(value) is not None:
            raise NotConvertible("`assert` on an array value has no place in a graph")
        return value

    def chained(self, names: tuple[str, ...], first: Any, *rest: Callable[[], Any]) -> Any:
        """``first < b < c``, of which only the truth matters."""
        return self._joined(_steps(names, first, rest), False, sys._getframe(1))

    def compared(self, names: tuple[str, ...], first: Any, *rest: Callable[[], Any]) -> Any:
        """The value of ``first < b < c``."""
        return self._picked(_steps(names, first, rest), False, sys._getframe(1))

    def chosen(self, test: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
        """``yes() if test else no()``."""
        node = truth_node(test) if self._inside() else None
        if node is None:
            return yes() if test else no()
        return self.choose(node, yes, no, sys._getframe(1))

    def choose(self, node: Any, yes: Callable, no: Callable, frame: Any) -> Any:
        raise NotImplementedError

    def _inside(self) -> bool:
        return self.recorder is not None


def _steps(names: tuple[str, ...], first: Any, rest: tuple) -> tuple:
    """The comparisons of a chain, each evaluated once when it is asked."""
    state = {0: first}

    def step(i: int) -> Callable[[], Any]:
        def compare() -> Any:
            state[i + 1] = rest[i]()
            return getattr(operator, names[i])(state[i], state[i + 1])

        return compare

    return tuple(map(step, range(len(rest))))
