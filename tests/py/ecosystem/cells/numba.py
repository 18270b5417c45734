import numpy as np
import numba
x = np.arange(10.0)
@numba.njit
def scan(a):
    total = 0.0
    for i in range(a.size):
        total += a[i]
        a[i] = total
    return total

# %% compiled loops over computed arrays
@numba.njit
def smooth(a, w):
    out = np.empty_like(a)
    for i in range(a.size):
        out[i] = a[i] * w
    a[0] = -1
    return out
w = x.mean() / 9
y = x * 2
z = smooth(y, w)
signatures = [str(s) for s in smooth.signatures]
plain = smooth.py_func(x * 2, w)
print(y[0], z.sum() - plain.sum())
z

# %% constants of the cell in compiled code
factor = (x * 3)[2]
table = np.sqrt(x)
@numba.njit
def use(i):
    return table[i] * factor
@numba.vectorize
def clip(a, top):
    return a if a < top else top
first = use(4)
table = table + 1
second = use(4)
clip(x + 0.5, x[4])

# %% errors of compiled code
@numba.njit
def fails(a):
    if a.sum() > 1:
        raise ValueError("too much")
    return a
kept = fails(x * 0)
fails(x * 2)

# %% a compiled function of a plain cell
y = x * 2
total = scan(y) + 1
z = y + total
z
