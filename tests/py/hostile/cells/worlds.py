# Clocks, signals, threads, files, output and random draws: the world outside of the cell.

# %% a loop until a clock says so
import time
def busy(seconds, y):
    end = time.time() + seconds
    n = 0
    while time.time() < end:
        y = y * 1.0001
        n += 1
    return n > 5, len(y)
# --- cell
r = busy(0.02, x)
end = time.perf_counter() + 0.02
y, n = x * 1.0, 0
while time.perf_counter() < end:
    y = y * 1.0001
    n += 1
many, grown = n > 5, bool(y[1] > 1)
del y, n, end

# %% a time around work
import time
def timed(a, n):
    start = time.perf_counter()
    for _ in range(n):
        b = np.exp(np.sin(a))
    return time.perf_counter() - start, b[:2]
# --- cell
v = np.ones(4_000_000)
t, b = timed(v, 2)
long_enough = t > 0.002
start = time.perf_counter()
c = np.exp(np.sin(np.cos(np.exp(v))))
took = time.perf_counter() - start > 0.002
del t, start, v
c = c[:2] * 1

# %% a signal handler that writes
import os, signal
def handler(number, frame):
    x[0] += 100
def install():
    signal.signal(signal.SIGUSR1, handler)
def send():
    os.kill(os.getpid(), signal.SIGUSR1)
# --- cell
install()
a = x * 2
send()
b = x * 2
signal.raise_signal(signal.SIGUSR1)
c = x * 2
signal.signal(signal.SIGUSR1, signal.SIG_IGN)

# %% a thread that writes and is joined
import threading
def work(a):
    a += 1
# --- cell
a = x * 2
t = threading.Thread(target=work, args=(x,))
t.start()
t.join()
b = x * 2
t = threading.Thread(target=x.fill, args=(3,))
t.start()
t.join()
c = x * 2
del t

# %% a thread that reads a dict
import threading
def reader(d, out):
    v = d["y"]
    out.append(type(v).__name__)
    out.append(float(v.sum()))
# --- cell
d, out = {}, []
d["y"] = x * 2
t = threading.Thread(target=reader, args=(d, out))
t.start()
t.join()
y = d["y"]
del t

# %% an executor whose jobs write
from concurrent.futures import ThreadPoolExecutor
def job(a, i):
    a[i] += 10
    return a[i]
# --- cell
a = x * 2
with ThreadPoolExecutor(2) as pool:
    r = list(pool.map(job, [x] * 3, range(3)))
    f = pool.submit(job, x, 5)
    s = f.result()
b = x * 2
del pool, f

# %% a timer that writes
import threading
def later(a):
    done = threading.Event()
    def act():
        a[:] = 4
        done.set()
    threading.Timer(0.001, act).start()
    return done
# --- cell
a = x * 2
e = later(x)
e.wait()
b = x * 2
del e

# %% a queue between threads
import queue, threading
def worker(q, out):
    while True:
        v = q.get()
        if v is None:
            return
        v *= 2
        out.append(v.sum())
# --- cell
q, out = queue.Queue(), []
t = threading.Thread(target=worker, args=(q, out))
t.start()
y = x + 1
q.put(y)
q.put(x)
q.put(None)
t.join()
a, b = x * 1, y * 1
del q, t

# %% a trace function that writes
import sys
def tracer(frame, event, arg):
    if event == "call" and frame.f_code.co_name == "traced":
        x[0] += 1
    return None
def traced(v):
    return v + 1
# --- cell
a = x * 2
old = sys.gettrace()
sys.settrace(tracer)
b = traced(x)
sys.settrace(old)
c = x * 2
del old

# %% a profile function that counts
import sys
calls = []
def profiler(frame, event, arg):
    if event == "call" and frame.f_code.co_name == "counted":
        calls.append(event)
        x[1] += 1
def counted(v):
    return v * 2
# --- cell
a = x * 2
old = sys.getprofile()
sys.setprofile(profiler)
b = counted(x)
c = counted(x)
sys.setprofile(old)
n = len(calls)
del old

