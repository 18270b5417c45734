"""The names of a statement: outer values, parameters, and what becomes of them.

What a name holds before the statement is an *outer* value; in its place the traced code sees a
*parameter*. A name keeps its kind: arrays stay arrays of one shape and dtype, Python numbers stay
numbers. Arrays that a body writes in place are written once, after the statement.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from ... import _core
from ...base import MXNetError
from .. import loop_number, numbers
from ..loop_number import LoopNumber, NotConvertible
from ..numpy_face import DTYPES, TracedArray, supported
from .aliases import Aliases
from .body import Body
from .kinds import handle_of, is_scalar
from .syntax import BREAK, Statement


class Slots:
    """The names of a statement: outer values, parameters, and what becomes of them."""

    def __init__(self, recorder: Any, statement: Statement, frame: FrameType, bodies: list[Body]):
        self.recorder, self.statement, self.frame = recorder, statement, frame
        self.nested = bool(bodies)
        self.parameters_made = 0
        self.names: list[str] = list(statement.stored)
        code = frame.f_code
        self.in_function = bool(code.co_flags & 2)  # CO_NEWLOCALS
        self.local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        if self.in_function:
            outside = [n for n in self.names if n not in self.local or n in code.co_freevars]
            if outside:
                raise NotConvertible(f"{outside[0]} is not a local name of the function")
        values = frame.f_locals
        self.outer = {n: values[n] for n in self.names if n in values}
        self.aliases = Aliases(self)
        self.values: dict[str, Any] = {n: self.entering(n, v) for n, v in self.outer.items()}
        self.carried: dict[str, Any] = {}  # name -> parameter node
        self.step: dict[str, Any] = {}  # name -> node of a value that each step is given
        self.writing = bool(self.written_arrays()) or any(b.writes for b in bodies)
        if statement.flagged:
            self.names.append(BREAK)

    def written_arrays(self) -> frozenset[str]:
        """Names that the statement may write in place: numbers and NumPy scalars never are."""
        return frozenset(
            name
            for name in self.statement.writes
            if name not in self.values
            or (handle_of(self.values[name]) is not None and not is_scalar(self.values[name]))
        )

    # Entering -------------------------------------------------------------------------------------
    def entering(self, name: str, value: Any) -> Any:
        """The value as the graph has it. Raises NotConvertible for what it can't have."""
        if type(value) is np.ndarray:
            if not supported(value):
                raise NotConvertible(f"{name} is an array of {value.dtype}")
            value = self.recorder.wrap(value)
        if type(value) is not TracedArray and isinstance(value, np.generic):
            if value.dtype not in DTYPES:
                raise NotConvertible(f"{name} is a NumPy scalar of {value.dtype}")
            node = _core.trace_constant(value.item(), value.dtype.name, repr(value))
            return TracedArray.of_node(self.recorder, node, scalar=True)
        if type(value) is TracedArray and (value.layout is not None or value.selected is not None):
            raise NotConvertible(f"{name} is not in C order")
        return numbers.plain(value)

    def any_arrays(self) -> bool:
        """Does the statement read an array at all?"""
        values, outside = self.frame.f_locals, self.frame.f_globals
        for name in self.statement.loaded:
            value = values.get(name, outside.get(name))
            if type(value) in (TracedArray, np.ndarray, _core.NDArray):
                return True
            if isinstance(value, np.generic):
                return True
        return False

    def require_bound(self, why: str) -> None:
        """Drops names that only the body uses; raises when another may stay unbound."""
        for name in list(self.names):
            if name in self.values or name == BREAK:
                continue
            outside = self.statement.outside
            if outside is None or name in outside:
                raise NotConvertible(f"{name} is bound only in its body, and {why}")
            self.names.remove(name)

    def parameters(self, loaded: frozenset[str]) -> tuple[str, ...]:
        """Names that the traced function takes."""
        reads = [n for n in sorted(loaded) if n in self.local and n not in self.names]
        reads = [n for n in reads if n in self.frame.f_locals]
        return tuple([n for n in self.names if n in self.values] + reads)

    def given(self, parameters: tuple[str, ...]) -> dict[str, Any]:
        """The function's arguments."""
        values = self.frame.f_locals
        return {n: self.values[n] if n in self.values else values[n] for n in parameters}

    def shares_memory(self, array: TracedArray) -> bool:
        """Does the memory of another ndarray of the cell overlap this one's?"""
        return any(
            w is not array and np.may_share_memory(w.origin, array.origin)
            for w in self.recorder.inputs()
        )

    def begin_carrying(self) -> None:
        """Puts parameters in the place of the outer values, for a loop."""
        seen: set[int] = set()
        for name, value in list(self.values.items()):
            if handle_of(value) is not None:
                if id(value) in seen and self.written_arrays():
                    raise NotConvertible(f"{name} is the same array as another name")
                seen.add(id(value))
            made = self._parameter(name, value)
            if made is not None:
                self.values[name], self.carried[name] = made
                self.parameters_made += 1
        if BREAK in self.names:
            self.carried[BREAK] = self.parameter((), "bool", None, "left")

    def parameter(self, *described: Any) -> Any:
        """A recorded array that a body gets when it runs; it has no value of its own."""
        node = _core.trace_parameter(*described)
        self.recorder.disown([node])
        return node

    def proxy(self, node: Any, scalar: bool) -> TracedArray:
        """What the traced code sees of a parameter."""
        made = TracedArray.of_node(self.recorder, node, scalar=scalar)
        self.recorder.proxies.pop()  # none of the cell's arrays
        return made

    def _parameter(self, name: str, value: Any) -> tuple[Any, Any] | None:
        handle = handle_of(value)
        if handle is not None:
            node = self.parameter(tuple(handle.shape), handle.dtype, handle.context, name)
            if type(value) is TracedArray:
                return self.proxy(node, value.is_scalar), node
            return node, node
        if type(value) in (int, float):
            kind = type(value)
            node = self.parameter((), "int64" if kind is int else "float64", None, name)
            low, high = -loop_number._STEPS, loop_number._STEPS
            if kind is int and not low < value < high:
                raise NotConvertible(f"{name} is a large int")
            return loop_number.carried(kind, node, 2 * low, 2 * high), node
        if type(value) is LoopNumber:
            node = self.parameter((), value.node.dtype, None, name)
            return loop_number.carried(value.kind, node, value.lo, value.hi), node
        return None

    def step_value(self, name: str, value: Any, node: Any) -> None:
        """A name that every step is given: the counter, or a row of the data."""
        self.values[name] = value
        self.carried.pop(name, None)
        self.step[name] = node

    # Leaving --------------------------------------------------------------------------------------
    def outer_array(self, value: Any) -> Any:
        """The recorded array of an outer value."""
        if type(value) is np.ndarray and supported(value):
            return self.recorder.wrap(value)
        return value

    def out_node(self, name: str, value: Any) -> Any:
        """The node of a value that a body gives."""
        handle = handle_of(value)
        if handle is not None:
            if type(value) is TracedArray and value.layout is not None:
                raise NotConvertible(f"{name} is not in C order")
            return handle
        number = loop_number.of(value)
        if number is None:
            raise NotConvertible(f"{name} is not an array or a number but {type(value).__name__}")
        return number.node

    def control(
        self, kind: str, parts: list, operands: list, since: int, options: dict[str, Any]
    ) -> list[Any]:
        """Records the node; returns its outputs."""
        try:
            return _core.trace_control(kind, parts, operands, since, options)
        except MXNetError as error:
            raise NotConvertible(str(error)) from None

    def in_order(self, results: dict[str, Any]) -> tuple:
        """By the statement's names; None for one that nobody reads."""
        return tuple(results.get(n) for n in self.statement.stored)

    def write(self, name: str, handle: Any) -> Any:
        """Gives an array that the body writes in place its final contents."""
        outer = self.outer[name]
        array = self.outer_array(outer)
        if type(array) is TracedArray:
            array.assign(handle)
        else:
            array[:] = handle
        return outer
