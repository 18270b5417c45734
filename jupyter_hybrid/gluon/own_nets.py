"""Nets of this library's own layers, called in a hybridized cell that runs as written: after a few
calls they are one program, as hybridize() makes it, for nothing of the user's is run by them.

A net is looked at again once an attribute, a child, a hook or a layer's class has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from .. import _core, nd
from .cached_block import CachedBlock
from .parameter import Parameter

if TYPE_CHECKING:
    from .block import Block

AS_IT_IS = object()  # the block has to be called as it is
_CALLS = 8  # alike, before a program is made
_SIGNATURES = 8  # that a net has programs of
_OPERATORS = (
    "Activation", "BatchNorm", "CTCLoss", "Convolution", "Deconvolution", "Dropout", "Embedding",
    "Flatten", "FullyConnected", "GroupNorm", "InstanceNorm", "LayerNorm", "LeakyReLU", "Pooling",
    "abs", "broadcast_div", "broadcast_equal", "broadcast_maximum", "broadcast_mul",
    "broadcast_sub", "cumsum", "exp", "expand_dims", "identity", "log", "log_softmax", "mean",
    "norm", "ones_like", "pad", "pick", "relu", "reshape", "reshape_like", "sigmoid", "square",
    "sum", "swapaxes", "where", "zeros_like",
)  # fmt: skip
_REFUSED = 100  # calls before a net that is called as it is is looked at again

# Layers, the functions that a call runs, and whether these are several operators.
_own: dict[type, tuple[tuple[Any, ...], bool]] = {}
_known: WeakKeyDictionary[Block, _Net] = WeakKeyDictionary()
_told: list[dict[str, int]] = []  # of the cells that run, the innermost last


def register(*layers: type, several: bool = False) -> None:
    """Layers whose calls run nothing but operators, ``several`` of them, and their children."""
    for layer in layers:
        _own[layer] = _functions(layer), several


def is_on() -> bool:
    """Does a hybridized cell run?"""
    return bool(_told)


class InCell:
    """A hybridized cell runs; how often it calls which nets as programs, by name: 0 of those that
    are called as they are."""

    def __enter__(self) -> dict[str, int]:
        _told.append({})
        return _told[-1]

    def __exit__(self, *exc: Any) -> None:
        _told.pop()


def called(block: Block, args: tuple[Any, ...]) -> Any:
    """What the block's program gives; AS_IT_IS where it has none."""
    if _core.is_tracing():
        return AS_IT_IS
    for argument in args:
        if type(argument) is not _core.NDArray:
            return AS_IT_IS
    _told[-1].setdefault(block.name, 0)
    net = _known.get(block)
    if net is None or not net.is_unchanged():
        net = _known[block] = _Net(block)
    return net.called(block, args)


def _functions(layer: type) -> tuple[Any, ...]:
    return layer.__call__, getattr(layer, "forward", None), getattr(layer, "hybrid_forward", None)


_operators_of = itemgetter(*_OPERATORS)
_at_first = Parameter.data, _operators_of(vars(nd))  # what layers call


def _calls_the_same() -> bool:
    """Do layers call what they called at first?"""
    try:
        return (Parameter.data, _operators_of(vars(nd))) == _at_first
    except KeyError:  # one was deleted
        return False


def _is_own(block: Block) -> bool:
    known = _own.get(type(block))
    if known is None or known[0] != _functions(type(block)):
        return False
    overridden = "forward" in vars(block) or "hybrid_forward" in vars(block)
    hybridized = getattr(block, "_active", False)  # by the user, with options perhaps
    return not (overridden or hybridized or block._forward_hooks or block._forward_pre_hooks)


def _computes(block: Block) -> bool:
    return bool(block._reg_params) or _own[type(block)][1]


def _is_several(block: Block) -> bool:
    """Does it run more than one operator?"""
    return len(block._children) > 1 or _own[type(block)][1]


def _parts(block: Block) -> Iterator[Block]:
    yield block
    for child in block._children.values():
        yield from _parts(child)


class _Net:
    """A net as it was found, and its programs."""

    def __init__(self, block: Block):
        # Its blocks, each with its version and children; none: it is called as it is.
        self._parts: list[tuple[ref[Block], int, list[ref[Block]]]] = []
        self._layers: list[tuple[type, tuple[Any, ...]]] = []
        self._calls: Counter[Any] = Counter()
        self._refused = 0
        self._cached: CachedBlock | None = None
        parts = list(_parts(block))
        own = all(map(_is_own, parts))
        # What computes nothing gives its input itself.
        if own and any(map(_is_several, parts)) and any(map(_computes, parts)):
            self._parts = [(ref(b), b._version, [*map(ref, b._children.values())]) for b in parts]
            self._layers = [(layer, _own[layer][0]) for layer in {*map(type, parts)}]

    def is_unchanged(self) -> bool:
        """Is it what was found? One that is called as it is was perhaps, until it is looked at."""
        if not self._parts:
            self._refused += 1
            return self._refused < _REFUSED
        for known_block, version, children in self._parts:
            block = known_block()
            if (
                block is None
                or block._version != version
                or block._forward_hooks
                or block._forward_pre_hooks
            ):
                return False
            if [*map(ref, block._children.values())] != children:
                return False
        return _calls_the_same() and all(
            _functions(layer) == known for layer, known in self._layers
        )

    def called(self, block: Block, args: tuple[Any, ...]) -> Any:
        """See above."""
        if not self._parts:
            return AS_IT_IS
        signature = _core.is_recording(), _core.is_training(), *((a.shape, a.dtype) for a in args)
        calls = self._calls[signature]
        if calls < _CALLS:
            if calls > 0 or len(self._calls) < _SIGNATURES:
                self._calls[signature] = calls + 1
            return AS_IT_IS
        try:
            if self._cached is None:
                self._cached = CachedBlock(block, args, {}, lists=False)
            made = self._cached.call(args)
            _told[-1][block.name] += 1
            return made
        except Exception:  # the layers tell of it
            self._parts = []
            return AS_IT_IS
