import numpy as np
import torch
torch.manual_seed(3)
x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(16, 2)
y = x[:, :1] * 2 - x[:, 1:] + 0.5

# %% memory shared with NumPy
a = x * 2
t = torch.from_numpy(a)
t += 1
a[0] = 9
b = t.numpy() + x
view = t.numpy()
view *= 10
total = torch.tensor(b.sum())
print(t[:2], a[1], total.dtype)
view[1]

# %% a training loop
inputs, targets = torch.tensor(x * 1.5), torch.tensor(y)
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses = np.zeros(5)
for epoch in range(5):
    optimizer.zero_grad()
    loss = ((net(inputs) - targets) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses[epoch] = loss.item()
weights = [p.detach().clone() for p in net.parameters()]
print(losses.round(4))
losses[-1] < losses[0]

# %% a data set and batches
class Rows(torch.utils.data.Dataset):
    def __init__(self, scale):
        self.rows = x * scale
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, i):
        return self.rows[i] + 1, float(y[i, 0])
batches = list(torch.utils.data.DataLoader(Rows(3), batch_size=6, shuffle=True))
means = np.array([b.numpy().mean() for b, _ in batches])
shapes = [tuple(b.shape) for b, _ in batches]
batches[0][1]

# %% a function with a gradient of its own
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v**3
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        return torch.from_numpy(3 * np.square(v.detach().numpy())) * g
v = torch.tensor(np.arange(4.0) + 1, requires_grad=True)
Cube.apply(v).sum().backward()
class_name = Cube.__name__
del Cube  # torch puts a class of its own into it
grad = v.grad.numpy() - np.arange(4.0)
v.grad

# %% an error of torch
m = torch.from_numpy(x * 1)
m @ torch.from_numpy(np.ones((3, 2), dtype=np.float32) * 2)
