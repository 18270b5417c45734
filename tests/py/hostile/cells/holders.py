# Containers and objects that come to hold what a cell has not computed yet.

# %% a list plus a list
def join(l, v):
    return l + [v]
# --- cell
l = [1]
l2 = join(l, x * 2)
l3 = l2 + [x * 3] + l
l4 = l2 * 2
same = l4[1] is l4[3]

# %% copies of dicts and lists
def copies(d):
    return dict(d), d.copy(), {**d}
# --- cell
d = {"y": x * 2}
e, f, g = copies(d)
same = e["y"] is d["y"] is f["y"] is g["y"]
l = [x + 1]
m, n = list(l), l[:]
m[0] += 1
total = l[0].sum() + n[0].sum()

# %% sorted and reversed lists of arrays
def by_sum(v):
    return float(v.sum())
# --- cell
l = [x * 2, x, x * 3]
s = sorted(l, key=by_sum)
r = list(reversed(l))
order = [next(i for i, v in enumerate(l) if v is w) for w in s]

# %% zip of unpacked rows
def transpose(rows):
    return list(zip(*rows))
# --- cell
rows = [[x * i, i] for i in range(3)]
columns = transpose(rows)
u, v = zip(*rows)
same = u[1] is rows[1][0] is columns[0][1]

# %% setattr and vars
class Bag:
    pass
def keep(o, name, v):
    setattr(o, name, v)
# --- cell
o = Bag()
keep(o, "a", x * 2)
setattr(o, "b", x * 3)
o.__dict__["c"] = x * 4
vars(o).update(d=x * 5)
names = list(vars(o))

# %% heappush of pairs
from heapq import heappush, heappop
def push(h, n, v):
    heappush(h, (n, v))
# --- cell
h = []
for n in (3, 1, 2):
    push(h, n, x * n)
first = heappop(h)
heappush(h, (0, x))
least = h[0][1] is x

# %% a partial of a pending array
from functools import partial
def add(p, q):
    return p + q
# --- cell
y = x * 2
f = partial(add, y)
x[0] = 100
r = f(1)
same = f.args[0] is y

# %% a namespace returned by a function
from types import SimpleNamespace
def make(a):
    y = a * 2
    return SimpleNamespace(y=y, n=len(y))
# --- cell
s = make(x)
t = s.y + 1
same = s.y is s.__dict__["y"]

# %% a lambda made inside a function
def maker(a):
    y = a * 2
    return lambda v: y + v
# --- cell
f = maker(x)
r = f(1)
x += 1
s = f(1)
cell = f.__closure__[0].cell_contents

# %% a class made inside a function
def maker(a):
    y = a * 2
    class Made:
        table = y

        def get(self):
            return y + self.table
    return Made()
# --- cell
o = maker(x)
r = o.get()
same = type(o).table is o.table
x += 1
s = o.get()

# %% a thing kept in an OrderedDict and a deque
from collections import ChainMap, Counter, OrderedDict, deque
def fill(o, q):
    o["k"] = x * 2
    q.append(x * 3)
# --- cell
o, q = OrderedDict(), deque(maxlen=2)
fill(o, q)
o["l"] = x * 4
o.move_to_end("k")
q.appendleft(x * 5)
q.rotate(1)
c = ChainMap({}, o)
got = c["k"] is o["k"]

# %% an object array of arrays
def boxed(v):
    o = np.empty(2, object)
    o[0] = v
    o[1] = v * 2
    return o
# --- cell
o = boxed(x * 1)
p = o * 2
o[0] += 1
q = np.array([x * 3, None], dtype=object)
kind = type(o[0]).__name__, type(q[0]).__name__

# %% a named tuple and a dataclass
from collections import namedtuple
from dataclasses import dataclass, replace, astuple, field
Pair = namedtuple("Pair", "a b")
@dataclass
class Point:
    a: object
    b: float = 1.0
    more: list = field(default_factory=list)
