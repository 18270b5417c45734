# Everyday NumPy: making, reshaping, selecting, combining.
# floats: 1e-14

# %% four lines
import numpy as np
a = np.ones(10)
b = np.ones(10) * 2
c = b * a
d = c + 1

# %% setup
import numpy as np
rows = np.arange(24.0).reshape(4, 6)
signal = np.array([0.5, -1.25, 3.0, 2.5, -0.75, 4.0, 1.0, -2.0])
counts = np.array([3, 1, 4, 1, 5, 9, 2, 6])

# %% outer table
left = np.arange(1, 10)
table = left[:, None] * left[None, :]
diagonal_sum = (table * np.eye(9, dtype=int)).sum()

# %% normalise columns
mean = rows.mean(axis=0)
spread = rows.std(axis=0)
scaled = (rows - mean) / spread

# %% running total
total = np.cumsum(signal)
change = np.diff(signal)
back = np.concatenate([signal[:1], signal[:1] + np.cumsum(change)])

# %% clip and round
limited = np.clip(signal, -1, 2.75)
whole = np.round(limited * 4) / 4

# %% sign split
positive = np.where(signal > 0, signal, 0)
negative = np.where(signal < 0, -signal, 0)
same = positive - negative == signal

# %% boolean counting
above = signal > signal.mean()
how_many = above.sum()
share = above.mean()

# %% stacking
wide = np.hstack([rows, rows[:, :1]])
tall = np.vstack([rows, rows[:1]])
deep = np.stack([rows, rows + 1], axis=2)

# %% flip and roll
mirrored = signal[::-1]
turned = np.roll(signal, 2)
flipped = np.flip(rows, axis=1)

# %% strided selection
every_second = rows[::2, 1::2]
last_two = rows[-2:, -2:]
corner = rows[-1, -1]

# %% ellipsis and newaxis
cube = rows.reshape(2, 2, 6)
front = cube[..., 0]
lifted = cube[:, np.newaxis, :, 2:4]

# %% fancy rows
picked = rows[[3, 0, 0, 2]]
crossed = rows[[0, 1, 2], [5, 4, 3]]
by_array = signal[counts % 8]

# %% take along
order = np.array([2, 0, 1])
taken = np.take(rows, order, axis=1)

# %% ordering
order = np.argsort(counts, kind="stable")
sorted_counts = counts[order]
ranks = np.argsort(order, kind="stable")

# %% sort in place
values = signal.copy()
values.sort()
median = np.median(signal)

# %% extremes
highest = signal.max()
where_highest = signal.argmax()
lowest_per_row = rows.min(axis=1)
where_lowest = rows.argmin(axis=0)
span = np.ptp(signal)

# %% repeat and tile
doubled = np.repeat(signal, 2)
tiled = np.tile(counts, 3)
blown_up = np.repeat(np.repeat(rows, 2, axis=0), 2, axis=1)

# %% meshgrid
x = np.linspace(-1, 1, 5)
y = np.linspace(0, 1, 4)
X, Y = np.meshgrid(x, y)
radius = np.sqrt(X**2 + Y**2)

# %% arange of floats
ticks = np.arange(0, 1, 0.125)
squares = ticks * ticks

# %% linspace with step
points, step = np.linspace(0, 2, 9, retstep=True)
values = points * step

# %% dtype promotion
small = np.arange(5, dtype=np.int32)
mixed = small + np.float32(0.5)
wide = small * 1.5
shifted = small + 2
halves = small / 2
whole = small // 2
rest = small % 3

# %% integer overflow wraps
top = np.array([2147483647, -2147483648], dtype=np.int32)
with np.errstate(all="ignore"):
    wrapped = top + np.int32(1)
    product = top * np.int32(2)

# %% unsigned bytes
pixels = np.array([0, 100, 200, 255], dtype=np.uint8)
brighter = pixels + np.uint8(100)
inverted = 255 - pixels
as_float = pixels / 255

# %% bitwise
flags = counts & 1
toggled = counts ^ 3
shifted = counts << 2
halved = counts >> 1
inverse = ~counts

# %% logical
both = (counts > 2) & (counts < 6)
either = (counts < 2) | (counts > 5)
neither = ~(both | either)
all_or_any = both.any(), either.all()

# %% casts
as_int = signal.astype(int)
as_half = signal.astype(np.float32)
as_bool = counts.astype(bool)
as_bytes = counts.astype(np.uint8)

# %% zeros_like and full_like
empty = np.zeros_like(rows)
sevens = np.full_like(counts, 7)
ones = np.ones_like(rows, dtype=int)
identity = np.identity(3)

# %% comparison with tolerance
near = np.isclose(signal, signal + 1e-9)
equal = np.allclose(signal, signal + 1e-9)

# %% unique values | data-dependent shape
values, how_often = np.unique(np.array([1, 1, 2, 3, 3, 3]), return_counts=True)

# %% boolean selection | data-dependent shape
positive = signal[signal > 0]
mean = positive.mean()

# %% nonzero | data-dependent shape
where = np.nonzero(counts > 3)[0]
chosen = counts[where]

# %% masked write
cleaned = signal.copy()
cleaned[cleaned < 0] = 0
total = cleaned.sum()

