"""Units: loops that run compiled, and what Python's variables are when one has ended.

A loop is compiled for the kinds of values that its names hold when it begins. A run is a
transaction: where it meets what it was not compiled for, it takes back the step at work, and Python
goes on there; after some steps as written it is tried again.
"""

from __future__ import annotations

import itertools
import types
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...np_face import TracedArray
from ...np_face.float_errors import raised
from ...reasons import Reason
from .. import numbers
from ..source.nodes import Rewriting
from ..source.scopes import own_stores
from . import signals
from .blocks import ITEMS, RANGE, Loop
from .callees import Callees, called_names
from .code import Code
from .draws import Streams
from .errors import errors_now
from .instances import Instances
from .kinds import (
    NOTHING,
    OTHER,
    PLAIN,
    as_object,
    each_alone,
    input_letter,
    kind_of,
    letter_of,
)
from .parts import Attr, Leaves, Part, Refusal, used_in
from .seen import Seen

STRICT = False  # tests see errors in what compiles
_MOST_KINDS = 8  # a loop is compiled for so many, ...
_MOST_LOOPS = 8  # ... and for so many functions that it calls
_TRIES, _GAINED = 4, 200  # after so many tries, so many steps each have to be won
_STEPS_OF_A_WHILE = 1000  # as many as it has to take for long lists to be looked at
_OVER, _BROKE, _LEFT = range(3)  # how a run ends, if no interrupt ends it
_FAR = 2**62  # of a range: its steps need no more bits
_SILENT = frozenset({type(None), str, bytes, int, range, slice, type(...), types.ModuleType})
_NO_NAMES: frozenset[str] = frozenset()
_GIVEN = 4  # hidden registers of a `for`: value, steps left, step, what it goes through


@dataclass(frozen=True)
class Over:
    """What a loop goes through: ``function(*sources)``, for ``enumerate`` or ``zip``."""

    function: Any
    sources: tuple[Any, ...]


@dataclass
class Outcome:
    """What a run of a unit has done.

    Attributes:
        steps: of the loop, whole ones.
        broke: the loop ended by ``break``.
        over: it ended.
        again: steps to take as written before the unit is tried again.
        bound: the variables' new values.
        attributes: instances, attributes of theirs, their new values.
        error: what an interrupt raised.
        left: the instruction where it left; -1: nowhere.
        heard: signals whose handlers wait.
    """

    steps: int
    broke: bool
    over: bool
    again: int
    bound: dict[str, Any] = field(default_factory=dict)
    attributes: list[tuple[Any, str, Any]] = field(default_factory=list)
    error: BaseException | None = None
    left: int = -1
    heard: list[int] = field(default_factory=list)

    def set_attributes(self) -> None:
        """Plain ones: no code of the user's sees that."""
        for owner, name, value in self.attributes:
            object.__setattr__(owner, name, value)


