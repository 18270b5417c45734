"""The ``cond`` node of two traced branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import loop_number, numbers
from ..loop_number import LoopNumber, NotConvertible
from ..numpy_face import TracedArray
from .kinds import UNBOUND, common_kind, handle_of, is_plain, same

if TYPE_CHECKING:
    from .slots import Slots


def join(slots: Slots, test: Any, ends: list[dict[str, Any]], since: int) -> tuple:
    """The ``cond`` node of two branches; returns what each name is bound to."""
    pairs = []
    slots.aliases.ends = ends
    for name in slots.names:
        values = [end.get(name, UNBOUND) for end in ends]
        if UNBOUND in [v for v in values if v is UNBOUND]:
            raise NotConvertible(f"{name} is bound in one branch only")
        pairs.append((name, *map(numbers.plain, values)))
    slots.aliases.serial = since
    results: dict[str, Any] = {}
    aliases = slots.aliases
    stands_for: dict[str, list[Any]] = {}
    outputs: list[tuple[str, Any, Any, Any]] = []
    for name, yes, no in pairs:
        if yes is no or (is_plain(yes) and type(yes) is type(no) and same(yes, no)):
            results[name] = yes
            continue
        kind = common_kind(name, yes, no)
        nodes = [slots.out_node(name, v) for v in (yes, no)]
        for value in (yes, no):
            if handle_of(value) is not None:
                aliases.check(name, value)
                stands_for[name] = stands_for.get(name, []) + aliases.stands_for.get(name, [])
        outputs.append((name, kind, *nodes))
    if outputs:
        labels = [n for n, *_ in outputs]
        condition = test.node if type(test) is LoopNumber else handle_of(test)
        parts: list[Any] = [([o[2 + k] for o in outputs], [], labels) for k in (0, 1)]
        made = slots.control("cond", parts, [condition], since, {})
        aliases.stands_for = stands_for
        for (name, kind, *_), handle in zip(outputs, made, strict=True):
            results[name] = _result(slots, name, kind, handle)
            aliases.note(name, handle)
    return slots.in_order(results)


def _result(slots: Slots, name: str, kind: Any, handle: Any) -> Any:
    what, scalar = kind
    if what == "numpy":
        return TracedArray.of_node(slots.recorder, handle, scalar=scalar)
    if what == "nd":
        return handle
    if slots.nested and what is not bool:
        return LoopNumber(handle, what, -loop_number._STEPS, loop_number._STEPS)
    raise NotConvertible(f"{name} would be a Python {what.__name__} known only when it runs")
