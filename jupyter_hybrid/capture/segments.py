"""The segments of one recorded cell: what is computed together, when, and written back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .. import _core
from ..base import MXNetError
from ..np_face import TracedArray
from ..np_face.array import masks
from ..np_face.frames import above
from ..reasons import Reason, Told
from . import program_cache
from .compute import Ran, Segment, compute, waiting_contents, with_families
from .kept import Kept
from .options import Options
from .salvage import error_of, salvage, succeeded
from .source.budget import Budget
from .source.loops_ran import LoopsRan
from .spent import Place, Spent, settles
from .values import Key
from .watched import Watched

_READS = 16  # so many reads of values compute all that is alive, asked for or not

# What a call in real NumPy brings about: no reason of its own.
FOLLOWS = frozenset(
    {
        "a value is read",
        "an array is written in NumPy",
        "indexing reads the array",
        "a mask selects elements",
    }
)


class Segments(_core.RecorderState):
    """Computes what a cell records, segment by segment, and writes changed arrays back."""

    warned = False
    whole_until = 0.0  # on the clock: until then loops are recorded, and nothing computed between
    names: Callable[[], dict[int, str]]  # what the user calls the arrays of this cell, by `id`

    def __init__(
        self, filename: str, options: Options, namespace: dict[str, Any], names: list[str]
    ):
        self.filename = filename
        self.options = options
        self.segments: list[Segment] = []
        self.breaks: list[Place] = []
        self.contacts: list[Place] = []  # those that the closed list made
        self.cuts: list[Place] = []  # computed there, though all is in a graph
        self.left: dict[Place, None] = {}  # loops and functions left to Python
        self.loops: LoopsRan = {}  # those that run as written or compiled
        self.budget = Budget(options)
        self.spent = Spent()
        self.proxies: list[Any] = []  # weak references to every TracedArray of the cell
        self.arrays = 0  # traced arrays so far, NumPy's scalars aside
        self.donated: list[Any] = []  # input arrays whose memory may be reused
        self.epoch = 0  # grows when others may have written any existing array
        self._left = -1  # the last of `breaks` that says why a call left the graph
        self.effects: list[int] = []
        self._runs: list[Ran] = []  # not known yet to have succeeded
        self._places: dict[tuple, Segment] = {}  # by program, line and reason
        self.watched = Watched(namespace)
        self._settled = program_cache.settled(options)
        self._times = _core.RunTimes()  # of the run of a known program, until its segment is found
        self.tick = 0  # how often something was computed
        self.asked = False  # was a value needed?
        self._reads = 0  # of values, by a segment each
        self.looked = 0  # how often somebody may have looked at what an existing array holds
        self.stores = 0  # how often an existing array got its new contents
        self._prune_at = 1000  # of `proxies`
        _core.set_apart(_core.live_traced())  # deferred in earlier cells
        self.wrappers: dict[int, TracedArray] = {}
        # Those of them that are written, by their key, until their memory has the new contents.
        self._written: set[int] = set()
        # Further ones that are alive: not used lately, or of arrays of this cell that NumPy was
        # given: the ndarray stands for them from then on.
        self._computed: WeakValueDictionary[int, TracedArray] = WeakValueDictionary()
        self.kept = Kept(namespace, names)  # by what is no variable of a function
        self.promises, self.homes = self.kept.promises, self.kept.homes

    def user_line(self) -> int | None:
        """The line of the cell that is being run, 1-based in the whole cell."""
        for frame in above(sys._getframe(1)):
            if frame.f_code.co_filename == self.filename:
                return frame.f_lineno
        return None

    def stay_inside(self, reason: str) -> None:
        """Something is to be computed, or to change outside: who records for later refuses."""

    def _interrupt(self, line: int | None, reason: Reason) -> Reason:
        """Names what ends a segment; what follows from a call that left the graph has its name."""
        if reason in FOLLOWS and self._left == len(self.breaks) - 1 >= 0:
            before, why = self.breaks[-1]
            if before == line:
                self.spent.at = self.breaks[-1]
                return why
        self.breaks.append((line, reason))
        return reason

    def known(self) -> list[TracedArray]:
        """Traced arrays that stand for an ndarray."""
        return [*self.wrappers.values(), *self._computed.values()]

    def _changed(self) -> list[TracedArray]:
        """Existing arrays that the cell has written, whose memory has the old contents."""
        found = (self.wrappers.get(key) for key in self._written)
        return [w for w in found if w is not None and w.dirty]

    @settles
    def sync(self, arrays: list[Any], reason: Reason) -> None:
        """Computes ``arrays`` now, with them what lives on the way to them, and what is to be
        written."""
        self.stay_inside(reason)
        self.asked = True
        if any(a._traced for a in arrays):
            line = self.user_line()
            # With it what is to be written, as gradients are: it would be computed from the start.
            # And now and then all: what a loop makes after the value it reads would go on growing.
            self._reads += 1
            others = self.live() if self._reads % _READS == 0 else ()
            arrays = list({id(a): a for a in (*arrays, *waiting_contents(), *others)}.values())
            self._compute(arrays, self._interrupt(line, reason), line)

    @settles
    def run_waiting(self, why: Reason) -> bool:
        """Computes what is recorded, but for what autograd may ask for."""
        live = self.live()
        if live and self._settled.settle(live, False)[2] is not None:
            line = self.user_line()
            self.cuts.append((line, why))
            with suppress(MXNetError):  # it stays in its array
                _core.wait_all()  # what was cut before: a queue of programs would hold its arrays
            self._compute(live, why, line)
            return True
        return not live

    def put_call_aside(self, operators: int, steps: int) -> bool:
        """A call from the cell has recorded so many operators, and called ``backward`` so often,
        in code that is not rewritten: a loop there is not known as one. Is its rest to run
        imperatively, with everything computed?"""
        if self.script or self.options.force:
            return False
        reason = Reason(
            "a call recorded {n} operators, and more came: its rest ran as written", n=operators
        )
        if steps:
            reason = Reason(
                "a call recorded {n} steps of training, and more came: its rest ran as written",
                n=steps,
            )
        self.flush(reason)
        self.left[self.user_line(), reason] = None
        return True

    @settles
    def flush(self, reason: Reason) -> None:
        """Computes every live traced array, and writes changed inputs back."""
        self.stay_inside(reason)
        self.looked += 1
        live = self.live()
        if live:
            line = self.user_line()
            self._compute(live, self._interrupt(line, reason), line, writes=True)
        _core.finish_trace_writes()
        self.write_back()
        self.kept.fill()
        if _core.awaits_calls():
            _core.wait_for_what_goes_on()
        else:
            _core.wait_all()  # kernels may still read memory that is written next
        self.watched.warn()
        _core.forget_contents()
        self.epoch += 1  # whoever is called next may write it

    def _compute(
        self, arrays: list[Any], reason: Reason, line: int | None, writes: bool = False
    ) -> None:
        """Computes ``arrays`` and what lives on the way to them, by a known program if there is one
        for all that is computed."""
        self._forget_unused()
        waits = self._waits() or (writes and bool(_core.trace_writes()))
        found = self._settled.settle(arrays, not waits, self._times)
        self._settle(arrays, found, reason, line, waits, writes)

    def _waits(self) -> bool:
        """Is there more to do than a known program does?"""
        return bool(self.effects or self.donated or self._runs or self.promises.places())

    def _settle(
        self,
        arrays: list[Any],
        how: Any,
        reason: Reason,
        line: int | None,
        waits: bool,
        writes: bool,
    ) -> None:
        """A known program has computed ``arrays``, or they are computed now.

        Args:
            how: what settling them gave: :class:`_core.Settled`.
        """
        known, found, form = how
        if known is not None:
            self.watched.add(known, self._times)
            self._ran_again(known, arrays, found, reason, line)
            return
        needed = frozenset(id(a) for a in arrays)
        if form is None:
            found = with_families(found, self.live())
        ran = self.run(found, reason, line, needed=needed, writes=writes)
        segment = ran.segment
        once = waits or self.budget.haste is not None
        if form is not None and not (once or segment.updates or segment.graph.may_fail):
            self._settled.add(form, segment.compiled.program, segment)
            self._places.setdefault((segment, line, reason), segment)

    def _ran_again(
        self, known: Segment, arrays: list[Any], keys: list[Key], reason: Reason, line: int | None
    ) -> None:
        """A known program has computed values with these keys."""
        at = (known, line, reason)
        segment = self._places.get(at)
        if segment is not None:
            segment.again(self._times, keys)
            return
        needed = {_core.value_key(a) for a in arrays}
        numbers = frozenset(i for i, key in enumerate(keys) if key in needed)
        segment = self._places[at] = known.in_place(reason, line, keys, numbers)
        segment.times.take(self._times)
        self._add(segment)

    def _add(self, segment: Segment) -> None:
        self.segments.append(segment)
        _core.set_trace_segment(len(self.segments))

    def _forget_unused(self) -> None:
        """Lets go of what the recorder alone still holds, before more memory is taken."""
        self._runs = [r for r in self._runs if not succeeded(r)]
        self.watched.let_go()
        for key, wrapper in list(self.wrappers.items()):
            if wrapper.used < self.tick and not wrapper.dirty:
                del self.wrappers[key]
                self._computed[key] = wrapper
        self.tick += 1
        if len(self.proxies) > self._prune_at:
            self.proxies = [r for r in self.proxies if r() is not None]
            self._prune_at = 2 * len(self.proxies) + 1000

    def let_go(self) -> None:
        """What the cell has read is its names' alone."""
        self.tick += 1
        self._forget_unused()

    def write_back(self, failed: bool = False) -> None:
        """Copies what the cell wrote into existing ndarrays to where they live, once everything
        that reads their old contents is computed.

        Args:
            failed: a kernel failed; what depends on it is not written.
        """
        changed = self._changed()
        if not changed:
            return
        self.stay_inside("an existing array is written")
        pending = {id(w.handle): w.handle for w in changed if w.handle._traced}
        pending |= {id(a): a for a in _core.readers()}
        selections = masks.pending(self.proxies)  # of what is about to be written, perhaps
        chosen = [h for s in selections for h in s.selected]
        pending |= {id(h): h for h in chosen if h._traced}
        if pending:
            self._compute(
                list(pending.values()), Reason("an existing array was written"), self.user_line()
            )
            if failed:
                salvage(self._runs)
        with suppress(MXNetError):  # it stays in its array
            _core.wait_all()  # kernels may still read what NumPy writes at once
        for selection in selections:
            with suppress(MXNetError):
                selection.take_selection()
        self.watched.look()
        for wrapper in changed:
            if not failed or error_of(wrapper.handle) is None:
                wrapper.store()
        self._written = {id(w.origin) for w in changed if w.dirty}

    @settles
    def settle_writes(self, reason: Reason) -> None:
        """Does what the cell wrote into arrays that others hold too, and computes first whatever
        reads their old contents."""
        self.stay_inside(reason)
        pending = {id(value): value for value in waiting_contents()}
        if pending:
            pending |= {id(a): a for a in _core.readers()}
            line = self.user_line()
            self.breaks.append((line, reason))
            self.run(list(pending.values()), reason, line, needed=frozenset(pending), writes=True)
        _core.finish_trace_writes()

    @settles
    def contact(self, told: Told) -> None:
        """Before code that nobody has seen: what waits on memory that it can reach is computed."""
        reason = Reason.of(told)
        self.stay_inside(reason)
        self.looked += 1
        self.write_back()
        self.let_go()  # what no name holds any more is freed before, as in plain Python
        waits, elsewhere = self._waits(), self.kept.waiting(self, names=True)
        if elsewhere:
            found = self._settled.settle_readers(False, self._times)
            readers = list({id(a): a for a in [*(found[0] if found else ()), *elsewhere]}.values())
            settled = readers, self._settled.settle(readers, not waits, self._times)
        else:
            settled = self._settled.settle_readers(not waits, self._times)
        if settled is not None:
            readers, how = settled
            line = self.user_line()
            self.breaks.append((line, reason))
            self.contacts.append((line, reason))
            self._settle(readers, how, reason, line, waits, False)
        self.kept.fill()
        self.kept.bind_names(self)
        _core.forget_contents()
        self.epoch += 1
        with suppress(MXNetError):  # it stays in its array
            _core.wait_all()  # kernels may still read memory that is written next
        self.watched.warn()
        self._runs = [r for r in self._runs if not succeeded(r)]

    def touch_others(self, written: TracedArray) -> None:
        """After a write that reached memory: arrays that overlap it are read again."""
        for wrapper in self.known():
            if wrapper is not written and np.may_share_memory(wrapper.origin, written.origin):
                wrapper.touched()

    @settles
    def settle_aliases(self, value: np.ndarray) -> None:
        """Before an ndarray enters that may share memory with one written in this cell."""
        if len(self.promises) and self.promises.covers(value):
            self.flush(Reason("another array over memory that is still to be written"))
        for wrapper in self._changed():
            if np.may_share_memory(wrapper.origin, value):
                self.write_back()
                return

    def before_write(self, wrapper: TracedArray) -> bool:
        """Before the cell writes an existing ndarray; True when other inputs overlap it, so that
        the write must reach its memory at once."""
        overlaps = any(
            w is not wrapper and np.may_share_memory(w.origin, wrapper.origin) for w in self.known()
        )
        if overlaps:
            self.flush(Reason("writes an array that shares memory with another"))
        self.wrappers[id(wrapper.origin)] = wrapper
        self._written.add(id(wrapper.origin))
        return overlaps

    def run(
        self,
        arrays: list[Any],
        reason: Reason,
        line: int | None,
        shown: tuple[Any, ...] = (),
        needed: frozenset[int] = frozenset(),
        writes: bool = False,
    ) -> Ran:
        """Computes ``arrays`` as one segment; ``shown`` are drawn with it but not computed, those
        with their id in ``needed`` are computed whether or not a name holds them.

        What ``backward`` may still need of their history is kept, as imperatively. ``writes``: the
        writes that wait are done right afterwards.
        """
        tape = _core.tape_values(arrays)
        places = self.promises.places()
        ran = compute(
            [*arrays, *(a for a in tape if a._traced)],
            self.budget.haste or self.options,
            shown=shown,
            effects=tuple(self.effects),
            names=self.names(),
            donate=tuple(self.donated),
            needed=needed,
            writes=writes,
            places={key: memory for key, (_, memory) in places.items()},
            reason=reason,
            line=line,
        )
        self._runs.append(ran)
        made = ran.segment
        for array, update in zip(ran.outputs, made.updates):
            if update == -2 and id(array) in places:
                places[id(array)][0].there = True
        self.watched.add(made, made.times)
        self.spent.compile_s += 0.0 if made.cached else made.compiled.seconds
        self.spent.wait_s += 0.0 if self.spent.settling else ran.submit_s
        at = (made.graph.hash, made.warns, made.donated, made.updates, line, reason)
        same = None if self.effects else self._places.setdefault(at, made)
        self.effects.clear()
        if same is None or same is made:
            self._add(made)
        else:
            same.again(made.times, [v.key for v in made.outputs])
            ran.segment = same
        return ran

    def salvage(self) -> MXNetError | None:
        """Waits for what was computed, and saves what an error has not reached. Returns it."""
        return salvage(self._runs)

    def release(self) -> Ran | None:
        """The cell has ended: what it read and computed is its names'. Returns the last run."""
        last = self._runs[-1] if self._runs else None
        self._runs.clear()
        self._places.clear()
        self.wrappers.clear()
        return last

    def live(self) -> list[Any]:
        """Traced arrays of this cell that something in Python still holds, in order of creation."""
        return _core.own_traced()


def may_change(array: Any) -> bool:
    """Its memory may be written without our knowing, or a write of this cell to it waits."""
    return _core.awaits_write(array) or _core.shares_numpy(array)
