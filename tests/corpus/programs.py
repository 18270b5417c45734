"""Random cells for hypothesis: aliases, views, writes in place, branches on integers, loops.

A program is a list of lines over arrays of known shapes. ``face`` is ``np`` (float64 and int64) or
``nd`` (float32 and int32). Numbers are multiples of a quarter and stay small, so that NumPy's sums
are exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from .catalogue import CorpusCell

HELPERS = {
    "np": """import numpy as np

def scaled(v, k):
    w = v * k
    w += 1
    return w

def bump(v, by):
    v += by
    return v

def clear_first(v):
    v[0] = 0

class Keeper:
    def __init__(self, v):
        self.v = v
        self.count = 0
    def add(self, by):
        self.v += by
        self.count += 1
        return self.v

a = np.arange(12.0).reshape(3, 4) / 4
b = np.arange(4.0) - 1.5
c = np.arange(12).reshape(3, 4) % 5
d = np.arange(4) - 2
k = 3
""",
}
HELPERS["nd"] = (
    HELPERS["np"]
    .replace("import numpy as np", "from jupyter_hybrid import nd")
    .partition("a = np.arange")[0]
    + """a = nd.arange(12).reshape((3, 4)) / 4
b = nd.arange(4) - 1.5
c = nd.array([[0, 1, 2, 3], [4, 0, 1, 2], [3, 4, 0, 1]], dtype="int32")
d = nd.array([-2, -1, 0, 1], dtype="int32")
k = 3
"""
)


@dataclass
class _Array:
    shape: tuple[int, ...]
    kind: str  # "f" or "i"


@dataclass
class _Program:
    draw: Any
    face: str
    arrays: dict[str, _Array]
    lines: list[str] = field(default_factory=list)
    made: int = 0
    boxes: list[list[str]] = field(default_factory=list)

    # Drawing -------------------------------------------------------------------------------------
    def pick(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    def small(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def number(self, kind: str) -> str:
        if kind == "i":
            return str(self.small(-3, 4))
        return self.pick(["0.5", "2", "-1", "1.25", "3", "k", "0.25"])

    def name(self) -> str:
        self.made += 1
        return f"v{self.made}"

    def array(self, shape: tuple[int, ...] | None = None, kind: str | None = None) -> str | None:
        found = [
            n
            for n, a in self.arrays.items()
            if (shape is None or a.shape == shape) and (kind is None or a.kind == kind)
        ]
        return self.pick(found) if found else None

    def bind(self, line: str, shape: tuple[int, ...], kind: str, new: str, indent: str) -> None:
        self.lines.append(f"{indent}{new} = {line}")
        self.arrays[new] = _Array(shape, kind)

    # Expressions ---------------------------------------------------------------------------------
    def value(self, shape: tuple[int, ...], kind: str) -> str:
        """An expression of that shape (or broadcast to it) and kind, without effects."""
        one = self.array(shape, kind)
        if one is None:
            return self.number(kind)
        other = self.array(shape, kind)
        face = self.face
        forms = [
            f"{one} + {other}",
            f"{one} - {self.number(kind)}",
            f"{face}.maximum({one}, {other})",
            f"-{one}",
            f"{one} * {self.number(kind)}",
            f"{face}.where({one} > {other}, {one}, {other})",
            self.number(kind),
            one,
        ]
        if len(shape) == 2 and self.array(shape[1:], kind):
            row = self.array(shape[1:], kind)
            forms.append(f"{face}.broadcast_add({one}, {row}.reshape((1, -1)))"
                         if face == "nd" else f"{one} + {row}")  # fmt: skip
        return self.pick(forms)

    def window(self, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """A basic index of an axis or two, never empty, and the shape that it selects."""
        keys, left = [], []
        for dim in shape[: self.small(1, len(shape))]:
            start = self.small(0, dim - 1)
            if self.face == "np" and self.draw(st.booleans()) and self.draw(st.booleans()):
                keys.append("::-1")
                left.append(dim)
                continue
            stop = self.small(start + 1, dim)
            step = self.pick([1, 1, 2])
            if self.draw(st.integers(0, 3)) == 0 and not (self.face == "nd" and len(shape) == 1):
                keys.append(str(start))
            else:
                keys.append(f"{start}:{stop}:{step}" if step > 1 else f"{start}:{stop}")
                left.append(-(-(stop - start) // step))
        return ", ".join(keys), (*left, *shape[len(keys) :])

    # Statements ----------------------------------------------------------------------------------
    def statement(self, indent: str = "", depth: int = 0, binds: bool = True) -> None:
        kinds = ["write", "augment", "element", "bump", "rebind", "print", "number", "box_write"]
        if binds:
            kinds += ["new", "new", "alias", "view", "view", "sum", "scaled", "keeper", "box"]
            kinds += ["function", "copy"]
        if depth < 2:
            kinds += ["if", "loop"]
        getattr(self, "_" + self.pick(kinds))(indent, depth)

    def _new(self, indent: str, depth: int) -> None:
        like = self.arrays[self.array() or "a"]
        one = self.array(like.shape, like.kind)
        line = f"{one} + ({self.value(like.shape, like.kind)})"
        self.bind(line, like.shape, like.kind, self.name(), indent)

    def _rebind(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        one = self.array(like.shape, like.kind)
        self.lines.append(f"{indent}{name} = {one} + ({self.value(like.shape, like.kind)})")

    def _alias(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        self.bind(name, like.shape, like.kind, self.name(), indent)

    def _copy(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        self.bind(f"{name}.copy()", like.shape, like.kind, self.name(), indent)

    def _view(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        if not like.shape:
            return
        how = self.pick(["window", "window", "reshape", "T"])
        if how == "reshape" and len(like.shape) == 2:
            size = like.shape[0] * like.shape[1]
            self.bind(f"{name}.reshape((-1,))", (size,), like.kind, self.name(), indent)
        elif how == "T" and len(like.shape) == 2:
            self.bind(f"{name}.T", like.shape[::-1], like.kind, self.name(), indent)
        else:
            key, shape = self.window(like.shape)
            if shape:
                self.bind(f"{name}[{key}]", shape, like.kind, self.name(), indent)

    def _sum(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        how = self.pick(["sum", "max", "min"])
        if len(like.shape) == 2:
            axis = self.pick([0, 1])
            shape = (like.shape[1 - axis],)
            self.bind(f"{name}.{how}(axis={axis})", shape, like.kind, self.name(), indent)
        elif like.shape:
            self.lines.append(f"{indent}{self.name()} = {name}.{how}()")

    def _write(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        if like.shape:
            key, shape = self.window(like.shape)
            value = self.value(shape, like.kind) if shape else self.number(like.kind)
            self.lines.append(f"{indent}{name}[{key}] = {value}")

    def _augment(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        op = self.pick(["+=", "-=", "+="])
        if self.draw(st.booleans()) and like.shape:
            key, shape = self.window(like.shape)
            value = self.value(shape, like.kind) if shape else self.number(like.kind)
            self.lines.append(f"{indent}{name}[{key}] {op} {value}")
        else:
            self.lines.append(f"{indent}{name} {op} {self.value(like.shape, like.kind)}")

    def _element(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        if like.shape:
            key = ", ".join(str(self.small(-d, d - 1)) for d in like.shape)
            self.lines.append(f"{indent}{name}[{key}] = {self.number(like.kind)}")

    def _scaled(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        self.bind(f"scaled({name}, {self.number(like.kind)})".replace("k)", "2)"),
                  like.shape, like.kind, self.name(), indent)  # fmt: skip

    def _bump(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        if self.draw(st.booleans()):
            self.lines.append(f"{indent}_ = bump({name}, {self.number('i')})")
        elif self.arrays[name].shape:
            self.lines.append(f"{indent}clear_first({name})")

    def _keeper(self, indent: str, depth: int) -> None:
        name = self.array() or "a"
        like = self.arrays[name]
        keeper = self.name()
        self.lines.append(f"{indent}{keeper} = Keeper({name})")
        self.bind(f"{keeper}.add({self.number('i')})", like.shape, like.kind, self.name(), indent)

    def _box(self, indent: str, depth: int) -> None:
        names = [self.array() or "a" for _ in range(2)]
        box = self.name()
        self.lines.append(f"{indent}{box} = [{', '.join(names)}]")
        self.boxes.append([box, *names])

    def _box_write(self, indent: str, depth: int) -> None:
        if self.boxes:
            box = self.pick(self.boxes)[0]
            self.lines.append(f"{indent}{box}[{self.small(0, 1)}] += {self.number('i')}")

    def _print(self, indent: str, depth: int) -> None:
        name = self.array(kind="i") or "c"
        if self.face == "nd":
            self.lines.append(f"{indent}print({name}.asnumpy().sum())")
        else:
            self.lines.append(f"{indent}print({name}.sum())")

    def _number(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}k = k {self.pick(['+', '-', '*', '%'])} {self.small(1, 5)}")

    def _function(self, indent: str, depth: int) -> None:
        name, f = self.array() or "a", self.name()
        like = self.arrays[name]
        self.lines.append(f"{indent}def {f}(v, by=k):")
        self.lines.append(f"{indent}    w = v {self.pick('+-')} by")
        self.lines.append(f"{indent}    v -= {self.number('i')}")
        self.lines.append(f"{indent}    return w")
        if like.kind == "i":  # k is an int, so that the kind stays
            self.bind(f"{f}({name})", like.shape, like.kind, self.name(), indent)
        else:
            self.bind(f"{f}({name}, 0.5)", like.shape, like.kind, self.name(), indent)

    def _if(self, indent: str, depth: int) -> None:
        test = "k % 2 == 0"
        name = self.array(kind="i")
        if name and self.draw(st.booleans()):
            known = self.face == "nd" and self.draw(st.booleans())
            total = f"int({name}.asnumpy().sum())" if known else f"{name}.sum()"
            test = f"{total} > {self.small(0, 12)}"
        self.lines.append(f"{indent}if {test}:")
        self._block(indent, depth)
        if self.draw(st.booleans()):
            self.lines.append(f"{indent}else:")
            self._block(indent, depth)

    def _loop(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}for i in range({self.small(1, 3)}):")
        self._block(indent, depth)

    def _block(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}    pass")
        for _ in range(self.small(1, 2)):
            self.statement(indent + "    ", depth + 1, binds=False)

    def long_loop(self) -> None:
        """Nine steps of what a loop node may hold: rebinding, writes in place, branches."""
        self.lines.append("for i in range(9):")
        for _ in range(self.small(1, 4)):
            kinds = ["rebind", "rebind", "rebind", "augment", "write", "element", "if", "leave"]
            getattr(self, "_" + self.pick(kinds))("    ", 1)
        self.lines.append("    pass")

    def _leave(self, indent: str, depth: int) -> None:
        name = self.array(kind=self.pick("if"))
        if name:
            self.lines.append(f"{indent}if {name}.max() > {self.small(1, 9)}:")
            self.lines.append(f"{indent}    {self.pick(['break', 'break', 'continue'])}")

    def branches(self) -> None:
        """An ``if`` on an array value whose branches write and rebind."""
        name = self.array(kind=self.pick("if")) or "a"
        self.lines.append(f"if {name}.sum() > {self.small(-2, 12)}:")
        for start in ("", "else:"):
            self.lines += [start] * bool(start)
            self.lines.append("    pass")
            for _ in range(self.small(0, 3)):
                kinds = ["augment", "write", "element", "rebind", "augment", "write"]
                getattr(self, "_" + self.pick(kinds))("    ", 2)


@st.composite
def programs(draw: Any, face: str, loops: bool = False, branches: bool = False) -> CorpusCell:
    """A random cell for one face; it never raises on shapes or dtypes.

    Args:
        loops: the cell ends with a loop that may become a node, and reads of what it leaves.
        branches: it ends with an ``if`` on an array value whose branches write in place.
    """
    arrays = {
        "a": _Array((3, 4), "f"),
        "b": _Array((4,), "f"),
        "c": _Array((3, 4), "i"),
        "d": _Array((4,), "i"),
    }
    program = _Program(draw, face, arrays)
    for _ in range(draw(st.integers(2, 9))):
        program.statement()
    if loops:
        program.long_loop()
        program.statement()
    if branches:
        program.branches()
        program.statement()
    text = "\n".join(program.lines) + "\n" if program.lines else "pass\n"
    return CorpusCell("random", face, HELPERS[face], text, 0.0 if face == "nd" else 1e-12, False)
