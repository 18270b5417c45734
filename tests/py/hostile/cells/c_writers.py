# C code that writes without a frame of Python.

# %% map of a fill
values = [3, 4]
# --- cell
a = x + 1
for _ in map(x.fill, values):
    b = x + 1
c = x + 1

# %% a list of a map of a setter
pairs = [(0, 9.0), (1, 8.0)]
setter = x.__setitem__
# --- cell
a = x * 2
done = list(map(setter, [0, 1], [9.0, 8.0]))
b = x * 2
import itertools
none = list(itertools.starmap(setter, pairs))
c = x * 2

# %% a map unpacked into names
adder = x.__iadd__
# --- cell
a = x * 2
p, q = map(adder, [1, 2])
b = x * 2
same = p is q is x

# %% a map unpacked into arguments
adder = x.__iadd__
def count(*args):
    return len(args)
# --- cell
a = x * 2
n = count(*map(adder, [1, 2, 3]))
b = x * 2
[*r] = map(adder, [1])
c = x * 2

# %% a map behind yield from
adder = x.__imul__
def steps():
    yield from map(adder, [2, 3])
# --- cell
a = x + 1
g = steps()
next(g)
b = x + 1
next(g)
c = x + 1

# %% a defaultdict whose factory writes
from collections import defaultdict
from functools import partial
d = defaultdict(partial(x.__setitem__, 0, 5))
# --- cell
a = x * 2
v = d["missing"]
b = x * 2
keys = list(d)

# %% a defaultdict whose factory is a lambda
from collections import defaultdict
d = defaultdict(lambda: x.__iadd__(1))
# --- cell
a = x * 2
v = d["p"]
b = x * 2
w = d["p"]
c = x * 2
same = v is w is x

# %% write back of an nditer
def halve(a):
    with np.nditer(a, op_flags=[["readwrite"]]) as it:
        for v in it:
            v[...] = v / 2
# --- cell
a = x * 2
halve(x)
b = x * 2
with np.nditer(x, op_flags=[["readwrite"]]) as it:
    for v in it:
        v[...] = v + 1
c = x * 2

# %% write back of a buffered nditer of another type
def squares(a):
    it = np.nditer(a, flags=["buffered", "external_loop"], op_flags=[["readwrite"]],
                   op_dtypes=["float32"], casting="same_kind")
    with it:
        for block in it:
            block *= block
# --- cell
a = x + 0.5
squares(x)
b = x + 0.5

# %% an element by flat and its iterator
def poke(a, i, v):
    a.flat[i] = v
# --- cell
a = x * 2
poke(x, 2, 30)
b = x * 2
f = x.flat
next(f)
f[3] = 40
c = x * 2
for i, v in enumerate(x.flat):
    x.flat[i] = v + 1
d = x * 2

# %% sorted with a key that writes
def key(v):
    x[0] += v
    return -v
# --- cell
a = x * 2
s = sorted([1, 2, 3], key=key)
b = x * 2
l = [3, 1]
l.sort(key=key)
c = x * 2

# %% max and min with a key that writes
def key(v):
    x[1] += 1
    return v
# --- cell
a = x * 2
m = max([4, 9, 2], key=key)
b = x * 2
n = min(x * 2, key=key)
c = x * 2

# %% filter with a predicate that writes
def even(v):
    x[2] += 1
    return v % 2 == 0
# --- cell
a = x * 2
kept = list(filter(even, [1, 2, 3, 4]))
b = x * 2
some = any(map(even, [1, 3, 4, 5]))
c = x * 2

# %% takewhile dropwhile and accumulate
import itertools
def small(v):
    x[0] += 1
    return v < 3
def add(p, q):
    x[1] += 1
    return p + q
# --- cell
a = x * 2
t = list(itertools.takewhile(small, range(9)))
b = x * 2
u = list(itertools.dropwhile(small, range(5)))
c = x * 2
v = list(itertools.accumulate([1, 2, 3], add))
d = x * 2
w = list(itertools.accumulate([x, x, x]))

# %% groupby with a key that writes
import itertools
def kind(v):
    x[5] -= 1
    return v // 2
# --- cell
a = x * 2
g = [(k, list(v)) for k, v in itertools.groupby(range(5), kind)]
b = x * 2

# %% re.sub with a callback
import re
def grow(match):
    x[0] += len(match[0])
    return match[0].upper()
# --- cell
a = x * 2
text = re.sub(r"[a-c]+", grow, "abc xyz ab")
b = x * 2

# %% vectorize with a function that writes
@np.vectorize
def touch(v):
    x[0] += 1
    return v + 1
# --- cell
a = x * 2
b = touch(np.arange(3))
c = x * 2
d = np.frompyfunc(lambda v: x.__setitem__(1, v), 1, 1)(np.arange(3))
e = x * 2

# %% apply along an axis with a function that writes
def spread(row):
    x[3] += 1
    return row.max() - row.min()
# --- cell
m = x.reshape(2, 3) * 1
a = x * 2
b = np.apply_along_axis(spread, 1, m)
c = x * 2

# %% fromiter and fromfunction
def steps():
    for i in range(3):
        x[i] = -i
        yield i
# --- cell
a = x * 2
b = np.fromiter(steps(), float)
c = x * 2
d = np.fromfunction(lambda i, j: i + j, (2, 3))

# %% piecewise with a function that writes
def bump(v):
    x[4] += 1
    return v * 10
# --- cell
a = x * 2
b = np.piecewise(x * 1.0, [x < 2, x >= 2], [0, bump])
c = x * 2

