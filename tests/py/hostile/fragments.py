"""Lines that read, write and ask, and a hypothesis strategy that composes them into cells."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from .catalogue import PLACES, Hostile

HELPER = """
import ctypes, re, struct, threading
from collections import defaultdict
from contextlib import contextmanager
from functools import lru_cache, partial
y = np.arange(6.0) / 4

class Box:
    def __init__(self, a):
        self.a, self.n = a, 0
    def bump(self):
        self.a += 1
        self.n += 1
        return self.n
    def swap(self):
        self.a = self.a + 1
    @property
    def level(self):
        self.a[0] += 2
        return self.n
    def __getitem__(self, i):
        self.a[i] -= 1
        return i
    def __len__(self):
        self.a[1] += 1
        return 3
    def __call__(self, v):
        self.a[2] = v
    def __enter__(self):
        self.a *= 2
        return self.n
    def __exit__(self, *error):
        self.a /= 2
    def __eq__(self, other):
        self.a[3] += 1
        return False
    __hash__ = None
    def __str__(self):
        self.a[4] += 1
        return "box"

def frames(a):
    for i in range(3):
        a += 1
        yield a
def shift(a, k):
    a[1:] = a[:-1] + k
    return a
def kept(a):
    return a * 0.5
def key(v):
    x[5] = v
    return -v
@contextmanager
def scope(a):
    a += 3
    yield
    a -= 3
@lru_cache(None)
def once(i):
    x[i] += 1
    return i
def counted(n):
    return 0 if n == 0 else 1 + counted(n - 1)
def run(f, *args):
    t = threading.Thread(target=f, args=args)
    t.start()
    t.join()

box = Box(x)
actions = {"add": lambda: x.__iadd__(1), "fill": lambda v: x.fill(v)}
seen, store = [], {}
"""

READS = [
    "{n} = x * 2 + {k}",
    "{n} = x + y",
    "{n} = {m} - x[::-1]",
    "{n} = x[{i}:].sum() + y",
    "{n} = np.where(x > {k}, x, y)",
    "{n} = kept(x) + {m}",
    "{n} = np.maximum(x[{i}], y)",
    "seen.append(x + {k})",
    "seen.append({m})",
    "store['{n}'] = {m} * 0.5",
    "{n} = (x - 1, {m})[0]",
    "{n} = sum([x, y, {m}])",
    "{n} = x",
    "{n} = x[:]",
]

# What writes, by a name that the exclusions use.
WRITES = {
    "in place": "x += {k}",
    "slice": "x[{i}:] = y[{i}:]",
    "element": "x[{i}] = {k}",
    "copyto": "np.copyto(x, y + {k})",
    "helper": "shift(x, {k})",
    "method": "box.bump()",
    "rebound attribute": "box.swap()",
    "property": "q = box.level",
    "getitem": "q = box[{i}]",
    "len": "q = len(box)",
    "call": "box({k})",
    "with": "with box as q:\n    q2 = x + 1",
    "equality": "q = box == {k}",
    "str": "print(box)",
    "fstring": "q = f'{{box}}'",
    "generator": "for q in frames(x):\n    seen.append(q + 1)",
    "next": "g = frames(x); next(g); q = x * 1; next(g); del g",
    "context": "with scope(x):\n    seen.append(x * 2)",
    "cached": "q = once({i})",
    "map": "for q in map(x.fill, [{k}]):\n    pass",
    "map to a list": "q = list(map(x.__setitem__, [{i}], [{k}]))",
    "sorted": "q = sorted([1, 2], key=key)",
    "default factory": "t = defaultdict(partial(x.__setitem__, 0, {k})); q = t['n']; del t",
    "dict of methods": "t = {{'fill': x.fill}}; t['fill']({k}); del t",
    "dict of lambdas": "actions['add'](); actions['fill']({k})",
    "sub": "q = re.sub('a', lambda m: str(key(2)), 'ba')",
    "nditer": "with np.nditer(x, op_flags=[['readwrite']]) as q:\n    for e in q:\n        e += 1",
    "memoryview": "t = memoryview(x); t[{i}] = {k}.0; del t",
    "memset": "t = ctypes.memset(x.ctypes.data, 0, 16); del t",
    "pack": "struct.pack_into('d', x, 8, {k})",
    "exec": "exec('x[{i}] = {k}')",
    "thread": "run(x.fill, {k})",
    "thread of a method": "run(box.bump)",
    "shuffle": "np.random.shuffle(x)",
    "vectorize": "q = np.vectorize(key)(np.arange(2))",
}
ASKS = [
    "same = x is {m}",
    "q = '{n}' in store, len(seen), hasattr(box, 'w')",
    "print(x.sum(), {k})",
    "q = float(y[{i}])",
    "q = [1 if e > {k} else 0 for e in x]",
    "q = counted(50)",
    "q = box.n, box.a is x",
    "q = type({m}) is np.ndarray",
    "q = np.random.rand()",
]
FRAMES = [
    "if x[{i}] > {k}:\n{body}",
    "if y.sum() < 100:\n{body}\nelse:\n    q = 0",
    "for i in range(3):\n{body}",
    "for i, e in enumerate(y[:3]):\n{body}",
    "try:\n{body}\n    x.reshape(4)\nexcept ValueError as error:\n    seen.append(str(error))",
    "with np.errstate(all='ignore'):\n{body}",
    "n = 0\nwhile n < 2:\n    n += 1\n{body}",
]


@dataclass(frozen=True)
class Excluded:
    """What differs today when the helpers are in one of those places, and why."""

    places: tuple[str, ...]
    why: str


@st.composite
def cells(draw: st.DrawFn, excluded: dict[str, Excluded]) -> tuple[Hostile, str]:
    """A cell of up to nine lines and frames, and the place of its helpers."""
    place = draw(st.sampled_from(PLACES))
    allowed = [
        text
        for name, text in WRITES.items()
        if name not in excluded or place not in excluded[name].places
    ]
    names = ["y"]

    def line(text: str) -> str:
        new = f"v{len(names)}"
        filled = text.format(
            n=new,
            m=draw(st.sampled_from(names)),
            i=draw(st.integers(0, 4)),
            k=draw(st.integers(1, 4)),
            body="{body}",
        )
        if filled.startswith(f"{new} ="):
            names.append(new)
        return filled

    def lines(most: int) -> list[str]:
        kinds = st.sampled_from([READS, READS, allowed, allowed, ASKS])
        return [line(draw(st.sampled_from(draw(kinds)))) for _ in range(draw(st.integers(1, most)))]

    parts = lines(4)
    for _ in range(draw(st.integers(0, 2))):
        frame, known = line(draw(st.sampled_from(FRAMES))), list(names)
        body = "\n".join(lines(3)).replace("\n", "\n    ")
        parts.append(frame.replace("{body}", "    " + body))
        names[:] = [*known, *["y"] * (len(names) - len(known))]  # perhaps not bound after it
        parts += lines(2)
    return Hostile("fuzz", "fuzz", HELPER, "\n".join(parts) + "\n"), place
