"""ParameterDict: parameters by name."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import initializer, nd
from ..base import dtype_of
from .checks import CheckError
from .parameter import Constant, Parameter
from .parameter_files import fill, plain_names, read_arrays

_UNIFORM = initializer.Uniform()


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

    @property
    def shared(self) -> ParameterDict | None:
        """The dict whose parameters are used here, too."""
        return self._shared

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
        return f"{self._prefix + ' ' if self._prefix else ''}(\n{rows}\n)"

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """The parameter ``prefix + name``, made with ``kwargs`` when there is none.

        Raises:
            CheckError: there is one, with other attributes.
        """
        full = self._prefix + name
        found = self._find(full)
        if found is None:
            found = self._params[full] = Parameter(full, **kwargs)
        else:
            _agree(found, kwargs)
        return found

    def get_constant(self, name: str, value: Any = None) -> Parameter:
        """The constant ``prefix + name``, made of ``value`` when there is none.

        Raises:
            KeyError: there is none and no value.
            CheckError: there is one of another value, or a parameter that is no constant.
        """
        full = self._prefix + name
        found = self._find(full)
        if found is None:
            if value is None:
                raise KeyError(f"no constant is named {full}; give its value to make it")
            found = self._params[full] = Constant(full, value)
        elif value is not None:
            if not isinstance(found, Constant):
                raise CheckError(f"{full} is a parameter, not a constant")
            given = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
            if not np.array_equal(found.value.asnumpy(), given):
                raise CheckError(f"constant {full} is there already and has another value")
        return found

    def _find(self, full: str) -> Parameter | None:
        if full not in self._params and self._shared is not None:
            shared = self._shared.find(full)
            if shared is not None:
                self._params[full] = shared
        return self._params.get(full)

    def find(self, full: str) -> Parameter | None:
        """The parameter of that full name, here or in the shared dict."""
        if full in self._params:
            return self._params[full]
        return self._shared.find(full) if self._shared is not None else None

    def update(self, other: Any, select: str | None = None) -> None:
        """Adds the parameters of ``other`` whose names match the regular expression.

        Raises:
            CheckError: another parameter of that name is here; nothing was added then.
        """
        pattern = re.compile(select) if select else None
        chosen = [(n, p) for n, p in other.items() if pattern is None or pattern.match(n)]
        for name, param in chosen:
            if self._params.get(name, param) is not param:
                raise CheckError(f"two different parameters are named {name}")
        self._params.update(chosen)

    def rename(self, prefix: str) -> None:
        """Gives the dict and its parameters another prefix."""
        found = list(self._params.items())
        self._params.clear()
        for full, param in found:
            name = prefix + full.removeprefix(self._prefix)
            param.rename(name)
            self._params[name] = param
        self._prefix = prefix

    def initialize(
        self,
        init: Any = _UNIFORM,
        ctx: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initializes every parameter."""
        default = initializer.create(init) if init is not None else _UNIFORM
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

    def list_ctx(self) -> list[Any]:
        """The contexts that hold any of the parameters, each once."""
        return list(dict.fromkeys(ctx for param in self.values() for ctx in param.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Sets an attribute of every parameter, such as ``grad_req``."""
        for param in self.values():
            setattr(param, name, value)

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Writes a ``.params`` file.

        Raises:
            ValueError: a parameter's name does not start with ``strip_prefix``.
        """
        for param in self.values():
            if not param.name.startswith(strip_prefix):
                raise ValueError(
                    f"strip_prefix: {param.name} does not start with {strip_prefix!r}; a parameter "
                    "that is shared, or a child made outside name_scope(), has another prefix"
                )
        nd.save(filename, {p.name[len(strip_prefix) :]: p._reduce() for p in self.values()})

    def load(
        self,
        filename: str,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Reads a ``.params`` file; MXNet's ``arg:`` and ``aux:`` prefixes are understood.

        Args:
            ctx: where parameters are made that are not initialized yet.
            allow_missing: parameters that the file has not stay as they are; else an error.
            ignore_extra: what is no parameter here is left out; else an error.
            restore_prefix: put before the names of the file.
            cast_dtype, dtype_source: see :meth:`Parameter.load`.
        """
        for name in self.keys():
            if not name.startswith(restore_prefix):
                raise CheckError(f"restore_prefix: {name} does not start with {restore_prefix!r}")
        arrays = {restore_prefix + k: v for k, v in read_arrays(filename).items()}
        options = ctx, allow_missing, ignore_extra, cast_dtype, dtype_source
        fill(dict(self.items()), arrays, filename, *options)

    def load_dict(
        self,
        param_dict: dict[str, Any],
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """:meth:`load` from arrays by name; ``filename`` is what errors speak of."""
        arrays = {restore_prefix + k: v for k, v in plain_names(param_dict).items()}
        options = ctx, allow_missing, ignore_extra, cast_dtype, dtype_source
        fill(dict(self.items()), arrays, filename or "param_dict", *options)


def _agree(param: Parameter, wanted: dict[str, Any]) -> None:
    """Raises CheckError where the parameter is not as wanted; completes its shape."""
    for key, value in wanted.items():
        known = getattr(param, key, None)
        if value is None or known is None:
            if hasattr(param, key) and known is None and value is not None:
                setattr(param, key, value)
            continue
        if key == "shape":
            _complete_shape(param, (value,) if isinstance(value, int) else tuple(value))
        elif key == "dtype":
            if dtype_of(value) != dtype_of(known):
                raise _differs(param, key, value, known)
        elif value != known and (key != "init" or str(value) != str(known)):
            raise _differs(param, key, value, known)


def _differs(param: Parameter, key: str, value: Any, known: Any) -> CheckError:
    return CheckError(f"parameter {param.name}: {key} is {known!r}, wanted is {value!r}")


def _complete_shape(param: Parameter, shape: tuple[int, ...]) -> None:
    known: Any = param.shape
    if len(known) == len(shape):  # the setter refuses what disagrees
        shape = tuple(a if b <= 0 else b for a, b in zip(known, shape, strict=True))
    if shape != known:
        param.shape = shape
