import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
plt.close("all")
x = np.linspace(0, 6, 50)

# %% lines with labels and limits
fig, ax = plt.subplots(figsize=(3, 2))
for k in range(3):
    ax.plot(x, np.sin(x + k) * k, label=f"k={k}")
ax.axhline(np.max(np.sin(x)), ls="--")
ax.set(xlabel="x", title=f"{x.mean():.2f}", ylim=(-(x.max() / 2), 3))
ax.legend()
low, high = ax.get_ylim()

# %% images and contours
X, Y = np.meshgrid(x, x[::5])
Z = np.exp(-((X - 3) ** 2) - (Y - 2) ** 2)
fig, axes = plt.subplots(1, 2, figsize=(3, 2))
image = axes[0].imshow(Z, origin="lower", vmin=Z.min(), vmax=Z.max())
levels = axes[1].contourf(X, Y, Z, levels=np.linspace(0, 1, 5)).levels
Z[:] = 0
bar = fig.colorbar(image, ax=axes[0])

# %% bars, histogram and scatter
np.random.seed(2)
data = np.random.randn(200) * 2 + 1
fig, (a, b) = plt.subplots(2, figsize=(3, 2))
counts, edges, patches = a.hist(data, bins=8)
a.bar(edges[:-1], counts / counts.max(), width=np.diff(edges).min())
b.scatter(data[:20], data[20:40], c=data[40:60], s=np.abs(data[60:80]) * 5)
plt.tight_layout()
counts

# %% a line whose data change
line, = plt.plot(x, x * 0)
frames = []
for t in range(3):
    y = np.cos(x - t)
    line.set_ydata(y)
    y[:5] = 0
    frames.append(line.get_ydata().sum())
shown = plt.gcf()
shown.axes[0].get_xlim()
