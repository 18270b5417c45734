# Everyday code that must go on being valid.

# %% a loop that stores into a global array
u = np.zeros(5)
def fill(n):
    for i in range(n):
        u[i] = i
# --- cell
fill(5)
a = u * 2
fill(3)
b = u.sum()

# %% a branch that stores into a global dict
memo = {0: 0, 1: 1}
def fibonacci(n):
    if n not in memo:
        memo[n] = fibonacci(n - 1) + fibonacci(n - 2)
    return memo[n]
# --- cell
f = fibonacci(20)
n = len(memo)

# %% a try that stores into a closure's list
def recorder():
    log = [None] * 3
    def note(i, v):
        try:
            log[i] = v
        except IndexError:
            log[-1] = "over"
        return log
    return note
# --- cell
note = recorder()
note(0, x * 2)
log = note(7, 1)

# %% an augmented store into a global element
hits = np.zeros(4)
count = {"n": 0}
def hit(i):
    if i < 4:
        hits[i] += 1
        count["n"] += 1
# --- cell
for i in (0, 1, 1, 3, 9):
    hit(i)
total = hits.sum(), count["n"]

# %% global inside a block
total = 0.0
def add(v):
    if v > 0:
        global total
        total += v
    return total
# --- cell
a = add(2.0)
b = add(-1.0)
c = total

# %% a global bound in a loop
def search(a):
    for i in range(len(a)):
        global found
        found = i
        if a[i] > 3:
            break
# --- cell
search(x)
where = found
search(x * 10)
where2 = found

# %% recursion beyond three hundred
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
# --- cell
d = depth(700)

# %% recursion over arrays beyond three hundred
def total(a, i=0):
    if i == len(a):
        return 0.0
    return a[i] + total(a, i + 1)
# --- cell
t = total(np.ones(500))

# %% a recursion error at the limit
import sys
def forever(n):
    return forever(n + 1)
# --- cell
try:
    forever(0)
    caught = ""
except RecursionError as error:
    caught = type(error).__name__
y = x * 2

# %% mutual recursion
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
# --- cell
e = [even(n) for n in (0, 7, 400)]

# %% an unbound method of ndarray
def total(a):
    return np.ndarray.sum(a)
# --- cell
s = total(x * 2)
m = np.ndarray.mean(x + 1)
r = np.ndarray.reshape(x * 2, (2, 3))

# %% a float's own method on a sum
def whole(a):
    return a.sum().is_integer()
# --- cell
w = whole(x * 2)
v = (x * 0.3).sum().is_integer()
h = (x * 0.5).max().hex()
r = (x / 4).sum().as_integer_ratio()

# %% the name of a method
def named(a):
    return a.min.__name__, a.sum.__self__ is a
# --- cell
y = x * 2
n = named(y)
m = y.max.__name__
doc = y.max.__doc__ == np.ndarray.max.__doc__

# %% resize after use
def grow(a):
    a.resize(8, refcheck=False)
    return a
# --- cell
z = x * 2
w = z + 1
z.resize((2, 3), refcheck=False)
s = z.shape
v = grow(np.arange(4.0))
t = v.sum()

# %% the array interface
def address(a):
    i = a.__array_interface__
    return i["shape"], i["typestr"], i["strides"]
# --- cell
y = x * 2
i = address(y)
j = x.__array_interface__["data"][0] == x.ctypes.data
k = y.__array_interface__["data"][0] == y.ctypes.data

# %% nonlocal counters
def counter():
    n = 0
    def more():
        nonlocal n
        n += 1
        return n
    return more
# --- cell
more = counter()
got = [more() for _ in range(3)]
other = counter()()

# %% a class body with a loop and a comprehension
class Table:
    sizes = [1, 2, 3]
    total = 0
    for s in sizes:
        total += s
    doubled = [2 * s for s in (1, 2)]
    a = x * 2
# --- cell
t = Table.total, Table.doubled, Table.s
y = Table.a + 1
class Local(Table):
    sizes = Table.sizes + [4]
    b = Table.a * 3
z = Local.b

# %% names deleted in functions and loops
def forget(a):
    t = a * 2
    s = t.sum()
    del t
    try:
        return t
    except NameError as error:
        return s, type(error).__name__
# --- cell
f = forget(x)
for i in range(3):
    y = x * i
del i
try:
    i
