import numpy as np
import sys
from tqdm import tqdm
from tqdm.auto import trange
SHOW = {"bar_format": "{desc}{n_fmt}/{total_fmt}|", "mininterval": 0, "ncols": 40}
x = np.arange(6.0)
tqdm._instances.clear()

# %% bars around loops
total = x * 0
for i in tqdm(range(4), file=sys.stdout, **SHOW):
    total += x * i
with tqdm(total=3, file=sys.stdout, **SHOW) as bar:
    for row in (x * 2).reshape(3, 2):
        bar.set_description(f"{row.sum():.1f}")
        bar.update()
done = bar.n
for i in trange(3, disable=True):
    total[i] = -1
total

# %% a bar around a comprehension
names = [f"{v:.1f}" for v in tqdm(x + 1, file=sys.stdout, **SHOW)]
names

# %% a bar around a loop that is left
seen = []
for v in tqdm(np.sqrt(x * x), file=sys.stdout, **SHOW):
    if v > 3:
        break
    seen.append(v + 1)
seen
