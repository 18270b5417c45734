import numpy as np
import shutil
import joblib
from joblib import Memory, Parallel, delayed
x = np.arange(8.0)
shutil.rmtree("kept", ignore_errors=True)

# %% threads and a generator of calls
def work(i, v):
    return float((v[i:] * 2).sum())
y = x + 1
totals = Parallel(n_jobs=2, prefer="threads")(delayed(work)(i, y) for i in range(6))
lazily = Parallel(n_jobs=2, prefer="threads", return_as="generator")
peaks = [v + 1 for v in lazily(delayed(np.max)(y[:i] * 2) for i in range(1, 4))]
peaks

# %% processes run a function of the cell
scale = x.max() / 7
def apart(v):
    return np.sqrt(v) * scale, v.sum()
# --- cell
pairs = Parallel(n_jobs=2)(delayed(apart)(x[i:] * 4) for i in range(3))
pairs[1][0] + 1

# %% a cache and what was kept
memory = Memory("kept", verbose=0)
calls = []
@memory.cache
def costly(v, power=2):
    calls.append(power)
    return v**power + 1
first, again = costly(x * 2), costly(x * 2)
third = costly(x * 2, power=3)
file = joblib.dump({"w": x * 5, "n": x.sum()}, "kept/w.joblib")
kept = joblib.load("kept/w.joblib")
same = joblib.hash(x * 5) == joblib.hash(kept["w"])
calls, same
