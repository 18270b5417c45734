"""Tracing a branch or a loop body once, and making one node of it.

What a name holds before the statement is an *outer* value; in its place the traced code sees a
*parameter*. A name keeps its kind: arrays stay arrays of one shape and dtype, Python numbers stay
numbers. Arrays that a body writes in place are written once, after the loop.
"""

from __future__ import annotations

import sys
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from .. import _core
from ..base import MXNetError
from . import loop_number, numbers
from .control_calls import check_call
from .control_syntax import BREAK, Statement
from .loop_number import LoopNumber, NotConvertible
from .numpy_face import TracedArray, supported

_UNBOUND = object()
_DRIFT = 64  # what an int may grow by in a step: 64 bits last for days


def constant_flag(recorder: Any, value: bool) -> TracedArray:
    """A recorded truth value of rank 0."""
    node = _core.trace_constant(value, "bool", repr(value))
    return TracedArray.of_node(recorder, node, scalar=True)


def handle_of(value: Any) -> Any:
    """The array handle of an array, None for other values."""
    if type(value) is TracedArray:
        return value.handle
    return value if type(value) is _core.NDArray else None


class Body:
    """One run of traced code: nothing outside of it may change, nothing may be computed."""

    def __init__(self, flow: Any, slots: Slots, code: FunctionType, writes: Any):
        self.flow, self.slots, self.code = flow, slots, code
        self.stored = frozenset(slots.names)
        self.writes = frozenset(writes)

    def run(self, given: dict[str, Any]) -> dict[str, Any]:
        """The local names at the end. Raises NotConvertible."""
        return self._run(given)

    def value(self, given: dict[str, Any]) -> Any:
        """What the code returns: a condition's value."""
        return self._run(given)

    def _run(self, given: dict[str, Any]) -> Any:
        flow = self.flow
        before = _outer_state(self.slots)
        random = _core.random_state()
        problem = ""
        result = None
        earlier = {id(a) for a in _core.live_traced()}
        proxies = len(self.slots.recorder.proxies)
        flow.bodies.append(self)
        try:
            result = self.code(**given)
        except NotConvertible as reason:
            problem = str(reason)
        except Exception as error:
            problem = f"tracing it raised {type(error).__name__}: {error}"
        finally:
            flow.bodies.pop()
            flow.converted = False
        del self.slots.recorder.proxies[proxies:]
        self.slots.recorder.disown([a for a in _core.live_traced() if id(a) not in earlier])
        if _core.random_state() != random:
            _core.set_random_state(random)
            problem = problem or "it draws random numbers"
        if _restore(before):
            problem = problem or "it writes an array of outside through another name"
        if problem:
            raise NotConvertible(problem)
        return result

    def check_inplace(self, target: Any) -> None:
        """Raises NotConvertible for an in-place operator that no statement of the loop shows."""
        scalar = type(target) is TracedArray and target.is_scalar
        if (
            handle_of(target) is not None
            and not scalar
            and not any(b.writes for b in self.flow.bodies)
        ):
            raise NotConvertible("it calls a function that writes an array in place")

    def check_augment(self, holder: Any) -> None:
        """The same for ``holder[key] += value``, which may also change a list or an object."""
        if handle_of(holder) is None:
            raise NotConvertible(f"it changes an element of a {type(holder).__name__}")
        self.check_inplace(holder)

    def check_call(self, function: Any, args: tuple, kwargs: dict) -> None:
        """Raises NotConvertible for a function that may do more than compute."""
        stored = set().union(*(b.stored for b in self.flow.bodies))
        check_call(function, args, kwargs, frozenset(stored))


def _outer_state(slots: Slots) -> list[tuple[TracedArray, int, Any, bool]]:
    """Versions of the arrays that code could reach by a name."""
    found: dict[int, TracedArray] = {}
    for values in (slots.frame.f_globals, slots.frame.f_locals):
        for value in list(values.values()):
            while type(value) is TracedArray:
                found[id(value)] = value
                value = value.parent
    for wrapper in slots.recorder.inputs():
        found[id(wrapper)] = wrapper
    return [(a, a.version, a._handle, a.dirty) for a in found.values()]


