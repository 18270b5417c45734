"""Initializer: the base class, which goes by names, and the registry."""

from __future__ import annotations

import json
import logging
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import nd

_registry: dict[str, type[Initializer]] = {}

# Ends of names, and what fills such arrays; the first that fits counts.
_PATTERNS = (
    ("weight", "weight"),
    ("bias", "bias"),
    ("gamma", "gamma"),
    ("beta", "beta"),
    ("min", "zero"),
    ("max", "one"),
    ("weight_quantize", "quantized_weight"),
    ("bias_quantize", "quantized_bias"),
)
# Those of names that are no InitDesc.
_OLD_PATTERNS = (
    *_PATTERNS[1:4],
    _PATTERNS[0],
    ("moving_mean", "zero"),
    ("moving_var", "one"),
    ("moving_inv_var", "zero"),
    ("moving_avg", "zero"),
    ("running_mean", "zero"),
    ("running_var", "one"),
    *_PATTERNS[4:6],
)


class InitDesc(str):
    """A name of an array, with what its initializer has to know.

    Args:
        attrs: attributes of the variable; "__init__" is its own initializer.
        global_init: the initializer that is used for all.
    """

    attrs: dict[str, Any]
    global_init: Any

    def __new__(
        cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None
    ) -> InitDesc:
        made = super().__new__(cls, name)
        made.attrs, made.global_init = attrs or {}, global_init
        return made


def register(klass: type[Initializer]) -> type[Initializer]:
    """Makes an initializer known by its lower-case name; usable as a decorator."""
    _add(klass.__name__, klass)
    return klass


def alias(*aliases: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Makes an initializer known by further names."""

    def add(klass: type[Initializer]) -> type[Initializer]:
        for name in aliases:
            _add(name, klass)
        return klass

    return add


def _add(name: str, klass: type[Initializer]) -> None:
    if name.lower() in _registry:
        warnings.warn(f"an initializer takes the name {name!r} of another one", stacklevel=3)
    _registry[name.lower()] = klass


def create(init: Any, **kwargs: Any) -> Any:
    """An initializer from an instance, a class, a registered name such as ``"xavier"``, or what
    ``dumps()`` gave. What else can be called is one already. Raises ValueError."""
    if isinstance(init, type) and issubclass(init, Initializer):
        return init(**kwargs)
    if not isinstance(init, (str, dict)) and callable(init):
        return init
    if isinstance(init, dict):
        options = dict(init)
        return create(options.pop("initializer"), **options)
    name = str(init)
    if name.startswith("["):
        name, kwargs = json.loads(name)
    elif name.startswith("{"):
        return create(json.loads(name))
    kind = _registry.get(name.lower())
    if kind is None:
        raise ValueError(f"unknown initializer {init!r}; known: {', '.join(sorted(_registry))}")
    return kind(**kwargs)


class Initializer:
    """Base class; write ``_init_weight(self, name, arr)`` to make your own. It is called with a
    name and an array and fills the array by what the name ends in: weights by ``_init_weight``,
    ``bias``, ``beta`` and ``min`` with 0, ``gamma`` and ``max`` with 1."""

    def __init__(self, **kwargs: Any):
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[Any], Any] | None = None

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[Any], Any] | None = None
    ) -> Initializer:
        """Whether each array is logged, with what ``print_func`` says of it; its norm over the
        root of its size unless said."""
        self._verbose, self._print_func = verbose, print_func or _size
        return self

    def dumps(self) -> str:
        """Name and arguments as JSON, for :func:`create`."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: str, arr: Any) -> None:
        if isinstance(desc, InitDesc):
            if desc.global_init is None:
                desc.global_init = self
            own = desc.attrs.get("__init__", "")
            if own:
                create(own).fill(desc, arr)
                self._log(desc, own, arr)
                return
            self._by_name(desc, arr, _PATTERNS)
            return
        if not isinstance(desc, str):
            raise TypeError(f"initializer: expected a name, got {type(desc).__name__}")
        if desc.startswith("upsampling"):
            self._init_bilinear(desc, arr)
        elif desc.startswith("stn_loc") and desc.endswith("weight"):
            self._init_zero(desc, arr)
        elif desc.startswith("stn_loc") and desc.endswith("bias"):
            self._init_loc_bias(desc, arr)
        else:
            self._by_name(desc, arr, _OLD_PATTERNS)

    def fill(self, desc: str, arr: Any) -> None:
        """Fills as a weight whatever the name says: for an array's own initializer."""
        self._init_weight(desc, arr)

    def _by_name(self, desc: str, arr: Any, patterns: tuple[tuple[str, str], ...]) -> None:
        for end, what in patterns:
            if desc.endswith(end):
                getattr(self, f"_init_{what}")(desc, arr)
                self._log(desc, end, arr)
                return
        self._init_default(desc, arr)

    def _log(self, desc: str, what: Any, arr: Any) -> None:
        if self._verbose and self._print_func:
            logging.info("Initialized %s as %s: %s", desc, what, self._print_func(arr))

    # What fills -----------------------------------------------------------------------------------
    def _init_weight(self, name: str, arr: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _init_weight(name, arr)")

    def _init_zero(self, name: str, arr: Any) -> None:
        arr[:] = 0

    def _init_one(self, name: str, arr: Any) -> None:
        arr[:] = 1

    def _init_bias(self, name: str, arr: Any) -> None:
        arr[:] = 0

    def _init_gamma(self, name: str, arr: Any) -> None:
        arr[:] = 1

    def _init_beta(self, name: str, arr: Any) -> None:
        arr[:] = 0

    def _init_quantized_bias(self, name: str, arr: Any) -> None:
        arr[:] = 0

    def _init_quantized_weight(self, name: str, arr: Any) -> None:
        """Whole numbers from -127 to 126."""
        arr[:] = nd.random.randint(-127, 127, shape=arr.shape).asnumpy().astype(np.int8)

    def _init_bilinear(self, name: str, arr: Any) -> None:
        arr[:] = bilinear(arr.shape)

    def _init_loc_bias(self, name: str, arr: Any) -> None:
        if arr.shape[0] != 6:
            raise AssertionError(f"initializer: {name}: expected 6 elements, got {arr.shape}")
        arr[:] = np.array([1.0, 0, 0, 0, 1.0, 0])

    def _init_default(self, name: str, arr: Any) -> None:
        raise ValueError(
            f"Unknown initialization pattern for {name}: names end in weight, bias, gamma or beta; "
            "give the variable an initializer of its own: mx.sym.Variable(init=mx.init.*)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and self._kwargs == other._kwargs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v!r}" for k, v in self._kwargs.items())
        return f"{type(self).__name__}({given})"


def bilinear(shape: tuple[int, ...]) -> np.ndarray:
    """The kernel of bilinear upsampling, in every plane of the last two dimensions."""
    if len(shape) != 4:
        raise ValueError(f"Bilinear: expected 4 dimensions, got {shape}")
    half = math.ceil(shape[3] / 2.0)
    centre = (2 * half - 1 - half % 2) / (2.0 * half)
    y, x = (1 - np.abs(np.arange(n) / half - centre) for n in shape[2:])
    return np.broadcast_to(np.outer(y, x), shape).astype("float32")


def _size(array: Any) -> str:
    return str((nd.norm(array) / math.sqrt(array.size)).asscalar())
