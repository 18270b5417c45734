"""What the names of a loop mean in the frame that it runs in: values, functions, instances."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

from .blocks import Loop
from .callees import Callees, alike, callees_of, content_of
from .instances import NO_INSTANCES, Instances, attribute_of, instances_of
from .kinds import NOTHING
from .parts import Attr, Free, Part, Used

_BUILTINS = vars(builtins)
_NO_CALLEES: tuple[Callees, Callees] = ({}, {})


class Seen:
    """Looked up once a run: in a frame's locals and globals. ``local``: the variables of its
    function."""

    def __init__(self, own: Any, outer: dict[str, Any], local: frozenset[str]):
        self._own, self._outer, self.local = own, outer, local
        self.callees: tuple[Callees, Callees] = _NO_CALLEES
        self.instances = NO_INSTANCES
        self.owners: dict[str, Any] = {}  # these, by name

    def find_instances(self, used: Used) -> None:
        """Those of which these attributes are used."""
        owners = {a.base: self.value(a.base) for a in used}
        self.instances = instances_of(owners, used, self._outer)
        self.owners = {name: owners[name] for name in self.instances.types}

    def find_callees(self, names: Iterable[str]) -> None:
        """The functions among what is called."""
        methods = self.instances.methods.values()
        self.callees = callees_of({n: self.value(n) for n in names}, methods, self._outer)

    def is_like(self, callees: tuple[Callees, Callees], instances: Instances) -> bool:
        """Are functions and instances like these?"""
        if instances is not self.instances and not instances.is_like(self.instances):
            return False
        return callees is self.callees or all(map(alike, callees, self.callees))

    def _part(self, part: Part, kind: Any, keys: tuple[Any, ...]) -> Any:
        """What a name's tuple or dict has, if it holds one of that shape."""
        held: Any = self.value(part.name)
        known = type(held) is kind and tuple(held if kind is dict else range(len(held))) == keys
        return held[part.key] if known and part.key is not None else NOTHING

    def values_of(self, loop: Loop, given: dict[str, Any]) -> list[Any]:
        """Of a loop's slots, in order; ``given``: what names hold that the frame has not."""
        own, outer, local = self._own, self._outer, self.local
        if loop.names_alone and not given:
            return [
                own.get(name, NOTHING)
                if name in local
                else outer[name]
                if name in outer
                else _BUILTINS.get(name, NOTHING)
                for name in loop.slots
            ]
        return [
            given[name]
            if name in given
            else self._part(name, *loop.displays[name.name])
            if type(name) is Part
            else self.value(name)
            for name in loop.slots
        ]

    def value(self, name: Any) -> Any:
        """What a name, or an attribute, holds; NOTHING: nothing that is known."""
        if type(name) is Attr:
            return attribute_of(self.owners[name.base], name.name, self.instances.used[name])
        if type(name) is Free:
            callee = self.callees[0][name.path[0]]
            for part in name.path[1:]:
                callee = callee.inner[part]
            return content_of(callee.cells[name.name], NOTHING)
        if name in self.local:
            return self._own.get(name, NOTHING)
        text = str(name)
        return self._outer[text] if text in self._outer else _BUILTINS.get(text, NOTHING)

    def can_set(self, loop: Loop, values: list[Any]) -> bool:
        """Are the attributes that the loop sets there, each of one name's instance?"""
        if not self.owners:
            return True
        is_set = [a for a, is_set in self.instances.used.items() if is_set]
        owners = {id(owner) for owner in self.owners.values()}
        known = all(values[loop.slots[a]] is not NOTHING for a in is_set)
        return known and (not is_set or len(owners) == len(self.owners))
