"""Private names of MXNet's that GluonCV, GluonNLP, GluonTS and the like import."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ... import _core, nd, nesting
from ...gluon.data.pool_iterator import PoolIterator
from ...gluon.model_zoo import model_store

_REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"
_BICUBIC, _AREA, _BILINEAR = 2, 3, 1


def repository_url() -> str:
    """Where MXNet's files lie: ``$MXNET_GLUON_REPO``, or Apache's, with a slash at its end."""
    return os.environ.get("MXNET_GLUON_REPO", _REPOSITORY).rstrip("/") + "/"


def repository_file_url(namespace: str, filename: str) -> str:
    return f"{repository_url()}{namespace}/{filename}"


def apply_weighting(F: Any, loss: Any, weight: Any = None, sample_weight: Any = None) -> Any:
    """A loss times ``sample_weight``, which is broadcast, and times the number ``weight``."""
    if sample_weight is not None:
        loss = F.broadcast_mul(loss, sample_weight)
    if weight is None:
        return loss
    assert isinstance(weight, (int, float)), f"weight: expected a number, got {weight!r}"
    return loss * weight


def reshape_like(F: Any, x: Any, y: Any) -> Any:
    return x.reshape(y.shape) if F is nd else F.reshape_like(x, y)


def interpolation(interp: int, sizes: Sequence[int] = ()) -> int:
    """OpenCV's number: 9 is by ``sizes`` (old height, width, new height, width), 10 any of five.

    Raises ValueError for a number that isn't 0 to 4, 9 or 10.
    """
    if interp == 10:
        return random.randint(0, 4)
    if interp == 9 and not sizes:
        return _BICUBIC
    if interp == 9:
        height, width, new_height, new_width = sizes
        if new_height > height and new_width > width:
            return _BICUBIC
        return _AREA if new_height < height and new_width < width else _BILINEAR
    if interp not in range(5):
        raise ValueError(f"interp: expected 0 to 4, 9 or 10, got {interp}")
    return interp


def flatten(args: Any, inout_str: str) -> tuple[list[Any], Any]:
    """Arrays or symbols of nested arguments, in order, and how these nest: 0 for one, -1 for None.

    A symbol of several outputs stays one, and its number is theirs.
    """
    if args is None:
        return [None], nesting.NOTHING
    if isinstance(args, _core.Symbol):
        outputs = len(args.list_outputs())
        return [args], outputs if outputs > 1 else nesting.ARRAY
    if isinstance(args, _core.NDArray):
        return [args], nesting.ARRAY
    if not isinstance(args, (list, tuple)):
        raise ValueError(
            f"{inout_str} of a hybrid block: expected (nested lists of) arrays or symbols, "
            f"got {args!r} of type {type(args).__name__}"
        )
    parts = [flatten(part, inout_str) for part in args]
    return [item for items, _ in parts for item in items], [shape for _, shape in parts]


def regroup(args: Any, fmt: Any) -> tuple[Any, list[Any]]:
    """What :func:`flatten` took apart, and the items that are left over."""
    items = iter(args)
    return _filled(fmt, items), list(items)


def _filled(fmt: Any, items: Iterator[Any]) -> Any:
    if not isinstance(fmt, int):
        return [_filled(part, items) for part in fmt]
    if fmt < nesting.NOTHING:
        raise ValueError(f"expected -1 and above for how arguments nest, got {fmt}")
    if fmt in (nesting.ARRAY, nesting.NOTHING):
        return next(items)
    return [next(items) for _ in range(fmt)]


def on_context(data: Any, ctx: Any) -> Any:
    """The arrays of nested lists on another context."""
    if isinstance(data, _core.NDArray):
        return data.as_in_context(ctx)
    return [on_context(part, ctx) for part in data] if isinstance(data, (list, tuple)) else data


NAMES: dict[tuple[str, str], Any | Callable[..., Any]] = {
    ("gluon.utils", "_get_repo_url"): repository_url,
    ("gluon.utils", "_get_repo_file_url"): repository_file_url,
    ("gluon.model_zoo.model_store", "_model_sha1"): model_store.HASHES,
    ("gluon.data.dataloader", "ForkingPickler"): ForkingPickler,
    ("gluon.data.dataloader", "_as_in_context"): on_context,
    ("gluon.data.dataloader", "_MultiWorkerIter"): PoolIterator,
    ("gluon.loss", "_apply_weighting"): apply_weighting,
    ("gluon.loss", "_reshape_like"): reshape_like,
    ("gluon.block", "_flatten"): flatten,
    ("gluon.block", "_regroup"): regroup,
    ("image.image", "_get_interp_method"): interpolation,
    ("contrib.amp.amp", "_amp_initialized"): False,
}
