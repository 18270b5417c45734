"""Random loop nests over numbers of all kinds, elements of arrays, lists and texts."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

SCALARS = [
    "0", "1", "-1", "2", "7", "-3", "255", "2**31", "2**62", "-2**63", "2**53 + 1", "0.0", "-0.0",
    "1.5", "-2.25", "1e308", "float('inf')", "float('nan')", "True", "False", "1j", "2 - 0.5j",
    "np.float64(0.5)", "np.float64(-0.0)", "np.float64('nan')", "np.float32(1.5)",
    "np.float32(3e38)", "np.int64(5)", "np.int64(-2)", "np.int32(7)", "np.int8(100)",
    "np.uint8(200)", "np.uint16(3)", "np.int64(2**62)", "np.bool_(True)", "np.complex128(1 + 2j)",
    "np.uint64(3)", "None", "'a'", "[1, 2]",
]  # fmt: skip
ARRAYS = [
    "np.arange(6.0)", "np.arange(6)", "np.arange(6, dtype=np.uint8) * 50",
    "np.array([1.5, np.nan, np.inf, -0.0, 2.0])", "np.array([True, False, True, True])",
    "np.arange(12.0).reshape(3, 4)", "np.arange(12).reshape(4, 3).T", "np.arange(5, dtype=np.int8)",
    "np.arange(6, dtype=np.float32)", "np.arange(8)[::2]", "np.arange(8.0)[::-1]",
    "np.arange(4) * 1j", "np.arange(24).reshape(2, 3, 4)", "np.array([2**62, -2**63, 5])",
    "np.arange(3, dtype=np.uint64)", "base[1:]", "base[:-1]", "base", "np.zeros(0)", "frozen",
    "[3, 1, 2, 0]", "[0.5, 1.5, -0.0]", "[True, False]", "[1, 2.0]", "'abcabd'", "b'xyz'",
    "np.arange(5).astype('>i4')", "np.arange(5, dtype=np.int16)", "(1, 2, 3)", "['a', 'b']",
    "grid", "grid", "grid[1]", "[[0.5, 1.5, 2.0], [1.0, -0.0, 3.5]]", "[[0] * 3] * 3", "[0] * 4",
    "[[1, 2], [3, 4, 5]]", "[[True, False], [False, True]]", "[[0] * 4 for _ in range(5)]",
    "[(1, 2), (3, 4), (5, 6)]", "((0.5, 1.0), (1.5, -0.0))", "([1, 2], [3, 4])",
    "[grid[0], [5, 6, 7]]", "(0.5, 2.0)", "(1, 2.0)", "[[], []]", "[[[1, 2]], [[3, 4]]]",
]  # fmt: skip
FLAT = [
    "np.arange(6.0)", "np.arange(6.0) - 2.5", "base[1:]", "base[:-1]", "np.arange(6)",
    "base[:0:-1]", "np.arange(12.0)[::2]", "np.arange(6, dtype=np.float32)", "np.arange(6) * 1j",
    "np.arange(6) > 2", "np.arange(6, dtype=np.uint8) * 50", "np.full(6, np.inf)",
    "np.arange(6, dtype=np.int16)", "np.array([1e308, -0.0, np.nan, 1, 2, 3])",
    "np.linspace(0, 1, 6)", "np.arange(6.0) * 0.1",
]  # fmt: skip
SQUARE = [
    "np.arange(36.0).reshape(6, 6)", "np.ones((6, 6)).T", "np.arange(36).reshape(6, 6)[::-1]",
    "np.eye(6)", "np.arange(72.0).reshape(6, 12)[:, ::2]", "np.arange(6.0)",
    "np.sin(np.arange(36.0)).reshape(6, 6)", "np.arange(36, dtype=np.float32).reshape(6, 6)",
    "np.arange(36.0).reshape(6, 6).T",
]  # fmt: skip
NAMES = ["a", "b", "c", "s", "t"]
HELD = ["x", "y", "z"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"]
LIKELY = ["+", "-", "*", "+", "-", "*", "/", "//", "%"]
SMALL = ["0", "1", "2", "3", "-1", "0.5", "np.int64(2)", "i"]
COMPARED = ["<", "<=", ">", ">=", "==", "!="]
CALLS = [
    "abs({})", "int({})", "float({})", "bool({})", "math.sqrt({})", "math.floor({})", "np.sqrt({})",
    "np.abs({})", "math.exp({})", "np.float64({})", "np.int64({})", "np.float32({})",
    "np.uint8({})",
    "min({}, {})", "max({}, {})", "max({}, {}, {})", "math.atan2({}, {})", "complex({}, {})",
    "np.where({} > 1, 1, -1)",
    "len(x)", "x.shape[0]", "ord({})", "math.log({})", "np.int32({})", "round({})", "round({}, 2)",
    "sum(x)", "sum(q * {} for q in y)", "max(q + {} for q in range(4))",
    "any(q > {} for q in range(3))", "all([q != {} for q in range(3)])",
    "sum({} for q in range(5) if q > 1)", "rng.random()", "rng.uniform(1, {})", "rng.integers(9)",
    "np.random.randn()", "np.random.normal({}, 2)", "random.gauss(0, 1)", "random.randint(1, 6)",
    "random.choice([1, 2, {}])", "random.uniform({}, 1)", "rng.exponential({})",
    "rng.normal({}, 1)", "np.random.randint(5)", "np.random.rand()", "rng.choice([1, 2])",
]  # fmt: skip
LISTS = ["l", "u"]
GIVEN_LISTS = [
    "[]", "[1, 2]", "[0.5]", "[1, 2.5, True]", "[[1], [2.5, 3]]", "[[], []]", "h", "[h, [2]]",
    "[np.float64(0.5), 1]", "[np.int8(100)]", "[[0] * 3 for _ in range(3)]", "grid",
    "[grid[1], grid[1]]", "[x]", "[float('nan'), -0.0]", "[x, y]", "[frozen]",
    "[base[1:], base[:-1]]",
]  # fmt: skip
# What a list is given; {l}: one, {e}: a number.
OF_LISTS = [
    "{l} = []", "{l} = [{e}, {e}]", "{l} = [{e}] * 3", "{l} = [[{e}] * 2 for _ in range(3)]",
    "{l} = {l}[:]", "{l} = {l}[1:3]", "{l} = {l}[::-1]", "{l} = [{e} for q in range(4)]",
    "{l} = {l}[:4] + {l}[:4]", "{l} = {l}[:3] * 2", "{l} = {l}", "l, u = u, l", "{l} = list({l})",
    "{l}.append({e})", "{l}.append({e})", "{l}.append({e})", "h.append({l})", "u.append(l[:2])",
    "{l}[i % 2].append({e})", "{l}.insert(1, {e})", "{l}.pop()", "{n} = {l}.pop(0)",
    "{n} = {l}.pop() + {l}[-1]", "{l}.extend({l}[:2])", "{l} += [{e}]", "{l}.sort()",
    "{l}.reverse()",
    "{l}[0] = {e}", "{l}[-1] += {e}", "u[0] = l", "u[i % 2] = [{e}, {e}]", "{l}[0][1] = {e}",
    "{l} = sorted({l}[:4])", "{l} = [{e}, [1, 2]]", "{l} = [l[:1], [{e}]]", "v = np.array({l})",
    "for q in {l}[:5]: {n} = q", "if {l}: {n} = {e}", "if len({l}) > 20: {l} = {l}[:3]",
    "{n} = {l}.index({e})", "{l} = [x, x]", "{l} = [y[1:]]", "{l}[0] = x[0]", "y[0] = {l}[0]",
    "while len({l}) > 2: {l}.pop()", "while {l}: {n} = {l}.pop(0)", "{n}, {n} = {l}",
    "del {l}[0]", "{l}.remove({e})", "{l}[0] *= 2", "{l}[i % 2] -= {e}", "z = {l}[0] + 1",
    "for q, p in zip(l, u): {n} = q", "for p, q in enumerate({l}, 1): {n} = q", "{l}[0] = y * 2",
    "{n} = sum({l}) + max({l})", "{n} = {l}[0] is {l}[0]", "{l} = [q for q in {l} if q > {e}]",
]  # fmt: skip
FROM_LISTS = [
    "l[-1]",
    "u[0]",
    "len(l)",
    "({} in l)",
    "u[0][1]",
    "l[i % 2]",
    "u[-1]",
    "(i not in u)",
]
FUNCTIONS = ["f", "g", "h"]
MADE = ["v", "w"]  # names of what whole arrays give
PARTS = [
    "1:", ":-1", "::2", "::-1", ":", "i:", ":i", "i + 1:", "0", "i", "-1", "1:3", "None", "i:i + 2",
    "a:", "2::-1", "5:1", ":-i",
]  # fmt: skip
WHOLE = [
    "np.exp({})", "np.sin({})", "np.sqrt({})", "np.abs({})", "abs({})", "np.tanh({})", "-{}", "~{}",
    "np.maximum({}, {})", "np.minimum({}, {})", "np.add({}, {})", "np.hypot({}, {})", "{}.T",
    "{}.copy()", "({} ** 2)", "({} ** 3)", "({} + {})", "({} - {})", "({} * {})", "({} / {})",
    "({} // {})", "({} % {})", "({} < {})", "({} == {})", "({} & {})", "{} @ {}", "np.dot({}, {})",
    "{}.dot({})", "np.outer({}, {})", "np.zeros_like({})", "np.ones_like({})", "{}", "{}", "{}",
    "np.log({})", "np.logical_not({})", "np.isnan({})", "np.clip({}, 0, 2)", "np.roll({}, 1)",
    "np.cumsum({})", "np.where({} > 1, {}, 0.5)", "np.sort({})", "x[{} > 1]", "{}.astype(int)",
    "np.concatenate(({}, {}))", "np.diff({})", "np.array([a, b, 1.5])", "np.linspace(0, 1, i)",
    "np.arange(i)", "{}.clip(a, 3)", "np.linalg.inv({})", "np.linalg.solve({}, {})", "np.triu({})",
    "{}.flatten()", "np.round({}, 1)", "v[np.argsort({})]", "np.eye(3)", "np.sum({}, axis=(0,))",
    "{}.ravel()", "np.reshape({}, (2, -1))", "np.flip({})", "np.stack(({}, {}))", "x[np.arange(3)]",
    "np.where({}, {}, {})", "{}[{} > 0]", "np.append({}, {})", "np.array([{}, {}])",
    "np.cumprod({})", "np.array([[a, b], [s, 2]])", "np.column_stack(({}, {}))", "np.flip({}, 0)",
    "y[[0, 2]]",
]  # fmt: skip
REDUCED = [
    "np.sum({})", "{}.sum()", "{}.max()", "np.min({})", "{}.mean()", "np.prod({})", "np.any({})",
    "{}.all()", "len({})", "{}.size", "{}.shape[0]", "{}.ndim", "np.sum({}, axis=0)",
    "{}.sum(axis=-1)", "np.max({}, axis=1)", "{}.mean(axis=0)", "np.exp(a)", "np.sin(s)",
    "np.maximum(a, b)", "np.hypot(a, 2)", "np.floor(b)", "np.argmax({})", "{}.std()",
    "np.linalg.norm({})", "np.count_nonzero({})", "{}.argmin()", "np.median({})", "np.trace({})",
    "np.array_equal({}, {})", "np.allclose({}, {})", "np.clip(a, 0, 1)", "np.var({})",
    "np.argmin({})",
]  # fmt: skip


@dataclass
class Trial:
    """A loop, what its names hold before, and functions that it calls."""

    setup: str
    loop: str
    functions: str = ""

    def __repr__(self) -> str:
        return f"\n{self.setup}\n{self.functions}\n# ---\n{self.loop}"


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    """A cell that sets names, and one loop over them."""
    setup = [
        "h = []",
        "base = np.arange(7.0)",
        "grid = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]",
        "frozen = np.arange(4.0)",
        "frozen.flags.writeable = False",
        "np.random.seed(4)",
        "random.seed(3)",
        "rng = np.random.default_rng(5)",
    ]
    setup += [f"{n} = {draw(st.sampled_from(SCALARS))}" for n in NAMES if draw(st.integers(0, 4))]
    functions = []
    loop = _Loop(draw)
    loop.listed = loop.chance(3)
    for name in FUNCTIONS[: draw(st.sampled_from([0, 0, 1, 1, 2]))]:
        functions += _Loop(draw, loop).function(name)
    if loop.wide:
        setup += [f"{n} = {draw(st.sampled_from(SCALARS[11:17]))}" for n in NAMES]
        alike = FLAT if loop.rank == 1 else SQUARE
        setup += [f"{n} = {draw(st.sampled_from(alike))}" for n in (*HELD, *MADE)]
    else:
        setup += [f"{n} = {draw(st.sampled_from(ARRAYS))}" for n in HELD]
    if loop.listed:
        setup += [
            f"{n} = {draw(st.sampled_from(GIVEN_LISTS))}" for n in LISTS if draw(st.integers(0, 9))
        ]
    return Trial("\n".join(setup), "\n".join(loop.loop(0)), "\n".join(functions))


class _Loop:
    def __init__(self, draw: st.DrawFn, caller: _Loop | None = None):
        self.draw = draw
        self.counters: list[str] = ["i"] if caller else []
        self.called = caller.called if caller else {}  # functions: their parameters
        self.returns = 0  # so many values, in a function
        self.listed = caller is not None and caller.listed  # lists, too
        if caller:
            self.wide, self.rank, self.left = caller.wide, caller.rank, 5
            return
        self.wide = self.chance(2)  # whole arrays, too
        self.rank = 1 if self.chance(2) else 2  # of these
        self.left = 5 if self.wide else 14  # statements

    def pick(self, of: list[str]) -> str:
        return self.draw(st.sampled_from(of))

    def chance(self, of: int) -> bool:
        return self.draw(st.integers(0, of - 1)) == 0

    def function(self, name: str) -> list[str]:
        """The lines of one, which those after it may call."""
        given = self.pick(["a", "a, b", "x, a", "v, b", "", "a, b=2", "x, i", "s, a=0.5"])
        self.returns = 2 if self.chance(3) else 1
        body = self.block(1)
        if not self.chance(5):  # else those that it sets late are not bound early
            locals_ = [n for n in NAMES if n not in given.replace("=", ",").split(", ")]
            body[:0] = [f"    {n} = {self.pick(SCALARS[11:17])}" for n in locals_]
        if not self.chance(4):
            body.append(f"    {self.returned()}")
        self.called[name] = [p.strip() for p in given.split(",") if p]
        return [f"def {name}({given}):", *body]

    def returned(self) -> str:
        values = [self.expression(2) for _ in range(self.returns)]
        return f"return {', '.join(values)}" if not self.chance(15) else "return"

    def call(self) -> str:
        """Of a function."""
        name = self.pick([*self.called])
        given = []
        for parameter in self.called[name]:
            if "=" in parameter and self.chance(2):
                break
            plain = parameter[0] not in "xv" or self.chance(20)
            value = self.expression(1) if plain else self.pick(HELD)
            by_name = self.chance(6) or any("=" in g for g in given)
            given.append(f"{parameter.partition('=')[0]}={value}" if by_name else value)
        return f"{name}({', '.join(given)})"

    def index(self) -> str:
        simple = [*self.counters, "0", "1", "-1", "i % 3", "2"]
        if self.chance(6):
            return self.expression(1)
        return self.pick([*simple, *[f"{c} - 1" for c in self.counters]])

    def element(self) -> str:
        name = self.pick(HELD)
        rank = self.rank if self.wide else self.draw(st.sampled_from([1, 1, 1, 2, 2, 3]))
        parts = [self.index() for _ in range(rank)]
        if rank == 2 and self.chance(3 if self.wide else 2):
            return f"{name}[{parts[0]}][{parts[1]}]"
        return f"{name}[{', '.join(parts)}]"

    def expression(self, depth: int = 3) -> str:
        if depth and self.called and self.chance(5):
            return self.call()
        if self.listed and self.chance(6):
            text = self.pick(FROM_LISTS)
            return text.format(self.expression(0)) if "{" in text else text
        kind = self.draw(st.integers(0, 11)) if depth else self.draw(st.integers(0, 4))
        if kind < 3:
            return self.pick([*NAMES, *self.counters])
        if kind == 3:
            return self.pick(SCALARS[:21])
        if kind == 4:
            return self.element()
        if kind < 9:
            operator = self.pick(BINARY if self.chance(4) else LIKELY)
            # Python's integers have no bounds.
            small = self.pick(SMALL) if operator in ("**", "<<") else self.expression(depth - 1)
            return f"({self.expression(depth - 1)} {operator} {small})"
        if kind == 9:
            text = self.pick(CALLS)
            return text.format(*[self.expression(depth - 1) for _ in range(text.count("{}"))])
        if kind == 10:
            return f"({self.pick(['-', '+', '~', 'not '])}{self.expression(depth - 1)})"
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        return f"({one} if {self.condition(1)} else {other})"

    def whole(self, depth: int = 2) -> str:
        """Of an array, or a part of one."""
        kind = self.draw(st.sampled_from([0, 0, 0, 2, 4, 5, 6, 6, 6])) if depth else 0
        name = self.pick([*HELD, *MADE])
        if kind < 2:
            return name
        if kind < 4:
            parts = [self.pick(PARTS) for _ in range(self.parts())]
            return f"{name}[{', '.join(parts)}]"
        if kind == 4:
            return self.pick(NAMES)
        if kind == 5:
            return self.pick(
                ["np.zeros(3)", "np.ones((2, 3))", "np.full(4, a)", "np.zeros(i, int)"]
            )
        text = self.pick(WHOLE)
        return text.format(*[self.whole(depth - 1) for _ in range(text.count("{}"))])

    def parts(self) -> int:
        return self.rank if self.chance(3) else 1

    def of_whole(self) -> list[str]:
        """A statement about whole arrays."""
        kind = self.draw(st.integers(0, 8))
        if kind == 7:
            name, operator = self.pick([*HELD, "v"]), self.pick(["", "+", "*"])
            mask = self.pick(
                [f"{name} > 1", "x > a", "np.isnan(y)", "[0, 1]", "np.argsort(x)", "np.arange(3)"]
            )
            return [f"{name}[{mask}] {operator}= {self.pick(['0', 'a', '1.5', 'z', f'{name}[0]'])}"]
        if kind == 8:
            text = ["np.add({}, {}, out=z)", "np.multiply({}, {}, out=v)", "np.copyto(x, {})"]
            text = self.pick([*text, "np.fill_diagonal(x, a)", "h.append({})", "h.append({})"])
            return [text.format(*[self.whole(1) for _ in range(text.count("{}"))])]
        if kind < 2:
            return [f"{self.pick([*MADE, *MADE, *HELD])} = {self.whole(3)}"]
        if kind < 4:
            parts = ", ".join(self.pick(PARTS) for _ in range(self.parts()))
            operator = self.pick(["", "", "+", "-", "*", "/"])
            return [f"{self.pick([*HELD, 'v'])}[{parts}] {operator}= {self.whole(1)}"]
        if kind == 4:
            return [f"{self.pick([*HELD, *MADE])} {self.pick(['+', '-', '*'])}= {self.whole(1)}"]
        text = self.pick(REDUCED)
        given = [self.whole(1) for _ in range(text.count("{}"))]
        return [f"{self.pick([*NAMES, 'v'])} = {text.format(*given)}"]

    def of_lists(self) -> str:
        """A statement about lists."""
        parts = self.pick(OF_LISTS).split("{")
        made = parts[0]
        for part in parts[1:]:
            what, _, rest = part.partition("}")
            chosen = {"l": lambda: self.pick(LISTS), "n": lambda: self.pick(NAMES)}
            made += chosen.get(what, lambda: self.expression(1))() + rest
        return made

    def condition(self, depth: int = 2) -> str:
        kind = self.draw(st.integers(0, 7)) if depth else 0
        if kind < 5:
            left, right = self.expression(1), self.expression(1)
            return f"{left} {self.pick(COMPARED)} {right}"
        if kind == 5:
            word = self.pick(["and", "or"])
            return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"
        if kind == 6:
            return f"{self.expression(0)} {self.pick(['is', 'is not'])} None"
        return f"0 < {self.expression(1)} < {self.expression(1)}"

    def block(self, depth: int) -> list[str]:
        lines = []
        for _ in range(self.draw(st.integers(1, 3 if self.wide else 4))):
            lines += self.statement(depth)
        return ["    " + line for line in lines]

    def statement(self, depth: int) -> list[str]:
        self.left -= 1
        if self.listed and self.chance(2):
            return [self.of_lists()]
        if self.chance(12):
            return [f"h.append({self.expression(1)})"]
        if self.chance(10):
            return [self.comprehension()]
        if self.called and self.chance(6):
            return [f"{self.pick(['', 'a, b = ', 'x[0] = ', 'v = ', 's += '])}{self.call()}"]
        if self.returns and self.chance(7):
            return [f"if {self.condition(1)}:", f"    {self.returned()}"]
        if self.wide and not self.chance(4):
            return self.of_whole()
        kind = self.draw(st.integers(0, 13)) if self.left > 0 else 0
        if kind < 4:
            return [f"{self.pick(NAMES)} = {self.expression()}"]
        if kind < 7:
            return [f"{self.pick(NAMES)} {self.pick(LIKELY)}= {self.expression(2)}"]
        if kind < 9:
            operator = self.pick(["", "", "+", "-", "*"])
            return [f"{self.element()} {operator}= {self.expression(2)}"]
        if kind == 9:
            lines = [f"if {self.condition()}:", *self.block(depth)]
            return lines + (["else:", *self.block(depth)] if self.chance(2) else [])
        if kind == 10 and depth < 2:
            return self.loop(depth + 1)
        if kind == 11:
            ways = (
                ["pass", "break", "continue"]
                if len(self.counters) > bool(self.returns)
                else ["pass"]
            )
            return [f"if {self.condition(1)}:", f"    {self.pick(ways)}"]
        if kind == 12 and self.chance(3):  # unpack
            return ["a, b = x.shape"]
        if kind == 12:
            one, two = self.pick(NAMES), self.pick(NAMES)
            return [f"{one}, {two} = {self.expression(1)}, {self.expression(1)}"]
        other = ["x, y = y, x", "z = x", "raise ValueError(a)", "print(a, s)", "x = x", "a = b = c"]
        other += ["y = x[i]", "z = x[0]", "t = len(x[0])", "x[1] = y", "x[i], y = y, x[i]"]
        return [f"if i == {self.draw(st.integers(0, 6))}:", f"    {self.pick(other)}"]

    def comprehension(self) -> str:
        """A statement of one."""
        name = self.pick(["q", "q", "a", "i"])
        way = self.pick(["range(9)", "range(a % 9)", "x", "y", "z", "x[i]", "enumerate(x)"])
        target = f"{name}, p" if way.startswith("enum") else name
        self.counters.append(name)
        text = f"{self.expression(2)} for {target} in {way}"
        if self.chance(3):
            text += f" if {self.condition(1)}"
        if self.chance(6):
            text += f" for p in range({name} % 9)"  # what a name holds may be 2**62
        self.counters.pop()
        kept = ["h = [{}]", "h = [{}]", "s = sum({})", "h = sorted({})", "t = max({})", "h += [{}]"]
        return self.pick([*kept, "h = list({})", "v = np.array([{}])"]).format(text)

    def loop(self, depth: int) -> list[str]:
        counter = "ijk"[depth]
        ways = [f"range({n})" for n in (3, 5, 9)]
        ways += ["(1, 2.5, a)", "((0, 1), (2, a))", "enumerate(y)", "zip(x, y, z)"]
        ways += ["range(5, -1, -1)", "range(1, 8, 3)", "x", "y", "enumerate(x)", "zip(x, y)"]
        ways += [f"range({c}, 4)" for c in self.counters] + ["range(len(x))", "while"]
        way = self.pick(ways)
        self.counters.append(counter)
        if way == "while":
            body = self.block(depth)
            lines = [f"{counter} = 0", f"while {counter} < 4 and {self.condition(1)}:"]
            lines += [f"    {counter} += 1", *body]
        else:
            two = way.startswith(("enum", "zip", "(("))
            target = f"{counter}, {self.pick(NAMES)}" if two else counter
            target += ", t" if way.endswith("z)") else ""
            lines = [f"for {target} in {way}:", *self.block(depth)]
        if self.chance(6):
            lines += ["else:", f"    {self.pick(NAMES)} = {self.expression(1)}"]
        self.counters.pop()
        return lines
