# Memory that somebody else reaches: resized, reinterpreted, mapped, exported, locked.

# %% resize at a contact
def grow(a):
    a.resize(4, refcheck=False)
# --- cell
v = np.arange(3.0)
a = v * 2
grow(v)
b = v * 2
grow(v)
v[3] = 9
c = v.sum()

# %% a shape assigned
def tall(a):
    a.shape = (3, 2)
# --- cell
a = x * 2
tall(x)
b = x * 2
x.shape = 6
c = x * 2
y = x * 3
y.shape = (2, 3)
d = y.sum(0)

# %% a dtype assigned
def bits(a):
    a.dtype = np.int64
# --- cell
a = x * 2
y = x.copy()
bits(y)
b = y[1]
z = x * 1
z.dtype = "int64"
c = z[2]

# %% flags set by a helper
def lock(a, on=True):
    a.setflags(write=not on)
# --- cell
y = x * 2
lock(y)
try:
    y[0] = 5
    r = "written"
except ValueError as error:
    r = str(error)
lock(y, False)
y[0] = 6
x.flags.writeable = False
try:
    x += 1
    s = "written"
except ValueError as error:
    s = str(error)
a = x * 2

# %% two memmaps of one file
import os, tempfile
def mapped(n):
    f, name = tempfile.mkstemp()
    os.close(f)
    np.zeros(n).tofile(name)
    p, q = (np.memmap(name, dtype=float, mode="r+", shape=(n,)) for _ in range(2))
    os.unlink(name)
    return p, q
# --- cell
p, q = mapped(4)
a = np.asarray(q) * 2 + 1
p[1] = 5
b = np.asarray(q) * 2 + 1
np.asarray(q)[2] = 7
c = np.asarray(p) + 0
del p, q

# %% a memoryview that writes
view = memoryview(x)
def poke(i, v):
    view[i] = v
# --- cell
a = x * 2
poke(0, 50.0)
b = x * 2
m = memoryview(x)
m[1] = 60.0
c = x * 2
m.cast("B")[16:24] = bytes(8)
d = x * 2

# %% an array over a bytearray
raw = bytearray(24)
def put(i, v):
    raw[i] = v
# --- cell
v = np.frombuffer(raw, dtype=np.uint8)
a = v + 1
put(0, 9)
b = v + 1
raw[1:3] = b"\x05\x06"
c = v + 1
w = v.view(np.int64)
put(8, 3)
d = w * 2

# %% an array over array.array
import array
store = array.array("d", [1.0, 2.0, 3.0])
def put(i, v):
    store[i] = v
# --- cell
v = np.frombuffer(store)
a = v * 2
put(0, 10.0)
b = v * 2
store[1] = 20.0
c = v * 2
v[2] = 30
d = store[2]

# %% memory written by ctypes
import ctypes
def zero(a, n):
    ctypes.memset(a.ctypes.data, 0, n)
# --- cell
a = x * 2
zero(x, 16)
b = x * 2
ctypes.memset(x.ctypes.data, 0, 32)
c = x * 2

# %% a ctypes array at an address
import ctypes
def window(a):
    return (ctypes.c_double * len(a)).from_address(a.ctypes.data)
w = window(x)
# --- cell
a = x * 2
w[0] = 55.0
b = x * 2
p = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
p[1] = 66.0
c = x * 2
v = np.ctypeslib.as_array(w)
v[2] = 77
d = x * 2

# %% shared memory with a second view
from multiprocessing import shared_memory
def share(n):
    s = shared_memory.SharedMemory(create=True, size=8 * n)
    return s, np.ndarray(n, buffer=s.buf)
# --- cell
s, v = share(4)
v[:] = 1
t = shared_memory.SharedMemory(name=s.name)
w = np.ndarray(4, buffer=t.buf)
a = v * 2
w[0] = 9
b = v * 2
total = v.sum() + w.sum()
del v, w
t.close()
s.close()
s.unlink()
del s, t

# %% strided tricks that overlap
from numpy.lib.stride_tricks import as_strided, sliding_window_view
def windows(a, k):
    return as_strided(a, (len(a) - k + 1, k), (a.strides[0],) * 2)
# --- cell
w = windows(x, 3)
a = w.sum(1)
x[2] = 100
b = w.sum(1)
w[0] += 1
c = x * 1
s = sliding_window_view(x, 2)
x[0] = -5
d = s.max(1)

# %% views of fields and of complex parts
def bump(z):
    z.imag += 1
# --- cell
z = x + 1j * x
re = z.real
a = re * 2
bump(z)
z.real[:] = 7
b = re * 2
r = np.zeros(3, [("p", float), ("q", int)])
p = r["p"]
r[1] = (5.0, 6)
c = p * 2
r["q"] += 1

# %% a view that outlives what it shows
def tail(a):
    t = a * 2
    return t[2:]
# --- cell
v = tail(x)
base = v.base
v[0] = 50
a = base * 1
w = (x * 3)[::-1]
w[0] = 1
b = w.base[-1]

