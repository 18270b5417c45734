"""Cells of everyday kinds that hold for themselves, as many people write them: by name."""

CELLS: dict[str, str] = {
    "a store into a global in a loop": """
u = [0] * 5
def fill():
    for i in range(5):
        u[i] = i * i
fill()
""",
    "a store into an array of a closure": """
import numpy as np
def outer():
    u = np.zeros(4)
    def fill():
        for i in range(4):
            u[i] = i
        return u.sum()
    return fill(), u
total, u = outer()
""",
    "memo of a global dict": """
memo = {}
def fib(n):
    if n in memo:
        return memo[n]
    if n < 2:
        memo[n] = n
    else:
        memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]
found = fib(60)
""",
    "a store into a global in a branch": """
seen = {}
def note(k, flag):
    if flag:
        seen[k] = "yes"
    else:
        seen[k] = "no"
note("a", True); note("b", False)
""",
    "a store into a global in a try": """
log = {}
def attempt(k, v):
    try:
        log[k] = 1 / v
    except ZeroDivisionError as error:
        log[k] = str(error)
    finally:
        log["last"] = k
attempt("x", 2); attempt("y", 0)
""",
    "a while that stores into a global": """
row = [1]
def grow(n):
    i = 1
    while i < n:
        row.append(0)
        row[i] = row[i - 1] * 2
        i += 1
grow(8)
""",
    "global in a block": """
def f(c):
    if c:
        global g
        g = 1
    for _ in range(2):
        global h
        h = 5
    while c:
        global k
        k = c
        c -= 1
f(2)
""",
    "global counted in a loop": """
n = 0
def count():
    global n
    for i in range(7):
        n += i
        if n > 9:
            n -= 1
count()
""",
    "nonlocal in blocks": """
def make():
    total = 0
    def add(values):
        nonlocal total
        for v in values:
            if v > 1:
                total += v
        return total
    return add([1, 2, 3]), add([4]), total
out = make()
""",
    "recursion to 900": """
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
found = depth(900)
""",
    "recursion with branches to 850": """
import numpy as np
x = np.arange(3.0)
def depth(n, v):
    if n == 0:
        return v
    return depth(n - 1, v)
found = depth(850, x)
""",
    "recursion of a method to 850": """
class Walk:
    def __init__(self, rate):
        self.rate = rate
        self.steps = []
    def go(self, n):
        if n:
            if n % 100 == 0:
                self.steps.append(n)
            self.go(n - 1)
        return self
steps = Walk(0.5).go(850).steps
""",
    "private names": """
class Counter:
    __slots__ = ("__n", "log")
    def __init__(self):
        self.__n = 0
        self.log = []
    def step(self, k):
        for i in range(k):
            self.__n += 1
            if self.__n % 2:
                self.log.append(self.__n)
        self.__bump(2)
        return self.__n
    def __bump(self, by):
        __extra = by
        self.__n *= __extra
class _Sub__(Counter):
    def __init__(self):
        super().__init__()
        self.__m = [1, 2]
        self.__m[0] += 4
    def get(self):
        return self.__m
c = Counter(); s = _Sub__()
n, log, m = c.step(5), c.log, None
""".replace(', "log")', ', "log", "__dict__")'),
    "comprehensions with conditions": """
import numpy as np
x = np.array([3.0, -1.0, 2.0, -5.0])
a = [v for v in x if v > 0]
b = [1 if v >= 0 else 0 for v in x]
c = {i: v for i, v in enumerate(x) if i % 2}
d = {int(v) for v in x if v < 0}
e = sum(v for v in x if v > 0)
f = any(v > 2 for v in x), all(v > -9 for v in x)
g = [(i, j) for i in range(3) for j in range(i) if i + j > 1]
h = [[i * j for j in range(3)] for i in range(2)]
k = list(v * 2 for v in range(4) if v != 2)
w = [y for v in range(5) if (y := v * v) % 2 == 0]
""",
    "comprehensions in functions and classes": """
class Grid:
    size = 3
    cells = [i for i in range(3) if i]
    def rows(self):
        return [[self.size * i + j for j in self.cells] for i in range(self.size) if i != 1]
def primes(n):
    return [p for p in range(2, n) if all(p % q for q in range(2, int(p ** 0.5) + 1))]
rows, found = Grid().rows(), primes(60)
""",
    "names deleted": """
def f():
    x = 1
    for i in range(3):
        y = i
        if i == 1:
            del x
    try:
        return x
    except UnboundLocalError as error:
        return str(error), y
found = f()
a = b = 2
del a
for k in range(2):
    t = k
    del t
del k
""",
    "a name that is not bound": """
def f(c):
    if c:
        value = 1
    for i in range(0):
        last = i
    return last
f(False)
""",
    "a name of a branch that is not bound": """
def f(c):
    if c:
        value = 1
    return value
f(False)
""",
    "loops with else": """
out = []
for n in range(2, 12):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        out.append(n)
k = 5
while k:
    k -= 1
    if k == 7:
        break
else:
    out.append("ended")
while True:
    k += 1
    if k > 3:
        break
else:
    out.append("never")
""",
    "else that leaves the loop around it": """
out = []
for a in range(5):
    i = 0
    while i < 2:
        i += 1
    else:
        if a == 1:
            continue
        if a == 3:
            break
    out.append(a)
""",
    "continue, break and return": """
def first(rows, wanted):
    for i, row in enumerate(rows):
        for v in row:
            if v < 0:
                continue
            if v == wanted:
                return i, v
            if v > 90:
                break
        else:
            continue
        return i, None
found = [first([[1, -2], [95, 3], [4]], w) for w in (4, 1, 95)]
""",
    "try in loops": """
def parse(words):
    out, bad = [], 0
    for w in words:
        try:
            out.append(int(w))
        except ValueError:
            bad += 1
            continue
        else:
            out[-1] += 1
        finally:
            bad += 10
    return out, bad
found = parse("1 x 3 y".split())
""",
    "a loop that raises": """
values = [4, 2, 0, 1]
total = 0
for v in values:
    total += 8 / v
""",
    "an iterable that is none": """
n = 5
for i in n:
    print(i)
""",
    "too many to unpack": """
pairs = [(1, 2), (3, 4, 5)]
for a, b in pairs:
    s = a + b
""",
    "an error in a method": """
class Stack:
    def __init__(self): self.items = []
    def pop(self):
        while True:
            if not self.items:
                raise IndexError("empty stack")
            return self.items.pop()
s = Stack()
s.pop()
""",
    "an error far down": """
def a(n):
    return b(n) + 1
def b(n):
    values = [n]
    return values[n]
a(3)
""",
    "recursion without end": """
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError as error:
    kind = type(error)
""",
    "generators": """
def squares(n):
    for i in range(n):
        if i == 3:
            continue
        yield i * i
def flat(rows):
    for row in rows:
        yield from row
def count():
    n = 0
    while True:
        got = yield n
        n += 1 if got is None else got
g = count()
found = list(squares(6)), list(flat([[1], [2, 3]])), next(g), next(g), g.send(5)
""",
    "closures and defaults": """
fs = [lambda k=k: k * 2 for k in range(3)]
gs = [lambda: k for k in range(3)]
found = [f() for f in fs], [g() for g in gs]
def scale(by):
    def inner(v, *rest, unit="m", **more):
        return v * by, rest, unit, more
    return inner
out = scale(3)(2, 5, 6, unit="s", q=1)
""",
    "decorators": """
import functools
calls = []
def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        calls.append((f.__name__, args))
        return f(*args, **kwargs)
    return wrapper
@logged
def area(w, h=2):
    "The area."
    return w * h
@functools.lru_cache(maxsize=None)
def stairs(n):
    return 1 if n < 2 else stairs(n - 1) + stairs(n - 2)
found = area(3), area(3, h=4), area.__doc__, area.__name__, stairs(30)
""",
    "classes of everyday kinds": """
from dataclasses import dataclass, field
@dataclass
class Point:
    x: float
    y: float = 0.0
    tags: list = field(default_factory=list)
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
    @property
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
    @classmethod
    def origin(cls): return cls(0.0)
    @staticmethod
    def unit(): return 1
p = Point(3.0, 4.0) + Point.origin()
found = p.norm, repr(p), Point.unit(), p == Point(3.0, 4.0)
del p
""",
    "a tree of nodes": """
class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None
def insert(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = insert(node.left, key)
    else:
        node.right = insert(node.right, key)
    return node
def walk(node):
    return walk(node.left) + [node.key] + walk(node.right) if node else []
root = None
for k in [5, 2, 8, 1, 9, 3]:
    root = insert(root, k)
keys = walk(root)
del root
""",
    "a sieve": """
def sieve(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return [i for i, p in enumerate(prime) if p]
found = sieve(200)
""",
    "edit distance": """
import numpy as np
def distance(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i in range(len(a) + 1):
        d[i, 0] = i
    for j in range(len(b) + 1):
        d[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[-1, -1], d
found, table = distance("kitten", "sitting")
""",
    "a perceptron": """
import numpy as np
rng = np.random.RandomState(0)
X = rng.randn(40, 2)
y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
w = np.zeros(2); b = 0.0; errors = []
for epoch in range(5):
    wrong = 0
    for xi, target in zip(X, y):
        guess = 1 if np.dot(xi, w) + b >= 0 else -1
        if guess != target:
            w += 0.1 * (target - guess) * xi
            b += 0.1 * (target - guess)
            wrong += 1
    errors.append(wrong)
""",
    "k-means": """
import numpy as np
rng = np.random.RandomState(1)
data = np.vstack([rng.randn(15, 2), rng.randn(15, 2) + 4])
centres = data[[0, 20]].copy()
for step in range(6):
    labels = []
    for p in data:
        d = [np.sum((p - c) ** 2) for c in centres]
        labels.append(int(np.argmin(d)))
    labels = np.array(labels)
    new = np.array([data[labels == k].mean(axis=0) for k in range(2)])
    if np.allclose(new, centres):
        break
    centres = new
""",
    "cavity flow by hand": """
import numpy as np
def relax(u, steps):
    for n in range(steps):
        un = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (un[i + 1, j] + un[i - 1, j] + un[i, j + 1] + un[i, j - 1])
        u[0, :] = 1
    return u
field = relax(np.ones((6, 6)) * np.arange(6), 4)
""",
    "a stand-in in a list is written by a plain loop": """
import numpy as np
x = np.arange(6.0)
rows = [x * 2, x + 1]
for i in range(60):
    if rows[0][i % 6] > 2:
        rows[1][i % 6] += 1
    rows[0][i % 6] -= 0.5
same = rows[1]
same[0] = 100
tail = rows[1][0], rows[0].sum()
""",
    "views written in a plain loop": """
import numpy as np
def work(x):
    y = x * 3
    v = y[1:4]
    for i in range(80):
        if y[i % 6] > 10:
            v[i % 3] -= 1
        else:
            y[i % 6] += 2
    return y, v, v.base is not None
y, v, has_base = work(np.arange(6.0))
total = y.sum() + v.sum()
""",
    "a helper that writes a global": """
import numpy as np
acc = np.zeros(3)
def bump(k):
    acc[k % 3] += k
    if acc[0] > 30:
        acc[0] = 0
before = acc * 1
for k in range(70):
    bump(k)
after = acc + before
""",
    "chained comparison and conditions": """
import numpy as np
x = np.linspace(-1, 1, 9)
low = high = 0
for v in x:
    if -0.5 < v <= 0.5 and not v == 0:
        low += 1
    elif v > 0.5 or v < -0.9:
        high += 1
    else:
        low -= 0
found = "some" if (x > 0).any() else "none"
""",
    "strings and formatting": """
words = "the quick brown fox jumps over the lazy dog the end".split()
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
best = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:2]
for w, n in best:
    print(f"{w:>6}: {n:02d} {n / len(words):.1%}")
text = ", ".join(f"{k}={v!r}" for k, v in sorted(counts.items()) if v > 1)
""",
    "match": """
def area(shape):
    match shape:
        case ("circle", r):
            return 3 * r * r
        case {"w": w, "h": h, **rest} if not rest:
            return w * h
        case [a, *others]:
            return a + len(others)
        case _:
            return None
found = [area(s) for s in [("circle", 2), {"w": 2, "h": 3}, [5, 1, 1], 7]]
""",
    "with and contextlib": """
from contextlib import contextmanager
log = []
@contextmanager
def noted(name):
    log.append("+" + name)
    try:
        yield name
    finally:
        log.append("-" + name)
for n in "ab":
    with noted(n) as m:
        if m == "b":
            continue
        log.append(m)
""",
    "assert in a loop": """
for n in [3, 2, 1]:
    assert n > 1, f"{n} is too small"
""",
    "starred and swapped": """
a, b = 1, 2
for _ in range(3):
    a, b = b, a + b
first, *rest = [a, b, 9]
def f(*args, **kw): return args, kw
found = f(*rest, **{"k": first})
rows = list(zip(*[[1, 2], [3, 4]]))
""",
    "default of a function and of a method": """
def push(v, into=[]):
    into.append(v)
    return into
for i in range(3):
    got = push(i)
class A:
    n = 2
    def f(self, k=n, *, by=n + 1): return k * by
found = A().f()
""",
    "sorting by hand": """
def bubble(a):
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a
import numpy as np
found = bubble([5, 1, 4, 2, 8]), bubble(np.array([3, 1, 2]))
""",
    "Newton and bisection": """
def solve(f, a, b, tol=1e-10):
    steps = 0
    while b - a > tol:
        m = (a + b) / 2
        if f(a) * f(m) <= 0:
            b = m
        else:
            a = m
        steps += 1
    return m, steps
root, steps = solve(lambda v: v ** 3 - 2, 0, 2)
""",
    "a matrix product by hand": """
import numpy as np
a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
c = np.zeros((2, 4))
for i in range(2):
    for j in range(4):
        for k in range(3):
            c[i, j] += a[i, k] * b[k, j]
""",
    "two names of one array in a plain loop": """
import numpy as np
a = np.zeros(5) + 1
b = a
for i in range(90):
    if b[i % 5] < 12:
        a[i % 5] += 1
same = a is b
b[:] = b[::-1].copy()
""",
    "random draws in a plain loop": """
import numpy as np, random
np.random.seed(3); random.seed(3)
walk = [0]
for i in range(50):
    walk.append(walk[-1] + (1 if np.random.rand() > 0.5 else -1))
picked = random.choice(walk), np.random.randint(5)
""",
    "exceptions of one's own": """
class Bad(ValueError):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code
def check(v):
    for k in (1, 2):
        if v == k:
            raise Bad(k)
codes = []
for v in range(4):
    try:
        check(v)
    except Bad as bad:
        codes.append((bad.code, str(bad)))
check(2)
""",
    "numbers stay numbers": """
total = 0
for i in range(200):
    total += i * 2 ** (i % 5)
    total %= 10 ** 9
big = 1
while big < 2 ** 70:
    big *= 3
ratio = 7 // 2, 7 % 3, -7 // 2, 2 ** -1, divmod(7, -2), 1e308 * 10
""",
    "walrus": """
data = [1, 5, 2]
while (n := len(data)) > 1:
    data.pop()
found = n, [m for d in range(4) if (m := d % 2)], m
""",
    "string keys and nested stores": """
table = {}
def put(path, value):
    node = table
    *parts, last = path.split(".")
    for p in parts:
        node = node.setdefault(p, {})
    node[last] = value
for k, path in enumerate(["a.b", "a.c.d", "e"]):
    put(path, k)
""",
    "locals and globals": """
def f(a):
    b = a + 1
    for i in range(2):
        c = i
    return sorted(locals())
found = f(1), "found" in globals()
""",
}
