"""``python -m jupyter_hybrid.plan FILE``: the memory that a graph or a list of lifetimes takes.

FILE is a CSV of lifetimes (columns id, lower, upper, size: live in steps [lower, upper), sizes in
bytes; an id is any text) or a ``-symbol.json``. Of a graph are counted the buffers that it makes,
its outputs included; arguments and gradients are the caller's and are not.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _core
from .base import MXNetError
from .sym import load
from .sym.pair import load_parts, pair_files

Lifetime = tuple[int, int, int, int]  # id, lower, upper, size
COLUMNS = ("id", "lower", "upper", "size")


def read_lifetimes(path: Path) -> list[Lifetime]:
    """The rows of a CSV with the columns id, lower, upper and size; ids are counted from 0.

    Raises:
        MXNetError: a column is missing, a value is not an integer, out of range or in the wrong
            order, or an id stands twice; the line is named.
    """
    result: list[Lifetime] = []
    lines: dict[str, int] = {}  # by id
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file, skipinitialspace=True)
        columns = [c.strip() for c in rows.fieldnames or ()]
        rows.fieldnames = columns
        missing = [c for c in COLUMNS if c not in columns]
        if missing:
            raise MXNetError(
                f"expected the columns {', '.join(COLUMNS)}; {', '.join(missing)} missing in "
                f"{columns or 'an empty file'}"
            )
        for row in rows:
            where = f"line {rows.line_num}"
            values = [row[c] for c in COLUMNS]
            if None in values or None in row:
                raise MXNetError(f"{where}: expected {len(columns)} values, got {row}")
            name, *numbers = (str(v).strip() for v in values)
            if not all(re.fullmatch(r"-?[0-9]{1,18}", n) for n in numbers):
                raise MXNetError(
                    f"{where}: expected integers of at most 18 digits in lower, upper and size, "
                    f"got {', '.join(numbers)}"
                )
            lower, upper, size = map(int, numbers)
            if lower > upper or size < 0:
                raise MXNetError(
                    f"{where}: expected lower <= upper and a size of 0 or more, got lower {lower}, "
                    f"upper {upper}, size {size}"
                )
            if name in lines:
                raise MXNetError(f"{where}: id {name!r} stands in line {lines[name]} too")
            lines[name] = rows.line_num
            result.append((len(result), lower, upper, size))
    if sum(size for *_, size in result) >= 1 << 62:
        raise MXNetError("the sizes together are 2**62 bytes or more")
    return result


def read_shapes(path: Path, model: str) -> dict[str, tuple[int, ...]]:
    """Shapes by argument; a file of several models has one such table under each model's name."""
    table = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(table, dict) and isinstance(table.get(model), dict):
        table = table[model]
    if not isinstance(table, dict) or not all(
        isinstance(s, list) and all(isinstance(d, int) for d in s) for s in table.values()
    ):
        raise MXNetError(
            f"{path.name}: expected shapes by argument, as in {{'data': [1, 3]}}, "
            f"of {model!r} or by themselves"
        )
    return {name: tuple(shape) for name, shape in table.items()}


def read_graph(path: Path) -> tuple[Any, dict[str, tuple[int, ...]]]:
    """(the symbol, the shapes of those arguments that a ``.params`` file beside it has)."""
    prefix = str(path).removesuffix("-symbol.json")
    if prefix == str(path) or not Path(pair_files(prefix)[1]).exists():
        return load(str(path)), {}
    symbol, arrays, _ = load_parts(prefix)
    arguments = set(symbol.list_arguments())
    return symbol, {n: tuple(a.shape) for n, a in arrays.items() if n in arguments}


def graph_lifetimes(
    symbol: Any,
    shapes: dict[str, tuple[int, ...]],
    train: bool = False,
    passes: Sequence[str] | None = None,
    remat: str | int | None = None,
) -> list[Lifetime]:
    """Lifetimes of the buffers of a symbol's compiled graph, in steps of its schedule.

    Args:
        symbol: the heads; all are kept to the end.
        shapes: of the arguments that do not follow from others, in elements (float32).
        train: with the gradients of every argument (which are not counted).
        passes: exactly these, with infer, plan and (to train) gradient; None: all exact passes.
        remat: "sqrt", or a budget in bytes for all that a run makes, results and gradients
            included: forward values are computed again for the gradient.

    Raises:
        MXNetError: shapes are missing or do not fit.
    """
    arguments, _, states = symbol.infer_shape(**shapes)
    if arguments is None:
        known, _, _ = symbol.infer_shape_partial(**shapes)
        unknown = [n for n, s in zip(symbol.list_arguments(), known) if not s or 0 in s]
        more = f" (and of {len(unknown) - 1} more, where it does not follow)" if unknown[1:] else ""
        raise MXNetError(f"give the shape of {unknown[0]}{more} with --shapes")
    inputs = symbol.list_inputs()
    heads = len(symbol)
    graph, _ = _core.in_mode(symbol.graph(), train)
    wanted: dict[str, Any] = {}
    if train:
        trained = set(symbol.list_arguments())
        wanted = {
            "grad_of": graph.outputs[:heads],
            "grad_wrt": [i for i, n in zip(graph.inputs, inputs) if n in trained],
        }
    known = {
        **dict(zip(symbol.list_arguments(), arguments)),
        **dict(zip(symbol.list_auxiliary_states(), states)),
    }
    if passes is not None and train:
        passes = [*passes, "gradient"]
    compiled = _core.compile(
        graph,
        [known[n] for n in inputs],
        ["float32"] * len(inputs),
        passes=passes,
        only_these=passes is not None,
        training=train,
        keep_stages=False,
        remat=remat,
        **wanted,
    )
    return [
        (b["id"], b["start"], b["end"] + 1, b["bytes"])
        for b in _core.buffer_lifetimes(compiled.program.graph, train)
        if b["kind"] == "arena" or (b["kind"] == "output" and b["index"] < heads)
    ]


