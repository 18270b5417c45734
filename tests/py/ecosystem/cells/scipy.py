import numpy as np
import scipy
from scipy import integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, stats
rng = np.random.default_rng(4)
x = np.linspace(0.0, 4.0, 40)
noisy = 2.5 * np.exp(-1.3 * x) + 0.5 + rng.normal(0, 0.02, 40)

# %% minimizing and fitting a function of the cell
seen = []
def rosen(p):
    seen.append(p.copy())
    return ((1 - p[:-1]) ** 2).sum() + 100 * ((p[1:] - p[:-1] ** 2) ** 2).sum()
found = optimize.minimize(rosen, np.array([-1.0, 1.5]), method="Nelder-Mead")
def decay(t, a, b, c):
    return a * np.exp(-b * t) + c
best, cov = optimize.curve_fit(decay, x, noisy)
best, cov = best.round(8), cov.round(9)  # a fit multiplies what is rounded
root = optimize.brentq(lambda v: v**3 - x[-1], 0, 5)
print(found.message, len(seen), best)

# %% integrals and differential equations
area, error = integrate.quad(lambda v: np.exp(-v * v), 0, x.max())
calls = 0
def pendulum(t, y, damping=0.2):
    global calls
    calls += 1
    return [y[1], -damping * y[1] - np.sin(y[0])]
path = integrate.solve_ivp(pendulum, (0, 5), [1.0, 0.0], t_eval=np.linspace(0, 5, 9))
cumulative = integrate.cumulative_trapezoid(noisy * 2, x, initial=0)
path.y[0], calls

# %% linear algebra that overwrites its input
a = np.outer(x[:5], x[:5]) + np.eye(5) * 3
kept = a.copy()
lu, piv = linalg.lu_factor(a, overwrite_a=True)
b = kept @ np.ones(5)
answer = linalg.lu_solve((lu, piv), b)
values, vectors = linalg.eigh(kept)
m = sparse.csr_matrix(np.where(kept > 3, kept, 0))
product = (m @ b) * 2
m.nnz, sparse.linalg.spsolve(m.tocsc(), b).round(8)

# %% filters and interpolation
smooth = signal.savgol_filter(noisy, 7, 2)
b, a = signal.butter(3, 0.2)
passed = signal.filtfilt(b, a, noisy - noisy.mean())
peaks, _ = signal.find_peaks(np.sin(x * 6))
spline = interpolate.CubicSpline(x, np.sin(x))
between = spline(x[:-1] + 0.05)
blurred = ndimage.generic_filter(np.outer(x[:6], x[:6]), lambda w: w.max() - w.min(), size=3)
peaks

# %% statistics and neighbours
t = stats.ttest_ind(noisy[:20] * 2, noisy[20:])
slope = stats.linregress(x, np.log(np.abs(noisy) + 1)).slope
draws = stats.norm.rvs(loc=x.mean(), size=4, random_state=3)
points = np.column_stack([x, np.cos(x)])
far, near = spatial.cKDTree(points).query(points[::8] + 0.1, k=2)
print(f"{t.statistic:.6f} {t.pvalue:.3g} {slope:.6f}")
near
