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
from ...capture import numbers
from ...np_face import DTYPES, TracedArray, supported
from . import loop_number
from .aliases import Aliases
from .errors import NotConvertible
from .kinds import UNBOUND, handle_of, is_scalar, zero_of
from .loop_else import ENDED
from .loop_number import LoopNumber
from .recorder import BodyRecorder
from .returns import DONE, RETURN
from .syntax import BREAK, LEFT, Statement
from .trees import described, form, is_tree, leaves, rebuild
from .undefined import Undefined, defined

_PLAIN_NAMES = {
    RETURN: "returned",
    DONE: "done",
    BREAK: "left",
    LEFT: "left",
    ENDED: "ended",
}  # in graphs
VALUE = "the value"  # of an expression that chooses


class Slots:
    """The names of a statement: outer values, parameters, and what becomes of them."""

    def __init__(self, recorder: BodyRecorder, statement: Statement, frame: FrameType):
        self.recorder, self.statement, self.frame = recorder, statement, frame
        self.parameters_made = 0
        self.entered = 0  # of a loop: when its parameters had been made
        self.names: list[str] = list(statement.stored)
        code = frame.f_code
        self.local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        outside = [n for n in self.names if n not in self.local or n in code.co_freevars]
        if outside:
            raise NotConvertible(f"{outside[0]} is not a local name of the function")
        values = defined(frame.f_locals)
        self.outer = {n: values[n] for n in self.names if n in values}
        self.forms: dict[str, Any] = {}  # of names that hold containers, which are looked into
        self.whole = dict(self.outer)  # before their containers are opened
        self.open([self.outer])
        self.aliases = Aliases(self)
        self.values: dict[str, Any] = {n: self.entering(n, v) for n, v in self.outer.items()}
        self.carried: dict[str, Any] = {}  # name -> parameter node
        self.stand_ins: dict[str, list[Any]] = {}  # NDArrays that bodies write in their place
        self.step: dict[str, Any] = {}  # name -> node of a value that each step is given
        self.rows: dict[str, Any] = {}  # the same, or the row that this counter takes, and its size
        self.undefined: dict[str, Any] = {}  # names that may have no value afterwards
        self.writing = bool(self.written_arrays()) or any(b.writes for b in recorder.bodies)
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

    # Containers -----------------------------------------------------------------------------------
    def open(self, ends: list[dict[str, Any]]) -> None:
        """Puts the elements of tuples, lists and dicts in the place of these.

        Raises NotConvertible when a name holds containers of different forms.
        """
        for name in [*self.statement.stored, VALUE]:
            values = [end[name] for end in ends if name in end]
            known = self.forms.get(name, UNBOUND)
            if not any(map(is_tree, values)):
                if known is not UNBOUND and values:
                    raise NotConvertible(f"{name} is no longer {described(known)}")
                continue
            if name == RETURN and len(values) < len(ends):
                for end in ends:
                    end.setdefault(name, rebuild("", values[0], lambda _, v: zero_of(v)))
                values = [end[name] for end in ends]
            first = values[0] if known is UNBOUND else known
            if any(form(v) != form(first) for v in values):
                raise NotConvertible(
                    f"{name} is {described(first)} in one case and "
                    f"{described(next(v for v in values if form(v) != form(first)))} in another"
                )
            if known is UNBOUND and name in self.whole and not is_tree(self.whole[name]):
                raise NotConvertible(f"{name} becomes {described(first)}")
            if name in self.statement.writes and name in self.whole:
                raise NotConvertible(f"it changes an element of {name}, {described(first)}")
            self.forms[name] = first
            names = [leaf for leaf, _ in leaves(name, first)]
            if name in self.names:
                at = self.names.index(name)
                self.names[at : at + 1] = names
            for end in ends:
                if name in end:
                    end.update(dict(leaves(name, end.pop(name))))

    def closed(self, name: str, results: dict[str, Any]) -> Any:
        """The value of a name, a container made of its elements again."""
        if name not in self.forms:
            return results.get(name)
        found: list[Any] = []

        def leaf(path: str, _: Any) -> Any:
            found.append(results.get(path))
            return found[-1]

        made = rebuild(name, self.forms[name], leaf)
        bad = [v for v in found if type(v) is Undefined]
        return bad[0] if bad else made

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

    def require_bound(self, why: str, target: str = "") -> None:
        """Drops names that may stay unbound: those read afterwards are undefined there.

        Args:
            target: of a loop; what it holds afterwards is found otherwise.
        """
        for name in list(self.names):
            if name in self.values or name in (BREAK, RETURN, target):
                continue
            if name in self.statement.outside:
                self.undefined[name] = Undefined(f"{name} is bound only in its body, and {why}")
            self.names.remove(name)

    def parameters(self, loaded: frozenset[str]) -> tuple[str, ...]:
        """Names that the traced function takes."""
        own = {*self.names, *self.values, *self.forms}
        reads = [n for n in sorted(loaded) if n in self.local and n not in own]
        reads = [n for n in reads if n in self.frame.f_locals]
        known = [n for n in self.statement.stored if n in self.values or n in self.forms]
        return tuple(known + reads)

    def given(self, parameters: tuple[str, ...]) -> dict[str, Any]:
        """The function's arguments."""
        values = self.frame.f_locals
        return {n: self._given(n, values) for n in parameters}

    def _given(self, name: str, values: Any) -> Any:
        if name in self.forms:
            return rebuild(name, self.forms[name], lambda path, _: self.values[path])
        return self.values[name] if name in self.values else values[name]

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
        self.entered = numbers.serial()

    def parameter(self, *described: Any) -> Any:
        """A recorded array that a body gets when it runs; it has no value of its own."""
        if len(described) == 4:
            described = (*described[:3], label(described[3]))
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
            if name in self.written_arrays():
                stand_in = _core.invoke_core("identity", [node], {})  # its entry is what changes
                self.recorder.disown([stand_in])
                self.stand_ins[name] = [stand_in]
                return stand_in, node
            return node, node
        if type(value) is bool:
            node = self.parameter((), "bool", None, name)
            return LoopNumber(node, bool), node
        if type(value) in (int, float):
            kind = type(value)
            node = self.parameter((), "int64" if kind is int else "float64", None, name)
            low, high = -loop_number.STEPS, loop_number.STEPS
            if kind is int and not low < value < high:
                raise NotConvertible(f"{name} is a large int")
            return loop_number.carried(kind, node, 2 * low, 2 * high), node
        if type(value) is LoopNumber:
            node = self.parameter((), value.node.dtype, None, name)
            return loop_number.carried(value.kind, node, value.lo, value.hi), node
        return None

    def step_value(self, name: str, value: Any, node: Any, row: Any = None) -> None:
        """A name that every step is given: the counter, or a row of the data.

        Args:
            row: the row, where ``node`` is the counter that it is taken with.
        """
        if name in self.forms:
            raise NotConvertible(f"{name} is {described(self.forms[name])} before the loop")
        self.values[name] = value
        self.carried.pop(name, None)
        self.step[name] = node
        self.rows[name] = (node, 0) if row is None else (row, _core.count_recorded([row], 0))

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
        parts = [(outputs, taken, [*map(label, names)]) for outputs, taken, names in parts]
        try:
            return _core.trace_control(kind, parts, operands, since, options)
        except MXNetError as error:
            raise NotConvertible(str(error)) from None

    def in_order(self, results: dict[str, Any]) -> tuple:
        """By the statement's names; None for one that nobody reads."""
        results = self.undefined | results
        return tuple(self.closed(n, results) for n in self.statement.stored)

    def write(self, name: str, handle: Any) -> Any:
        """Gives an array that the body writes in place its final contents."""
        outer = self.outer[name]
        array = self.outer_array(outer)
        self.recorder.bodies[-1].check_alone(handle_of(array))
        if type(array) is TracedArray:
            array.assign(handle)
        else:
            array[:] = handle
        return outer


def label(name: str) -> str:
    """The name in graphs: ``state[0]`` is state_0, and what scripts add has names of its own."""
    for own, plain in (*_PLAIN_NAMES.items(), (VALUE, "value")):
        name = name.replace(own, plain)
    return "".join(c if c.isalnum() else "_" for c in name.replace("'", "")).strip("_")
