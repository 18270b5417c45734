"""What the values of a stage's nodes are: figures of each, and where a NaN comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..array_bytes import nbytes
from ..base import MXNetError

_SHOWN = 6  # elements of a preview
MOST_BYTES = 1 << 30  # of all values together, which are held for a moment
_BINS = 20
_COUNTED = 1 << 20  # elements that a histogram counts; of more it takes every n-th


class Histogram(NamedTuple):
    """How many elements lie in each of equal ranges from ``low`` to ``high``, the least and the
    largest finite one; one of ``every`` elements was counted."""

    bins: tuple[int, ...]
    low: float
    high: float
    every: int


@dataclass(frozen=True)
class NodeValue:
    """Figures of one value of a node.

    Attributes:
        id: the node's, in the report's joined graph.
        out: which of its outputs.
        label: what it is called.
        count: elements.
        nans, infs: how many of them are NaN, and infinite.
        min, max, mean: of those that are not NaN; None where there are none, or of complex numbers.
        preview: the first elements, as text.
        inputs: (id, out) of the values that the node reads.
        kernel: the fused kernel that the node is inside of; None: it is a node of the stage.
        stage: the label of the stage that computed it, for what is inside a kernel.
        spread: how its finite elements are spread; None where all are the same, or complex.
    """

    id: int
    out: int
    label: str
    count: int
    nans: int
    infs: int
    min: float | None
    max: float | None
    mean: float | None
    preview: str
    inputs: tuple[tuple[int, int], ...] = ()
    kernel: int | None = None
    stage: str = ""
    spread: Histogram | None = None


class Closed(NamedTuple):
    """A kernel the values inside which are not known."""

    kernel: int  # its id in the report's joined graph
    why: str


class Values(list[NodeValue]):
    """The values of a stage's nodes, in the order in which they run; printed as a table.

    Attributes:
        closed: kernels the values inside which are not known, and why.
    """

    def __init__(self, values: Iterable[NodeValue] = ()) -> None:
        super().__init__(values)
        self.closed: list[Closed] = []

    @property
    def first_nan(self) -> NodeValue | None:
        """The first value with a NaN whose node reads none; None where no value has one."""
        return self._first(lambda v: v.nans > 0)

    @property
    def first_inf(self) -> NodeValue | None:
        """The same of infinities."""
        return self._first(lambda v: v.infs > 0)

    def _first(self, has: Callable[[NodeValue], bool]) -> NodeValue | None:
        found = {(v.id, v.out) for v in self if has(v)}
        firsts = (v for v in self if (v.id, v.out) in found and found.isdisjoint(v.inputs))
        return next(firsts, None)

    def __repr__(self) -> str:
        rows = [("value", "min", "max", "mean", "NaN", "inf", "elements")]
        rows += [
            (
                f"  {v.label}" if v.kernel is not None else v.label,
                number(v.min),
                number(v.max),
                number(v.mean),
                str(v.nans),
                str(v.infs),
                v.preview,
            )
            for v in self
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        lines = [
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in rows
        ]
        return "\n".join([*lines, *self._notes()])

    def _notes(self) -> list[str]:
        notes = ["min, max and mean leave NaNs out"] if any(v.nans for v in self) else []
        for stage in dict.fromkeys(v.stage for v in self if v.kernel is not None):
            notes.append(
                f"indented: inside the kernel below, as “{stage}” computes it; that gives the "
                "kernel's results bit for bit"
            )
        return notes + [f"inside of a kernel not known: {c.why}" for c in self.closed]


def number(value: float | None) -> str:
    """Five digits; "–" for none."""
    return "–" if value is None else f"{value:.5g}"


def entries_of(graph: Any) -> list[tuple[int, int]]:
    """Every value that the graph's operators compute."""
    made = [n for n in graph.nodes if n.kind in ("op", "fused")]
    size = bytes_of(made)
    if size > MOST_BYTES:
        raise MXNetError(
            f"all values together take {size:,} bytes; at most {MOST_BYTES:,} are held at once"
        )
    return [(n.id, out) for n in made for out in range(len(n.shapes))]


def bytes_of(nodes: Iterable[Any]) -> int:
    """Of all their values."""
    return sum(nbytes(s, d) for n in nodes for s, d in zip(n.shapes, n.dtypes, strict=True))


def figures(
    node: Any,
    out: int,
    offset: int,
    label: str,
    array: Any,
    kernel: int | None = None,
    stage: str = "",
) -> NodeValue:
    """Of one output of a node, an NDArray."""
    elements = np.asarray(array.asnumpy()).reshape(-1)
    inexact = elements.dtype.kind in "fc"
    return NodeValue(
        node.id + offset,
        out,
        label,
        elements.size,
        int(np.count_nonzero(np.isnan(elements))) if inexact else 0,
        int(np.count_nonzero(np.isinf(elements))) if inexact else 0,
        *_range(elements),
        _preview(elements),
        tuple((source + offset, i) for source, i in node.inputs),
        kernel,
        stage,
        _histogram(elements),
    )


def _range(elements: np.ndarray[Any, Any]) -> tuple[float | None, float | None, float | None]:
    if elements.dtype.kind == "f":
        elements = elements[~np.isnan(elements)]
    if elements.dtype.kind not in "fiub" or not elements.size:
        return None, None, None
    with np.errstate(all="ignore"):
        mean = np.mean(elements, dtype=np.float64)
    return float(elements.min()), float(elements.max()), float(mean)


def _histogram(elements: np.ndarray[Any, Any]) -> Histogram | None:
    if elements.dtype.kind == "f":
        finite = np.isfinite(elements)
        elements = elements if finite.all() else elements[finite]
    if elements.dtype.kind not in "fiub" or not elements.size:
        return None
    low, high = float(elements.min()), float(elements.max())
    if low == high:
        return None
    every = -(-elements.size // _COUNTED)
    # Halves, since the range of large numbers may be too large for one.
    counted = elements[::every].astype(np.float64) / 2
    try:
        bins, _ = np.histogram(counted, _BINS, (low / 2, high / 2))
    except ValueError:  # they are so near that there are no numbers between
        return None
    return Histogram(tuple(map(int, bins)), low, high, every)


def _preview(array: np.ndarray[Any, Any]) -> str:
    shown = ", ".join(f"{v:.4g}" if array.dtype.kind in "fc" else str(v) for v in array[:_SHOWN])
    return shown + (", …" if array.size > _SHOWN else "")