# --- cell
p = Pair(x * 2, 1)
q = p._replace(b=x * 3)
d = Point(x * 4)
e = replace(d, b=2.0)
d.more.append(d.a)
same = e.a is d.a is d.more[0]
t = astuple(e)

# %% an enum and a frozen dataclass
import enum
from dataclasses import dataclass
class Mode(enum.Enum):
    FAST = 1
    SLOW = 2
@dataclass(frozen=True)
class Setting:
    mode: Mode
    w: object
# --- cell
s = Setting(Mode.FAST, x * 2)
try:
    s.w = 3
    failed = ""
except Exception as error:
    failed = str(error)
v = s.w.sum() if s.mode is Mode.FAST else 0

# %% a dict read by get pop and setdefault
def reads(d):
    return d.get("a"), d.get("none"), d.setdefault("b", 0), "a" in d, "c" in d
# --- cell
d = {"a": x * 2}
d["b"] = x * 3
r = reads(d)
p = d.pop("a")
left = list(d), len(d), "a" in d
same = p is r[0]

# %% the order of a dict's keys
def items(d):
    return [(k, float(v.sum())) for k, v in d.items()]
# --- cell
d = {}
for k in "bca":
    d[k] = x * ord(k)
d["b"] = d.pop("b")
order = list(d)
sums = items(d)
d.update(z=x, c=x * 0)
order2 = list(d)

# %% list methods
def grow(l, v):
    l.append(v)
    l.extend([v, v])
    l.insert(0, v)
# --- cell
l = []
y = x * 2
grow(l, y)
l += [x * 3]
l[1:2] = [x * 4, x * 5]
del l[0]
l.reverse()
n = l.pop()
ids = [v is y for v in l]

# %% a list index and count by identity
def where(l, v):
    return [i for i, w in enumerate(l) if w is v]
# --- cell
y, z = x * 2, x * 3
l = [y, z, y]
i = where(l, y)
j = l.index(y)
found = y in l

# %% a set of ids and a dict keyed by id
def numbered(*vs):
    return {id(v): n for n, v in enumerate(vs)}
# --- cell
y, z = x * 2, x * 3
n = numbered(y, z)
got = n[id(y)], n[id(z)], id(x) in n
kept = [y, z]
again = n[id(kept[1])]
del n

# %% attributes swapped between instances
class Node:
    def __init__(self, v):
        self.v, self.next = v, None
# --- cell
p, q = Node(x * 2), Node(x * 3)
p.next, q.next = q, p
p.v, q.v = q.v, p.v
p.next.v += 1
r = p.v + q.v
ring = p.next.next is p

# %% a linked list of arrays
class Chain:
    def __init__(self):
        self.items = ()
    def push(self, v):
        self.items = (v, self.items)
    def __iter__(self):
        rest = self.items
        while rest:
            v, rest = rest
            yield v
# --- cell
c = Chain()
for i in range(4):
    c.push(x * i)
sums = [v.sum() for v in c]
top = c.items[0]

# %% a registry in a module of the standard library
import types
registry = types.ModuleType("registry")
# --- cell
registry.y = x * 2
registry.z = registry.y + 1
a = registry.z.sum()
b = getattr(registry, "y") is registry.y
c = vars(registry)["z"]

# %% slots
class Small:
    __slots__ = ("a", "b")
    def __init__(self, a):
        self.a = a
    def both(self):
        self.b = self.a * 2
        return self.b
# --- cell
s = Small(x * 3)
r = s.both()
s.a += 1
same = s.b is r
has = hasattr(s, "c"), hasattr(s, "b")

# %% nested tuples unpacked with a star
def parts(a):
    return a[0], (a[1:3], [a[3:], a * 2])
# --- cell
h, (m, [t, *d]) = parts(x)
first, *rest = [x * i for i in range(3)]
m += 1
view = x[1] == m[0]

# %% a nonlocal that holds an array
def meter():
    total = np.zeros(6)
    n = 0
    def add(v):
        nonlocal total, n
        total = total + v
        n += 1
        return total / n
    return add