def _restore(before: list[tuple[TracedArray, int, Any, bool]]) -> bool:
    """Undoes writes into outer arrays; True when there were any."""
    changed = False
    for array, version, handle, dirty in before:
        if array.version != version and array.parent is None:
            array._handle, array.dirty, array._real = handle, dirty, None
            array.version += 1
            changed = True
    return changed


class Slots:
    """The names of a statement: outer values, parameters, and what becomes of them."""

    def __init__(self, recorder: Any, statement: Statement, frame: FrameType, bodies: list[Body]):
        self.recorder, self.statement, self.frame = recorder, statement, frame
        self.nested = bool(bodies)
        self.serial = 0
        self.ends: list[dict[str, Any]] = []  # the names after a step, or after each branch
        self.parameters_made = 0
        self.stands_for: dict[str, list[Any]] = {}  # results that may be these arrays
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
        self.sole = self._sole_names()
        self.values: dict[str, Any] = {n: self._entering(n, v) for n, v in self.outer.items()}
        self.carried: dict[str, Any] = {}  # name -> parameter node
        self.step: dict[str, Any] = {}  # name -> node of a value that each step is given
        self.writing = bool(self.written_arrays()) or any(b.writes for b in bodies)
        if statement.breaks:
            self.names.append(BREAK)

    def written_arrays(self) -> frozenset[str]:
        """Names that the statement may write in place: numbers and NumPy scalars never are."""
        return frozenset(
            name
            for name in self.statement.writes
            if name not in self.values
            or (handle_of(self.values[name]) is not None and not self._is_scalar(self.values[name]))
        )

    # Entering -------------------------------------------------------------------------------------
    def _entering(self, name: str, value: Any) -> Any:
        if type(value) is np.ndarray:
            if not supported(value):
                raise NotConvertible(f"{name} is an array of {value.dtype}")
            value = self.recorder.wrap(value)
        if type(value) is not TracedArray and isinstance(value, np.generic):
            if value.dtype not in _dtypes():
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

    def refuse_writes(self) -> None:
        """A branch may not write in place: what is written depends on the condition."""
        for name in sorted(self.statement.writes):
            value = self.values.get(name)
            if handle_of(value) is not None and not self._is_scalar(value):
                raise NotConvertible(f"{name} may be written in place")

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
    def _sole_names(self) -> frozenset[str]:
        """Names that are the only way to their arrays: asked before anything else holds these."""
        # A name and its entry in `outer`, the argument; before Python 3.13 a frame's copy.
        each = 2 + (self.in_function and sys.version_info < (3, 13))
        outer = self.outer
        return frozenset(
            name
            for name in outer
            if sys.getrefcount(outer[name]) <= 1 + each * len(self._group(name))
            and type(outer[name]) is not np.ndarray
            and getattr(outer[name], "parent", None) is None
        )

    def _group(self, name: str) -> list[str]:
        """The names of the statement that share the array of this one."""
        return [n for n in self.outer if self.outer[n] is self.outer[name]]

    def _is_sole(self, name: str) -> bool:
        """Can nobody but this name see its array? Names that share one must go on doing so."""
        group = self._group(name)
        together = len(group) == 1 or (
            len(self.ends) == 1 and all(self.ends[0][n] is self.ends[0][name] for n in group)
        )
        return name in self.sole and together

    def _check_alias(self, name: str, value: Any, may_stay: bool = False) -> None:
        """A result may not be an array that another name could write to, or be written by.

        Args:
            may_stay: the name may keep what it is bound to (a loop that does not run).
        """
        if self._is_scalar(value):
            return
        if type(value) is TracedArray and value.parent is not None:
            raise NotConvertible(f"{name} is a view")
        owners = {name} if may_stay and name in self.outer else set()
        outside: list[Any] = []
        for source in self._may_be(handle_of(value)):
            found = [n for n in self.outer if _core.is_window_on(source, self._arrays_of(n))]
            owners.update(found)
            if not found and _core.is_outside(source, self.serial):
                outside.append(source)
        if self.nested:
            if (owners or outside) and self.writing:
                raise NotConvertible(f"{name} may be the same array as another")
            handles = [handle_of(self._outer_array(self.outer[n])) for n in owners]
            self.stands_for[name] = outside + [h for h in handles if h is not None]
            return
        for owner in owners:
            if not self._is_sole(owner):
                raise NotConvertible(f"{name} may be the same array as {owner} was")
        if outside:
            raise NotConvertible(f"{name} may be the same array as one of outside")

    def _may_be(self, handle: Any) -> list[Any]:
        """The array, and those that it may be the same array as by a nested node."""
        found = [handle]
        for made, sources in self.recorder.may_be:
            if any(_core.is_window_on(f, [made]) for f in found):
                found.extend(sources)
        return found

    def _arrays_of(self, name: str) -> list[Any]:
        """What a name is inside and outside, as array handles."""
        pair = (self.carried.get(name), handle_of(self._outer_array(self.outer[name])))
        return [h for h in pair if h is not None]

    def _note_alias(self, name: str, handle: Any) -> None:
        sources = self.stands_for.get(name)
        if sources:
            self.recorder.may_be.append((handle, sources))

    def _outer_array(self, value: Any) -> Any:
        if type(value) is np.ndarray and supported(value):
            return self.recorder.wrap(value)
        return value

    def join(self, test: Any, ends: list[dict[str, Any]], since: int) -> tuple:
        """The ``cond`` node of two branches; returns what each name is bound to."""
        pairs = []
        self.ends = ends
        for name in self.names:
            values = [end.get(name, _UNBOUND) for end in ends]
            if _UNBOUND in [v for v in values if v is _UNBOUND]:
                raise NotConvertible(f"{name} is bound in one branch only")
            pairs.append((name, *map(numbers.plain, values)))
        self.serial = since
        results: dict[str, Any] = {}
        aliases: dict[str, list[Any]] = {}
        outputs: list[tuple[str, Any, Any, Any]] = []
        for name, yes, no in pairs:
            if yes is no or (_is_plain(yes) and type(yes) is type(no) and _same(yes, no)):
                results[name] = yes
                continue
            kind = _common_kind(name, yes, no)
            nodes = [self._out_node(name, v) for v in (yes, no)]
            for value in (yes, no):
                if handle_of(value) is not None:
                    self._check_alias(name, value)
                    aliases[name] = aliases.get(name, []) + self.stands_for.get(name, [])
            outputs.append((name, kind, *nodes))
        if outputs:
            labels = [n for n, *_ in outputs]
            condition = test.node if type(test) is LoopNumber else handle_of(test)
            parts: list[Any] = [([o[2 + k] for o in outputs], [], labels) for k in (0, 1)]
            made = self._control("cond", parts, [condition], since, {})
            self.stands_for = aliases
            for (name, kind, *_), handle in zip(outputs, made, strict=True):
                results[name] = self._result(name, kind, handle)
                self._note_alias(name, handle)
        return self._in_order(results)

    @staticmethod
    def _is_scalar(array: Any) -> bool:
        return type(array) is TracedArray and array.is_scalar

    def _out_node(self, name: str, value: Any) -> Any:
        handle = handle_of(value)
        if handle is not None:
            if type(value) is TracedArray and value.layout is not None:
                raise NotConvertible(f"{name} is not in C order")
            return handle
        number = loop_number.of(value)
        if number is None:
            raise NotConvertible(f"{name} is not an array or a number but {type(value).__name__}")
        return number.node

    def _control(
        self, kind: str, parts: list, operands: list, since: int, options: dict[str, Any]
    ) -> list[Any]:
        try:
            return _core.trace_control(kind, parts, operands, since, options)
        except MXNetError as error:
            raise NotConvertible(str(error)) from None

    def _result(self, name: str, kind: Any, handle: Any) -> Any:
        what, scalar = kind
        if what == "numpy":
            return TracedArray.of_node(self.recorder, handle, scalar=scalar)
        if what == "nd":
            return handle
        if self.nested and what is not bool:
            return LoopNumber(handle, what, -loop_number._STEPS, loop_number._STEPS)
        raise NotConvertible(f"{name} would be a Python {what.__name__} known only when it runs")

    # Loops ----------------------------------------------------------------------------------------
    def _carried_ends(self, end: dict[str, Any], steps: int | None) -> list[_Carried]:
        """What each name is after a step, and what that means after the loop."""
        found: list[_Carried] = []
        self.ends = [end]
        owners = {id(v): n for n, v in self.values.items() if handle_of(v) is not None}
        for name in self.names:
            if name not in end:
                raise NotConvertible(f"{name} is not bound in every step")
            value = numbers.plain(end[name])
            before = self.values.get(name, _UNBOUND)
            node = self.carried.get(name)
            written = _written(before, self.step.get(name, node))
            if written and (value is not before or name in self.step):
                raise NotConvertible(f"{name} is written in place and bound anew")
            if value is before and not written:
                continue  # the loop leaves it alone
            same = _loop_invariant(value, self.outer.get(name, _UNBOUND))
            fixed = _is_plain(value) or type(value) is np.ndarray or _is_scalar(value)
            if same or (fixed and before is _UNBOUND):
                if steps is None and before is _UNBOUND:
                    raise NotConvertible(f"{name} is bound only when the loop runs")
                found.append(_Carried(name, "constant", value))
                continue
            if value is before:
                found.append(_Carried(name, "written", value, handle_of(value), node))
                continue
            owner = owners.get(id(value))
            if owner is not None and _written(value, self.carried.get(owner)):
                raise NotConvertible(f"{name} is {owner}, which is written in place")
            out = self._out_node(name, value)
            if before is not _UNBOUND and name not in self.step:
                _common_kind(name, before, value, "before a step and after it")
            if handle_of(value) is not None:
                self._check_alias(name, value, may_stay=steps is None)
            found.append(_Carried(name, "rebound", value, out, node))
        self._check_written(found)
        return found

    def _check_written(self, found: list[_Carried]) -> None:
        written = [c for c in found if c.how == "written"]
        if not written:
            return
        outputs = [c.out for c in found if c.out is not None]
        for c in written:
            outer = self._outer_array(self.outer[c.name])
            handle = handle_of(outer)
            if type(outer) is TracedArray:
                if outer.parent is not None:
                    raise NotConvertible(f"{c.name} is a view that is written in place")
                if outer.origin is not None and self._shares_memory(outer):
                    raise NotConvertible(f"{c.name} shares its memory with another array")
            if _core.reads_window(outputs, handle, self.serial):
                raise NotConvertible(f"{c.name} is written in place and read by another name")
        seen: set[int] = set()
        for c in found:
            if c.value is not None and handle_of(c.value) is not None:
                if id(c.value) in seen:
                    raise NotConvertible(f"{c.name} is the same array as another name")
                seen.add(id(c.value))

    def _shares_memory(self, array: TracedArray) -> bool:
        return any(
            w is not array and np.may_share_memory(w.origin, array.origin)
            for w in self.recorder.inputs()
        )

    def while_loop(self, again: Any, end: dict[str, Any], since: int) -> tuple:
        """The ``while_loop`` node; returns what each name is bound to."""
        self.serial = since
        found = self._carried_ends(end, None)
        slots = [c for c in found if c.how != "constant"]
        test = again.node if type(again) is LoopNumber else handle_of(again)
        if BREAK in self.carried:
            left = self.carried[BREAK]
            stay = _core.invoke_core("logical_not", [left], {})
            if test is None:
                if not again:
                    raise NotConvertible("its condition is false")
                test = stay
            else:
                truth = _core.invoke_core("cast", [test], {"dtype": "bool"})
                test = _core.invoke_core("logical_and", [stay, truth], {})
        elif test is None:
            raise NotConvertible("its condition does not depend on a recorded value")
        operands = [self._operand(c) for c in slots]
        nodes = [c.node for c in slots]
        labels = [c.name for c in slots]
        parts = [([test], nodes, [""]), ([c.out for c in slots], nodes, labels)]
        made = self._control("while_loop", parts, operands, since, {"carried": len(slots)})
        return self._in_order(self._bind(found, slots, made, None))

    def foreach(self, loop: Any, target: str, end: dict[str, Any], since: int) -> tuple:
        """The ``foreach`` node of the loop's remaining steps."""
        self.serial = since
        steps = loop.remaining
        found = self._carried_ends(end, steps)
        slots = [c for c in found if c.how != "constant"]
        if not slots:
            raise NotConvertible("its steps leave no array behind")
        for c in slots:
            if c.node is None:  # bound by the first step: what it is before does not matter
                c.node = self.parameter(tuple(c.out.shape), c.out.dtype, c.out.context, c.name)
        options: dict[str, Any] = {"carried": len(slots)}
        operands: list[Any] = []
        values = loop.values
        if type(values) is range:
            first = values[loop.done - 1]
            options |= {"counter": True, "start": first, "step": values.step, "steps": steps}
        else:
            if type(values) is TracedArray:
                rest = values[loop.done - 1 :] if loop.done > 1 else values
                operands.append(rest.handle)
            else:
                operands.append(values[loop.done - 1 :] if loop.done > 1 else values)
            options |= {"data": 1}
        parameters = [self.step[target], *(c.node for c in slots)]
        operands += [self._operand(c) for c in slots]
        parts = [([c.out for c in slots], parameters, [c.name for c in slots])]
        made = self._control("foreach", parts, operands, since, options)
        results = self._bind(found, slots, made, steps)
        if target not in [c.name for c in found]:
            results[target] = self._last(values)
        return self._in_order(results)

    def _last(self, values: Any) -> Any:
        return values[-1]

    def _operand(self, c: _Carried) -> Any:
        """The carried value before the first step."""
        if c.name == BREAK:
            return _core.trace_constant(False, "bool", "False")
        value = self.outer.get(c.name, _UNBOUND)
        if value is _UNBOUND:
            attrs = {"shape": tuple(c.out.shape), "dtype": np.dtype(c.out.dtype).name}
            return _core.invoke_core("zeros", [], attrs)
        return self._out_node(c.name, self._entering(c.name, value))

    def _bind(
        self, found: list[_Carried], slots: list[_Carried], made: list[Any], steps: int | None
    ) -> dict[str, Any]:
        handles = dict(zip([c.name for c in slots], made, strict=True))
        results = dict(self.outer)
        shared: dict[int, Any] = {}
        numbers_after: list[tuple[str, Any, Any]] = []
        for c in found:
            if c.how == "constant":
                results[c.name] = c.value
            elif c.how == "written":
                results[c.name] = self._write(c.name, handles[c.name])
            elif handle_of(c.value) is not None:
                known = shared.get(id(c.value))
                results[c.name] = known if known is not None else self._array(c, handles[c.name])
                self._note_alias(c.name, handles[c.name])
                shared[id(c.value)] = results[c.name]
            else:
                results[c.name] = self._number(c, handles[c.name], steps)
                if type(results[c.name]) is LoopNumber and not self.nested:
                    numbers_after.append((c.name, results[c.name], handles[c.name]))
        if numbers_after:
            nodes = [h for _, _, h in numbers_after]
            names = ", ".join(n for n, _, _ in numbers_after)
            self.recorder.sync(nodes, f"{names}: Python numbers that the loop computes")
            for name, number, handle in numbers_after:
                results[name] = number.kind(_core.as_numpy(handle).item())
        return results

    def _in_order(self, results: dict[str, Any]) -> tuple:
        """By the statement's names; None for one that nobody reads."""
        return tuple(results.get(n) for n in self.statement.stored)

    def _array(self, c: _Carried, handle: Any) -> Any:
        if type(c.value) is TracedArray:
            return TracedArray.of_node(self.recorder, handle, scalar=c.value.is_scalar)
        return handle

    def _write(self, name: str, handle: Any) -> Any:
        """Gives an array that the body writes in place its final contents."""
        outer = self.outer[name]
        array = self._outer_array(outer)
        if type(array) is TracedArray:
            array.assign(handle)
        else:
            array[:] = handle
        return outer

    def _number(self, c: _Carried, handle: Any, steps: int | None) -> Any:
        value = loop_number.of(c.value)
        assert value is not None
        before = self.values.get(c.name)
        if type(before) is LoopNumber and before.kind is not value.kind:
            raise NotConvertible(f"{c.name} changes from {before.kind.__name__}")
        outer = numbers.plain(self.outer.get(c.name))
        if value.kind is int:
            if value.base is not None and value.base is c.node:
                if steps is not None and type(outer) is int:
                    return outer + steps * value.offset  # counts: known without running
                if abs(value.offset) > _DRIFT:
                    raise NotConvertible(f"{c.name} is an int that may leave 64 bits")
            elif not -2 * loop_number._STEPS <= value.lo <= value.hi <= 2 * loop_number._STEPS:
                raise NotConvertible(f"{c.name} is an int that may leave 64 bits")
        low, high = (-(2**61), 2**61) if value.kind is int else (0, 0)
        return LoopNumber(handle, value.kind, low, high)


