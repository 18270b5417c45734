# Exceptions, warnings and the settings that decide about them.

# %% a division warns on its line
def ratio(p, q):
    return p / q
# --- cell
a = ratio(x, x)
b = 1 / x
c = np.log(x - 1)

# %% errstate raises inside a helper
def strict(v):
    with np.errstate(all="raise"):
        return v / 0
# --- cell
y = x + 1
try:
    strict(y)
except FloatingPointError as error:
    text = str(error)
z = y * 2

# %% errstate changed between two runs of one line
def invert(v):
    return 1 / v
# --- cell
out = []
for mode in ("ignore", "raise", "ignore"):
    with np.errstate(divide=mode):
        try:
            out.append(invert(x))
        except FloatingPointError as error:
            out.append(str(error))

# %% errstate with a call
seen = []
def note(kind, flag):
    x[1] = 100
    seen.append(kind)
# --- cell
with np.errstate(divide="call", call=note):
    a = 1 / x
b = x * 2
n = list(seen)

# %% caught warnings
import warnings
def caught(v):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        r = np.sqrt(v - 3)
        s = v / 0
    return [str(i.message) for i in w], r
# --- cell
texts, r = caught(x)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        np.log(x)
        t = "no error"
    except RuntimeWarning as error:
        t = str(error)

# %% filters changed in the middle
import warnings
def loud(v):
    return v / v
# --- cell
out = []
for kind in ("ignore", "error", "always"):
    with warnings.catch_warnings():
        warnings.simplefilter(kind)
        try:
            out.append(loud(x))
        except RuntimeWarning as error:
            out.append(str(error))

# %% a user's own warning between steps
import warnings
def old(v):
    warnings.warn("old function", DeprecationWarning, stacklevel=2)
    return v * 2
# --- cell
a = old(x)
warnings.warn("by the cell")
b = a + 1

# %% an exception with writes before it
def half_done(v):
    v[0] = 100
    v += 1
    v.reshape(7)
    v[1] = 200
# --- cell
a = x * 2
half_done(x)

# %% an uncaught error after pending steps
def deep(v):
    w = v * 2
    return w + np.ones(4)
# --- cell
a = x * 3
x += 1
b = deep(x)
c = 5

# %% an error in the middle of a loop
def step(v, i):
    return v[i] * 2
# --- cell
out = []
for i in range(9):
    out.append(step(x, i))
    x[0] += 1

# %% errors of linear algebra
def solve(m):
    return np.linalg.inv(m)