class Made:
    """A loop's code for some kinds of values."""

    def __init__(self, loop: Loop, kinds: tuple[Any, ...]):
        self.loop = loop
        self.tries = self.work = 0
        self.refused: Refusal | None = None
        self._attributes: list[Any] = []
        self._names = tuple(loop.slots)
        try:
            self.code = Code(loop, kinds)
        except Leaves as problem:
            why, node = problem.args
            self.refused = Refusal.at(why, node or loop.node)
            return
        except Exception as error:  # a mistake of ours is not the user's
            if STRICT:
                raise
            self.refused = Refusal.at(
                Reason("compiling it raises {error}", error=repr(error)), loop.node
            )
            return
        code = self.code
        self._attributes = code.attributes
        if not code.takes_steps:
            self.refused = code.why_none()
            return
        self.unit = _core.units.Unit(
            code.bytes,
            code.registers,
            loop.bound,
            "".join(map(input_letter, kinds)),
            code.letters,
            [self._given(now) for now in code.kinds],
            code.constants,
            code.parts,
            code.loops,
            "".join(letter_of(kind) for _, kind in code.appends),
            [slot for slot, _ in code.appends],
            code.calls,
        )

    @property
    def whole(self) -> bool:
        """Does it work with whole arrays? Such loops are recorded first: a graph shows them."""
        return not self.refused and self.code.works_with_arrays

    @property
    def gives_at_will(self) -> bool:
        """May somebody who takes what a comprehension gives one by one end early, by an error? It
        does nothing else, or gives Python's real numbers, with which nobody fails."""
        numbers = {"int", "float", "bool"}
        return not self.code.has_effects or {k for _, k in self.code.appends} <= numbers

    @property
    def holds(self) -> bool:
        """Do modules still have what it was compiled for?"""
        for module, name, value in self._attributes:
            if vars(module).get(name, NOTHING) is not value:
                return False
        return True

    def _given(self, now: tuple[Any, ...]) -> str:
        """Of each variable, is it given back by a run that ends with these kinds?"""
        slots, entry = self.loop.slots, self.code.entry
        return "".join(map(_given_back, slots, now, entry))

    def streams(self, values: list[Any]) -> Streams | None:
        """What it draws random numbers from."""
        known = self.code.drawn_from
        return Streams(values[g] if type(g) is int else g for g in known) if known else None

    def run(
        self, values: list[Any], owners: dict[str, Any], heard: list[int] | None = None
    ) -> Outcome:
        """A run from these values of its slots; ``owners``: the instances by the loop's names;
        ``heard``: it ends when there is something in it."""
        watched = errors_now().watched if self.code.watches else ""
        streams = self.streams(values)
        if self.code.calls:
            # What NumPy's own functions are to tell of raises: Python takes the step then.
            with raised(), np.errstate(**errors_now().raised):
                ran = self.unit.run(values, watched, streams, heard)
        else:
            ran = self.unit.run(values, watched, streams, heard)
        end, steps, lost, work, at, kinds, given, error, large, appended = ran
        for which, several in appended:
            slot, kind = self.code.appends[which]
            is_object = type(kind) is tuple or kind in PLAIN
            values[slot].extend(several if is_object else [as_object(kind, v) for v in several])
        self.tries += 1
        self.work += work
        outcome = Outcome(
            steps, end == _BROKE, end in (_OVER, _BROKE), int(bool(heard)), error=error
        )
        if end == _LEFT:
            outcome.again, outcome.left = lost + 1, at
            if large:
                self.refused = Refusal.at("arrays so large are recorded", self.code.nodes[at])
            elif self.tries >= _TRIES and self.work < _GAINED * self.tries:
                self.refused = self.code.why_left(at)
        parts: dict[Part, Any] = {}
        now = self.code.kinds[kinds]
        for slot, value in given:
            name, kind = self._names[slot], now[slot]
            made = kind[1] if type(kind) is tuple and kind[0] == "is" else as_object(kind, value)
            if type(name) is Part:
                parts[name] = made
            elif type(name) is Attr:
                outcome.attributes.append((owners[name.base], name.name, made))
            else:
                outcome.bound[name] = made
        for name, (kind, keys) in self.loop.displays.items():
            if parts.get(Part(name, None)):
                held = {key: parts[Part(name, key)] for key in keys}
                outcome.bound[name] = held if kind is dict else tuple(held.values())
        return outcome


def _given_back(name: Any, kind: Any, first: Any) -> str:
    """Is a variable, which had the first kind, given back as one of the other: "!", "?": if it has
    changed, or "-": it is not. Whoever makes a name's tuple or dict asks for all parts."""
    if kind is None or kind == OTHER:
        return "-"
    if type(name) is Part or kind != first:
        return "!"
    return "-" if letter_of(kind) == "-" else "?"


@dataclass(frozen=True, eq=False)
class _Known:
    """A loop's blocks: what it goes through, what it calls, and its code by the kinds."""

    way: str
    callees: tuple[Callees, Callees]
    instances: Instances
    loop: Loop
    made: dict[Any, Made] = field(default_factory=dict)