# %% a logging handler that writes
import logging
class Into(logging.Handler):
    def emit(self, record):
        x[0] += 1
        seen.append(record.getMessage())
seen = []
log = logging.getLogger("hostile-into")
log.handlers[:] = [Into()]
log.propagate = False
log.setLevel(logging.INFO)
# --- cell
a = x * 2
log.info("value %s", 5)
b = x * 2
log.debug("not %s", 6)
c = x * 2
log.info("%s", x)
n = len(seen)

# %% heapq with a comparison that writes
import heapq
class Item:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        x[0] += 1
        return self.n < other.n
# --- cell
h = []
a = x * 2
for n in (3, 1, 2):
    heapq.heappush(h, Item(n))
b = x * 2
least = heapq.heappop(h).n
c = x * 2

# %% bisect with a key that writes
import bisect
class Probe:
    def __lt__(self, v):
        x[0] += 1
        return 2 < v
    def __gt__(self, v):
        x[1] += 1
        return 2 > v
# --- cell
a = x * 2
i = bisect.bisect([1, 2, 3, 4], Probe())
b = x * 2

# %% operator functions that write
import operator
add_to = operator.iadd
put = operator.setitem
caller = operator.methodcaller("fill", 6)
# --- cell
a = x * 2
r = add_to(x, 1)
b = x * 2
put(x, 0, 99)
c = x * 2
caller(x)
d = x * 2
same = r is x

# %% copyto put place putmask and at
def all_kinds(a):
    np.copyto(a, 2)
    np.put(a, [0], 7)
    np.place(a, a > 5, [8])
    np.putmask(a, a < 3, 1)
    np.add.at(a, [1, 1], 1)
# --- cell
a = x * 2
all_kinds(x)
b = x * 2
np.copyto(x, [5, 4, 3, 2, 1, 0])
c = x * 2
np.put_along_axis(x, np.array([0]), 50, 0)
d = x * 2

# %% out arguments in a helper
def double_into(a):
    np.multiply(a, 2, out=a)
    np.clip(a, 0, 8, out=a)
    np.cumsum(a, out=a)
# --- cell
a = x + 1
double_into(x)
b = x + 1
np.add(x, 1, x)
c = x + 1
np.random.default_rng(0).random(out=x)
d = x + 1

# %% shuffles and sorts in place
import random
def mix(a):
    np.random.shuffle(a)
# --- cell
a = x * 2
mix(x)
b = x * 2
x.sort()
c = x * 2
rng = np.random.default_rng(3)
rng.shuffle(x)
d = x * 2
x.partition(2)
e = x.min()

# %% byteswap and itemset style methods
def swap(a):
    a.byteswap(inplace=True)
# --- cell
a = x * 2
swap(x)
swap(x)
b = x * 2
x.put([0, 1], [5, 6])
c = x * 2
x.real[2] = 7
d = x * 2
x.T[3] = 8
e = x * 2

# %% struct pack into
import struct
def pack(a, v):
    struct.pack_into("d", a, 8, v)
# --- cell
a = x * 2
pack(x, 77.0)
b = x * 2
struct.pack_into("2d", x, 0, 1.5, 2.5)
c = x * 2

# %% readinto of a stream
import io
stream = io.BytesIO(np.arange(6.0, 18.0).tobytes())
def refill(a):
    return stream.readinto(a)
# --- cell
a = x * 2
n = refill(x)
b = x * 2
m = stream.readinto(x)
c = x * 2

# %% a unary call of a bound method kept in a list
todo = [x.fill, x.__iadd__, x.__imul__]
# --- cell
a = x + 1
for f, v in zip(todo, (1, 2, 3)):
    f(v)
    b = x + 1
results = [f(2) for f in todo[1:]]
c = x + 1

# %% iter with a sentinel that writes
def read():
    x[0] += 1
    return x[0] % 4
# --- cell
a = x * 2
seen = list(iter(read, 0.0))
b = x * 2

# %% a set and a dict comprehension that write
def note(i):
    x[i] = -1
    return i
# --- cell
a = x * 2
s = {note(i) for i in (0, 1)}
b = x * 2
d = {note(i): x * i for i in (2, 3)}
c = x * 2

# %% a setstate through pickle and copy
import copy, pickle
class Loaded:
    def __getstate__(self):
        x[0] += 1
        return {"n": 1}
    def __setstate__(self, state):
        x[1] += 1
        self.n = state["n"]
    def __deepcopy__(self, memo):
        x[2] += 1
        return self
# --- cell
o = Loaded()
a = x * 2
p = copy.copy(o)
b = x * 2
q = copy.deepcopy([o])[0]
c = x * 2
r = pickle.dumps(x * 2) == pickle.dumps(np.asarray(x * 2))

# %% json with a default that writes
import json
def plain(v):
    x[0] += 1
    return list(map(float, v))
# --- cell
a = x * 2
text = json.dumps({"v": x * 1.0}, default=plain)
b = x * 2
back = json.loads(text, object_hook=lambda d: (x.__setitem__(1, 0), d)[1])
c = x * 2

# %% str format map and template
class Fields(dict):
    def __missing__(self, key):
        x[0] += 1
        return key
# --- cell
a = x * 2
text = "{one} {two}".format_map(Fields())
b = x * 2

# %% weakref callbacks
import weakref
class Thing:
    pass
def gone(ref):
    x[0] += 1
# --- cell
t = Thing()
r = weakref.ref(t, gone)
f = weakref.finalize(t, x.__setitem__, 1, 50)
a = x * 2
del t
b = x * 2
