"""A graph with its constants as MXNet's pair of files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from .._core import MXNetError, Symbol
from ..nd import load, save
from ..whole_files import write_whole
from .variable import Constant, load_json

__all__ = ["load_pair", "load_parts", "pair_files", "save_pair"]

_PREFIXES = ("arg:", "aux:")
_VERSION = '"attrs": {"mxnet_version"'


def pair_files(prefix: str) -> tuple[str, str]:
    """The names of both files."""
    return f"{prefix}-symbol.json", f"{prefix}-0000.params"


def save_pair(
    symbol: Symbol,
    prefix: str,
    params: Mapping[str, Any] | None = None,
    attributes: Mapping[str, str] | None = None,
) -> None:
    """``<prefix>-symbol.json``, and ``<prefix>-0000.params`` with the constants if it has any.

    Args:
        params: arrays by variable's name, which are kept with the constants.
        attributes: of the whole graph. With them the file is for this package alone, and may have
            operators that MXNet lacks.

    Raises:
        MXNetError: a node that MXNet has no name for; it names the node and its line.
    """
    graph, arrays = pair_files(prefix)
    text = symbol.tojson() if attributes is None else symbol._tojson_native()
    for name, value in (attributes or {}).items():
        at = text.rindex(_VERSION) + len('"attrs": {')
        text = f'{text[:at]}{json.dumps(name)}: ["str", {json.dumps(value)}], {text[at:]}'
    write_whole(graph, text)
    constants = {f"arg:{name}": array for name, array in symbol._constants().items()}
    constants |= {f"arg:{name}": array for name, array in (params or {}).items()}
    if constants:
        save(arrays, constants)
    elif os.path.exists(arrays):
        os.remove(arrays)  # of an older graph of that name


def load_pair(fname: str | os.PathLike[str]) -> Symbol:
    """The symbol that ``save('mygraph')`` wrote: ``load('mygraph')``.

    Raises:
        FileNotFoundError: there is no such graph, or its constants are missing.
        MXNetError: a file is truncated or corrupt, or an operator does not exist here.
    """
    return load_parts(fname)[0]


def load_parts(fname: str | os.PathLike[str]) -> tuple[Symbol, dict[str, Any], dict[str, str]]:
    """(:func:`load_pair`'s symbol, the other arrays by name, the graph's own attributes)."""
    prefix = os.fspath(fname)
    graph, params = pair_files(prefix)
    if not os.path.exists(graph):
        raise FileNotFoundError(f"load: there is no {graph}")
    with open(graph, encoding="utf-8", errors="replace") as file:
        text = file.read()
    symbol = _checked(graph, load_json, text)
    attributes = _attributes(text)
    wanted = [n for n in symbol.list_arguments() if n.startswith("_const")]
    if not os.path.exists(params):
        if wanted:
            raise FileNotFoundError(f"load: {graph} has constants, but there is no {params}")
        return symbol, {}, attributes
    arrays = load(params)
    if not isinstance(arrays, dict):
        if not wanted:
            return symbol, {}, attributes
        raise MXNetError(
            f"load: the arrays of {params} have no names, expected {', '.join(wanted)}"
        )
    named = {n[4:] if n.startswith(_PREFIXES) else n: a for n, a in arrays.items()}
    missing = [n for n in wanted if n not in named]
    if missing:
        raise MXNetError(f"load: {params} has no {', '.join(missing)}")
    if wanted:
        symbol = symbol.compose(**{name: Constant(named[name]) for name in wanted})
    return symbol, {n: a for n, a in named.items() if n not in wanted}, attributes


def _attributes(text: str) -> dict[str, str]:
    """Texts among the attributes of a graph that was read without complaint."""
    found = json.loads(text).get("attrs")
    if not isinstance(found, dict):
        return {}
    return {
        name: pair[1]
        for name, pair in found.items()
        if isinstance(pair, list) and len(pair) == 2 and pair[0] == "str"
    }


def _checked(file: str, read: Any, content: Any) -> Any:
    try:
        return read(content)
    except MXNetError as error:
        raise MXNetError(f"load: {file}: {error}") from None
