import cloudpickle
import dis
import doctest
import inspect
import io
import pickle
import sys
import threading
import numpy as np
x = np.arange(6.0)

# %% timeit counts its calls
calls = 0
def step(v):
    global calls
    calls += 1
    return v * 2 + 1
y = step(x)
timed = %timeit -n3 -r2 -q -o step(y)
runs = timed.loops, timed.repeat
del timed
z = y - calls
z

# %% pickle and cloudpickle
scale = x[2] * 1.5
def grow(v, by=1.0):
    return np.sqrt(v) * scale + by
class Box:
    def __init__(self, v):
        self.v = v * 2
    def total(self):
        return self.v.sum()
made = grow(x)
# --- cell
copy = cloudpickle.loads(cloudpickle.dumps(grow))
closed = cloudpickle.loads(cloudpickle.dumps(lambda v: copy(v) + scale))
same = pickle.loads(pickle.dumps(grow)) is grow
box = pickle.loads(pickle.dumps(Box(x + 1)))
array = pickle.loads(pickle.dumps(x * 3))
values = copy(x, by=2), closed(x), box.total()
pickle.loads(pickle.dumps({"a": made, "b": made[1]}))

# %% recursion to the limit
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
def sums(v):
    return v[0] if len(v) == 1 else v[0] + sums(v[1:])
def endless(n):
    return endless(n + 1)
free = sys.getrecursionlimit() - len(inspect.stack(0)) - 12
deep = depth(free)
long = sums(np.arange(60.0))
try:
    endless(0)
except RecursionError as error:
    print(str(error)[:32])
reached = deep == free  # how much is free depends on the frames below
del deep, free
reached, long

# %% inspect sees the text and the signature
def shape(v: np.ndarray, k: int = 2, *rest, flag: bool = False, **more) -> "np.ndarray":
    """Doubles."""
    return v * k
class Pair:
    def first(self, v):
        return v[0]
y = shape(x)
# --- cell
print(inspect.getsource(shape), inspect.getsource(Pair.first), inspect.signature(shape))
about = inspect.getdoc(shape), inspect.getfullargspec(shape).args, shape.__annotations__["k"]
apart = Pair.first.__code__.co_firstlineno - inspect.getsourcelines(shape)[1]
inside = [inspect.isfunction(shape), shape.__module__, shape.__qualname__, shape.__closure__]
shape.__code__.co_varnames, shape.__globals__ is globals()

# %% doctests of a hybridized cell
def double(v):
    """Twice.

    >>> double(np.arange(3.0))
    array([0., 2., 4.])
    >>> double(2)
    4
    >>> double("a") * 1
    'a'
    """
    return v * 2
y = double(x)
# --- cell
runner = doctest.DocTestRunner(verbose=True)
said = []
for test in doctest.DocTestFinder().find(double, "double", globs={"double": double, "np": np}):
    tried = tuple(runner.run(test, out=said.append))
got = [line for text in said for line in text.splitlines() if not line.startswith("File")]
del test, said
tried

# %% the debugger stops in a function
import pdb
def inner(v):
    total = v.sum()
    return total + 1
orders = io.StringIO("b inner\nc\nn\np v[1], total\nw\nc\n")
said = io.StringIO()
result = pdb.Pdb(stdin=orders, stdout=said, nosigint=True, readrc=False).runcall(inner, x * 2)
answer = [line for line in said.getvalue().splitlines() if "3.0" in line or "2.0" in line]
result

# %% two threads store into one array
shared = np.zeros(6)
together = threading.Barrier(2)
def store(i):
    together.wait()
    shared[i] = i * 2.0
    together.wait()
threads = [threading.Thread(target=store, args=(i,)) for i in (2, 4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
del threads, thread
shared

# %% a method that counts who has its object
class Counted:
    def holders(self, more):
        return sys.getrefcount(self) + more
holders = Counted().holders(1)

# %% a store among several that looks at the statement
class Doing:
    def __setitem__(self, key, value):
        frame = sys._getframe(1)
        print(dis.opname[frame.f_code.co_code[frame.f_lasti]])
Doing()[0] = first = 2
