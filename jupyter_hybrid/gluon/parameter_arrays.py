"""How a parameter's arrays and gradients are asked for, one copy a device."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..base import MXNetError
from ..context import Context, current_context


class DeferredInitializationError(MXNetError):
    """The parameter's shape is not known yet; the first forward call will tell it."""


class ParameterArrays:
    """What a parameter holds: ``_data`` once it is initialized; before, ``_deferred`` where its
    shape is still to be told, (initializer, contexts, default initializer)."""

    name: str
    _shape: tuple[int, ...] | None
    _grad_req: str
    _stype: str
    _data: OrderedDict[Context, Any] | None
    _deferred: tuple[Any, list[Context], Any] | None

    def _ready(self) -> OrderedDict[Context, Any]:
        if self._data is None:
            if self._deferred is not None:
                raise DeferredInitializationError(
                    f"parameter {self.name} is not initialized yet: its shape {self._shape} is "
                    "known after the first forward call"
                )
            raise MXNetError(
                f"parameter {self.name} is not initialized: call net.initialize() first"
            )
        return self._data

    def data(self, ctx: Context | None = None) -> Any:
        """The array on ``ctx`` (default: the current context, or the only one)."""
        arrays = self._ready()
        if ctx is None:
            if len(arrays) == 1:
                return next(iter(arrays.values()))
            ctx = current_context()
        if ctx not in arrays:
            raise MXNetError(
                f"parameter {self.name} is not on {ctx}; it is on "
                + ", ".join(str(c) for c in arrays)
            )
        return arrays[ctx]

    def list_data(self) -> list[Any]:
        """The arrays of all contexts."""
        return list(self._ready().values())

    def row_sparse_data(self, row_id: Any) -> Any:
        """The array on the context of ``row_id``, all its rows: it is dense here.

        Raises:
            MXNetError: the parameter was not declared with ``stype="row_sparse"``.
        """
        return self._rows()[row_id.context]

    def list_row_sparse_data(self, row_id: Any) -> list[Any]:
        """The arrays of all contexts, as :meth:`row_sparse_data` gives them."""
        return list(self._rows().values())

    def _rows(self) -> OrderedDict[Context, Any]:
        if self._stype != "row_sparse":
            raise MXNetError(
                f"parameter {self.name}: its stype is {self._stype!r}, not 'row_sparse'; use data()"
            )
        return self._ready()

    def grad(self, ctx: Context | None = None) -> Any:
        """The gradient on ``ctx``."""
        if self._grad_req == "null":
            raise MXNetError(f"parameter {self.name} has no gradient: its grad_req is 'null'")
        return self.data(ctx).grad

    def list_grad(self) -> list[Any]:
        """The gradients of all contexts."""
        return [self.grad(c) for c in self._ready()]

    @property
    def _grad(self) -> list[Any] | None:
        """MXNet's name of the gradients, None without any; libraries on Gluon read it."""
        return None if self._grad_req == "null" or self._data is None else self.list_grad()

    def list_ctx(self) -> list[Context]:
        """The contexts that hold a copy."""
        return list(self._deferred[1]) if self._deferred is not None else list(self._ready())
