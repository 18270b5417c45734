"""Finds what a cell does beside binding names, before it is run several times.

The cell runs once, on copies, under guard: every call, every write through an attribute or an
index is looked at *before* it happens. The first one that would be seen outside the copies stops
the run and is named with its line.
"""

from __future__ import annotations

import ast
import builtins
import copy
import io
import sys
import types
from collections import deque
from typing import Any

import numpy as np

from .. import _core
from ..capture.cell import Cell
from ..capture.deferred import names_read
from .foreign import Foreign
from .functions import unsafe_writes
from .origin import in_library, origin_module

_GUARD = "__jupyter_hybrid_guard__"
# Libraries whose functions compute and do nothing else, with their exceptions.
PURE = frozenset(
    {
        "abc", "array", "bisect", "builtins", "cmath", "collections", "colorsys", "copy",
        "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools", "heapq",
        "itertools", "jupyter_hybrid", "math", "numbers", "numpy", "operator", "random", "re",
        "scipy", "statistics", "string", "textwrap", "time", "typing", "types", "zlib", "_operator",
        "_functools", "_collections", "_random", "_statistics", "_bisect", "_heapq", "__future__",
        "_struct", "struct", "_abc", "_decimal", "_datetime", "genericpath", "posixpath", "codecs",
    }
)  # fmt: skip
_NOT_PURE = {
    "builtins": {"open", "input", "exec", "eval", "breakpoint", "setattr", "delattr", "exit",
                 "quit", "__import__", "compile"},
    "numpy": {"save", "savez", "savez_compressed", "savetxt", "memmap", "open_memmap", "tofile",
              "dump", "seterr", "setbufsize", "seterrcall", "set_printoptions", "fromfile",
              "set_bit_generator", "test"},
    "scipy": {"savemat", "write", "mmwrite", "save_npz", "hb_write"},
    "jupyter_hybrid": {"save", "export", "save_parameters", "load_parameters", "initialize",
                       "step", "update", "allreduce_grads", "set_data", "set_learning_rate",
                       "hybridize", "virtual_gpus", "setattr", "zero_grad", "reset_ctx", "cast",
                       "force_reinitialize", "register_forward_hook", "load"},
}  # fmt: skip
# Two runs never read the same there, so results can't be compared.
_CLOCKS = {
    "time": {"time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns",
             "process_time", "process_time_ns", "thread_time", "thread_time_ns", "localtime",
             "gmtime", "ctime", "asctime", "strftime"},
    "datetime": {"now", "utcnow", "today"},
}  # fmt: skip
_UNINITIALIZED = (np.empty, np.empty_like, np.ndarray)
_TRAINING = {"record", "train_mode", "backward", "set_training", "set_recording"}
_CHANGES = frozenset(
    {
        "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "add",
        "discard", "popitem", "setdefault", "appendleft", "popleft", "extendleft", "rotate",
        "__setitem__", "__delitem__", "__iadd__", "difference_update", "intersection_update",
        "symmetric_difference_update",
    }
)  # fmt: skip


class EffectFound(BaseException):
    """What a cell does that a second run would repeat. Not caught by the cell's own handlers."""

    def __init__(self, line: int | None, effect: str):
        super().__init__(line, effect)
        self.line = line
        self.effect = effect


