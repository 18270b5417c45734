"""One run of traced code: nothing outside of it may change, nothing may be computed."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from ... import _core
from ...np_face import TracedArray
from .calls import check_call
from .errors import NotConvertible
from .kinds import handle_of
from .places import place_of
from .undefined import defined

if TYPE_CHECKING:
    from .slots import Slots


class Body:
    """One run of traced code: nothing outside of it may change, nothing may be computed."""

    def __init__(self, flow: Any, slots: Slots, code: FunctionType, writes: Any):
        self.flow, self.slots, self.code = flow, slots, code
        self.stored = frozenset(slots.names)
        self.writes = frozenset(writes)

    def run(self, given: dict[str, Any]) -> dict[str, Any]:
        """The local names at the end. Raises NotConvertible."""
        return defined(self._run(given))

    def value(self, given: dict[str, Any]) -> Any:
        """What the code returns: a condition's value."""
        return self._run(given)

    def _run(self, given: dict[str, Any]) -> Any:
        flow = self.flow
        before = _outer_state(self.slots)
        random = _core.random_state()
        problem = ""
        where = None
        result = None
        earlier = {id(a): a for a in _core.live_traced()}  # kept alive: no id is used again
        proxies = len(self.slots.recorder.proxies)
        flow.bodies.append(self)
        try:
            result = self.code(**given)
        except NotConvertible as reason:
            problem, where = str(reason), reason.where or place_of(reason.__traceback__)
        except Exception as error:
            problem = raised(error)
            where = place_of(error.__traceback__)
        finally:
            flow.bodies.pop()
            flow.converted = False
        self._forget(proxies)
        self.slots.recorder.disown([a for a in _core.live_traced() if id(a) not in earlier])
        if _core.random_state() != random:
            _core.set_random_state(random)
            problem = problem or "it draws random numbers"
        if _restore(before, self.slots.recorder):
            problem = problem or "it writes an array of outside through another name"
        if problem:
            raise NotConvertible(problem, where)
        return result

    def _forget(self, proxies: int) -> None:
        """Arrays of the body are none of the cell's; ndarrays that entered here are."""
        recorder = self.slots.recorder
        entered = {id(w) for w in recorder.inputs()}
        made = recorder.proxies[proxies:]
        recorder.proxies[proxies:] = [r for r in made if id(r()) in entered]

    def check_inplace(self, target: Any) -> None:
        """Raises NotConvertible for an in-place operator that no statement of the loop shows."""
        handle = handle_of(target)
        if handle is None or (type(target) is TracedArray and target.is_scalar):
            return
        self.check_alone(handle)
        shown = any(b.writes for b in self.flow.bodies)
        if not shown or _core.is_outside(handle, self.slots.aliases.serial):
            raise NotConvertible(
                "an array from before the branch or loop is written in place under another name"
            )

    def check_alone(self, handle: Any) -> None:
        """Raises NotConvertible when writing this array may have to write another one, too."""
        for made, sources in self.flow.recorder.may_be:
            others = [made, *sources]
            if _core.is_window_on(handle, others) or any(
                _core.is_window_on(o, [handle]) for o in others
            ):
                raise NotConvertible("it writes in place what may be the same array as another")

    def check_augment(self, holder: Any) -> None:
        """The same for ``holder[key] += value``, which may also change a list or an object."""
        if handle_of(holder) is None:
            raise NotConvertible(f"it changes an element of a {type(holder).__name__}")
        self.check_inplace(holder)

    def check_call(self, function: Any, args: tuple, kwargs: dict) -> None:
        """Raises NotConvertible for a function that may do more than compute."""
        stored = set().union(*(b.stored for b in self.flow.bodies))
        check_call(function, args, kwargs, frozenset(stored))


def raised(error: Exception) -> str:
    """Why code can't be traced that raised this."""
    if isinstance(error, RecursionError):
        return "it calls itself without end while it is traced; write a loop"
    if isinstance(error, NameError) and error.name:
        return f"{error.name} has no value here, in one of the cases that are traced"
    return f"tracing it raised {type(error).__name__}: {error}"


def _outer_state(slots: Slots) -> list[tuple[TracedArray, int, Any, bool]]:
    """Versions of the arrays that code could reach by a name."""
    found: dict[int, TracedArray] = {}
    for values in (slots.frame.f_globals, slots.frame.f_locals):
        for value in list(values.values()):
            while type(value) is TracedArray:
                found[id(value)] = value
                value = value.parent
    for wrapper in slots.recorder.known():
        found[id(wrapper)] = wrapper
    return [(a, a.version, a._handle, a.dirty) for a in found.values()]


def _restore(before: list[tuple[TracedArray, int, Any, bool]], recorder: Any) -> bool:
    """Undoes writes into outer arrays; True when there were any."""
    changed = False
    old = {id(array) for array, *_ in before}
    for wrapper in recorder.known():
        if id(wrapper) not in old and wrapper.dirty:  # it entered in the body
            wrapper.dirty = False
            wrapper.touched()
            changed = True
    for array, version, handle, dirty in before:
        if array.version != version and array.parent is None:
            array._handle, array.dirty, array._real = handle, dirty, None
            array.version += 1
            changed = True
    return changed
