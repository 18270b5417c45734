# Numeric recipes: iteration, quadrature, stencils, simulation.
# floats: 1e-12

# %% setup
import math

import numpy as np

# %% newton square root
x = 2.0
for _ in range(6):
    x = 0.5 * (x + 2.0 / x)
error = abs(x - math.sqrt(2))

# %% bisection
def f(x):
    return x**3 - x - 2
low, high = 1.0, 2.0
while high - low > 1e-6:
    middle = (low + high) / 2
    if f(low) * f(middle) <= 0:
        high = middle
    else:
        low = middle

# %% trapezoid
x = np.linspace(0, np.pi, 101)
y = np.sin(x)
area = ((y[1:] + y[:-1]) / 2 * np.diff(x)).sum()

# %% simpson
n = 10
x = np.linspace(0, 1, n + 1)
y = np.exp(x)
h = x[1] - x[0]
area = h / 3 * (y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1])

# %% gauss seidel
A = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]])
b = np.array([1.0, 2, 3])
x = np.zeros(3)
for sweep in range(8):
    for i in range(3):
        x[i] = (b[i] - A[i] @ x + A[i, i] * x[i]) / A[i, i]
residual = np.abs(A @ x - b).max()

# %% jacobi stencil
u = np.zeros((8, 8))
u[0] = 1.0
for _ in range(5):
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
middle = u[3, 3]

# %% heat equation
u = np.exp(-np.linspace(-3, 3, 31) ** 2)
k = 0.2
for _ in range(10):
    v = u.copy()
    v[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    u = v
energy = u.sum()

# %% wave equation with swapped buffers
now = np.sin(np.linspace(0, np.pi, 21))
before = now.copy()
for _ in range(6):
    after = 2 * now - before
    after[1:-1] += 0.25 * (now[2:] - 2 * now[1:-1] + now[:-2])
    after[0] = after[-1] = 0
    before, now = now, after

# %% game of life
board = np.zeros((6, 6), dtype=int)
board[1, 2] = board[2, 3] = board[3, 1] = board[3, 2] = board[3, 3] = 1
for _ in range(3):
    near = sum(
        np.roll(np.roll(board, i, 0), j, 1)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (i, j) != (0, 0)
    )
    board = ((near == 3) | ((board == 1) & (near == 2))).astype(int)
alive = board.sum()

# %% mandelbrot
x = np.linspace(-2, 1, 12)
y = np.linspace(-1, 1, 8)
c = x[None, :] + 1j * y[:, None]
z = np.zeros_like(c)
count = np.zeros(c.shape, dtype=int)
for _ in range(12):
    z = np.where(np.abs(z) <= 2, z * z + c, z)
    count += np.abs(z) <= 2

# %% mandelbrot in real arithmetic
cx, cy = np.meshgrid(np.linspace(-2, 1, 10), np.linspace(-1, 1, 6))
zx = np.zeros_like(cx)
zy = np.zeros_like(cy)
steps = np.zeros(cx.shape, dtype=np.int32)
for _ in range(10):
    inside = zx * zx + zy * zy <= 4
    zx, zy = np.where(inside, zx * zx - zy * zy + cx, zx), np.where(inside, 2 * zx * zy + cy, zy)
    steps += inside

# %% euler pendulum
angle, speed, dt = 0.5, 0.0, 0.01
track = np.zeros(50)
for i in range(50):
    speed -= 9.81 * math.sin(angle) * dt
    angle += speed * dt
    track[i] = angle

# %% runge kutta
def slope(y):
    return np.array([y[1], -y[0]])
y = np.array([1.0, 0.0])
h = 0.1
for _ in range(10):
    k1 = slope(y)
    k2 = slope(y + h / 2 * k1)
    k3 = slope(y + h / 2 * k2)
    k4 = slope(y + h * k3)
    y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

# %% lotka volterra
state = np.array([10.0, 5.0])
path = [state]
for _ in range(20):
    prey, hunters = state
    state = state + 0.01 * np.array([prey * (1.1 - 0.4 * hunters), hunters * (0.1 * prey - 0.4)])
    path.append(state)
path = np.array(path)

# %% n bodies
position = np.array([[0.0, 0], [1, 0], [0, 2]])
velocity = np.zeros((3, 2))
mass = np.array([3.0, 1.0, 2.0])
for _ in range(4):
    gap = position[None] - position[:, None]
    cubed = ((gap**2).sum(-1) + 0.01) ** 1.5
    force = (gap * (mass / cubed)[..., None]).sum(1)
    velocity += 0.01 * force
    position += 0.01 * velocity

# %% power iteration
A = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])
v = np.ones(3)
for _ in range(20):
    v = A @ v
    v = v / np.sqrt(v @ v)
value = v @ A @ v

# %% gram schmidt
A = np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]])
Q = np.zeros_like(A)
for j in range(3):
    v = A[:, j].copy()
    for i in range(j):
        v -= (Q[:, i] @ A[:, j]) * Q[:, i]
    Q[:, j] = v / np.sqrt((v * v).sum())
check = np.round(Q.T @ Q, 9)