class _Carried:
    """A name that a loop changes: how, by which nodes."""

    def __init__(self, name: str, how: str, value: Any, out: Any = None, node: Any = None):
        self.name, self.how, self.value, self.out, self.node = name, how, value, out, node


def _dtypes() -> Any:
    from .numpy_face import DTYPES

    return DTYPES


def _is_plain(value: Any) -> bool:
    return type(value) in (bool, int, float, str, type(None))


def _is_scalar(value: Any) -> bool:
    return type(value) is not TracedArray and isinstance(value, np.generic)


def _same(a: Any, b: Any) -> bool:
    return a == b and repr(a) == repr(b)  # -0.0 and 0.0 differ, nan is never the same


def _loop_invariant(value: Any, outer: Any) -> bool:
    if value is outer:
        return True
    return _is_plain(value) and type(value) is type(numbers.plain(outer)) and _same(value, outer)


def _written(value: Any, node: Any) -> bool:
    """Was this parameter written in place by the body?"""
    handle = handle_of(value)
    if handle is None:
        return False
    if type(value) is TracedArray:
        return value.version != 0
    return node is not None and not _core.is_window_on(handle, [node])


def _common_kind(name: str, yes: Any, no: Any, where: str = "in the branches") -> tuple:
    """The kind that both branches give a name: numpy, nd or a Python number's type."""
    kinds: list[tuple[Any, bool]] = []
    for value in (yes, no):
        if type(value) is TracedArray:
            kinds.append(("numpy", value.is_scalar))
        elif type(value) is _core.NDArray:
            kinds.append(("nd", False))
        elif type(value) is LoopNumber:
            kinds.append((value.kind, True))
        else:
            kinds.append((type(value), True))
    if kinds[0] != kinds[1]:
        raise NotConvertible(f"{name} is of different kinds {where}")
    return kinds[0]
