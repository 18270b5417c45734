"""ParameterDict: parameters by name, their files."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from .. import initializer, nd
from ..base import MXNetError
from .parameter import Constant, Parameter


class ParameterDict:
    """Parameters by name, sharing a prefix.

    Args:
        prefix: put before the names given to :meth:`get`.
        shared: another dict whose parameters are used where the names agree.
    """

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None):
        self._prefix, self._shared = prefix, shared
        self._params: OrderedDict[str, Parameter] = OrderedDict()

    @property
    def prefix(self) -> str:
        return self._prefix

    def __getitem__(self, name: str) -> Parameter:
        return self._params[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __contains__(self, name: object) -> bool:
        return name in self._params

    def items(self):
        return self._params.items()

    def keys(self):
        return self._params.keys()

    def values(self):
        return self._params.values()

    def __repr__(self) -> str:
        rows = "\n".join(f"  {p!r}" for p in self.values())
        return f"{self._prefix or 'parameters'} (\n{rows}\n)"

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """The parameter ``prefix + name``, made with ``kwargs`` when there is none."""
        return self._get(name, lambda full: Parameter(full, **kwargs), kwargs)

    def get_constant(self, name: str, value: Any = None) -> Parameter:
        """The constant ``prefix + name``."""
        return self._get(name, lambda full: Constant(full, value), {})

    def _get(self, name: str, make: Callable[[str], Parameter], wanted: dict) -> Parameter:
        full = self._prefix + name
        if full not in self._params:
            found = self._shared.find(full) if self._shared is not None else None
            self._params[full] = found if found is not None else make(full)
        param = self._params[full]
        wanted_shape = wanted.get("shape")
        if wanted_shape is not None:
            shape = (wanted_shape,) if isinstance(wanted_shape, int) else tuple(wanted_shape)
            known = param.shape if param.shape is not None else shape
            if len(known) == len(shape):  # the setter refuses what disagrees
                shape = tuple(a if b <= 0 else b for a, b in zip(known, shape, strict=True))
            if shape != param.shape:
                param.shape = shape
        return param

    def find(self, full: str) -> Parameter | None:
        """The parameter of that full name, here or in the shared dict."""
        if full in self._params:
            return self._params[full]
        return self._shared.find(full) if self._shared is not None else None

    def update(self, other: ParameterDict, select: str | None = None) -> None:
        """Adds the parameters of ``other`` whose names match the regular expression."""
        pattern = re.compile(select) if select else None
        for name, param in other.items():
            if pattern is not None and not pattern.match(name):
                continue
            if self._params.setdefault(name, param) is not param:
                raise MXNetError(f"two different parameters are named {name}")

    def initialize(
        self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False
    ) -> None:
        """Initializes every parameter."""
        default = initializer.create(init) if init is not None else initializer.Uniform()
        for param in self.values():
            param.initialize(None, ctx, default, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Sets every gradient to zero."""
        for param in self.values():
            param.zero_grad()

    def reset_ctx(self, ctx: Any) -> None:
        """Moves every parameter."""
        for param in self.values():
            param.reset_ctx(ctx)

    def setattr(self, name: str, value: Any) -> None:
        """Sets an attribute of every parameter, such as ``grad_req``."""
        for param in self.values():
            setattr(param, name, value)

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Writes a ``.params`` file."""
        nd.save(
            filename,
            {name.removeprefix(strip_prefix): p.list_data()[0] for name, p in self.items()},
        )

    def load(
        self,
        filename: str,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
    ) -> None:
        """Reads a ``.params`` file; MXNet's ``arg:`` and ``aux:`` prefixes are understood."""
        arrays = {restore_prefix + k: v for k, v in read_arrays(filename).items()}
        fill(dict(self.items()), arrays, filename, ctx, allow_missing, ignore_extra)


def read_arrays(filename: str) -> dict[str, Any]:
    """Name -> NDArray of a ``.params`` file, ``arg:`` and ``aux:`` stripped."""
    loaded = nd.load(filename)
    if not isinstance(loaded, dict):
        raise MXNetError(f"{filename}: holds a list of arrays without names, expected parameters")
    return {re.sub(r"^(arg|aux):", "", name): array for name, array in loaded.items()}


def fill(
    params: dict[str, Parameter],
    arrays: dict[str, Any],
    filename: str,
    ctx: Any,
    allow_missing: bool,
    ignore_extra: bool,
) -> None:
    """Loads arrays into parameters of the same names; says which are missing or left over."""
    missing = [n for n in params if n not in arrays]
    if missing and not allow_missing:
        raise MXNetError(f"{filename}: no values for {', '.join(missing[:5])}; pass allow_missing")
    extra = [n for n in arrays if n not in params]
    if extra and not ignore_extra:
        raise MXNetError(
            f"{filename}: {', '.join(extra[:5])} is not a parameter here; pass ignore_extra"
        )
    for name, param in params.items():
        if name in arrays:
            param.load(arrays[name], ctx)
