"""A graph with its constants as MXNet's pair of files."""

from __future__ import annotations

import os
from typing import Any

from .._core import MXNetError, Symbol
from .variable import Constant, load_json

__all__ = ["load_pair", "save_pair"]

_PREFIXES = ("arg:", "aux:")


def _files(prefix: str) -> tuple[str, str]:
    return f"{prefix}-symbol.json", f"{prefix}-0000.params"


def save_pair(symbol: Symbol, prefix: str) -> None:
    """``<prefix>-symbol.json``, and ``<prefix>-0000.params`` with the constants if it has any.

    Raises:
        MXNetError: a node that MXNet has no name for; it names the node and its line.
    """
    from ..nd import save

    graph, params = _files(prefix)
    text = symbol.tojson()
    with open(graph, "w", encoding="utf-8") as file:
        file.write(text)
    constants = {f"arg:{name}": array for name, array in symbol._constants().items()}
    if constants:
        save(params, constants)
    elif os.path.exists(params):
        os.remove(params)  # of an older graph of that name


def load_pair(fname: str | os.PathLike[str]) -> Symbol:
    """The symbol that ``save('mygraph')`` wrote: ``load('mygraph')``.

    Raises:
        FileNotFoundError: there is no such graph, or its constants are missing.
        MXNetError: a file is truncated or corrupt, or an operator does not exist here.
    """
    from ..nd import load

    prefix = os.fspath(fname)
    graph, params = _files(prefix)
    if not os.path.exists(graph):
        raise FileNotFoundError(f"load: there is no {graph}")
    with open(graph, encoding="utf-8", errors="replace") as file:
        text = file.read()
    symbol = _checked(graph, load_json, text)
    wanted = [n for n in symbol.list_arguments() if n.startswith("_const")]
    if not wanted:
        return symbol
    if not os.path.exists(params):
        raise FileNotFoundError(f"load: {graph} has constants, but there is no {params}")
    arrays = _checked(params, load, params)
    if not isinstance(arrays, dict):
        raise MXNetError(
            f"load: the arrays of {params} have no names, expected {', '.join(wanted)}"
        )
    named = {n[4:] if n.startswith(_PREFIXES) else n: a for n, a in arrays.items()}
    missing = [n for n in wanted if n not in named]
    if missing:
        raise MXNetError(f"load: {params} has no {', '.join(missing)}")
    return symbol.compose(**{name: Constant(named[name]) for name in wanted})


def _checked(file: str, read: Any, content: Any) -> Any:
    try:
        return read(content)
    except MXNetError as error:
        raise MXNetError(f"load: {file}: {error}") from None