# %% draws from the legacy generator
def noisy(v):
    return v + np.random.normal(size=6)
# --- cell
np.random.seed(5)
a = noisy(x)
b = np.random.rand(3)
np.random.shuffle(x)
c = np.random.choice(x, 2)
d = [np.random.randint(10) for _ in range(5)]
state = np.random.get_state()[2]

# %% draws inside branches and loops
rng = np.random.default_rng(4)
def maybe(v):
    if rng.random() < 0.5:
        v = v + rng.normal(size=6)
    return v
# --- cell
a = x
for i in range(6):
    a = maybe(a)
    if a.sum() > 16:
        a = a - rng.integers(3)
b = rng.permutation(5)

# %% the random module beside numpy
import random
def pick(v):
    return v[random.randrange(6)]
# --- cell
random.seed(3)
a = [pick(x * 2) for _ in range(5)]
b = random.choice([x, x * 2]).sum()
l = list(range(5))
random.shuffle(l)
c = random.sample(l, 2)

# %% prints among arithmetic
def show(v):
    print("sum", v.sum())
# --- cell
y = x * 2
print(y)
show(y)
y += 1
print("after", y[0], end=";")
print(y, y.shape, sep="|")
print([y[:2], 1], {"a": y[1]})
print(f"{y.mean():.3f} {y[0]!r}")

# %% output to other streams
import contextlib, io, sys
def quiet(v):
    buf = io.StringIO()
    with contextlib.redirect_stdout(buf):
        print(v * 2)
    return buf.getvalue()
# --- cell
t = quiet(x)
sys.stdout.write(str(x * 3) + "\n")
print(x * 4, file=sys.stderr)
s = repr(x * 2), str((x * 2)[0]), "%s" % (x * 2)[1]

# %% print options
def short(v):
    with np.printoptions(precision=1):
        return str(v)
# --- cell
a = short(x / 3)
b = str(x / 3)
old = np.get_printoptions()["precision"]
np.set_printoptions(precision=2)
print(x / 3)
c = repr(x / 3)
np.set_printoptions(precision=old)

# %% files written and read
import os, tempfile
def save(v):
    with tempfile.TemporaryDirectory() as d:
        name = os.path.join(d, "v.txt")
        np.savetxt(name, v)
        with open(name) as f:
            return f.read(), np.loadtxt(name)
# --- cell
t, v = save(x * 2)
import io
f = io.StringIO()
np.savetxt(f, x * 3, fmt="%.1f")
w = f.getvalue()
del f

# %% an environment variable between steps
import os
def level():
    return int(os.environ.get("HOSTILE_LEVEL", "1"))
# --- cell
a = x * level()
os.environ["HOSTILE_LEVEL"] = "5"
b = x * level()
del os.environ["HOSTILE_LEVEL"]
c = x * level()

# %% the last value is shown
def make(v):
    return v * 2
# --- cell
y = make(x)
x += 1
y + x

# %% the last value is a tuple with the input
def both(v):
    return v, v * 2
# --- cell
a = both(x)
x[0] = 9
(x, a[1], a[0] is x)

# %% an exit handler and a garbage collection
import gc
class Cycle:
    def __init__(self, a):
        self.a, self.me = a, self
    def __del__(self):
        self.a[0] += 1
# --- cell
c = Cycle(x)
a = x * 2
del c
n = gc.collect() > 0
b = x * 2

# %% an input hook replaced
import builtins
def fake(prompt=""):
    x[0] += 1
    return "7"
# --- cell
old = builtins.input
builtins.input = fake
a = x * 2
n = int(input())
b = x * 2
builtins.input = old
del old

# %% an array that no name holds any more is freed
import weakref
def lives(reference):
    return reference() is not None
# --- cell
y = x * 2
w = weakref.ref(y)
z = y
a = lives(w)
del y, z
b = lives(w)
v = x + 1
w = weakref.ref(v)
v = v * 2
c = w() is None
del w