except NameError as error:
    text = str(error)

# %% locals inside a function
def snapshot(a):
    b = a * 2
    c = 3
    return sorted(locals())
# --- cell
names = snapshot(x)
def inside():
    y = x * 2
    return list(locals()), locals()["y"]
got = inside()

# %% star imports and aliases of numpy
import numpy as xp
from numpy import sqrt as root, pi
from numpy import *
def norm(v):
    return root(xp.sum(v * v))
# --- cell
a = norm(x)
b = sqrt(x) * pi
c = linspace(0, 1, 3)

# %% a name of numpy shadowed
def sum(v):
    return "mine"
abs = lambda v: -1
# --- cell
s = sum(x)
t = abs(x)
max = [3]
m = max[0]
np_sum = np.sum(x)
del max

# %% a loop variable that shadows a function
def f(v):
    return v + 1
# --- cell
a = f(x)
fs = [f, lambda v: v * 2]
for f in fs:
    b = f(x)
c = f(x)
f = 3

# %% else finally and return in one function
def flow(a, k):
    for v in a:
        try:
            if v > k:
                return "found", v
            continue
        finally:
            a[0] += 1
    else:
        return "none", a.sum()
# --- cell
p = flow(x, 3)
q = flow(x, 100)
r = x * 1

# %% match statement over arrays
def kind(v):
    match v:
        case np.ndarray(ndim=2):
            return "matrix"
        case np.ndarray():
            return "vector"
        case [p, *rest]:
            return len(rest)
        case {"a": a}:
            return a
        case int() | float():
            return "number"
    return None
# --- cell
k = [kind(v) for v in (x * 2, (x * 2).reshape(2, 3), [1, 2], {"a": x}, 5, "s")]

# %% walrus in conditions and comprehensions
def first_big(a):
    if (n := len(a)) > 3 and (m := a.max()) > 4:
        return n, m
# --- cell
r = first_big(x)
s = [y for v in range(3) if (y := (x * v).sum()) > 10]
last = y
while (k := float(x.sum())) > 3:
    x -= 1

# %% keyword only and positional only arguments
def mix(a, /, b, *c, d=2, **e):
    return a * b, c, d, sorted(e)
# --- cell
p = mix(x, 2)
q = mix(x, 2, 3, 4, d=5, z=6)
try:
    mix(a=x, b=1)
except TypeError as error:
    text = str(error).replace("__main__.", "")

# %% type hints and annotations
from typing import Optional
def scale(a: np.ndarray, by: Optional[float] = None) -> np.ndarray:
    k: float = by or 2.0
    return a * k
# --- cell
y: np.ndarray = scale(x)
z: "later" = scale(x, 3)
h = list(scale.__annotations__)

# %% function attributes and inspection
import inspect
def poly(v, a=1, *, b=2):
    "A polynomial."
    return a * v * v + b
# --- cell
s = str(inspect.signature(poly))
d = poly.__doc__, poly.__defaults__, poly.__kwdefaults__, poly.__code__.co_argcount
src = inspect.getsource(poly).splitlines()[0]
y = poly(x)

# %% sys getrefcount and frames
import sys
def caller():
    return sys._getframe(1).f_code.co_name
def outer():
    return caller()
# --- cell
n = outer()
y = x * 2
m = sys.getsizeof(y) > 0
t = type(sys._getframe()).__name__

# %% a helper that checks exact types
def check(v):
    return type(v) is np.ndarray, isinstance(v, np.ndarray), type(v).__name__, v.__class__.__mro__[1] is object
# --- cell
c = check(x * 2)
d = check((x * 2)[1:])
e = type((x * 2).sum()), type(x[0] * 2), type(x > 2)
f = isinstance((x * 2).sum(), float), isinstance(x.sum(), np.floating)

# %% pickle of a function and of results
import pickle
def double(v):
    return v * 2
# --- cell
y = pickle.loads(pickle.dumps(double(x)))
import copy
z = copy.deepcopy({"y": double(x), "n": [x]})
w = copy.copy(double(x))

# %% a name that is no string
x = np.arange(5.0)
globals()[1] = np.ones(3)
# --- cell
y = x + 1
z = np.where(y > 2, y, globals()[1].sum())
globals()[2] = z
print(y.sum(), sorted(k for k in globals() if isinstance(k, int)), globals()[2])
del globals()[1], globals()[2]
