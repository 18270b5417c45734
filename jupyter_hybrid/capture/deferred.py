"""Values that a cell did not compute: recorded, priced, computed when somebody reads them."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..array_bytes import nbytes
from ..base import MXNetError
from ..np_face import TracedArray
from ..np_face.float_errors import unheard
from . import float_warnings
from .compute import Ran, compute, with_families
from .options import Options
from .reached import Reached
from .salvage import succeeded
from .source.scopes import loaded_names, stored_names


@dataclass
class Deferred:
    """A name whose value is left in the graph, and what reading it costs."""

    name: str
    array: Any  # the traced NDArray
    owner: Any  # what the name is bound to: the NDArray itself or a NumPy proxy
    bytes: int
    kernels: int
    where: str = ""  # the cell that left it: ``cell 3``
    read_in: str = ""  # the cell that has read it

    @property
    def cost(self) -> str:
        """For people: ``80 bytes, 2 kernels``."""
        kernels = "1 kernel" if self.kernels == 1 else f"{self.kernels} kernels"
        return f"{self.bytes:,} bytes, {kernels}"

    @property
    def price(self) -> str:
        """For people: ``80 bytes, 2 kernels when it is read``."""
        return f"{self.cost} when it is read"


def names_read(source: str) -> set[str]:
    """Names that a cell may read before it binds them; every word of a text that is not Python."""
    body = re.sub(r"\A\s*%%.*\n?", "", source)
    try:
        with unheard():
            tree = ast.parse(body)
    except SyntaxError:  # line magics and the like
        return set(re.findall(r"[^\W\d]\w*", source))
    read: set[str] = set()
    bound: set[str] = set()
    for statement in tree.body:
        # A function's parameters are its own; a name missed here still computes itself when read.
        own = {a.arg for a in ast.walk(statement) if isinstance(a, ast.arg)}
        read |= loaded_names([statement]) - own - bound
        bound |= _surely_bound(statement)
    return read


def _surely_bound(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement binds whatever happens in it."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(a.asname or a.name).partition(".")[0] for a in statement.names}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    return {name for target in targets for name in stored_names(target)}


class DeferredNames:
    """The deferred names of all cells so far; one registry a kernel."""

    def __init__(self) -> None:
        self._by_array: dict[int, list[Deferred]] = {}  # an array may have several names
        self._planned_away: dict[int, tuple[str, Any]] = {}
        self._options = Options()
        self._where = "earlier code"  # the running cell
        self._read: list[Deferred] = []  # in the running cell, by a report not told yet

    def start_cell(self, where: str) -> None:
        """A cell begins, called ``where`` in reports."""
        self._where = where
        self._read.clear()

    @property
    def has_names(self) -> bool:
        """Is any name deferred, or planned away?"""
        return bool(self._by_array or self._planned_away)

    def taken(self) -> list[Deferred]:
        """What the running cell has read, told once."""
        read, self._read = self._read, []
        return read

    def add(self, name: str, array: Any, owner: Any) -> Deferred:
        """Registers a traced array that the cell bound to ``name`` but did not compute."""
        graph, *_ = _core.traced_graph([array], [], [name])
        kernels = sum(1 for n in graph.nodes if n.kind == "op" and not n.is_view)
        size = nbytes(array.shape, array.dtype)
        made = Deferred(name, array, owner, size, kernels, self._where)
        self._by_array.setdefault(id(array), []).append(made)
        return made

    def plan_away(self, name: str, array: Any, owner: Any) -> None:
        """``--out`` left this name, bound to ``owner``, without a value."""
        self._planned_away[id(array)] = (name, owner)

    def materialize(self, arrays: list[Any]) -> None:
        """Computes traced arrays that are read after their cell has ended."""
        for array in arrays:
            gone = self._planned_away.get(id(array))
            if gone is not None:
                raise MXNetError(f"{gone[0]} was planned away; add it to --out")
        waiting = [a for a in arrays if a._traced]
        ran = compute(with_families(arrays, _core.live_traced()), self._options)
        if ran.segment.warns:
            self._warn(ran)
        for array in waiting:
            known = self._by_array.get(id(array))
            if known:
                self._read.append(known[0])
                for deferred in known:
                    deferred.read_in = self._where

    @staticmethod
    def _warn(ran: Ran) -> None:
        """Gives the warnings of what has run just now."""
        succeeded(ran)
        names = vars(sys.modules["__main__"])
        float_warnings.issue(float_warnings.of_segment(ran.segment, names))

    def mentioned_in(self, source: str, namespace: dict[str, Any]) -> list[Deferred]:
        """Deferred names that ``source`` reads and ``namespace`` still binds to them. Of ndarrays
        also those that functions may read, in the cell and wherever it can reach some."""
        bound = [
            d
            for names in self._by_array.values()
            for d in names
            if namespace.get(d.name) is d.owner
        ]
        if not bound:
            return []
        words = names_read(source)
        if all(type(d.owner) is not TracedArray for d in bound):
            return [d for d in bound if d.name in words]
        reached = Reached(source, words, namespace)
        return [
            d
            for d in bound
            if d.name in words
            or (type(d.owner) is TracedArray and (reached.any or d.name in reached.names))
        ]

    def rebind(self, deferred: Deferred, namespace: dict[str, Any]) -> None:
        """Computes a deferred value and binds all its names to the real array."""
        if deferred.array._traced:
            self.materialize([deferred.array])
        for d in self._by_array.get(id(deferred.array), []):
            real = getattr(d.owner, "to_numpy", None)  # a NumPy proxy
            if real is not None and namespace.get(d.name) is d.owner:
                namespace[d.name] = real()
        self._by_array.pop(id(deferred.array), None)  # not when that was interrupted

    def forget_dead(self, namespace: dict[str, Any]) -> None:
        """Drops names that were rebound or deleted, so that their graphs can be freed."""
        for key, names in list(self._by_array.items()):
            names[:] = [d for d in names if namespace.get(d.name) is d.owner]
            if not names:
                del self._by_array[key]
        for key, (name, owner) in list(self._planned_away.items()):
            if namespace.get(name) is not owner:
                del self._planned_away[key]
