"""The ``cond`` node of two traced branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...capture import numbers
from ...np_face import TracedArray
from . import loop_number
from .errors import NotConvertible
from .kinds import UNBOUND, common_kind, handle_of, is_plain, same, zero_of
from .loop_number import LoopNumber
from .returns import RETURN
from .undefined import Undefined

if TYPE_CHECKING:
    from .branch_writes import BranchWrites
    from .slots import Slots

WRITTEN = ("written", False)  # the kind of an output that an array outside gets as its contents


def join(
    slots: Slots, test: Any, ends: list[dict[str, Any]], since: int, writes: BranchWrites
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ``cond`` node of two branches.

    Returns what each name is bound to, and the new contents of arrays that a branch wrote.
    """
    pairs = []
    written = writes.settle(ends)
    slots.open(ends)
    slots.aliases.ends = ends
    results: dict[str, Any] = {}
    for name in slots.names:
        values = [end.get(name, UNBOUND) for end in ends]
        if any(v is UNBOUND for v in values):
            reason = f"{name} is bound in one branch only"
            if name != RETURN or all(v is UNBOUND for v in values):
                results[name] = Undefined(reason)
                continue
            known = next(v for v in values if v is not UNBOUND)
            values = [zero_of(known) if v is UNBOUND else v for v in values]
        pairs.append((name, *map(numbers.plain, values)))
    slots.aliases.serial = since
    contents: dict[str, Any] = {}
    aliases = slots.aliases
    stands_for: dict[str, list[Any]] = {}
    outputs: list[tuple[str, Any, Any, Any]] = []
    same_as: dict[tuple[int, int], str] = {}  # branches' values -> the first name they are bound to
    shared: dict[str, str] = {}
    limits: dict[str, tuple[int, int]] = {}  # of ints
    for name, yes, no in pairs:
        if yes is no or (is_plain(yes) and type(yes) is type(no) and same(yes, no)):
            results[name] = yes
            continue
        first = same_as.setdefault((id(yes), id(no)), name)
        if first != name and handle_of(yes) is not None:
            shared[name] = first
            continue
        kind = common_kind(name, yes, no)
        nodes = [slots.out_node(name, v) for v in (yes, no)]
        if kind[0] is int:
            sides = [s for s in map(loop_number.of, (yes, no)) if s is not None]
            limits[name] = min(s.lo for s in sides), max(s.hi for s in sides)
        for value in (yes, no):
            if handle_of(value) is not None:
                aliases.check(name, value)
                stands_for[name] = stands_for.get(name, []) + aliases.stands_for.get(name, [])
        outputs.append((name, kind, *nodes))
    aliases.check_apart([(n, [y, o]) for n, y, o in pairs if n not in shared])
    outputs += [(name, WRITTEN, *writes.contents(name)) for name in written]
    writes.check_reads(written, [node for _, _, *nodes in outputs for node in nodes])
    if outputs:
        labels = [n for n, *_ in outputs]
        condition = test.node if type(test) is LoopNumber else handle_of(test)
        operands = [condition]
        operands += [handle_of(slots.outer_array(slots.outer[n])) for n in writes.nodes]
        taken = list(writes.nodes.values())
        parts: list[Any] = [([o[2 + k] for o in outputs], taken, labels) for k in (0, 1)]
        made = slots.control("cond", parts, operands, since, {})
        aliases.stands_for = stands_for
        for (name, kind, *_), handle in zip(outputs, made, strict=True):
            if kind is WRITTEN:
                contents[name] = handle
            else:
                results[name] = _result(slots, name, kind, handle, limits.get(name, (0, 0)))
                aliases.note(name, handle)
    results |= {name: results[first] for name, first in shared.items()}
    aliases.note_pairs(results)
    return results, contents


def _result(slots: Slots, name: str, kind: Any, handle: Any, bounds: tuple[int, int]) -> Any:
    what, scalar = kind
    if what == "numpy":
        return TracedArray.of_node(slots.recorder, handle, scalar=scalar)
    if what == "nd":
        return handle
    if what is bool:
        return LoopNumber(handle, bool)
    if what in (int, float):
        return LoopNumber(handle, what, *bounds)
    raise NotConvertible(f"{name} is {what.__name__} in both branches, and two values")
