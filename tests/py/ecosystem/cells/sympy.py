import numpy as np
import sympy as sp
a, b, t = sp.symbols("a b t")
x = np.linspace(0, 1, 5)

# %% derivatives and lambdify
f = sp.exp(-a * t) * sp.sin(b * t)
df = sp.diff(f, t)
fast = sp.lambdify((t, a, b), df, "numpy")
y = fast(x * 2, 1.0, 2.0)
slope = np.gradient(sp.lambdify(t, f.subs({a: 1, b: 2}), "numpy")(x), x)
print(sp.latex(df), sp.simplify(df / f))
y

# %% solving and numbers of NumPy
roots = sp.solve(sp.Eq(t**2 - 3 * t, -2), t)
value = (a * t + b).subs({a: float(x[1] * 4), b: x.sum(), t: 2})
rational = sp.nsimplify(x[1] * 3)
area = sp.integrate(t**2, (t, 0, int((x * 8)[1])))
area, value

# %% matrices and arrays
M = sp.Matrix((np.outer(x, x)[:3, :3] * 16).astype(int)) + sp.eye(3)
D = np.array(M.inv().tolist(), dtype=float) @ (np.ones(3) * 2)
symbols = np.array([a, b, t]) * np.arange(1, 4)
total = symbols.sum()
M.det(), total
