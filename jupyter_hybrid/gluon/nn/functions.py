"""Functions as layers."""

from __future__ import annotations

from typing import Any

from ... import nd, sym
from ..block import Block
from ..checks import CheckError
from ..hybrid_block import HybridBlock


def _only_callable(function: Any, kind: str) -> None:
    if not callable(function):
        raise ValueError(
            f"{kind}: expected a function or an operator's name, got {function!r} of type "
            f"{type(function).__name__}"
        )


class Lambda(Block):
    """A function of NDArrays, or the name of one in ``nd``, as a layer.

    Raises:
        CheckError: ``nd`` has no such function.
        ValueError: it is neither a function nor a name.
    """

    def __init__(self, function: Any, prefix: str | None = None):
        super().__init__(prefix)
        if isinstance(function, str):
            if not hasattr(nd, function):
                raise CheckError(f"Lambda: nd has no function {function!r}")
            function = getattr(nd, function)
        _only_callable(function, "Lambda")
        self._function = function

    def forward(self, *args: Any) -> Any:
        return self._function(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_name(self._function)})"


class HybridLambda(HybridBlock):
    """A function ``f(F, x, ...)``, or the name of an operator, as a hybrid layer.

    Raises:
        CheckError: ``nd`` and ``sym`` have no such operator.
        ValueError: it is neither a function nor a name.
    """

    def __init__(self, function: Any, prefix: str | None = None):
        super().__init__(prefix)
        if isinstance(function, str):
            if not (hasattr(nd, function) and hasattr(sym, function)):
                raise CheckError(f"HybridLambda: nd and sym have no operator {function!r}")
        else:
            _only_callable(function, "HybridLambda")
        self._function = function

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        if isinstance(self._function, str):
            return getattr(F, self._function)(x, *args)
        return self._function(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_name(self._function)})"


def _name(function: Any) -> str:
    if isinstance(function, str):
        return function
    return getattr(function, "__name__", type(function).__name__)
