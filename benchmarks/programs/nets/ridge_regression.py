# Ridge regression by the normal equations, the penalty chosen on held-out rows.
# %% small
samples, features = 300, 12
# %% large
samples, features = 12_000, 120
# %% setup
import numpy as np

rng = np.random.default_rng(80)
X = rng.normal(size=(samples, features)) @ rng.normal(size=(features, features)) / 4
y = X @ rng.normal(size=features) + 2.0 * rng.normal(size=samples)
penalties = np.logspace(-3, 4, 8)
# %% functions
def ridge(X, y, penalty):
    A = X.T @ X + penalty * np.eye(X.shape[1])
    return np.linalg.solve(A, X.T @ y)


def choose_penalty(X, y, penalties):
    cut = 2 * len(X) // 3
    X_train, X_test = X[:cut], X[cut:]
    y_train, y_test = y[:cut], y[cut:]
    errors = np.zeros(len(penalties))
    best = None
    for i, penalty in enumerate(penalties):
        w = ridge(X_train, y_train, penalty)
        errors[i] = np.mean((X_test @ w - y_test) ** 2)
        if best is None or errors[i] < errors[best]:
            best = i
    return best, errors
# %% cell
best, errors = choose_penalty(X, y, penalties)
w = ridge(X, y, penalties[best])
r2 = 1 - np.sum((y - X @ w) ** 2) / np.sum((y - y.mean()) ** 2)
result = w, errors, penalties[best], r2
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def ridge(X, y, penalty):
    A = X.T @ X + penalty * jnp.eye(X.shape[1])
    return jnp.linalg.solve(A, X.T @ y)


@jax.jit
def choose_penalty(X, y, penalties):
    cut = 2 * len(X) // 3
    X_train, X_test = X[:cut], X[cut:]
    y_train, y_test = y[:cut], y[cut:]

    def error(penalty):
        w = ridge(X_train, y_train, penalty)
        return jnp.mean((X_test @ w - y_test) ** 2)

    errors = jax.lax.map(error, penalties)
    return jnp.argmin(errors), errors
# %% jax cell
best, errors = choose_penalty(X, y, penalties)
w = ridge(X, y, penalties[best])
r2 = 1 - jnp.sum((y - X @ w) ** 2) / jnp.sum((y - y.mean()) ** 2)
result = w, errors, penalties[best], r2