def plan(
    lifetimes: Sequence[Lifetime],
    milliseconds: float = 10.0,
    exact: bool = False,
    seconds: float = 60.0,
    progress: Any = None,
    capacity: int = 0,
) -> dict[str, Any]:
    """Places the buffers.

    Args:
        milliseconds: of searching, counted in work so that the result is the same everywhere.
        exact: by branch and bound, until the peak is proven or ``seconds`` are over.
        progress: called as progress(seconds, peak, bound) while the exact search runs.
        capacity: in bytes; the exact search ends with the first placement that fits. 0: none.

    Returns:
        A dict: ``peak`` and ``lower_bound`` in bytes, ``ms`` that placing took, ``optimal``,
        ``offsets`` in bytes in the order of the lifetimes, ``attempts`` (method, peak).
    """
    start = time.perf_counter()
    if exact:
        layout = _core.place_exact(lifetimes, 1, seconds, progress, capacity)
    else:
        layout = _core.place_buffers(lifetimes, 1, milliseconds)
    return {**layout, "ms": round(1e3 * (time.perf_counter() - start), 3)}


def _text(name: str, count: int, result: dict[str, Any], capacity: int) -> str:
    peak, bound = result["peak"], result["proven_bound"]
    if result["optimal"]:
        verdict = "optimal"
    else:
        verdict = f"at most {100 * (peak / bound - 1):.2f} % above the least possible"
    if capacity:
        verdict += f"; {'fits' if peak <= capacity else 'does not fit'} into {capacity:,}"
    tried = [f"  {p:>16,}  {method}" for method, p in result["attempts"]]
    return "\n".join(
        [
            f"{name}: {count:,} buffers",
            f"peak         {peak:>16,} bytes, {verdict}",
            f"lower bound  {result['lower_bound']:>16,} bytes live at one time",
            f"time         {result['ms']:>16,.1f} ms",
            "found in these steps:",
            *tried,
        ]
    )


def _show_progress(seconds: float, peak: int, bound: int) -> None:
    sys.stderr.write(f"\r{seconds:6.1f} s  best {peak:,}  at least {bound:,} ")
    sys.stderr.flush()


def _positive(text: str) -> float:
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of 0 or more, got {text!r}")
    return number


def _bytes(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"expected bytes, as in 1048576, got {text!r}")
    return int(text)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m jupyter_hybrid.plan",
        description="What a memory plan takes, beside its lower bound.",
    )
    parser.add_argument(
        "file", type=Path, help="CSV of lifetimes, or a -symbol.json beside its .params"
    )
    parser.add_argument("--train", action="store_true", help="with gradients of every argument")
    parser.add_argument("--shapes", type=Path, metavar="FILE.json", help="shapes by argument")
    parser.add_argument(
        "--passes",
        metavar="LIST",
        help="exactly these passes (and infer, plan; with --train, gradient), separated by commas",
    )
    parser.add_argument(
        "--remat",
        metavar="sqrt|BYTES",
        help="compute forward values again for the gradient; BYTES: a budget for all that a run "
        "makes, gradients included",
    )
    parser.add_argument("--ms", type=_positive, default=10.0, help="of searching (default 10)")
    parser.add_argument("--exact", action="store_true", help="branch and bound")
    parser.add_argument(
        "--seconds", type=_positive, default=60.0, help="limit of --exact (default 60)"
    )
    parser.add_argument(
        "--capacity",
        type=_bytes,
        default=0,
        metavar="BYTES",
        help="--exact, but any plan that fits into so many will do",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(given)
    if args.file.suffix != ".json":
        of_graphs = {"--train": args.train, "--shapes": args.shapes, "--passes": args.passes,
                     "--remat": args.remat}  # fmt: skip
        wrong = [name for name, value in of_graphs.items() if value]
        if wrong:
            parser.error(f"{wrong[0]} is for a -symbol.json, {args.file.name} is read as a CSV")
    return args


def main(given: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    args = _arguments(given)
    try:
        if args.file.suffix == ".json":
            name = args.file.name.removesuffix(".json").removesuffix("-symbol")
            shapes = read_shapes(args.shapes, name) if args.shapes else {}
            passes = None
            if args.passes is not None:
                passes = [p for p in args.passes.replace(",", " ").split() if p]
            remat = int(args.remat) if args.remat and args.remat.isdecimal() else args.remat
            symbol, known = read_graph(args.file)
            lifetimes = graph_lifetimes(symbol, known | shapes, args.train, passes, remat)
        else:
            lifetimes = read_lifetimes(args.file)
        exact = args.exact or args.capacity > 0
        progress = _show_progress if exact and sys.stderr.isatty() else None
        result = plan(lifetimes, args.ms, exact, args.seconds, progress, args.capacity)
    except (MXNetError, OSError, ValueError) as error:
        print(f"{args.file}: {error}", file=sys.stderr)
        return 1
    if progress is not None:
        sys.stderr.write("\n")
    if args.json:
        kept = ("peak", "lower_bound", "proven_bound", "ms", "optimal")
        fits = {"fits": result["peak"] <= args.capacity} if args.capacity else {}
        print(json.dumps({k: result[k] for k in kept} | fits))
    else:
        print(_text(args.file.name, len(lifetimes), result, args.capacity))
    return 0


if __name__ == "__main__":
    sys.exit(main())