# %% masked write of values
filled = np.where(np.isnan(np.array([1.0, np.nan, 3.0])), 0.0, np.array([1.0, np.nan, 3.0]))

# %% broadcasting three axes
a = np.arange(2).reshape(2, 1, 1)
b = np.arange(3).reshape(1, 3, 1)
c = np.arange(4).reshape(1, 1, 4)
volume = a * 100 + b * 10 + c

# %% dot products
v = np.arange(3.0)
m = np.arange(9.0).reshape(3, 3)
mv = m @ v
vm = v @ m
vv = v @ v
mm = m.dot(m)

# %% batched matmul
batch = np.arange(24.0).reshape(2, 3, 4)
gram = batch @ batch.transpose(0, 2, 1)

# %% einsum
traces = np.einsum("ii->", np.arange(9.0).reshape(3, 3))
products = np.einsum("ij,jk->ik", rows, rows.T)
row_sums = np.einsum("ij->i", rows)

# %% outer and inner
grid = np.outer(np.arange(3.0), np.arange(4.0))
inner = np.inner(signal, signal)
tensor = np.tensordot(rows, rows, axes=([1], [1]))

# %% trace and diagonal
m = np.arange(16.0).reshape(4, 4)
t = np.trace(m)
d = np.diag(m)
back = np.diag(d)
upper = np.triu(m)
lower = np.tril(m, -1)

# %% swapping axes
cube = np.arange(24).reshape(2, 3, 4)
moved = np.moveaxis(cube, 0, -1)
swapped = cube.swapaxes(0, 1)
flat = swapped.ravel()

# %% splitting
head, tail = np.split(signal, 2)
parts = np.array_split(counts, 3)
sums = [p.sum() for p in parts]

# %% unpacking rows
first, *middle, last = rows
middle_sum = sum(middle)

# %% iterating over rows
norms = []
for row in rows:
    norms.append(np.sqrt((row**2).sum()))
norms = np.array(norms)

# %% enumerate and zip
weighted = np.zeros(6)
for i, row in enumerate(rows):
    weighted += (i + 1) * row
pairs = [a * b for a, b in zip(signal, counts)]

# %% out argument
result = np.empty(8)
np.add(signal, counts, out=result)
np.sqrt(np.abs(result), out=result)

# %% where argument
quotient = np.zeros(8)
np.divide(signal, counts, out=quotient, where=counts > 2)

# %% reduce and accumulate
product = np.multiply.reduce(counts)
running = np.add.accumulate(counts)
highest = np.maximum.accumulate(signal)
table = np.multiply.outer(np.arange(3), np.arange(3))

# %% keepdims chain
softened = np.exp(rows - rows.max(axis=1, keepdims=True))
softened /= softened.sum(axis=1, keepdims=True)

# %% nan handling
holes = np.array([1.0, np.nan, 3.0, np.inf])
missing = np.isnan(holes)
finite = np.isfinite(holes)
filled = np.nan_to_num(holes, nan=-1.0, posinf=99.0)
total = np.nansum(holes[:3])

# %% scalars of arrays
x = rows[1, 2]
y = x * 2 + 1
z = np.float64(3) * x
kind = type(y).__name__

# %% zero-dimensional array
point = np.array(2.5)
doubled = point * 2
as_array = np.asarray(doubled)
shape = point.shape

# %% empty arrays
nothing = np.zeros((0, 3))
total = nothing.sum()
columns = nothing.sum(axis=0)
joined = np.concatenate([nothing, np.ones((2, 3))])

# %% complex numbers
z = np.array([1 + 2j, 3 - 4j])
size = np.abs(z)
angle = np.angle(z)
product = z * z.conj()
real, imaginary = product.real, product.imag

# %% polynomial
coefficients = [2.0, -1.0, 0.5]
x = np.linspace(-1, 1, 7)
y = np.polyval(coefficients, x)

# %% interpolation
xs = np.array([0.0, 1.0, 2.0])
ys = np.array([0.0, 10.0, 5.0])
wanted = np.interp([0.5, 1.5, 3.0], xs, ys)

# %% histogram by broadcasting
edges = np.arange(0, 11, 2)
inside = (counts[:, None] >= edges[:-1]) & (counts[:, None] < edges[1:])
bars = inside.sum(axis=0)

# %% bincount | data-dependent shape
bars = np.bincount(counts)

# %% pairwise distances
points = rows[:, :2]
gap = points[:, None, :] - points[None, :, :]
distance = np.sqrt((gap**2).sum(-1))

# %% window view
windows = np.stack([signal[i : i + 3] for i in range(len(signal) - 2)])
smooth = windows.mean(axis=1)

# %% reshape with minus one
flat = rows.reshape(-1)
thirds = rows.reshape(3, -1)
back = flat.reshape(rows.shape)

# %% attributes
facts = (rows.shape, rows.ndim, rows.size, rows.dtype, rows.itemsize, rows.nbytes, len(rows))
turned = rows.T.shape

# %% tolist and item
listed = (counts * 2).tolist()
number = (signal * 2)[2].item()

# %% print arrays
print("rows", rows[0] * 2)
print(f"{signal.sum():.3f} and {counts.max()}")
after = signal * 3

# %% last expression
scaled = rows * 0.5
scaled.sum(axis=1)
