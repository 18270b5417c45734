# A linear system by LU decomposition (Doolittle, no pivots), written with indices.
# %% small
n = 20
# %% large
n = 80
# %% setup
import numpy as np

rng = np.random.default_rng(20)
matrix = rng.normal(size=(n, n)) + 2.0 * n * np.eye(n)
right = rng.normal(size=n)
# %% functions
def decompose(a):
    n = len(a)
    L = np.eye(n)
    U = np.zeros((n, n))
    for i in range(n):
        for j in range(i, n):
            total = 0.0
            for k in range(i):
                total += L[i, k] * U[k, j]
            U[i, j] = a[i, j] - total
        for j in range(i + 1, n):
            total = 0.0
            for k in range(i):
                total += L[j, k] * U[k, i]
            L[j, i] = (a[j, i] - total) / U[i, i]
    return L, U


def forward(L, b):
    y = np.zeros_like(b)
    for i in range(len(b)):
        y[i] = b[i]
        for j in range(i):
            y[i] -= L[i, j] * y[j]
    return y


def backward(U, y):
    x = np.zeros_like(y)
    for i in range(len(y) - 1, -1, -1):
        x[i] = y[i]
        for j in range(i + 1, len(y)):
            x[i] -= U[i, j] * x[j]
        x[i] /= U[i, i]
    return x
# %% cell
L, U = decompose(matrix)
x = backward(U, forward(L, right))
result = L, U, x
