"""Model files as pictures: MXNet's symbol and parameter files, and ONNX models."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import nd, sym
from ..base import MXNetError
from ..capture.sizes import byte_size
from ..compat.onnx import import_model
from .viewer import GraphViewer
from .visible import visible

_LONGEST = 60  # characters of a name


def view(path: str | os.PathLike[str]) -> GraphViewer | ParameterTable:
    """What a model file holds, to be looked at.

    Args:
        path: ``NAME-symbol.json``, with the shapes that ``NAME-0000.params`` beside it tells;
            ``NAME.onnx``; ``NAME.params``, whose arrays are listed with their figures.

    Raises:
        ValueError: for another ending.
        MXNetError: the file is truncated, corrupt or of another kind.
        OSError: it can't be read.
    """
    file = Path(path)
    if file.suffix == ".params":
        return ParameterTable(_named(nd.load(file)))
    if file.suffix == ".onnx":
        symbol, arguments, states = import_model(str(file))
        return GraphViewer(_with_shapes(symbol, {**arguments, **states}))
    if file.name.endswith("-symbol.json"):
        return GraphViewer(_with_shapes(sym.load(file), _beside(file)))
    raise ValueError(f"view: expected a *-symbol.json, *.params or *.onnx file, got {file.name!r}")


def _beside(symbol: Path) -> dict[str, Any]:
    """The arrays of the last epoch's file that was saved with a symbol; none if it can't be read:
    the symbol alone is a picture, too."""
    epochs = re.compile(re.escape(symbol.name.removesuffix("-symbol.json")) + r"-\d{4}\.params")
    files = sorted(p for p in symbol.parent.iterdir() if epochs.fullmatch(p.name))
    try:
        return _named(nd.load(files[-1])) if files else {}
    except (MXNetError, OSError):
        return {}


def _named(arrays: Any) -> dict[str, Any]:
    """By name, without the kind that MXNet puts before it ("arg:", "aux:")."""
    if not isinstance(arrays, Mapping):
        return {str(i): array for i, array in enumerate(arrays)}
    return {name.removeprefix("arg:").removeprefix("aux:"): a for name, a in arrays.items()}


def _with_shapes(symbol: Any, arrays: Mapping[str, Any]) -> Any:
    """The same symbol, its variables with the shapes and dtypes of these arrays."""
    known = {
        name: sym.var(name, shape=arrays[name].shape, dtype=arrays[name].dtype)
        for name in symbol.list_inputs()
        if name in arrays
    }
    return symbol(**known) if known else symbol


class ParameterTable:
    """Arrays of a file with shape, dtype, size and the figures that show a sick one."""

    HEAD = ("name", "shape", "dtype", "size", "min", "mean", "max", "NaN")

    def __init__(self, arrays: Mapping[str, Any]):
        self.rows = [(visible(name), *_figures(array)) for name, array in arrays.items()]
        self._total = sum(a.size * np.dtype(a.dtype).itemsize for a in arrays.values())

    def __repr__(self) -> str:
        table = [self.HEAD, *((_cut(name), *rest) for name, *rest in self.rows)]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.HEAD))]
        lines = ["  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in table]
        return "\n".join([*(line.rstrip() for line in lines), self._sum()])

    def _repr_html_(self) -> str:
        def cells(tag: str, texts: Iterable[str]) -> str:
            return "".join(f"<{tag}>{html.escape(t)}</{tag}>" for t in texts)

        def named(name: str) -> str:
            title = f' title="{html.escape(name)}"' if _cut(name) != name else ""
            return f"<td{title}>{html.escape(_cut(name))}</td>"

        body = "".join(f"<tr>{named(name)}{cells('td', rest)}</tr>" for name, *rest in self.rows)
        head = f"<thead><tr>{cells('th', self.HEAD)}</tr></thead>"
        return f"<table>{head}<tbody>{body}</tbody></table><p>{html.escape(self._sum())}</p>"

    def _sum(self) -> str:
        return f"{len(self.rows):,} arrays, {byte_size(self._total)}"


def _cut(name: str) -> str:
    """A long one without its middle: its end says most, and the figures stay beside it."""
    return (
        name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 + 1 :]}"
    )


def _figures(array: Any) -> tuple[str, ...]:
    values = array.asnumpy()
    size = byte_size(values.nbytes)
    numbers = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    figures = ["", "", ""]
    if numbers.size:
        figures = [f"{float(f(numbers)):.4g}" for f in (np.min, np.mean, np.max)]
    nans = str(values.size - numbers.size) if values.size > numbers.size else ""
    return str(values.shape), str(values.dtype), size, *figures, nans