# %% writes through ravel reshape and transpose
def through(m):
    m.ravel()[0] = 10
    m.reshape(3, 2)[1, 0] = 20
    m.T[2, 1] = 30
    m.flatten()[0] = 99
    m.T.ravel()[0] = 98
# --- cell
m = x.reshape(2, 3)
a = m * 2
through(m)
b = m * 2
c = x * 1
n = m * 2
through(n)

# %% broadcast and diagonal views
def spread(v):
    return np.broadcast_to(v, (2, 6))
# --- cell
s = spread(x)
a = s.sum(1)
x[0] = 100
b = s.sum(1)
m = np.zeros((3, 3))
d = m.diagonal()
np.fill_diagonal(m, 4)
c = d * 1
e = np.einsum("ii->i", m)
e[:] = 5
f = m.trace()

# %% a base that is written between two slices
def first(a):
    return a[:3]
# --- cell
h, t = first(x), x[3:]
a = h + t
x[1] = 50
b = h + t
h += t
c = x * 1
t[:] = h
d = x * 1

# %% overlapping copies
def shift(a):
    a[1:] = a[:-1]
# --- cell
a = x * 2
shift(x)
b = x * 2
x[:-1] += x[1:]
c = x * 2
x[::2], x[1::2] = x[1::2], x[::2]
d = x * 2

# %% a buffer held by io
import io
def dump(a):
    f = io.BytesIO()
    np.save(f, a)
    f.seek(0)
    return np.load(f)
# --- cell
a = dump(x * 2)
b = (x * 3).tobytes() == np.asarray(x * 3).tobytes()
c = bytes(x[:1] * 2)
d = np.frombuffer((x * 2).tobytes())
with memoryview(x * 2) as m:
    e = m.tolist()

# %% matrices and masked arrays
def masked(a):
    return np.ma.masked_greater(a, 3)
# --- cell
m = masked(x * 1)
a = m.sum(), m.filled(0)
m[0] = np.ma.masked
b = m.count()
n = np.matrix([[1.0, 2.0], [3.0, 4.0]])
c = n * n
d = type(c).__name__, type(n + x[:2]).__name__

# %% string and object and date arrays
def words(v):
    return np.char.upper(np.array(v))
# --- cell
w = words(["a", "bc"])
d = np.array(["2020-01-01", "2020-02-01"], "M8[D]")
gap = d[1] - d[0]
o = np.array([1, "a", None], dtype=object)
o[0] = x * 2
later = d + np.timedelta64(1, "D")
e = (w == "A").sum()

# %% an array that NumPy refuses to resize
def grow(v, size):
    v.resize(size)
# --- cell
w = x * 2
v = w[:2]
try:
    grow(w, 8)
except ValueError as error:
    text = str(error)
v[0] = 100
r = w.tolist(), v.base is w

# %% numbers in even steps are a view of others
def steps():
    return np.linspace(0, 1, 5)
# --- cell
y = steps()
r = y.base is None, y.flags.owndata, y.base.shape

# %% a product of letters into an array that is there
def into(text, v, out):
    return np.einsum(text, v, out=out)
# --- cell
a = x.reshape(2, 3) * 2
p, q = np.zeros((3, 2)), np.zeros(3)
r = into("ij->ji", a, p) is p
into("ii->i", np.outer(a[0], a[0]), q)

# %% sequences of arrays in Fortran's order
# --- cell
y = x * 2
made = [np.array((x, y), order="F"), np.asarray([x, y], order="F"), np.array([y, list(x)], order="F")]
made += [np.array([x, y], order=o) for o in "CAK"] + [np.array([x, y], copy=None, order="F", ndmin=3)]
how = [(m.strides, m.flags.f_contiguous, m.ravel(order="K").tolist()) for m in made]

# %% the size of an object
# --- cell
y = x + 1
sizes = y.__sizeof__(), y[1:].__sizeof__(), y.sum().__sizeof__(), x.__sizeof__(), x.reshape(2, -1).__sizeof__()

# %% out= where floating-point errors are raised
m = np.ones(3)
# --- cell
with np.errstate(all="raise"):
    a = np.dot(np.eye(3), m, out=m.copy()), np.dot(np.eye(3), m, m * 2), m.dot(np.eye(3), out=m * 2)
    b = np.take(m, [0, 1, 1], out=m * 2), np.clip(m, 0, 0.5, out=m * 2), np.outer(m, m, out=np.eye(3))
    c = np.concatenate([m[:1], m[1:]], out=m * 2), np.einsum("i,i->i", m, m, out=m * 2)
    d = np.choose([0, 0, 1], [m, m * 2], out=m * 2), np.cumsum(m, out=m * 2), np.sum(m, out=m[0:1].reshape(()))
try:
    np.dot(np.eye(3), m, out=np.ones(2))
except ValueError as error:
    told = str(error)