class Unit:
    """What is known of one loop.

    Attributes:
        refused: why it is none; None: it may be.
        unfit: why it did not run last, for what the names held then.
    """

    def __init__(self, node: Any):
        self._node = node
        self._loops: list[_Known] = []
        self._code: CodeType | None = None  # of the function that ran last, ...
        self._variables = _NO_NAMES  # ... and its variables
        self._calls = called_names([node])
        bound = own_stores(node)
        self._used = {a: is_set for a, is_set in used_in([node]).items() if a.base not in bound}
        self.refused: Refusal | None = None
        self.unfit: Refusal | None = None

    def fits(self, frame: Any, through: Any) -> bool:
        """Is it compiled for what this frame has? Stand-ins are looked at for what they stand."""
        found = self._find(frame, through, 0, {}, True)
        return found is not None and not found.made.refused and not found.made.whole

    def ready(
        self,
        frame: Any,
        through: Any,
        done: int = 0,
        own: dict[str, Any] | None = None,
        recorded: bool = False,
    ) -> Ready | None:
        """What runs the loop from what the frame has, after ``done`` steps; None: nothing can.

        Args:
            own: what names hold that the frame has not.
            recorded: the cell is; instances are the recorder's then.
        """
        handlers = signals.others()
        if type(through) is TracedArray or handlers is None:
            return None
        found = self._find(frame, through, done, own or {}, recorded)
        if found is None:
            return None
        if found.made.refused:
            self.unfit = found.made.refused
            return None
        if found.made.code.watches and not errors_now().ignores_under:
            return None  # the flag of that is set by most small numbers: nobody looks at it
        streams = found.made.streams(found.values)
        if streams is not None and not streams.are_known:
            return None
        for slot, value in enumerate(found.values):
            if type(value) is TracedArray:  # of a name that the loop sets and does not read
                found.values[slot] = value.to_numpy()
        return found._replace(handlers=handlers) if handlers else found

    def goes_through(self, *sources: Any) -> Refusal:
        """Why it does not run: no unit goes through such."""
        return _goes_through(self._node, *map(type, sources))

    def _loop(self, way: str, seen: Seen) -> _Known | None:
        """The loop's blocks, if it goes through that, and calls what this frame has."""
        for known in self._loops:
            if known.way == way and seen.is_like(known.callees, known.instances):
                return known
        if len(self._loops) == _MOST_LOOPS:
            return None
        with Rewriting():
            loop = Loop(self._node, way, seen.callees, seen.local, seen.instances)
        made = _Known(way, seen.callees, seen.instances, loop)
        self._loops.append(made)
        if not self._calls and not self._used:
            self.refused = self.refused or made.loop.refused
        return made

    def _seen(self, frame: Any, recorded: bool) -> Seen:
        """What the loop calls, and the instances that it works with, as they are now."""
        own = frame.f_locals
        seen = Seen(own, frame.f_globals, self._local(frame, own))
        if self._used and not recorded:
            seen.find_instances(self._used)
        if self._calls or seen.instances.methods:
            seen.find_callees(self._calls)
        return seen

    def _local(self, frame: Any, own: Any) -> frozenset[str]:
        """The variables of the frame's function; none at the top level."""
        if own is frame.f_globals:
            return _NO_NAMES
        code = frame.f_code
        if code is not self._code:
            self._code = code
            self._variables = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
        return self._variables

    def _find(
        self, frame: Any, through: Any, done: int, own: dict[str, Any], recorded: bool
    ) -> Ready | None:
        """The code for these values, and all values of its slots."""
        kind = type(through)
        sources: tuple[Any, ...] = (None,)
        if kind is range:
            through = through[done:] if done else through
            start, step = through.start, through.step
            if not (_in_reach(start) and _in_reach(through.stop) and _in_reach(step)):
                return None
            way, steps = RANGE, len(through)
            given = [start, steps, step, None]
            kinds: list[Any] = ["int", "int", "int", None]
        elif through is None:
            way, steps, given, kinds = "", -1, [None] * _GIVEN, [None] * _GIVEN
        else:
            sources = through.sources if kind is Over else (through,)
            items = [kind_of(source, -1) for source in sources]
            if any(type(k) is not tuple or k[0] == "is" for k in items):
                self.unfit = self.goes_through(*sources)
                return None
            way = f"{through.function.__name__}{len(sources)}" if kind is Over else ITEMS
            steps = min(map(len, sources)) - done
            given, kinds = [done, steps, 1, *sources], ["int", "int", "int", *items]
        if steps == 0:
            return None
        seen = self._seen(frame, recorded)
        known = self._loop(way, seen)
        if known is None or known.loop.refused:
            self.unfit = known.loop.refused if known else self.unfit
            return None
        loop = known.loop
        values = seen.values_of(loop, own)
        if not seen.can_set(loop, values):
            self.unfit = None
            return None
        if not numbers.RECORDED.isdisjoint(map(type, values)):
            values = list(map(numbers.plain, values))
        expected = steps if steps >= 0 else _STEPS_OF_A_WHILE
        named = list(map(kind_of, values, itertools.repeat(expected)))
        for slot in loop.grown:
            several = [v for v in (*values, *sources) if v is values[slot]]
            if type(values[slot]) is list and len(several) == 1:  # nobody looks into it
                named[slot] = ("is", ("grows", slot))
        if loop.rows_change:
            named = list(map(each_alone, named, values))
            kinds[3:] = map(each_alone, kinds[3:], sources)
        key = *named, *kinds[3:]
        try:
            made = known.made.get(key)
        except TypeError:  # something by itself that has no hash
            return None
        if made is None or not made.holds:
            if made is None and len(known.made) == _MOST_KINDS:
                self.unfit = Refusal.at("names hold ever other kinds of values", self._node)
                return None
            extra = loop.size - loop.named - len(kinds)
            with Rewriting():
                made = Made(loop, (*named, *kinds, *[None] * extra))
            known.made[key] = made
        return Ready(made, [*values, *given], seen.owners)