class Guard:
    """Runs a cell once and raises :class:`EffectFound` at its first effect.

    Args:
        cell: the cell.
        user: the user's namespace, to know which objects were there before.
        copies: the namespace of copies in which the cell runs.
    """

    def __init__(self, cell: Cell, user: dict[str, Any], copies: dict[str, Any]):
        self._cell = cell
        self._copies = copies
        self._foreign = Foreign(user)
        self.found: EffectFound | None = None
        self.uninitialized: int | None = None  # the first line that makes np.empty or the like
        self._trains = any(
            type(copies.get(name)).__module__.startswith("jupyter_hybrid.gluon")
            or hasattr(type(copies.get(name)), "collect_params")
            for name in copies
            if not name.startswith("_")
        )

    def run(self) -> Any:
        """Executes the cell; returns the value of its last expression."""
        statements, shown = _guarded_code(self._cell)
        namespace = self._copies
        self._check_blocks()
        self._foreign.protect()
        before = sys.getprofile()
        setattr(builtins, _GUARD, self)
        value = None
        try:
            sys.setprofile(self._profile)
            exec(statements, namespace)
            if shown is not None:
                value = eval(shown, namespace)
        except ValueError as error:
            line = line_in(error, self._cell.filename)
            if "read-only" in str(error) and self._foreign.protects:
                raise EffectFound(line, "writes into an array that it reaches through another "
                                  "object or function") from error  # fmt: skip
            raise
        finally:
            sys.setprofile(before)
            delattr(builtins, _GUARD)
            changed = self._foreign.release()
        if self.found is not None:  # a bare `except:` of the cell's own swallowed it
            raise self.found
        if changed:
            raise EffectFound(None, "writes into an array that it reaches through another object")
        return value

    def _check_blocks(self) -> None:
        read = names_read("\n".join(self._cell.lines))
        for name in sorted(read & self._copies.keys()):
            parameters = getattr(type(self._copies[name]), "collect_params", None)
            if parameters is None or isinstance(self._copies[name], type):
                continue
            for parameter in self._copies[name].collect_params().values():
                if getattr(parameter, "_deferred", None) is not None:
                    self._stop(
                        None, f"would be the first call of {name}, which makes its parameters"
                    )

    # What the guarded code calls --------------------------------------------------------------
    def call(self, line: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call written in the cell."""
        __tracebackhide__ = True
        effect = self._judge(function)
        if effect is None and "out" in kwargs and self._is_foreign_target(kwargs["out"]):
            effect = "writes into an array that was there before (out=)"
        if effect is None and function is print and _is_file(kwargs.get("file")):
            effect = "prints to a file"
        if effect is not None:
            self._stop(line, effect)
        made = function(*args, **kwargs)
        if self.uninitialized is None and any(function is f for f in _UNINITIALIZED):
            self.uninitialized = line
        return made

    def attribute(self, line: int, owner: Any, name: str) -> Any:
        """The object whose attribute the cell writes or deletes."""
        if self._foreign.holds(owner):
            self._stop(line, f"writes the attribute {name!r} of a {type(owner).__name__}")
        return owner

    def item(self, line: int, owner: Any) -> Any:
        """The container whose item the cell writes or deletes."""
        if self._foreign.holds(owner):
            self._stop(line, f"writes an item of a {type(owner).__name__} that was there before")
        return owner

    def inplace(self, line: int, old: Any, value: Any) -> Any:
        """The right side of ``name += value``."""
        if isinstance(old, (list, set, dict, deque, _core.NDArray)) and self._foreign.holds(old):
            self._stop(line, f"changes a {type(old).__name__} that was there before")
        return value

    # Judging ----------------------------------------------------------------------------------
    def _stop(self, line: int | None, effect: str) -> None:
        self.found = EffectFound(line, effect)
        raise self.found

    def _is_foreign_target(self, target: Any) -> bool:
        parts = target if isinstance(target, tuple) else (target,)
        return any(self._foreign.holds(p) for p in parts if not isinstance(p, np.ndarray))

    def _judge(self, function: Any) -> str | None:
        """Why calling this object is an effect, or None."""
        owner = getattr(function, "__self__", None)
        name = getattr(function, "__name__", type(function).__name__)
        if isinstance(function, types.MethodWrapperType) or function in (io.StringIO, io.BytesIO):
            return None
        if owner is not None and not isinstance(owner, (types.ModuleType, type)):
            return self._judge_method(owner, name, function)
        if isinstance(function, types.FunctionType) and not in_library(function.__code__):
            return None  # looked into when it runs
        module = origin_module(function)
        return self._judge_module(module, name)

    def _judge_method(self, owner: Any, name: str, function: Any) -> str | None:
        kind = type(owner)
        if isinstance(owner, io.IOBase):
            if isinstance(owner, (io.StringIO, io.BytesIO)) and not self._foreign.holds(owner):
                return None
            return f"uses a file ({kind.__name__}.{name})"
        if isinstance(owner, (np.random.Generator, np.random.RandomState)):
            known = np.random.mtrand._rand
            if owner is not known and self._foreign.holds(owner):
                return f"draws from a {kind.__name__} that it reaches through another object"
            return None
        if name in _CHANGES and self._foreign.holds(owner):
            return f"changes a {kind.__name__} that was there before (.{name})"
        inner = getattr(function, "__func__", None)
        if isinstance(inner, types.FunctionType) and not in_library(inner.__code__):
            return None
        return self._judge_module(kind.__module__, name)

    def _judge_module(self, module: str, name: str) -> str | None:
        root = module.partition(".")[0]
        if root in ("__main__", "types", "method_descriptor"):
            return None
        shown = name if root == "builtins" else f"{root}.{name}"
        if name in ("open", "_modified_open") and root in ("io", "_io", "IPython"):
            return "opens a file"
        if root in ("IPython", "ipykernel") and name == "display":
            return None  # captured
        if root == "IPython" or name in ("run_line_magic", "run_cell_magic", "get_ipython"):
            return "runs a line magic or a shell command"
        if root not in PURE:
            return f"calls {shown}; {root} is not on the list of libraries known to only compute"
        if name in _NOT_PURE.get(root, ()):
            return f"calls {shown}"
        if name in _CLOCKS.get(root, ()):
            return f"reads the clock ({shown}), which no two runs read alike"
        if root == "jupyter_hybrid" and name in _TRAINING and self._trains:
            return f"calls {shown} on a block: training changes its gradients and statistics"
        return None

    # Functions of earlier cells and modules ---------------------------------------------------
    def _profile(self, frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            if frame.f_code.co_filename != self._cell.filename and not in_library(frame.f_code):
                effect = self._judge(arg)
                if effect is not None:
                    self._stop(self._line(frame), effect)
        elif event == "call":
            code = frame.f_code
            if code.co_filename == self._cell.filename or code.co_name.startswith("<"):
                return
            if not in_library(code):
                effect = unsafe_writes(frame, self._foreign.holds)
                if effect is not None:
                    self._stop(self._line(frame), effect)
                return
            back = frame.f_back
            if back is not None and not in_library(back.f_code):
                module = frame.f_globals.get("__name__", "")
                if module.startswith("importlib._bootstrap"):
                    return  # an import: the module's own code is looked at when it runs
                effect = self._judge_module(module, code.co_name)
                if effect is not None:
                    self._stop(self._line(frame), effect)

    def _line(self, frame: types.FrameType | None) -> int | None:
        while frame is not None:
            if frame.f_code.co_filename == self._cell.filename:
                return frame.f_lineno
            frame = frame.f_back
        return None


def _is_file(target: Any) -> bool:
    return target is not None and not isinstance(target, io.StringIO) and target is not sys.stdout


def line_in(error: BaseException, filename: str) -> int | None:
    """The innermost line of the cell that the error passed through, or None."""
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


# Frame-looking calls stay where they are; those with effects are judged by name.
_STAYS = frozenset({"super", "locals", "globals", "vars", "dir"})


class _Guarding(ast.NodeTransformer):
    """Routes calls and writes of the cell through the guard."""

    def _guard(self, method: str, at: ast.AST, *args: ast.expr, **rest: Any) -> ast.Call:
        line = ast.Constant(getattr(at, "lineno", 0))
        function = ast.Attribute(ast.Name(_GUARD, ast.Load()), method, ast.Load())
        call = ast.Call(function, [line, *args], rest.get("keywords", []))
        return ast.copy_location(call, at)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _STAYS:
            return node
        return self._guard("call", node, node.func, *node.args, keywords=node.keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = self._guard("attribute", node, node.value, ast.Constant(node.attr))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = self._guard("item", node, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            node.value = self._guard("inplace", node, old, node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _guarded_code(cell: Cell) -> tuple[Any, Any]:
    tree = ast.fix_missing_locations(_Guarding().visit(copy.deepcopy(cell.tree)))
    last = tree.body[-1] if tree.body else None
    shown = None
    if isinstance(last, ast.Expr):
        tree.body.pop()
        shown = compile(ast.Expression(last.value), cell.filename, "eval")
    return compile(tree, cell.filename, "exec"), shown
