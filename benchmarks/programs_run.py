"""In the process of one program: its ways of being run, in turn, each told as it ends."""

from __future__ import annotations

import ast
import gc
import importlib.util
import re
import time
from collections.abc import Iterator
from typing import Any

from overhead import Cells
from programs_list import Program

PEERS = ("numba", "jax")
EMPTY = "%%as_written\npass\n"
RTOL = {"f": 1e-5, "F": 1e-5, "d": 1e-9, "D": 1e-9}  # beside the largest number of an array


class Refused(Exception):
    """A way that can't run this program, and why."""


def leaves(result: Any) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        for item in result:
            yield from leaves(item)
    else:
        yield result


def sameness(got: Any, wanted: Any, types: bool) -> str:
    """ "bits", "close", or what differs; with ``types`` Python's and NumPy's scalars do too."""
    import numpy as np

    if isinstance(wanted, (tuple, list)):
        if type(got) is not type(wanted) or len(got) != len(wanted):
            return f"WRONG: {type(wanted).__name__} of {len(wanted)}, got {type(got).__name__}"
        found = [sameness(g, w, types) for g, w in zip(got, wanted)]
        wrong = [f"{f} (number {i})" for i, f in enumerate(found) if f.startswith("WRONG")]
        return wrong[0] if wrong else "close" if "close" in found else "bits"
    g, w = np.asarray(got), np.asarray(wanted)
    if (g.dtype, g.shape) != (w.dtype, w.shape):
        return f"WRONG: {w.dtype}{w.shape}, got {g.dtype}{g.shape}"
    if types and type(got) is not type(wanted):
        return f"WRONG: {type(wanted).__name__}, got {type(got).__name__}"
    if g.tobytes() == w.tobytes():
        return "bits"
    rtol = RTOL.get(w.dtype.char)
    if rtol is None:
        return f"WRONG: {np.count_nonzero(g != w)} of {w.size} integers differ"
    finite = np.abs(w[np.isfinite(w)])
    scale = float(finite.max()) if finite.size else 0.0
    if np.allclose(g, w, rtol=rtol, atol=rtol * scale, equal_nan=True):
        return "close"
    with np.errstate(all="ignore"):
        return f"WRONG: by {np.nanmax(np.abs(g - w)):.3g} beside numbers up to {scale:.3g}"


class Ways:
    """Every way to run a program: what has to be ready before the clock starts, and the text."""

    def __init__(self, cells: Cells, program: Program, size: str):
        self.cells, self.program, self.setup = cells, program, program.setup(size)
        self.names = cells.shell.user_ns
        self.peers: dict[str, dict[str, Any]] = {}  # their functions, compiled by the first run
        self.codes: dict[str, Any] = {}
        cells.shell.register_magic_function(self.as_written, "cell", "as_written")

    def as_written(self, line: str, text: str) -> None:
        """A cell's text without IPython's parsing, which takes longer than many small programs."""
        if text not in self.codes:
            self.codes[text] = compile(text, "<cell>", "exec")
        exec(self.codes[text], self.names)

    def plain(self) -> str:
        return f"%%as_written\n{self.program.cell}"

    def typed(self) -> str:
        return self.program.cell

    def ours(self) -> str:
        return self.cells.magic + self.program.cell

    def auto(self) -> str:
        from IPython.core.error import UsageError

        try:
            self.cells.shell.run_line_magic("hybrid", "mode auto")
        except UsageError:
            raise Refused("unknown") from None
        return self.program.cell

    def numba(self) -> str:
        """The same functions under ``numba.njit``, without object mode."""
        if not importlib.util.find_spec("numba"):
            raise Refused("not installed")
        if "numba" not in self.peers:
            tree = ast.parse(self.program.parts["functions"])
            functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
            for function in functions:
                function.decorator_list.append(ast.parse("numba.njit", mode="eval").body)
            code = compile(ast.fix_missing_locations(tree), "<numba>", "exec")
            self.peers["numba"] = self.defined("import numba", code, [f.name for f in functions])
        self.names.update(self.peers["numba"])
        return f"%%as_written\n{self.program.parts['cell']}"

    def jax(self) -> str:
        """The functions ported by hand, given arrays that are jax's already."""
        text = self.program.parts.get("jax")
        if not text:
            raise Refused("no port")
        if not importlib.util.find_spec("jax"):
            raise Refused("not installed")
        import jax
        import numpy as np

        if "jax" not in self.peers:
            jax.config.update("jax_enable_x64", True)
            names = [n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
            code = compile(text, "<jax>", "exec")
            self.peers["jax"] = self.defined("", code, [*names, "jnp"])
        for name, value in list(self.names.items()):
            if type(value) is np.ndarray and not name.startswith("_"):
                self.names[name] = jax.numpy.asarray(value)
        self.names.update(self.peers["jax"])
        return f"%%as_written\n{self.program.parts.get('jax cell', self.program.parts['cell'])}"

    def defined(self, before: str, code: Any, names: list[str]) -> dict[str, Any]:
        """What a text defines, in a namespace of its own beside the setup's names."""
        space: dict[str, Any] = {}
        exec(f"{before}\n{self.setup}", space)
        exec(code, space)
        return {name: space[name] for name in names}

    def timed(self, way: str) -> tuple[float, Any]:
        """One run from the state that the setup makes, until every array of the result is there."""
        import numpy as np

        self.cells.seconds(self.setup)
        text = getattr(self, way)()
        gc.collect()
        self.cells.tell(began=way, at=time.monotonic())
        start = time.perf_counter()
        try:
            self.cells.shell.run_cell(text, store_history=False).raise_error()
            result = self.names["result"]
            for leaf in leaves(result):
                np.asarray(leaf)
            return time.perf_counter() - start, result
        finally:
            if way == "auto":
                self.cells.shell.run_line_magic("hybrid", "mode imperative")


def reason(error: Exception) -> str:
    """The first line that says something, with the next if it ends in a colon.

    numba's own first lines say in which of its steps it failed.
    """
    lines = [line.strip() for line in str(error).splitlines()]
    steps = ("Failed in nopython mode", "- Resolution failure")
    said = [line for line in lines if line and not line.startswith(steps)] or [""]
    text = " ".join(said[: 1 + said[0].endswith(":")])
    return f"{type(error).__name__}: {re.sub(r' at 0x[0-9a-f]+', '', text)}"[:200]


def in_turn(program: Program, size: str, ways: list[str], rounds: int, seconds: float) -> None:
    """The ways in turn, plain NumPy first: all of them at least twice, then while time is left.

    The clock of ``seconds`` starts after the first round, in which the peers compile.
    """
    from jupyter_hybrid import _core

    _core.set_num_threads(1)
    cells = Cells("", warm=False)  # the first hybridized cell of all is the program's own
    runs = Ways(cells, program, size)
    end = float("inf")
    for done in range(rounds):
        if done == 1:
            end = time.perf_counter() + seconds
        if done > 1 and time.perf_counter() > end:
            break
        cells.tell(way="empty", s=min(cells.seconds(EMPTY) for _ in range(3)))
        wanted: Any = None
        for way in ["plain", *ways]:
            try:
                taken, result = runs.timed(way)
            except Refused as error:
                cells.tell(way=way, refused=str(error))
            except Exception as error:
                if way == "plain":
                    raise
                cells.tell(way=way, failed=reason(error))
            else:
                if way == "plain":
                    wanted, same = result, "bits"
                else:
                    same = sameness(result, wanted, types=way not in PEERS)
                cells.tell(way=way, s=taken, same=same)
                continue
            ways = [other for other in ways if other != way]