class Ready(NamedTuple):
    """What runs a loop: its code, the values of its slots, the instances that it works with."""

    made: Made
    values: list[Any]
    owners: dict[str, Any]
    handlers: signals.Handlers = []  # of signals, that wait until the names have their values

    @property
    def may_finalize(self) -> bool:
        """Does a name that the loop sets hold what the user's code may see the end of? In Python
        that comes when a step sets the name."""
        kinds = self.made.code.entry[: self.made.loop.bound]
        return OTHER in kinds and any(
            kind == OTHER and not _ends_silently(value)
            for kind, value in zip(kinds, self.values, strict=False)
        )

    def run(self) -> Outcome:
        """Runs it."""
        if not self.handlers:
            return self.made.run(self.values, self.owners)
        with signals.Waiting(self.handlers) as heard:
            outcome = self.made.run(self.values, self.owners, heard)
        outcome.heard = heard
        return outcome


def _ends_silently(value: Any) -> bool:
    """No finalizer of the user's is called when it goes. (That an array goes may be listened to by
    ``weakref``, and a module that nobody else has takes its values along: neither is asked.)"""
    kind = type(value)
    if kind is np.ndarray:
        return not value.dtype.hasobject
    return kind in _SILENT or isinstance(value, np.generic)


@lru_cache(maxsize=256)
def _goes_through(node: Any, *types: type) -> Refusal:
    kinds = " and ".join(f"a {t.__name__}" for t in types)
    return Refusal.at(Reason("it goes through {kinds}", kinds=kinds), node)


def _in_reach(number: int) -> bool:
    return -_FAR < number < _FAR


def rest_of(through: Any, steps: int) -> Any:
    """What a loop still goes through after some steps."""
    if type(through) is Over:
        rest = [rest_of(source, steps) for source in through.sources]
        return enumerate(rest[0], steps) if through.function is enumerate else zip(*rest)
    if type(through) is range or type(through) is np.ndarray:
        return iter(through[steps:])
    return itertools.islice(iter(through), steps, None)