# %% gaussian elimination
A = np.array([[2.0, 1, -1], [-3, -1, 2], [-2, 1, 2]])
b = np.array([8.0, -11, -3])
n = 3
for i in range(n):
    for j in range(i + 1, n):
        m = A[j, i] / A[i, i]
        A[j] -= m * A[i]
        b[j] -= m * b[i]
x = np.zeros(n)
for i in reversed(range(n)):
    x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]

# %% cholesky by hand
A = np.array([[4.0, 2, 2], [2, 5, 3], [2, 3, 6]])
L = np.zeros((3, 3))
for i in range(3):
    for j in range(i + 1):
        s = A[i, j] - (L[i, :j] * L[j, :j]).sum()
        L[i, j] = np.sqrt(s) if i == j else s / L[j, j]

# %% solve and invert
A = np.array([[3.0, 1], [1, 2]])
x = np.linalg.solve(A, np.array([9.0, 8]))
inverse = np.linalg.inv(A)
determinant = np.linalg.det(A)
size = np.linalg.norm(x)

# %% conjugate gradient
A = np.array([[4.0, 1], [1, 3]])
b = np.array([1.0, 2])
x = np.array([2.0, 1])
r = b - A @ x
p = r
for _ in range(2):
    alpha = (r @ r) / (p @ A @ p)
    x = x + alpha * p
    after = r - alpha * (A @ p)
    p = after + (after @ after) / (r @ r) * p
    r = after

# %% fibonacci by matrix power
m = np.array([[1, 1], [1, 0]])
result = np.eye(2, dtype=int)
for _ in range(30):
    result = result @ m
answer = result[0, 1]

# %% sieve
n = 60
prime = np.ones(n, dtype=bool)
prime[:2] = False
for i in range(2, 8):
    if prime[i]:
        prime[i * i :: i] = False
count = prime.sum()

# %% pascal triangle
rows = np.zeros((8, 8), dtype=np.int64)
rows[:, 0] = 1
for i in range(1, 8):
    rows[i, 1:] = rows[i - 1, 1:] + rows[i - 1, :-1]

# %% collatz lengths
lengths = {}
for start in range(1, 12):
    n, steps = start, 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    lengths[start] = steps

# %% horner
x = np.linspace(-1, 1, 9)
y = np.zeros_like(x)
for c in [1.0, -0.5, 0.25, 2.0]:
    y = y * x + c

# %% taylor exponential | floats 1e-6
x = np.linspace(-1, 1, 5)
term = np.ones_like(x)
total = np.ones_like(x)
for k in range(1, 12):
    term = term * x / k
    total = total + term
gap = np.abs(total - np.exp(x)).max()

# %% error function series
x = np.linspace(0, 1, 5)
total = np.zeros(5)
for n in range(10):
    total += (-1) ** n * x ** (2 * n + 1) / (math.factorial(n) * (2 * n + 1))
erf = 2 / math.sqrt(math.pi) * total

# %% monte carlo pi
np.random.seed(4)
xy = np.random.rand(500, 2)
inside = (xy**2).sum(axis=1) < 1
estimate = 4 * inside.mean()

# %% random walk
rng = np.random.default_rng(5)
steps = rng.choice([-1, 1], size=100)
walk = np.cumsum(steps)
furthest = np.abs(walk).max()

# %% metropolis
rng = np.random.default_rng(6)
x, accepted = 0.0, 0
for _ in range(20):
    trial = x + rng.normal()
    if rng.random() < math.exp(min(0.0, (x * x - trial * trial) / 2)):
        x = trial
        accepted += 1

# %% discrete fourier by matrix
n = 8
k = np.arange(n)
F = np.exp(-2j * np.pi * k[:, None] * k / n)
signal = np.cos(2 * np.pi * k / n)
spectrum = F @ signal
power = np.abs(spectrum) ** 2

# %% rotation
theta = np.pi / 6
R = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
corners = np.array([[1.0, 1], [-1, 1], [-1, -1], [1, -1]])
turned = corners @ R.T

# %% bilinear sampling
image = np.arange(20.0).reshape(4, 5)
y, x = np.array([0.5, 1.25]), np.array([1.5, 2.75])
y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int)
fy, fx = y - y0, x - x0
value = (
    image[y0, x0] * (1 - fy) * (1 - fx)
    + image[y0 + 1, x0] * fy * (1 - fx)
    + image[y0, x0 + 1] * (1 - fy) * fx
    + image[y0 + 1, x0 + 1] * fy * fx
)

# %% convolution by slices
image = np.arange(36.0).reshape(6, 6)
kernel = np.array([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])
out = np.zeros((4, 4))
for i in range(3):
    for j in range(3):
        out += kernel[i, j] * image[i : i + 4, j : j + 4]

# %% while on a reduction
x = np.array([10.0, 20.0])
steps = 0
while np.abs(x).max() > 1:
    x = x / 2
    steps += 1

# %% branch on a value
x = np.array([1.0, -3.0])
if x.sum() > 0:
    sign = "up"
    y = x * 2
else:
    sign = "down"
    y = -x

# %% fixed point with break
x = np.array([1.0, 0.5])
for i in range(50):
    after = np.cos(x)
    if np.abs(after - x).max() < 1e-4:
        break
    x = after
