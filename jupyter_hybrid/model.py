"""Checkpoints: a symbol and the parameters of an epoch in two files, MXNet's ``model``."""

from __future__ import annotations

import logging
from collections import namedtuple
from typing import Any

from . import nd, sym
from ._core import MXNetError
from .context import cpu

__all__ = ["BatchEndParam", "load_checkpoint", "load_params", "save_checkpoint"]

#: What is given to a callback after a batch.
BatchEndParam = namedtuple("BatchEndParam", ["epoch", "nbatch", "eval_metric", "locals"])


def _names(prefix: str, epoch: int) -> tuple[str, str]:
    return f"{prefix}-symbol.json", f"{prefix}-{epoch:04d}.params"


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: sym.Symbol | None,
    arg_params: dict[str, Any],
    aux_params: dict[str, Any],
    remove_amp_cast: bool = True,
) -> None:
    """Writes ``PREFIX-symbol.json`` (not for None) and ``PREFIX-0003.params`` of epoch 3.

    ``remove_amp_cast`` leaves casts of mixed precision out.
    """
    graph, values = _names(prefix, epoch)
    if symbol is not None:
        symbol.save(graph, remove_amp_cast)
    kinds = {"arg": arg_params, "aux": aux_params}
    found = {f"{kind}:{n}": v for kind, params in kinds.items() for n, v in params.items()}
    nd.save(values, {name: value.as_in_context(cpu()) for name, value in found.items()})
    logging.info('Saved checkpoint to "%s"', values)


def load_params(prefix: str, epoch: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of an epoch by name, and the auxiliary states."""
    path = _names(prefix, epoch)[1]
    found = nd.load(path)
    if not found:
        logging.warning("%s holds no parameters", path)
        return {}, {}
    if not isinstance(found, dict):
        raise MXNetError(f"{path}: expected arrays with names, found {len(found)} without")
    kinds: dict[str, dict[str, Any]] = {"arg": {}, "aux": {}}
    for key, value in found.items():
        kind, _, name = key.partition(":")
        if kind in kinds:
            kinds[kind][name] = value
    return kinds["arg"], kinds["aux"]


def load_checkpoint(prefix: str, epoch: int) -> tuple[sym.Symbol, dict[str, Any], dict[str, Any]]:
    """The symbol, the parameters and the auxiliary states of :func:`save_checkpoint`."""
    return sym.load(_names(prefix, epoch)[0]), *load_params(prefix, epoch)