# --- cell
mean = meter()
a = mean(x)
b = mean(x * 3)
c = mean.__closure__[1].cell_contents if mean.__code__.co_freevars[1] == "total" else mean.__closure__[0].cell_contents

# %% string keys and an attribute chain of dicts
config = {"model": {"w": x, "rate": 0.1}}
def learn(c):
    c["model"]["w"] -= c["model"]["rate"]
# --- cell
a = config["model"]["w"] * 2
learn(config)
b = x * 2
config["model"]["w"] = config["model"]["w"] * 3
c = config["model"]["w"] is x

# %% a context variable and a thread local
import contextvars, threading
var = contextvars.ContextVar("var")
local = threading.local()
def read():
    return var.get(), local.v
# --- cell
y = x * 2
token = var.set(y)
local.v = y
r = read()
same = r[0] is r[1] is y
var.reset(token)

# %% a weak dictionary of results
import weakref
class Key:
    pass
cache = weakref.WeakKeyDictionary()
def cached(k, v):
    if k not in cache:
        cache[k] = v * 2
    return cache[k]
# --- cell
k = Key()
a = cached(k, x)
b = cached(k, x + 1)
same = a is b
n = len(cache)

# %% a memo in a dict by number
memo = {}
def power(n):
    if n not in memo:
        memo[n] = x if n == 1 else power(n - 1) * x
    return memo[n]
# --- cell
a = power(4)
b = power(2) is memo[2]
keys = sorted(memo)
memo[2] += 1
c = power(3)

# %% named results of linalg, whole
def halves(m):
    return np.linalg.qr(m + np.eye(2))
# --- cell
a = np.diag(x[1:3])
pair = np.linalg.eigh(a)
held = [np.linalg.svd(a), halves(a)]
by_name = {"s": np.linalg.slogdet(a)}
largest, shifted = pair.eigenvalues[-1], pair[0] + 1
kinds = [type(v).__name__ for v in (pair, *held, by_name["s"])]
inner = [type(v) is np.ndarray for v in (*held[0], *held[1])]
a[:] = 7

# %% a named result that unseen code unpacks and changes
import collections
log = collections.deque()
def note(r):
    log.append((type(r).__name__, type(r[1]).__name__, float(np.sum(r[1]))))
    r[1][0] = 5
    return r
# --- cell
a = np.diag(x[1:3])
first = note(np.linalg.eigh(a * 2))
w, v = first
total = (v * 2).sum()
texts = [str(first), repr(np.linalg.slogdet(a))]
seen = list(log)

# %% tuples in names, and loops as written
def kind(v):
    return type(v) is np.ndarray, hasattr(v, "parent")
# --- cell
y = x * 2
t = u = (y, (y * 3, 4))
r = []
for k in range(40):
    a, (b, c) = t
    r.append((type(b) is np.ndarray, kind(b), t is u, t[0] is y))
s = [(type(t[1][0]) is np.ndarray, kind(t[1][0]), t is u) for k in range(40)]
t[1][0][0] = 9
same = t is u, t[1] is u[1], t[1][0] is b

# %% a list that holds itself
import copy
ring = [1.0]
ring.append(ring)
told = []
# --- cell
y = x + 1
again = copy.deepcopy(ring)
print(again, len(again))
for call in (np.array, np.sum, np.mean, np.stack):
    try:
        call(ring)
    except Exception as error:
        told.append((type(error), str(error)))
both = [ring, y]
z = np.add(y, 1)

# %% long nested lists given to builtins
rows = [[float(i + j) for j in range(400)] for i in range(400)]
words = {str(i): i for i in range(3000)}
# --- cell
y = x * 2
total = sum(map(len, rows)), max(map(max, rows)), len(sorted(words)), words["77"], "78" in words
inner = [row[1] for row in rows[:3]]
kept = [*rows[0][:2], y]
seen = len(set(words)), len(list(zip(*rows)))
m = np.array(rows)
z = m[:2, :2] + y[0] + words["5"]