# --- cell
a = solve(np.eye(2) * 2)
try:
    solve(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    text = str(error)
try:
    np.linalg.cholesky(-np.eye(2))
except np.linalg.LinAlgError as error:
    text2 = str(error)

# %% errors of shapes and their texts
def attempts():
    return [lambda: x.reshape(4), lambda: x @ np.ones(5), lambda: np.concatenate([x, np.ones((2, 2))]),
            lambda: x + np.ones(5), lambda: np.stack([x, x[:3]]), lambda: x.sum(axis=3),
            lambda: np.zeros(-1), lambda: x["a"], lambda: x[0, 0], lambda: np.ones(3).dot(np.ones(4))]
# --- cell
texts = []
for f in attempts():
    try:
        f()
    except Exception as error:
        texts.append((type(error).__name__, str(error)))

# %% errors of types and their texts
def attempts():
    return [lambda: x + "a", lambda: x @ 3, lambda: np.sqrt("a"), lambda: x << 1, lambda: x[1.5],
            lambda: x(), lambda: x < None, lambda: ~x, lambda: float(x), lambda: len(x[0])]
# --- cell
texts = []
for f in attempts():
    try:
        f()
    except Exception as error:
        texts.append((type(error).__name__, str(error)))

# %% casts that are refused
def into(a, b):
    a += b
# --- cell
i = np.arange(3)
try:
    into(i, 0.5)
except TypeError as error:
    text = str(error)
try:
    i /= 2
except TypeError as error:
    text2 = str(error)
i[0] = 7.9
j = i * 1
u = np.uint8(200) + np.uint8(100)

# %% raise from and exception notes
class Wrong(Exception):
    def __init__(self, v):
        super().__init__("wrong")
        self.v = v
def fail(v):
    try:
        v.reshape(99)
    except ValueError as error:
        raise Wrong(v * 2) from error
# --- cell
try:
    fail(x)
except Wrong as error:
    v, cause = error.v, str(error.__cause__)
y = v + 1

# %% finally that writes while an error flies
def careful(v):
    try:
        return v.reshape(5)
    finally:
        v[0] = 50
# --- cell
a = x * 2
try:
    careful(x)
except ValueError:
    b = x * 2
try:
    try:
        x[100]
    finally:
        x += 1
except IndexError as error:
    c = x * 2, str(error)

# %% assertions about arrays
def check(v):
    assert (v >= 0).all(), f"negative: {v.min()}"
    return True
# --- cell
a = check(x)
try:
    check(x - 3)
except AssertionError as error:
    text = str(error)
np.testing.assert_allclose(x * 2, x + x)
try:
    np.testing.assert_array_equal(x, x + 1)
except AssertionError as error:
    differs = "Mismatched elements" in str(error)

# %% contextlib suppress and exit stacks
import contextlib
def risky(v):
    v[0] = 1
    raise KeyError("k")
# --- cell
a = x * 2
with contextlib.suppress(KeyError):
    risky(x)
    x[1] = 99
b = x * 2
with contextlib.ExitStack() as stack:
    stack.callback(x.fill, 8)
    c = x * 2
d = x * 2
del stack

# %% a traceback is read
import traceback
def inner(v):
    return v.reshape(4)
# --- cell
try:
    inner(x)
except ValueError as error:
    names = [f.name for f in traceback.extract_tb(error.__traceback__)][-1:]
    lines = [f.line for f in traceback.extract_tb(error.__traceback__)][-1:]

# %% an error of a scalar
def inverse(v):
    return 1 / v
# --- cell
a = inverse(np.float64(0))
b = inverse(x[0])
try:
    inverse(0.0)
except ZeroDivisionError as error:
    text = str(error)
c = np.int64(5) // np.int64(0)
d = x[0] / x[0]

# %% a system exit and a keyboard interrupt caught
def leave(v):
    v += 1
    raise SystemExit(3)
# --- cell
a = x * 2
try:
    leave(x)
except SystemExit as error:
    code = error.code
try:
    x *= 2
    raise KeyboardInterrupt
except KeyboardInterrupt:
    b = x * 2

# %% warnings of NumPy's own code at the caller's lines
import warnings
import numpy as np
def mean(v):
    return np.nanmean(v)
# --- cell
a = np.nanmean([np.nan])
b = np.nanmean([np.nan])
h = np.ones(3, "f2")
h *= 1e5
d = {"h": np.ones(2, "f2")}
d["h"] *= 1e5
m = np.matrix([[1.0, 2.0]])
with warnings.catch_warnings():
    warnings.filterwarnings("error", module="__main__")
    try:
        h *= 1e5
        h -= h
        c = "went on"
    except RuntimeWarning as error:
        c = str(error)
    del h
e = mean([np.nan, 1])

# %% warnings once a line
import warnings
import numpy as np
def keep(v):
    return v
# --- cell
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("default")
    for i in range(2):
        a = np.nanmean([np.nan])
        b = np.nanmean([np.nan])
lines = [w.lineno - found[0].lineno for w in found]
y = keep(x) * 2

# %% an array with axes is no element
def tried(v, at, value):
    try:
        v[at] = value
    except (ValueError, TypeError) as error:
        return str(error), type(error.__cause__).__name__
    return v.copy()
# --- cell
y = x * 2
one = y[1:2] + 1
said = [tried(y, 0, one), tried(y, (0,), [one]), tried(y, (..., 1), one), tried(y, [2], one)]
said += [tried(y, np.int64(3), [5.0]), tried(y, y.argmax(), one), tried(y, 4, one[0])]

# %% texts are stored as the numbers they say
def column(table, i):
    return table[:, i]
# --- cell
table = np.array([["a", "1.5"], ["b", "2.5"]])
y = x.reshape(2, 3) * 1
y[:, 0] = column(table, 1)
try:
    y[:, 1] = column(table, 0)
except ValueError as error:
    said = str(error)
z = x * 0
z[:] = np.array(["1", "2", "3", "4", "5", "6"])

# %% a computed index out of bounds
def store(v, at):
    v[at] = 7
    return "went on"
# --- cell
y = x * 3
said = []
for at in (y.max().astype(int), y.argmax() - 9, y[:2].astype(int) + 9):
    try:
        z = y[at]
    except IndexError as error:
        said.append(str(error))
    try:
        said.append(store(y, at))
    except IndexError as error:
        said.append(str(error))
w = y + 1

# %% a computed index out of bounds, not caught
def tail(v, n):
    return np.delete(v, n)
# --- cell
y = x * 2
n = y.astype(int)
short = tail(y, n[:2])
y[0] = 50
lost = tail(y, n)
y[1] = 60

# %% a number that is called or is no index
def told(call):
    try:
        return call()
    except TypeError as error:
        return str(error)
# --- cell
y = x * 3
try:
    y.sum()()
except TypeError as error:
    said = str(error)
try:
    range(y.mean())
except TypeError as error:
    more = str(error)
last = told(y)

# %% lists deeper than what they are stored into
def put(v, key, value):
    v[key] = value
# --- cell
y = np.zeros((3, 4)) + x[0]
texts = []
for key, value in (((slice(None), 1), [[7, 8, 9]]), (0, [[[1, 2, 3, 4]]]), ((1, 1), [5])):
    try:
        put(y, key, value)
    except (ValueError, TypeError) as error:
        texts.append((type(error), str(error)))
y[:, 2] = [1, 2, 3]
y[2] = [9]

# %% an operator over several lines that fails
def total(p, q):
    return (p +
            p * 2 +
            q)
# --- cell
y = x * 2
try:
    total(y, x[:2])
except ValueError as error:
    first = error.__traceback__.tb_next.tb_lineno - total.__code__.co_firstlineno
total(
    y[:3],
    y,
)

# %% a sequence of which a part is written
x = np.zeros(3)
# --- cell
y = x + 1
told = []
for given in ([1, 2, "c"], (3, "4", "d"), [5, None, object()], [6, [7], 8]):
    try:
        x[:] = given
    except (ValueError, TypeError) as error:
        told.append((type(error), str(error), x.tolist()))
try:
    x[1:] = ["9", "q"]
except ValueError:
    z = x + y
